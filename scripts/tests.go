//go:build ignore

// This program reads what go test -json writes and shows what a person needs: a
// line for each package, the whole output of what failed, what a test shows by its
// attributes, and at the end every skipped test with its reason, every failed one with
// what it found, and the counts. It exists because a skipped test is invisible
// otherwise, and what failed is far above, amid the logs of its programs. Usage:
//
//	go test -json ./... | go run scripts/tests.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

type event struct {
	Action     string
	Package    string
	ImportPath string // of a build's output
	Test       string
	Elapsed    float64
	Output     string
	Key, Value string // of an attribute
}

// shown is the key of attributes (testing.T.Attr) that a person wants to see
// although the test has passed: the lines of a table.
const shown = "shows"

type tally struct {
	passed, failed, skipped  int
	packages, failedPackages int
	running                  map[string]bool             // packages that have not ended
	output                   map[string]*strings.Builder // by package and test, until it has ended
	failures, skips          []string
}

func main() {
	t := tally{running: map[string]bool{}, output: map[string]*strings.Builder{}}
	began := time.Now()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Println(lines.Text()) // go's own words, before the tests begin
			continue
		}
		t.add(e)
	}
	if !t.close(time.Since(began), lines.Err()) {
		os.Exit(1)
	}
}

func (t *tally) add(e event) {
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "start":
		t.running[e.Package] = true
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		if t.output[key] == nil {
			t.output[key] = &strings.Builder{}
		}
		t.output[key].WriteString(e.Output)
	case "attr":
		if e.Key == shown {
			fmt.Println("     ", e.Value)
		}
	case "pass", "fail", "skip":
		t.ended(e, key)
		delete(t.output, key)
	}
}

func (t *tally) ended(e event, key string) {
	said := ""
	if b := t.output[key]; b != nil {
		said = b.String()
	}
	if e.Test == "" {
		t.packageEnded(e, said)
		return
	}
	switch e.Action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
		t.skips = append(t.skips, fmt.Sprintf("%s %s: %s", e.Package, e.Test, reason(said)))
	case "fail":
		t.failed++
		t.failures = append(t.failures, e.Package+" "+e.Test+complaints(said))
		fmt.Print(said)
	}
}

func (t *tally) packageEnded(e event, said string) {
	delete(t.running, e.Package)
	switch e.Action {
	case "pass":
		t.packages++
		fmt.Printf("ok    %-45s %6.1fs\n", e.Package, e.Elapsed)
	case "fail":
		t.packages++
		t.failedPackages++
		for key, unfinished := range t.output { // tests that a crash cut short
			if strings.HasPrefix(key, e.Package+"\x00") && key != e.Package+"\x00" {
				fmt.Print(unfinished.String())
				delete(t.output, key)
			}
		}
		fmt.Print(said)
		fmt.Printf("FAIL  %-45s %6.1fs\n", e.Package, e.Elapsed)
	}
}

// reason returns what a skipped test said, without go test's own lines.
func reason(said string) string {
	var kept []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

// complaints returns the first lines that a test wrote itself, each cut to a length
// that can be read, and not the logs of the programs that it ran.
func complaints(said string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		at := strings.Index(line, "_test.go:")
		if at < 0 || strings.ContainsAny(line[:at], " \t") || strings.Contains(line, ": stderr of ") {
			continue
		}
		if n++; n > 8 {
			break
		}
		if len(line) > 400 {
			line = line[:400] + "…"
		}
		b.WriteString("\n         " + line)
	}
	return b.String()
}

func (t *tally) close(took time.Duration, err error) bool {
	for _, skip := range t.skips {
		fmt.Println("skipped:", skip)
	}
	for p := range t.running { // the process that ran it was killed
		t.failedPackages++
		fmt.Println("unfinished:", p)
	}
	for _, failure := range t.failures {
		fmt.Println("failed: ", failure)
	}
	if err != nil {
		fmt.Println("reading the results:", err)
	}
	fmt.Printf("%d tests passed, %d failed, %d skipped, in %d packages (%d failed), %s\n",
		t.passed, t.failed, t.skipped, t.packages, t.failedPackages, took.Round(time.Second))
	return err == nil && t.failed == 0 && t.failedPackages == 0 && t.packages > 0
}
