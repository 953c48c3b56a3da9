//go:build ignore

// This program follows one spoken command, "turn on the kitchen light", through the
// programs: which functions of which packages it passes, and how often a call climbs from
// a room to one above it. It builds the programs with a note at the beginning of every
// function, lets the demonstration speak its first command, and counts what ran in all
// processes from the first word until the turn was told. The house and the world of the
// demonstration are left out: they are not the product. What runs while nobody speaks, as
// the frames of the microphone, is counted as well, because the command comes that way.
// Usage:
//
//	go run scripts/walk.go [-list] [-write]
//
// -list prints every function; -write puts the table of rooms and packages into
// docs/ARCHITECTURE.md.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// turn is the function of the demonstration that speaks a command and waits for its end.
const turn = "care/demo.(*demonstration).turn"

// world is what the demonstration plays around the product.
var world = []string{"care", "ground/broker", "zwave/sim", "audio/file"}

// bucket is how exactly the programs note when a function ran, in nanoseconds.
const bucket = 20_000_000

// noted is the source of the package that is built into the programs. Enter notes a call
// with its caller in the same goroutine; the returned function ends it. The process of
// the demonstration notes its first turn only, because notes are slow.
const noted = `package walked

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

type pair struct{ caller, called string }

var (
	mu     sync.Mutex
	stacks = map[string][]string{}
	ran    = map[pair]map[int64]int{}
	turns  []int64
	once   sync.Once
	began  = time.Now().UnixNano()
	open   atomic.Bool
)

func init() { open.Store(!slices.Contains(os.Args, "demo")) }

func goroutine() string {
	var b [40]byte
	n := runtime.Stack(b[:], false)
	return string(bytes.Fields(b[:n])[1])
}

func Enter(name string) func() {
	if name == TURN {
		open.Store(true)
	} else if !open.Load() {
		return func() {}
	}
	once.Do(func() { go write() })
	id, now := goroutine(), time.Now().UnixNano()
	mu.Lock()
	defer mu.Unlock()
	stack := stacks[id]
	caller := ""
	if len(stack) > 0 {
		caller = stack[len(stack)-1]
	}
	p := pair{caller, name}
	if ran[p] == nil {
		ran[p] = map[int64]int{}
	}
	ran[p][now/BUCKET]++
	stacks[id] = append(stack, name)
	if name == TURN {
		turns = append(turns, now)
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if name == TURN {
			turns = append(turns, time.Now().UnixNano())
			open.Store(len(turns) < 2)
		}
		if s := stacks[id]; len(s) > 1 {
			stacks[id] = s[:len(s)-1]
		} else {
			delete(stacks, id)
		}
	}
}

// write keeps what was noted on disk, since a program may be killed.
func write() {
	for range time.Tick(300 * time.Millisecond) {
		var b bytes.Buffer
		mu.Lock()
		for _, t := range turns {
			fmt.Fprintf(&b, "turn\t%d\n", t)
		}
		for p, times := range ran {
			fmt.Fprintf(&b, "call\t%s\t%s", p.caller, p.called)
			for t := range times {
				fmt.Fprintf(&b, "\t%d", t)
			}
			fmt.Fprintln(&b)
		}
		mu.Unlock()
		name := filepath.Join(DIR, fmt.Sprintf("%d-%d", os.Getpid(), began))
		if os.WriteFile(name+".new", b.Bytes(), 0o666) == nil {
			os.Rename(name+".new", name+".calls")
		}
	}
}
`

type call struct{ caller, called string }

func main() {
	list := flag.Bool("list", false, "print every function")
	write := flag.Bool("write", false, "put the table of rooms and packages into docs/ARCHITECTURE.md")
	flag.Parse()
	if err := walk(*list, *write); err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}

