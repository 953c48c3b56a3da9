package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// otherMeanings are words that docs/GLOSSARY.md keeps off one thing, and what
// the types of that name are instead.
var otherMeanings = map[string]string{
	"client":    "of a protocol: the side that asks (MQTT, an HTTP address, a worker)",
	"command":   "what a topic asks for by its verb; what a Z-Wave device is told",
	"happening": "what a family is told later: an act of a turn, an event, or what rang",
	"job":       "what a goroutine is to do in the lab",
	"layer":     "of a neural network",
	"path":      "through a decoder's lattice",
	"provider":  "of search results",
	"recording": "a labelled file, in the lab; what the recorder keeps on disk",
	"source":    "where a turn's text came from",
	"stream":    "sound on its way to a recogniser",
}

// TestGlossary: each word has one meaning, and no type has a name that the glossary rules
// out.
func TestGlossary(t *testing.T) {
	t.Parallel()
	words, avoided := glossary(t)
	for word, n := range words {
		if n > 1 && word != "endpoint" { // hearing's, and one of a Z-Wave node
			t.Errorf("docs/GLOSSARY.md explains %q %d times", word, n)
		}
	}
	found := map[string]bool{}
	for _, f := range (repository{}).sources(t) {
		if !strings.HasSuffix(f.name, ".go") || strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		for _, name := range types(t, f) {
			word := strings.ToLower(name)
			instead, isAvoided := avoided[word]
			found[word] = true
			if isAvoided && words[word] == 0 && otherMeanings[word] == "" {
				t.Errorf("%s: the type %s; docs/GLOSSARY.md says %q. If it is something else, say what in otherMeanings", f.name, name, instead)
			}
		}
	}
	for word := range otherMeanings {
		if !found[word] || avoided[word] == "" {
			t.Errorf("otherMeanings explains %q, and there is no such type or nothing keeps it off", word)
		}
	}
}

// glossary reads how often each word is explained, and which word is used
// instead of each that is kept off.
func glossary(t *testing.T) (words map[string]int, avoided map[string]string) {
	t.Helper()
	data, err := os.ReadFile("../docs/GLOSSARY.md")
	if err != nil {
		t.Fatal(err)
	}
	words, avoided = map[string]int{}, map[string]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| word |") {
			continue
		}
		say := strings.TrimSpace(cells[0])
		for word := range strings.SplitSeq(say, ",") {
			words[strings.TrimSpace(word)]++
		}
		for word := range strings.SplitSeq(cells[2], ",") {
			avoided[strings.ReplaceAll(strings.TrimSpace(word), " ", "")] = say
		}
	}
	if len(words) < 50 {
		t.Fatalf("docs/GLOSSARY.md has %d words only", len(words))
	}
	return words, avoided
}

// types are the names of a file's types.
func types(t *testing.T, f source) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, declared := range file.Decls {
		group, ok := declared.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, s := range group.Specs {
			names = append(names, s.(*ast.TypeSpec).Name.Name)
		}
	}
	return names
}
