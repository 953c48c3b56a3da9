package internal_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What has more than these is better split by owner and reason to change.
const (
	mostMethods = 40
	mostLines   = 3000
)

// longPackages may be longer, because what they hold changes together.
var longPackages = map[string]string{
	"intent":    "one matcher of sentences: what it compiles, runs and resolves is one form",
	"speech":    "one interface and its engines, counted together with all packages below it",
	"zwave":     "one model of a house over the wire, with what each kind of device means",
	"zwave/sim": "one network of invented devices, which answers as real ones do",
}

// sizes are what the code of the programs has, by package and by type.
type sizes struct {
	lines   map[string]int
	methods map[string]int
}

func TestNoTypeHasTooManyMethods(t *testing.T) {
	t.Parallel()
	methods := measure(t).methods
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if n := methods[name]; n > mostMethods {
			t.Errorf("%s has %d methods, expected %d at most: split it by owner and reason to change", name, n, mostMethods)
		}
	}
}

// A package that may be long and is not has lost its reason to be in the list.
func TestNoPackageIsTooLong(t *testing.T) {
	t.Parallel()
	lines := measure(t).lines
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		_, may := longPackages[name]
		switch n := lines[name]; {
		case n > mostLines && !may:
			t.Errorf("package %s has %d lines, expected %d at most: split it by meaning", name, n, mostLines)
		case n <= mostLines && may:
			t.Errorf("package %s has %d lines: strike it off the list of long packages", name, n)
		}
	}
	for name := range longPackages {
		if lines[name] == 0 {
			t.Errorf("the list of long packages names %s, which does not exist", name)
		}
	}
}

// measure reads the code of the programs, without tests and their stand-ins.
func measure(t *testing.T) sizes {
	t.Helper()
	all := sizes{lines: map[string]int{}, methods: map[string]int{}}
	for _, top := range []string{"../internal", "../cmd"} {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || path == "../internal/fake"):
				return fs.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			return all.add(path)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(all.lines) < 10 || len(all.methods) < 10 {
		t.Fatalf("found %d packages and %d types with methods only", len(all.lines), len(all.methods))
	}
	return all
}

// add counts one file.
func (s *sizes) add(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../"), "internal/")
	counted := name
	if strings.HasPrefix(name, "speech/") {
		counted = "speech"
	}
	s.lines[counted] += bytes.Count(text, []byte("\n"))
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
			s.methods[name+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	return nil
}

// receiver is the name of the type a method belongs to.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
