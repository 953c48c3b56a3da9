//go:build oracle

package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// languages are those in which sentences stand in files.
var languages = []string{"en", "de", "fr", "es"}

// source says how files are read. Their names are patterns below the repository's root, in
// which LANG stands for a language.
type source struct {
	files string
	read  func(name string, text []byte) ([]talk, error) // nil: the file is left out
	why   string                                         // it is left out
	alone bool                                           // its lines are sentences that need nothing said before them
}

// sources are all files below directories called testdata.
var sources = []source{
	{files: "internal/intent/testdata/house*.json", why: "a house, read where it is lived in"},
	{files: "internal/intent/testdata/*_LANG.txt", read: readLines, alone: true},
	{files: "internal/language/sentences/LANG.yaml", read: readPack, alone: true},
	{files: "internal/mind/testdata/dialogues/LANG.txt", read: readParts},
	{files: "internal/mind/testdata/dialogues/terrace_LANG.txt", read: readParts},
	{files: "internal/mind/testdata/doubts/LANG.txt", read: readParts},
	{files: "internal/mind/testdata/firstday/LANG.txt", read: readLines, alone: true},
	{files: "internal/mind/testdata/bystanders/LANG.txt", read: readLines, alone: true},
	{files: "internal/mind/testdata/wordings/LANG.txt", read: readLines, alone: true},
	{files: "internal/mind/testdata/amendments/*.txtar", read: readTalk},
	{files: "internal/mind/testdata/*.txtar", read: readProse},
	{files: "internal/mind/announce/testdata/news.txtar", read: readProse},
	{files: "internal/intent/reply/testdata/*.txtar", read: readProse},
	{files: "internal/ear/testdata/scenes/*.txtar", read: readScene},
	{files: "internal/ear/testdata/stories/*.txtar", read: readStory},
	{files: "internal/intent/names/testdata/*.txt", why: "names, resolved in the section names"},
	{files: "internal/ai/filter/testdata/*.txt", why: "what a language model says; here there is none"},
	{files: "internal/ear/stt/testdata/sentences.txt", read: readLines, alone: true},
	{files: "internal/audio/device/testdata/simcard.c", why: "a program"},
	{files: "internal/doors/discovery/testdata/schema.json", why: "a schema of others"},
	{files: "internal/doors/httpapi/testdata/openapi-3.1.schema.json", why: "a schema of others"},
	{files: "internal/mcpint/host/testdata/peer/main.go", why: "a program"},
	{files: "internal/doors/metrics/testdata/alerts.yaml", why: "rules of a monitoring system"},
	{files: "internal/fake/testdata/worker/main.go", why: "a program"},
	{files: "internal/care/packaging/testdata/machine.sh", why: "a program"},
	{files: "internal/zwave/sim/testdata/recorded.yaml", why: "recordings of another program"},
	{files: "internal/zwave/testdata/fuzz/*/*", why: "found by fuzzing"},
	{files: "e2e/hearing/testdata/*.txt", read: readLines, alone: true},
	{files: "e2e/hearing/testdata/people_home.json", why: "a house, read where it is lived in"},
	{files: "e2e/truth/testdata/questions_LANG.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/speech_LANG.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/acts.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/local.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/model_words.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/injections.yaml", read: readList, alone: true},
	{files: "e2e/truth/testdata/attacks.yaml", why: "what servers say to a language model; here there is none"},
	{files: "e2e/truth/testdata/commands.yaml", why: "parts of sentences"},
	{files: "e2e/truth/testdata/house.yaml", why: "a house of the simulator"},
	{files: "e2e/truth/testdata/states.yaml", why: "states of that house"},
	{files: "e2e/truth/testdata/words.yaml", why: "words of the judge"},
	{files: "e2e/voice-gateway/testdata/household.txtar", read: readHousehold},
	{files: "e2e/voice-gateway/testdata/family.txtar", read: readHousehold},
	{files: "e2e/voice-gateway/testdata/reported.txtar", read: readHousehold},
	{files: "e2e/voice-gateway/testdata/conformance.yaml", why: "a list of faults that others know"},
	{files: "e2e/voice-gateway/testdata/script/*.txtar", why: "commands, which the section commands has"},
	{files: "e2e/voice-gateway/testdata/setup/*.txt", why: "dialogues of the set-up at a terminal"},
	{files: "e2e/zwave-mcp-server/testdata/*", why: "a house of the simulator, and a golden file of its server"},
	{files: "internal/*/*/testdata/before/*.json", why: "what an earlier version kept on the disk"},
	{files: "e2e/oracle/testdata/*", why: "of the oracle itself"},
	{files: "e2e/oracle/testdata/houses/*.json", why: "a house, read where it is lived in"},
}

