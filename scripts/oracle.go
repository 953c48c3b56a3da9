//go:build ignore

// This program writes down what the programs do, as an outsider sees it, so that a change
// of the code which is meant to change nothing can be proven to: for every sentence file,
// every conversation, every house and every language the decision, the calls, the record
// and the reply, in virtual time and without a language model; and the answers of every
// HTTP route, MQTT verb and command. It runs the tests of e2e/oracle, and the scenes of
// internal/ear, which are played before a microphone. It joins what they write into one
// file of sorted JSON, an entry a line, and compares that with the file of another
// checkout: the differences are printed line by line, and then its status is 1. Usage:
//
//	go run scripts/oracle.go [-against FILE] [-to FILE] [-run TESTS]
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entries are what was written down, by key: JSON on one line.
type entries map[string]string

// errDiffers says that two files are not the same.
var errDiffers = errors.New("what the programs do has changed")

func main() {
	against := flag.String("against", "", "compare with this file, which an earlier run has written")
	to := flag.String("to", "", "the file that is written (default: in .tools/oracle, named by the commit)")
	only := flag.String("run", "", "run only these tests of e2e/oracle (a regular expression); what others write is not compared")
	flag.Parse()
	if err := consult(*against, *to, *only); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func consult(against, to, only string) error {
	var before entries
	if against != "" { // read first: it may be the file that is written
		var err error
		if before, err = readFile(against); err != nil {
			return err
		}
	}
	if to == "" {
		name, err := exec.Command("git", "describe", "--always", "--dirty").Output()
		if err != nil {
			return fmt.Errorf("naming the file by the commit: %w; name one with -to FILE", err)
		}
		to = filepath.Join(".tools", "oracle", strings.TrimSpace(string(name))+".json")
	}
	began := time.Now()
	now, err := ask(only)
	if err != nil {
		return err
	}
	size, err := now.write(to)
	if err != nil {
		return err
	}
	for _, s := range now.sections() {
		fmt.Printf("%-14s %6d entries  %x\n", s.name, s.count, s.sum[:8])
	}
	fmt.Printf("oracle: %d entries, %.1f MB, in %s after %v\n", len(now), float64(size)/1e6, to, time.Since(began).Round(time.Second))
	if before == nil {
		return nil
	}
	if only != "" {
		ran := now.sections()
		maps.DeleteFunc(before, func(key, _ string) bool {
			return !slices.ContainsFunc(ran, func(s section) bool { return s.name == sectionOf(key) })
		})
	}
	return compare(os.Stdout, before, now)
}

// ask runs the tests, which write their parts into a directory.
func ask(only string) (entries, error) {
	dir, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	told := []string{"test", "-tags", "oracle", "-vet=off", "-count=1", "-timeout", "0", "./e2e/oracle", "-out", dir}
	ear := []string{"test", "-vet=off", "-count=1", "-timeout", "0", "./internal/ear", "-run", "^(TestScenes|TestStories)$", "-oracle", dir}
	runs := [][]string{told, ear}
	if only != "" {
		runs = [][]string{append(told, "-run", only)}
	}
	for _, args := range runs {
		cmd := exec.Command("go", args...)
		var words bytes.Buffer
		cmd.Stdout, cmd.Stderr = &words, &words
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("running go %s: %w\n%s", strings.Join(args, " "), err, words.String())
		}
	}
	parts, err := filepath.Glob(filepath.Join(dir, "*.part"))
	if err != nil {
		return nil, err
	}
	all := entries{}
	for _, part := range parts {
		if err := all.read(part); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the tests of e2e/oracle have written nothing")
	}
	return all, nil
}

// readFile reads what an earlier run has written.
func readFile(name string) (entries, error) {
	all := entries{}
	if err := all.read(name); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no entries; expected a file that make oracle has written", name)
	}
	return all, nil
}

