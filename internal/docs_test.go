package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)(?:\s+"[^"]*")?\)`)
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	makeCall   = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	lineCited  = regexp.MustCompile(`\.[a-z]+:\d+`)
)

// topics are MQTT names that begin like a directory of ours.
var topics = []string{"cmd/ask", "cmd/say", "cmd/listen", "cmd/stop", "cmd/mute", "cmd/volume", "cmd/error"}

// Documents that name what is gone mislead more than no documents: every path,
// link and make target in them must exist.
func TestDocumentsNameWhatExists(t *testing.T) {
	r := openRepository(t)
	for _, name := range r.documents(t) {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, complaint := range r.check(name, string(data)) {
			t.Errorf("%s: %s", name, complaint)
		}
	}
}

// The test must be able to fail.
func TestDocumentsCheckFindsWhatIsGone(t *testing.T) {
	r := openRepository(t)
	for text, want := range map[string]int{
		"see `internal/nothing/at_all.go`":                        1,
		"see `internal/arch_test.go` and `internal/mqtt`":         0,
		"see `internal/arch_test.go:12`":                          1,
		"[here](nothing.md)":                                      1,
		"[here](../internal/arch_test.go#x) [web](https://x.org)": 0,
		"run `make nonsense`":                                     1,
		"run `make test`, and make sure":                          0,
		"```\nmake nonsense\nbin/voice-gateway demo\n```":         1,
		"topic `cmd/ask`, glob `internal/*/x.go`":                 0,
		"run `voice-gateway hear internal/none.wav --json`":       1,
	} {
		if got := r.check("docs/x.md", text); len(got) != want {
			t.Errorf("%q: %d complaints, want %d: %q", text, len(got), want, got)
		}
	}
}

// repository is what the documents may speak of.
type repository struct {
	targets []string // of the Makefile
	top     []string // directories at the root
}

func openRepository(t *testing.T) repository {
	t.Helper()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	var r repository
	for _, m := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		r.targets = append(r.targets, m[1])
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != ".git" && e.Name() != "bin" { // bin is built
			r.top = append(r.top, e.Name())
		}
	}
	return r
}

// documents lists the Markdown files below docs and at the root.
func (repository) documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir("../docs", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".md" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		found[i] = strings.TrimPrefix(filepath.ToSlash(found[i]), "../")
	}
	return found
}

// check returns what a document names and the repository lacks.
func (r repository) check(name, text string) []string {
	var gone []string
	prose, code := split(text)
	for _, m := range link.FindAllStringSubmatch(prose, -1) {
		target, _, _ := strings.Cut(m[1], "#")
		if target == "" || strings.Contains(target, ":") {
			continue
		}
		if !exists(filepath.Join(filepath.Dir(name), target)) {
			gone = append(gone, "the link "+m[1]+" leads nowhere")
		}
	}
	for _, m := range inlineCode.FindAllStringSubmatch(prose, -1) {
		code += m[1] + "\n"
	}
	for _, m := range makeCall.FindAllStringSubmatch(code, -1) {
		if !slices.Contains(r.targets, m[1]) {
			gone = append(gone, "the Makefile has no target "+m[1])
		}
	}
	for word := range strings.FieldsSeq(code) {
		gone = append(gone, r.checkPath(strings.Trim(word, `"'(),.;:=`))...)
	}
	return gone
}

// checkPath looks at a word of code that may be a path of the repository.
func (r repository) checkPath(word string) []string {
	word = strings.TrimPrefix(word, "./")
	top, rest, isPath := strings.Cut(word, "/")
	if !isPath || rest == "" || !slices.Contains(r.top, top) || strings.ContainsAny(word, "*<>{}$…|") ||
		strings.Contains(word, "...") || slices.Contains(topics, word) {
		return nil
	}
	if lineCited.MatchString(word) {
		return []string{word + " cites a line, which moves"}
	}
	path, _, _ := strings.Cut(word, "#")
	if !exists(path) {
		return []string{word + " does not exist"}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Join("..", path))
	return err == nil
}

// split takes the fenced blocks out of a document.
func split(text string) (prose, code string) {
	fenced := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced:
			code += line
		default:
			prose += line
		}
	}
	return prose, code
}
