package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// outside are documents that are not in the repository. They are spelt in two
// pieces, because this file is held to its own rule.
var outside = []string{"DESIG" + "N", "STYL" + "E", "CONTRAC" + "T", "ENGINE" + "S", "INTENT" + "S", "AUDI" + "O", "HUMA" + "N", "SATELLITE" + "S", "MC" + "P"}

var (
	pointsOutside = regexp.MustCompile(`\b(?:` + strings.Join(outside, "|") + `)\.md\b|\b(?:` + strings.Join(outside[:6], "|") + `) (?:section )?\d|` +
		`\b(?:` + strings.Join(outside[:2], "|") + `)\b|\.\./shar` + `ed\b`)
	letter       = `(?:[A-Z]\d+|\d+(?:\.\d+)?|R)\b`
	requirement  = regexp.MustCompile(`\bREQUIREMENTS ((?:` + letter + `(?:, | and |, and )?)+)`)
	oneLetter    = regexp.MustCompile(letter)
	bareLetter   = regexp.MustCompile(`\b[MTZHUSLAN](?:[1-9]|1\d|20)\b`)
	requirements = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d*)\*\*|^##+ (\d+(?:\.\d+)?)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	factPage     = regexp.MustCompile(`\bdocs/facts/[a-z-]+\.md(?:, ([A-Z][^).;:,]*))?`)
	decision     = regexp.MustCompile(`\bADR (\d+)\b`)
	prose        = regexp.MustCompile(`^\s*(?://|#|\*|/\*)\s?(.*)$`)
)

// usersOfSharedData are the tests that want recordings, models and sentences of
// others, which stay out of this repository: they are skipped where those are
// not beside it. All reach them through fake.Shared.
var usersOfSharedData = map[string]string{
	"e2e/voice-gateway": "accept bench card_back card_scene card_turns challenge_accept doctor ear freely_accept hear hour_accept models pipe_accept review setup", // recordings, a house, models
	"e2e/hearing":       "accuracy_accept sets",                                                                                                                    // recordings of people, houses
	"e2e/crowd":         "sets",                                                                                                                                    // what a crowd said, a house
	"internal/care/lab": "mix",                                                                                                                                     // recordings, models
	"internal/gateway":  "attention",                                                                                                                               // a model, a recording

	"internal/ear/micro":      "frontend model",                                                             // models, golden features and probabilities
	"internal/ear/moonshine":  "clips",                                                                      // recordings
	"internal/ear/sphinx":     "sphinx foresee",                                                             // recordings
	"internal/ear/stt":        "clips decoys_clip halves invented moonshine_clip others person same voices", // recordings
	"internal/ear/vad":        "model",                                                                      // a model, recordings
	"internal/ear/wake":       "micro near near_alone score stop wake",                                      // models, recordings
	"internal/home":           "home",                                                                       // houses
	"internal/intent":         "data examples packs packs_bench resolve talk",                               // houses, sentences, Home Assistant's packs
	"internal/intent/grammar": "grammar",                                                                    // houses, recordings
	"internal/intent/names":   "accuracy",                                                                   // houses, misheard names
	"internal/zwave":          "model recordings zwave",                                                     // recordings of zwave-js-ui, houses
	"internal/zwave/sim":      "replay sim",                                                                 // the same
}

// TestUsersOfSharedData holds the list to the code, both ways.
func TestUsersOfSharedData(t *testing.T) {
	t.Parallel()
	var listed, found []string
	for dir, names := range usersOfSharedData {
		for name := range strings.FieldsSeq(names) {
			listed = append(listed, dir+"/"+name+"_test.go")
		}
	}
	for _, f := range (repository{}).sources(t) {
		if strings.Contains(f.text, "fake.Shared(") && f.name != "internal/comments_test.go" {
			found = append(found, f.name)
		}
		if strings.Contains(f.text, `"..", "shared"`) && f.name != "internal/fake/shared.go" && f.name != "internal/comments_test.go" {
			t.Errorf("%s reaches for the shared data without fake.Shared", f.name)
		}
	}
	for _, name := range found {
		if !slices.Contains(listed, name) {
			t.Errorf("%s uses shared data: add it to usersOfSharedData, or make the test stand alone", name)
		}
	}
	for _, name := range listed {
		if !slices.Contains(found, name) {
			t.Errorf("%s is in usersOfSharedData and uses no shared data", name)
		}
	}
}

// TestCommentsPointToWhatExists: what a comment names (a path, a requirement, a
// decision, a fact page and its heading) is in the repository, and no file
// points to documents that are not.
func TestCommentsPointToWhatExists(t *testing.T) {
	t.Parallel()
	r := openRepository(t)
	for _, f := range r.sources(t) {
		for _, found := range outsideOf(f.text) {
			t.Errorf("%s points outside the repository: %q", f.name, found)
		}
		for _, comment := range f.comments(t) {
			for _, complaint := range r.checkComment(comment) {
				t.Errorf("%s: %s", f.name, complaint)
			}
		}
	}
}

// The test must be able to fail.
func TestCommentsCheckFindsWhatIsGone(t *testing.T) {
	r := openRepository(t)
	for text, want := range map[string]int{
		"the state (REQUIREMENTS M4), see M2 and R":               0,
		"the state (M21) and (T9)":                                1, // M21 is no letter at all
		"see docs/adr/0001-tables-not-init.md and ADR 4":          0,
		"see docs/adr/0099-nothing.md and ADR 99":                 2,
		"measured (docs/facts/engines.md, Ending a turn).":        0,
		"measured (docs/facts/engines.md, Beginning a turn).":     1,
		"the table in internal/arch_test.go":                      0,
		"the table in internal/arch/nowhere.go":                   1,
		"two of REQUIREMENTS M1, M98 and Z99":                     2,
		"an address such as http://host/internal/nothing is none": 0,
	} {
		if got := r.checkComment(text); len(got) != want {
			t.Errorf("%q: %d complaints, want %d: %q", text, len(got), want, got)
		}
	}
}

