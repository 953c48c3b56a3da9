//go:build ignore

// This program prints the packages whose code or tests start a goroutine, which are
// tested with the race detector, or the others, in which nothing can race and which it
// would only make slow. Usage:
//
//	go run scripts/packages.go racing
//	go run scripts/packages.go plain
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "racing" && os.Args[1] != "plain" {
		fmt.Fprintln(os.Stderr, "packages: say which: racing or plain")
		os.Exit(2)
	}
	if err := list(os.Args[1] == "racing"); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

// list prints the packages that start goroutines, or those that do not.
func list(racing bool) error {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}}\t{{.Dir}}", "./...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(out) {
		path, dir, _ := strings.Cut(strings.TrimSpace(string(line)), "\t")
		starts, err := startsGoroutines(dir)
		if err != nil {
			return err
		}
		if starts == racing {
			fmt.Println(path)
		}
	}
	return nil
}

// startsGoroutines says whether a file of a directory, of the package or its tests,
// starts a goroutine: by go, or by a function that does it for its caller.
func startsGoroutines(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		starts := false
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.CallExpr:
				call, ok := n.Fun.(*ast.SelectorExpr)
				starts = starts || ok && slices.Contains([]string{"Go", "AfterFunc", "RunParallel"}, call.Sel.Name)
			}
			return !starts
		})
		if starts {
			return true, nil
		}
	}
	return false, nil
}
