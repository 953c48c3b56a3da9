package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)(?:\s+"[^"]*")?\)`)
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	makeCall   = regexp.MustCompile(`\bmake ([a-z][a-z-]*)`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	lineCited  = regexp.MustCompile(`\.[a-z]+:\d+`)
	ourProgram = regexp.MustCompile(`\bvoice-gateway ([a-z][a-z-]*)`)
	aCommand   = regexp.MustCompile(`\bUse:\s+"([a-z][a-z-]*)`)
	configKey  = regexp.MustCompile(`^[a-z_]+(?:\.[a-z_]+)+$`)
	variable   = regexp.MustCompile(`^VOICE_GATEWAY_([A-Z_]+)`)
)

// topics are MQTT names that begin like a directory of ours.
var topics = []string{"cmd/ask", "cmd/control", "cmd/say", "cmd/listen", "cmd/stop", "cmd/mute", "cmd/volume", "cmd/error", "cmd/timer", "cmd/retry"}

// Documents that name what is gone mislead more than no documents: every path,
// link, heading, make target, command, configuration key, requirement and fact
// in them must exist.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
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
		"see `internal/nothing/at_all.go`":                          1,
		"see `internal/arch_test.go` and `internal/ground/mqtt`":    0,
		"see `internal/arch_test.go:12`":                            1,
		"[here](nothing.md)":                                        1,
		"[here](../internal/arch_test.go#x) [web](https://x.org)":   0,
		"run `make nonsense`":                                       1,
		"run `make test`, and make sure":                            0,
		"```\nmake nonsense\nbin/voice-gateway demo\n```":           1,
		"topic `cmd/ask`, glob `internal/*/x.go`":                   0,
		"`configs/local.yaml`, which git ignores, `configs/x.yaml`": 1,
		"run `voice-gateway hear internal/none.wav --json`":         1,
		"run `voice-gateway nonsense`":                              1,
		"`voice-gateway servers retry`, `voice-gateway.service`":    0,
		"the key `audio.nonsense`, `VOICE_GATEWAY_AUDIO_NONSENSE`":  2,
		"the key `mcp.servers.heating.tools.allow`, `audio.input`":  0,
		"`VOICE_GATEWAY_MCP_RETRY_ATTEMPTS=5` and `mqtt.go`":        0,
		"[no heading](ARCHITECTURE.md#nonsense)":                    1,
		"[a heading](ARCHITECTURE.md#what-it-is)":                   0,
		"see " + outside[0] + ".md and .." + "/shared":              2,
		"as REQUIREMENTS M4 and 2.4 say":                            0,
		"as REQUIREMENTS M99, Z1 and 2.9 say":                       2,
		"docs/facts/engines.md, Wyoming; docs/facts/none.md":        1,
		"docs/facts/engines.md, No such heading.":                   1,
	} {
		if got := r.check("docs/x.md", text); len(got) != want {
			t.Errorf("%q: %d complaints, want %d: %q", text, len(got), want, got)
		}
	}
}

// repository is what documents and comments may speak of.
type repository struct {
	targets      []string                   // of the Makefile
	top          []string                   // directories at the root
	ignored      []string                   // by git, because programs write them
	commands     []string                   // of the programs
	settings     any                        // configs/voice-gateway.yaml
	requirements map[string]bool            // letters and section numbers of docs/REQUIREMENTS.md
	headings     map[string]map[string]bool // of each document
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
	ignored, err := os.ReadFile("../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(ignored)) {
		r.ignored = append(r.ignored, strings.Trim(strings.TrimSpace(line), "/"))
	}
	for _, f := range r.sources(t) {
		for _, m := range aCommand.FindAllStringSubmatch(f.text, -1) {
			r.commands = append(r.commands, m[1])
		}
	}
	settings, err := os.ReadFile("../configs/voice-gateway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(settings, &r.settings); err != nil {
		t.Fatal(err)
	}
	r.index(t)
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
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, ":") {
			continue
		}
		path := name
		if target != "" {
			path = filepath.ToSlash(filepath.Join(filepath.Dir(name), target))
		}
		headings, isDocument := r.headings[path]
		if !exists(path) || anchor != "" && isDocument && !headings[anchor] {
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
	for _, m := range ourProgram.FindAllStringSubmatch(code, -1) {
		if !slices.Contains(r.commands, m[1]) {
			gone = append(gone, "there is no command "+m[1])
		}
	}
	for word := range strings.FieldsSeq(code) {
		word = strings.Trim(word, `"'(),.;:=`)
		gone = append(gone, r.checkPath(word)...)
		gone = append(gone, r.checkKey(word)...)
	}
	return append(gone, r.checkReferences(text)...)
}

// checkKey looks at a word of code that may be a configuration key, or the
// variable of one.
func (r repository) checkKey(word string) []string {
	sections, _ := r.settings.(map[string]any)
	if m := variable.FindStringSubmatch(word); m != nil {
		if !named(r.settings, strings.ToLower(m[1])) {
			return []string{"no key has the variable " + word}
		}
		return nil
	}
	section, _, _ := strings.Cut(word, ".")
	if _, known := sections[section]; !known || !configKey.MatchString(word) || filepath.Ext(word) == ".go" {
		return nil
	}
	at := r.settings
	for name := range strings.SplitSeq(word, ".") {
		values, _ := at.(map[string]any)
		next, known := values[name]
		if zwave, isServers := values["zwave"]; !known && isServers { // every server has the keys of the one in the file
			next, known = zwave, true
		}
		if _, secret := values[name+"_file"]; !known && secret { // a secret is kept in the file that the key names
			return nil
		}
		if !known {
			return []string{"there is no configuration key " + word}
		}
		at = next
	}
	return nil
}

// named reports whether a path, with underscores for dots, leads to a key.
func named(at any, path string) bool {
	if path == "" {
		return true
	}
	values, _ := at.(map[string]any)
	for name, value := range values {
		rest, begins := strings.CutPrefix(path, name)
		if begins && (rest == "" || strings.HasPrefix(rest, "_") && named(value, rest[1:])) {
			return true
		}
	}
	return false
}

// checkPath looks at a word of code that may be a path of the repository.
func (r repository) checkPath(word string) []string {
	word = strings.TrimPrefix(word, "./")
	top, rest, isPath := strings.Cut(word, "/")
	if !isPath || rest == "" || !slices.Contains(r.top, top) || strings.ContainsAny(word, "*<>{}$…|") ||
		strings.Contains(word, "...") || slices.Contains(topics, word) || slices.Contains(r.ignored, word) {
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

// TestAcceptanceTestsAreRun demands that the tests with the build tag accept have the
// names that the Makefile runs; a test with another name would never run.
func TestAcceptanceTestsAreRun(t *testing.T) {
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	n := 0
	for _, f := range openRepository(t).sources(t) {
		if !strings.HasSuffix(f.name, "_test.go") || !strings.HasPrefix(f.text, "//go:build accept\n") {
			continue
		}
		for _, found := range test.FindAllStringSubmatch(f.text, -1) {
			n++
			if !strings.HasPrefix(found[1], "TestAccept") {
				t.Errorf("%s: %s does not begin with TestAccept, so that make accept leaves it out", f.name, found[1])
			}
		}
	}
	if n == 0 {
		t.Error("no acceptance test is found")
	}
}