// source is a file with comments.
type source struct{ name, text string }

// sources are the files of the programs, their tests, settings and scripts.
func (repository) sources(t *testing.T) []source {
	t.Helper()
	var all []source
	read := func(path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, source{strings.TrimPrefix(filepath.ToSlash(path), "../"), string(data)})
	}
	for _, top := range []string{"cmd", "e2e", "internal", "scripts", "configs", ".ci"} {
		err := filepath.WalkDir("../"+top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && top == "e2e" && path == "../e2e":
				return nil // there may be none
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "node_modules":
				return fs.SkipDir
			case d.Type().IsRegular() && (slices.Contains([]string{".go", ".c", ".h", ".yaml", ".sh", ".py", ".mjs", ".service"}, filepath.Ext(path)) || top == ".ci"):
				read(path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read("../Makefile")
	read("../.golangci.yml")
	return all
}

// comments returns each comment as one line of text.
func (f source) comments(t *testing.T) []string {
	t.Helper()
	var all []string
	if filepath.Ext(f.name) == ".go" {
		file, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			all = append(all, inOneLine(group))
		}
		return all
	}
	open := ""
	for line := range strings.Lines(f.text) {
		if m := prose.FindStringSubmatch(line); m != nil {
			open += " " + m[1]
			continue
		}
		if _, beside, found := strings.Cut(line, " # "); found {
			all = append(all, beside)
		}
		all = append(all, open)
		open = ""
	}
	return append(all, open)
}

func inOneLine(group *ast.CommentGroup) string {
	return strings.Join(strings.Fields(group.Text()), " ")
}

// outsideOf finds references to something outside the repository. Most texts have none of
// the words, and then the slow expression is not needed.
func outsideOf(text string) []string {
	if !strings.Contains(text, "../shar"+"ed") && !slices.ContainsFunc(outside, func(word string) bool { return strings.Contains(text, word) }) {
		return nil
	}
	return pointsOutside.FindAllString(text, -1)
}

// checkComment returns what a comment names and the repository lacks.
func (r repository) checkComment(text string) []string {
	gone := r.checkReferences(text)
	letters := text
	if strings.Contains(text, "REQUIREMENTS") {
		letters = requirement.ReplaceAllString(text, "")
	}
	for _, m := range bareLetter.FindAllString(letters, -1) {
		if !r.requirements[m] {
			gone = append(gone, "there is no requirement "+m)
		}
	}
	for word := range strings.FieldsSeq(text) {
		gone = append(gone, r.checkPath(strings.Trim(word, "\"'`(),.;:="))...)
	}
	return gone
}

// checkReferences looks at what documents and comments have in common: named
// requirements, decisions and facts.
func (r repository) checkReferences(text string) []string {
	var gone []string
	for _, found := range outsideOf(text) {
		gone = append(gone, "points outside the repository: "+found)
	}
	if !strings.Contains(text, "REQUIREMENTS") && !strings.Contains(text, "docs/facts/") && !strings.Contains(text, "ADR ") {
		return gone
	}
	text = strings.Join(strings.Fields(text), " ")
	for _, m := range requirement.FindAllStringSubmatch(text, -1) {
		for _, name := range oneLetter.FindAllString(m[1], -1) {
			if !r.requirements[name] {
				gone = append(gone, "there is no requirement "+name)
			}
		}
	}
	for _, m := range factPage.FindAllStringSubmatch(text, -1) {
		page, _, _ := strings.Cut(m[0], ",")
		headings, known := r.headings[page]
		if !known || m[1] != "" && !headings[slug(m[1])] {
			gone = append(gone, m[0]+" leads nowhere")
		}
	}
	for _, m := range decision.FindAllStringSubmatch(text, -1) {
		if found, _ := filepath.Glob("../docs/adr/" + strings.Repeat("0", max(0, 4-len(m[1]))) + m[1] + "-*.md"); len(found) == 0 {
			gone = append(gone, "there is no decision "+m[0])
		}
	}
	return gone
}

// index reads the letters of the requirements and the headings of all
// documents.
func (r *repository) index(t *testing.T) {
	t.Helper()
	r.requirements, r.headings = map[string]bool{}, map[string]map[string]bool{}
	for _, name := range r.documents(t) {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		r.headings[name] = map[string]bool{}
		for _, m := range heading.FindAllStringSubmatch(string(data), -1) {
			r.headings[name][slug(m[1])] = true
		}
		if name != "docs/REQUIREMENTS.md" {
			continue
		}
		for _, m := range requirements.FindAllStringSubmatch(string(data), -1) {
			r.requirements[m[1]+m[2]] = true
		}
	}
	if len(r.requirements) < 90 {
		t.Fatalf("docs/REQUIREMENTS.md has %d letters and sections only: %q", len(r.requirements), slices.Sorted(maps.Keys(r.requirements)))
	}
}

// slug is the anchor of a heading.
func slug(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), c == '-', c == '_':
			return unicode.ToLower(c)
		case c == ' ':
			return '-'
		default:
			return -1
		}
	}, heading)
}