// read adds the entries of a file, each on a line: "key": value.
func (e entries) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSuffix(strings.TrimSpace(line), ","); line != "" && line != "{" && line != "}" {
			d := json.NewDecoder(strings.NewReader(line))
			var key string
			if err := d.Decode(&key); err != nil {
				return fmt.Errorf("%s: %.60q is no entry, which is written as \"key\": value", name, line)
			}
			if _, twice := e[key]; twice {
				return fmt.Errorf("%s: the entry %q stands twice", name, key)
			}
			e[key] = strings.TrimSpace(strings.TrimPrefix(line[d.InputOffset():], ":"))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// write writes all entries in the order of their keys and returns how many bytes they are.
func (e entries) write(name string) (size int, err error) {
	var b bytes.Buffer
	b.WriteString("{")
	between := "\n"
	for _, key := range slices.Sorted(maps.Keys(e)) {
		b.WriteString(between)
		writeJSON(&b, key)
		b.WriteString(": ")
		b.WriteString(e[key])
		between = ",\n"
	}
	b.WriteString("\n}\n")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, err
	}
	return b.Len(), os.WriteFile(name, b.Bytes(), 0o644)
}

func writeJSON(b *bytes.Buffer, v any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of what was read from JSON
	b.Truncate(b.Len() - 1)
}

func sectionOf(key string) string {
	name, _, _ := strings.Cut(key, ": ")
	return name
}

// section is a part of the oracle, with a sum of what it says.
type section struct {
	name  string
	count int
	sum   []byte
}

func (e entries) sections() (all []section) {
	by := map[string]*bytes.Buffer{}
	counts := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(e)) {
		name := sectionOf(key)
		if by[name] == nil {
			by[name] = &bytes.Buffer{}
		}
		counts[name]++
		fmt.Fprintf(by[name], "%s\n%s\n", key, e[key])
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		sum := sha256.Sum256(by[name].Bytes())
		all = append(all, section{name, counts[name], sum[:]})
	}
	return all
}

// compare prints what differs: "-" before an entry that is gone, "+" before a new one, "~"
// before one that says something else, with each value in it that is another.
func compare(w io.Writer, before, now entries) error {
	gone, fresh, changed := 0, 0, 0
	keys := maps.Clone(before)
	maps.Copy(keys, now)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		was, had := before[key]
		is, has := now[key]
		switch {
		case had && has && was == is:
		case !has:
			gone++
			fmt.Fprintf(w, "- %s: %s\n", key, was)
		case !had:
			fresh++
			fmt.Fprintf(w, "+ %s: %s\n", key, is)
		default:
			changed++
			fmt.Fprintf(w, "~ %s\n", key)
			for _, line := range differences(was, is) {
				fmt.Fprintf(w, "    %s\n", line)
			}
		}
	}
	fmt.Fprintf(w, "oracle: %d entries changed, %d gone, %d new, of %d\n", changed, gone, fresh, len(before))
	if gone+fresh+changed > 0 {
		return errDiffers
	}
	return nil
}

// differences names the values that differ between two entries.
func differences(was, is string) (all []string) {
	a, b := map[string]string{}, map[string]string{}
	for text, values := range map[string]map[string]string{was: a, is: b} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			return []string{was + " -> " + is}
		}
		flatten("", v, values)
	}
	paths := maps.Clone(a)
	maps.Copy(paths, b)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		left, had := a[path]
		right, has := b[path]
		switch {
		case !has:
			all = append(all, path+": "+left+" -> nothing")
		case !had:
			all = append(all, path+": nothing -> "+right)
		case left != right:
			all = append(all, path+": "+left+" -> "+right)
		}
	}
	return all
}

// flatten lists the values in a value by their paths.
func flatten(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			flatten(strings.TrimPrefix(path+"."+key, "."), member, into)
		}
		if len(v) > 0 {
			return
		}
	case []any:
		for i, item := range v {
			flatten(fmt.Sprintf("%s[%d]", path, i), item, into)
		}
		if len(v) > 0 {
			return
		}
	}
	var b bytes.Buffer
	writeJSON(&b, v)
	into[path] = b.String()
}
