package catalogue_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// The table and the sentences name the same intents.
func TestSentencesAndTableAgree(t *testing.T) {
	said := make(map[string]bool)
	for _, language := range sentences.Languages() {
		data, err := sentences.Pack(language)
		if err != nil {
			t.Fatal(err)
		}
		var pack struct {
			Intents map[string]any `yaml:"intents"`
		}
		if err := yaml.Unmarshal(data, &pack); err != nil {
			t.Fatal(err)
		}
		for name := range pack.Intents {
			said[name] = true
			if catalogue.Of(name).Name == "" {
				t.Errorf("%s.yaml: the intent %s is not in the catalogue", language, name)
			}
		}
	}
	for _, i := range catalogue.All() {
		if !said[i.Name] {
			t.Errorf("the intent %s of the catalogue has no sentence in any language", i.Name)
		}
	}
}

// The code names an intent by its constant, and every constant has its line.
func TestCodeAndTableAgree(t *testing.T) {
	named := constants(t)
	for _, i := range catalogue.All() {
		if !slices.Contains(named, i.Name) {
			t.Errorf("the intent %s of the table has no constant", i.Name)
		}
	}
	for _, name := range named {
		if catalogue.Of(name).Name != name {
			t.Errorf("the constant of %s has no line in the table", name)
		}
	}
	for _, top := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			if strings.Contains(filepath.ToSlash(path), "intent/catalogue/") {
				return nil
			}
			for _, name := range bare(t, path) {
				t.Errorf("%s: the intent %s stands there as a string, expected its constant of the catalogue", path, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoIntentTwice(t *testing.T) {
	seen := make(map[string]bool)
	for _, i := range catalogue.All() {
		if seen[i.Name] {
			t.Errorf("%s is in the table twice", i.Name)
		}
		seen[i.Name] = true
	}
}

// Every phrase that answers an intent exists in every language.
func TestRepliesExist(t *testing.T) {
	for _, language := range sentences.Languages() {
		data, err := sentences.Replies(language)
		if err != nil {
			t.Fatal(err)
		}
		var replies struct {
			Phrases map[string]string `yaml:"phrases"`
		}
		if err := yaml.Unmarshal(data, &replies); err != nil {
			t.Fatal(err)
		}
		keys := slices.Collect(maps.Keys(replies.Phrases))
		for _, i := range catalogue.All() {
			if i.Reply != "" && !slices.Contains(keys, i.Reply) {
				t.Errorf("%s_replies.yaml: the phrase %q, the reply to %s, is missing", language, i.Reply, i.Name)
			}
			for _, s := range i.Sets {
				if done := "done_" + s.Action; !slices.Contains(keys, done) {
					t.Errorf("%s_replies.yaml: the phrase %q, the reply to %s, is missing", language, done, i.Name)
				}
			}
		}
	}
}

// The columns of the table do not contradict each other.
func TestColumnsAgree(t *testing.T) {
	for _, i := range catalogue.All() {
		sets := i.Plan == catalogue.Command || i.Plan == catalogue.Adjust
		acts := sets || i.Plan == catalogue.Switch
		switch {
		case i.Plan == catalogue.Unknown:
			t.Errorf("%s: no plan", i.Name)
		case len(i.Sets) > 0 && !sets, i.Plan == catalogue.Adjust && len(i.Sets) != 1:
			t.Errorf("%s: %d settings do not go with its plan", i.Name, len(i.Sets))
		case i.Starts != nil && !acts, len(i.Releases) > 0 && !acts:
			t.Errorf("%s: it acts on no device, and is dangerous on some", i.Name)
		case i.Risk == tools.Read && i.Undo != catalogue.Nothing:
			t.Errorf("%s: it only reads, and leaves something to take back", i.Name)
		case i.Risk != tools.Read && !acts && i.Plan != catalogue.Tool && i.Plan != catalogue.Lasting:
			t.Errorf("%s: it acts on nothing, and its risk is %q", i.Name, i.Risk)
		}
		for _, s := range i.Sets {
			plain := s.Slot == "" // taken back by another act without a value
			if _, _, ok := catalogue.Setter(s.Ability); i.Undo == catalogue.Restored && !ok && !plain {
				t.Errorf("%s: nothing sets %s, so that it could be set back", i.Name, s.Ability)
			}
		}
	}
}

func constants(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "catalogue.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return literals(file)
}

func bare(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return literals(file)
}

var intentName = regexp.MustCompile(`^(Hass|Local)[A-Z][A-Za-z]+$`)

// literals returns those strings of a file that are names of intents.
func literals(file *ast.File) []string {
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil && intentName.MatchString(text) {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}
