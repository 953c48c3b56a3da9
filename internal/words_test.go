package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// speaking are the parts of the code that may name a language, or have letters that
// English does not have.
var speaking = map[string]string{
	"internal/ear/stt/":           "the languages that an engine hears",
	"internal/ear/moonshine/":     "the language of a published model",
	"internal/ear/tts/":           "the name of a voice",
	"internal/home/misspelt.go":   "letters of other scripts and those that they look like",
	"internal/language/sentences": "the language of tools",
	"internal/language/text/":     "letters of any language without a part that can be taken off",
	"internal/fake/":              "houses of the tests",
}

// TestWordsStandInFiles finds words of languages in the code of the programs: the code of
// a language, with which it could ask for one, and a text with a letter that English does
// not have. They belong into the files of that language, in internal/language/sentences.
func TestWordsStandInFiles(t *testing.T) {
	t.Parallel()
	replies, err := filepath.Glob("language/sentences/*_replies.yaml")
	if err != nil || len(replies) < 2 {
		t.Fatalf("the files of the languages: %q, %v", replies, err)
	}
	var codes []string
	for _, name := range replies {
		codes = append(codes, strings.TrimSuffix(filepath.Base(name), "_replies.yaml"))
	}
	foreign := func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) }
	for _, root := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			allowed := func(part string) bool { return strings.HasPrefix(name, part) }
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			for part := range speaking {
				if allowed(part) {
					return nil
				}
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				said, err := strconv.Unquote(lit.Value)
				if err == nil && (slices.Contains(codes, said) || strings.ContainsFunc(said, foreign)) {
					t.Errorf("%s:%d: %s belongs into the files of its language, in internal/language/sentences", name, files.Position(lit.Pos()).Line, lit.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