func walk(list, write bool) error {
	dir, err := os.MkdirTemp("", "walk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o777); err != nil {
		return err
	}
	overlay, err := annotate(dir, notes)
	if err != nil {
		return err
	}
	for _, program := range []string{"voice-gateway", "zwave-mcp-server", "home-assistant-mcp-server"} {
		if err := run("go", "build", "-buildvcs=false", "-overlay", overlay, "-o", filepath.Join(dir, program), "./cmd/"+program); err != nil {
			return err
		}
	}
	w, err := follow(filepath.Join(dir, "voice-gateway"), notes)
	if err != nil {
		return err
	}
	w.print(list)
	if write {
		return w.document()
	}
	return nil
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// patience is how long the demonstration may take until its first turn is over.
const patience = 5 * time.Minute

// follow runs the demonstration until its first turn is noted.
func follow(program, notes string) (*walked, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, "demo")
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the demonstration ended before its first turn was over: %w\n%s", err, out.String())
		case <-time.After(time.Second):
		}
		if w, err := read(notes); err == nil {
			cancel()
			<-ended
			if strings.Contains(out.String(), "✗") {
				return nil, fmt.Errorf("the demonstration's first turn failed; run make demo\n%s", out.String())
			}
			return w, nil
		} else if !errors.Is(err, errNoTurn) {
			return nil, err
		}
	}
}

// errNoTurn says that no turn has ended yet.
var errNoTurn = errors.New("no turn of the demonstration is over; it is spoken by " + turn)

// annotate writes copies of all packages with a note in every function, and the file
// that tells the compiler to take these copies.
func annotate(dir, notes string) (overlay string, err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	replaced := map[string]string{}
	put := func(name string, text []byte) error {
		copied := filepath.Join(dir, strconv.Itoa(len(replaced))+".go")
		replaced[filepath.Join(root, name)] = copied
		return os.WriteFile(copied, text, 0o666)
	}
	err = filepath.WalkDir("internal", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "testdata" || name == "internal/fake") {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if text, err = annotateFile(name, text); text == nil || err != nil {
			return err
		}
		return put(name, text)
	})
	if err != nil {
		return "", err
	}
	source := strings.NewReplacer("BUCKET", strconv.Itoa(bucket), "TURN", strconv.Quote(turn), "DIR", strconv.Quote(notes)).Replace(noted)
	if err := put("internal/walked/walked.go", []byte(source)); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o666)
}

// annotateFile returns a file with a note in every function; nil: it has none.
func annotateFile(name string, text []byte) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	pkg := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "internal/")
	var out bytes.Buffer
	from := 0
	insert := func(at token.Pos, what string) {
		offset := files.Position(at).Offset
		out.Write(text[from:offset])
		out.WriteString(what)
		from = offset
	}
	insert(f.Name.End(), `; import "voicegateway/internal/walked"`)
	found := false
	for _, d := range f.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok || function.Body == nil || len(function.Body.List) == 0 {
			continue
		}
		found = true
		insert(function.Body.Lbrace+1, " defer walked.Enter("+strconv.Quote(pkg+"."+nameOf(function))+")();")
	}
	if !found {
		return nil, nil
	}
	out.Write(text[from:])
	return out.Bytes(), nil
}

// nameOf names a function with its receiver, as in (*T).F.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	star, of := "", f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		star, of = "*", pointer.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	receiver, _ := of.(*ast.Ident)
	return "(" + star + receiver.Name + ")." + f.Name.Name
}

// walked is what ran during the turn, in all processes.
type walked struct {
	calls map[call]bool
	first map[string]int64 // when a function ran first during the turn
}

// read reads the notes of all processes and keeps what ran during the first turn.
func read(notes string) (*walked, error) {
	names, err := filepath.Glob(filepath.Join(notes, "*.calls"))
	if err != nil {
		return nil, err
	}
	var lines [][]string
	var turns []int64
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if fields[0] != "turn" {
				lines = append(lines, fields[1:])
				continue
			}
			at, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				return nil, err
			}
			turns = append(turns, at)
		}
	}
	if len(turns) < 2 {
		return nil, errNoTurn
	}
	w := &walked{map[call]bool{}, map[string]int64{}}
	for _, fields := range lines {
		for _, at := range fields[2:] {
			when, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				return nil, err
			}
			if when < turns[0]/bucket || when > turns[1]/bucket || isWorld(fields[1]) {
				continue
			}
			w.calls[call{fields[0], fields[1]}] = true
			if first, known := w.first[fields[1]]; !known || when < first {
				w.first[fields[1]] = when
			}
		}
	}
	return w, nil
}

