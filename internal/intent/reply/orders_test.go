package reply_test

import (
	"os"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
)

// TestRepliesAreNoOrders: what the gateway says of what it has done is no order, so that
// nothing is done where it hears itself.
func TestRepliesAreNoOrders(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/told.txtar")
	if err != nil {
		t.Fatal(err)
	}
	matchers := map[string]*intent.Matcher{}
	for line := range strings.Lines(string(data)) {
		language, said, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if pack, err := intent.Ours(language); ok && err == nil {
			if matchers[language] == nil {
				if matchers[language], err = intent.New(pack, fake.Villa(language)); err != nil {
					t.Fatal(err)
				}
			}
			if d := matchers[language].Match(said, ""); d.Route == intent.Local && !d.OnlyReads() {
				t.Errorf("%s: %q is an order: %v", language, said, d.Actions[0].Intent)
			}
		}
	}
}