// talk is a conversation: lines that are said or done one after the other.
type talk struct {
	name     string
	language string
	area     string // of the first line
	house    string // "": every house of the language
	start    string // the time of day at which it begins, as 15:04
	fresh    bool   // every line is said to a house in which nothing was said before
	lines    []string
}

// material is a file with what was read of it.
type material struct {
	name  string
	alone bool
	talks []talk
}

// files lists the files of a pattern, with the language that each is for ("": no one).
func (s source) list(t *testing.T) (names, spoken []string) {
	t.Helper()
	for _, language := range languages {
		pattern := strings.ReplaceAll(s.files, "LANG", language)
		if pattern == s.files {
			language = ""
		}
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			names, spoken = append(names, filepath.ToSlash(strings.TrimPrefix(name, root+"/"))), append(spoken, language)
		}
		if language == "" {
			break
		}
	}
	return names, spoken
}

// materials reads all sources. A file belongs to the first pattern that fits it.
func materials(t *testing.T) (all []material) {
	t.Helper()
	seen := map[string]bool{}
	for _, s := range sources {
		names, spoken := s.list(t)
		if len(names) == 0 {
			t.Errorf("no file fits %s; take the pattern out of the oracle's sources or correct it", s.files)
		}
		for i, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			if s.read == nil {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			talks, err := s.read(name, text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for j := range talks {
				if talks[j].language == "" {
					talks[j].language = spoken[i]
				}
				if talks[j].language == "" {
					talks[j].language = "en"
				}
			}
			all = append(all, material{name, s.alone, talks})
		}
	}
	return all
}

// TestEveryFile fails for files with test data that the oracle neither reads nor leaves
// out on purpose.
func TestEveryFile(t *testing.T) {
	known := map[string]bool{}
	for _, s := range sources {
		names, _ := s.list(t)
		for _, name := range names {
			known[name] = true
		}
	}
	for _, top := range []string{"internal", "e2e", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry os.DirEntry, err error) error {
			name := filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
			if err == nil && !entry.IsDir() && strings.Contains(name, "/testdata/") && !known[name] {
				t.Errorf("%s is not among the oracle's sources: add it to the list in e2e/oracle/read_test.go", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// kindOf is what stands before a sentence in lists of sentences by kind.
var kindOf = regexp.MustCompile(`^[a-z]+( not)?: `)

// readLines reads sentences, one a line, perhaps with a room before and what is expected
// behind an arrow.
func readLines(_ string, text []byte) ([]talk, error) {
	k := talk{name: "lines", fresh: true}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		k.lines = append(k.lines, kindOf.ReplaceAllString(line, ""))
	}
	return []talk{k}, nil
}

// readParts reads conversations that begin with "# title". Those of a part called Each are
// single sentences.
func readParts(_ string, text []byte) (all []talk, _ error) {
	titles := map[string]int{}
	for _, part := range strings.Split("\n"+string(text), "\n# ")[1:] {
		title, lines, _ := strings.Cut(part, "\n")
		name := title
		if titles[title]++; titles[title] > 1 {
			name = fmt.Sprintf("%s (%d)", title, titles[title])
		}
		all = append(all, talk{name: name, house: "villa_LANG", fresh: strings.HasPrefix(title, "Each"), lines: split(lines)})
	}
	return all, nil
}

// split cuts a text into its lines that are not empty.
func split(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// part returns a file of an archive.
func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return strings.TrimSpace(string(f.Data))
		}
	}
	return ""
}

// readTalk reads a conversation that goes back on what was done.
func readTalk(_ string, text []byte) ([]talk, error) {
	a := txtar.Parse(text)
	return []talk{{name: "talk", language: part(a, "language"), area: "Bedroom", house: "cottage", lines: split(part(a, "talk"))}}, nil
}

var proseLine = regexp.MustCompile(`^(en|de|fr|es)\? (.*)$`)

// readProse reads a golden file of sentences and their answers.
func readProse(_ string, text []byte) (all []talk, _ error) {
	for _, f := range txtar.Parse(text).Files {
		by := map[string]*talk{}
		var given []string
		start := ""
		for _, line := range split(string(f.Data)) {
			if what, ok := strings.CutPrefix(line, "given "); ok {
				if at, ok := strings.CutPrefix(what, "at: "); ok {
					start = at
				}
				given = append(given, what)
				continue
			}
			m := proseLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if by[m[1]] == nil {
				by[m[1]] = &talk{name: f.Name + " " + m[1], language: m[1], house: "villa_LANG", start: start, lines: slices.Clone(given)}
			}
			by[m[1]].lines = append(by[m[1]].lines, m[2])
		}
		for _, language := range languages {
			if by[language] != nil {
				all = append(all, *by[language])
			}
		}
	}
	return all, nil
}

// readScene reads a scene before a microphone as the sentences that are said in it.
func readScene(_ string, text []byte) ([]talk, error) {
	k := talk{name: "scene", area: "Kitchen mic", house: "cottage"}
	for _, line := range split(part(txtar.Parse(text), "scene")) {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "say", "early", "early-murmur", "murmur", "television":
			k.lines = append(k.lines, rest)
		case "begin":
			k.lines = append(k.lines, rest+" …")
		case "stop", "stopword":
			k.lines = append(k.lines, "stop")
		case "quiet", "gap":
			k.lines = append(k.lines, "+"+rest)
		default: // it says nothing
			k.lines = append(k.lines, "+200ms")
		}
	}
	return []talk{k}, nil
}

// readStory reads a story as what is heard in it.
func readStory(_ string, text []byte) ([]talk, error) {
	a := txtar.Parse(text)
	return []talk{{name: "story", area: "Kitchen mic", house: "bungalow", lines: append(split(part(a, "answers")), split(part(a, "heard"))...)}}, nil
}

// readList reads a list of objects, of which one field holds what is said.
func readList(_ string, text []byte) (all []talk, _ error) {
	var list []struct {
		Say, Text, Ask string
		Asks           []string
		Lang, Here     string
	}
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	by := map[string]*talk{}
	var order []string
	for _, one := range list {
		lines := one.Asks
		switch {
		case len(lines) > 0:
		case one.Say != "" && one.Ask == "":
			lines = []string{one.Say}
		case one.Ask != "" && one.Say != "":
			lines = []string{one.Ask}
		default:
			lines = []string{one.Text}
		}
		if by[one.Lang] == nil {
			by[one.Lang] = &talk{name: strings.TrimSpace("list " + one.Lang), language: one.Lang, fresh: true}
			order = append(order, one.Lang)
		}
		for _, line := range lines {
			if one.Here != "" {
				line = "[" + one.Here + "] " + line
			}
			by[one.Lang].lines = append(by[one.Lang].lines, line)
		}
	}
	for _, language := range order {
		all = append(all, *by[language])
	}
	return all, nil
}

// readHousehold reads what a household says in a day.
func readHousehold(_ string, text []byte) (all []talk, _ error) {
	for _, f := range txtar.Parse(text).Files {
		language, ok := strings.CutSuffix(f.Name, ".said")
		if !ok {
			continue
		}
		k := talk{name: f.Name, language: language[:2], house: "villa_LANG"}
		for _, line := range split(string(f.Data)) {
			if columns := strings.Split(line, " | "); len(columns) > 1 {
				k.lines = append(k.lines, "["+strings.TrimSpace(strings.TrimPrefix(columns[0], "~ "))+"]", strings.TrimSpace(columns[1]))
			}
		}
		all = append(all, k)
	}
	return all, nil
}