func isWorld(function string) bool {
	pkg := packageOf(function)
	return slices.ContainsFunc(world, func(w string) bool { return pkg == w || strings.HasPrefix(pkg, w+"/") })
}

// packageOf cuts the function off: its name begins behind the first dot after the path.
func packageOf(function string) string {
	slash := strings.LastIndex(strings.SplitN(function, "(", 2)[0], "/")
	dot := strings.Index(function[slash+1:], ".")
	return function[:slash+1+dot]
}

// passed lists the packages in the order in which the command reaches them.
func (w *walked) passed() (packages []string, functions map[string][]string) {
	functions = map[string][]string{}
	for _, f := range slices.SortedFunc(maps.Keys(w.first), func(a, b string) int { return cmp.Or(cmp.Compare(w.first[a], w.first[b]), cmp.Compare(a, b)) }) {
		pkg := packageOf(f)
		if functions[pkg] == nil {
			packages = append(packages, pkg)
		}
		functions[pkg] = append(functions[pkg], f)
	}
	return packages, functions
}

// climbs are the calls from a room to one above it.
func (w *walked) climbs() (climbs []string, err error) {
	floors, err := readFloors()
	if err != nil {
		return nil, err
	}
	for c := range w.calls {
		if c.caller == "" || isWorld(c.caller) {
			continue
		}
		if from, to := slices.Index(floors, roomOf(c.caller)), slices.Index(floors, roomOf(c.called)); from >= 0 && to > from {
			climbs = append(climbs, c.caller+" calls "+c.called)
		}
	}
	slices.Sort(climbs)
	return climbs, nil
}

func roomOf(function string) string {
	room, _, _ := strings.Cut(packageOf(function), "/")
	return room
}

// roomName is a row of the table of rooms.
var roomName = regexp.MustCompile(`(?m)^\t\{"([a-z]+)", "`)

// readFloors reads the rooms, from the ground up.
func readFloors() (floors []string, err error) {
	text, err := os.ReadFile("internal/arch_test.go")
	if err != nil {
		return nil, err
	}
	for _, row := range roomName.FindAllSubmatch(text, -1) {
		floors = append(floors, string(row[1]))
	}
	if len(floors) < 5 {
		return nil, errors.New("internal/arch_test.go has no table of rooms")
	}
	return floors, nil
}

func (w *walked) print(list bool) {
	packages, functions := w.passed()
	for _, pkg := range packages {
		fmt.Printf("%-22s %3d\n", pkg, len(functions[pkg]))
		for _, f := range functions[pkg] {
			if list {
				fmt.Printf("    %s\n", strings.TrimPrefix(f, pkg+"."))
			}
		}
	}
	climbs, err := w.climbs()
	for _, c := range climbs {
		fmt.Println("climbs:", c)
	}
	if err != nil {
		fmt.Println("climbs are not counted:", err)
	}
	fmt.Printf("“turn on the kitchen light” passes %d functions in %d packages, and climbs %d times\n", len(w.first), len(packages), len(climbs))
}

// The table stands between these lines of docs/ARCHITECTURE.md.
const document, begin, end = "docs/ARCHITECTURE.md", "<!-- walk: written by make walk -->\n", "<!-- end of walk -->\n"

// document writes which packages of which rooms the command passes. It writes no counts:
// what runs beside the command differs from run to run.
func (w *walked) document() error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	from, to := strings.Index(string(text), begin), strings.Index(string(text), end)
	if from < 0 || to < from {
		return fmt.Errorf("%s has no lines %q and %q", document, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	floors, err := readFloors()
	if err != nil {
		return err
	}
	packages, _ := w.passed()
	table := "| room | packages that the command passes |\n|---|---|\n"
	for _, floor := range slices.Backward(floors) {
		var names []string
		for _, pkg := range slices.Sorted(slices.Values(packages)) {
			if room, _, _ := strings.Cut(pkg, "/"); room == floor {
				names = append(names, "`internal/"+pkg+"`")
			}
		}
		if len(names) > 0 {
			table += "| " + floor + " | " + strings.Join(names, ", ") + " |\n"
		}
	}
	return os.WriteFile(document, []byte(string(text[:from])+begin+table+string(text[to:])), 0o644)
}
