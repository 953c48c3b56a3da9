package ear_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
)

var oracle = flag.String("oracle", "", "a directory that the oracle's entries of the scenes and stories are written into (make oracle)")

var turnIDs = regexp.MustCompile(`"t-[0-9a-f]{12}"`)

// tellOracle writes down what happened in a scene, with the whole records of its turns,
// where the oracle has asked for it. The ids of turns, which are random, are numbered.
func tellOracle(t *testing.T, name string, happened []string, records []record.Record) {
	t.Helper()
	if *oracle == "" {
		return
	}
	data, err := json.Marshal(map[string]any{"happened": happened, "records": records})
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	text := turnIDs.ReplaceAllStringFunc(string(data), func(id string) string {
		if !slices.Contains(known, id) {
			known = append(known, id)
		}
		return fmt.Sprintf(`"turn %d"`, slices.Index(known, id)+1)
	})
	entry := fmt.Sprintf("%q: %s\n", "ear: "+name, text)
	if err := os.WriteFile(filepath.Join(*oracle, "ear-"+strings.ReplaceAll(name, "/", "-")+".part"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
}
