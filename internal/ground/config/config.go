// Package config reads settings: defaults that are already in a struct, then a YAML file,
// then the environment. It exists because the YAML library alone forgives too much: here
// an unknown key, a wrong type or a key given twice is an error, all of them are reported
// at once, each with its place and the nearest valid key, and every value remembers where
// it came from.
//
// It is also the only package that reads the environment, so that a test or a reader can
// see everything that comes from there.
//
// Nothing here knows a key. To add one, add a field with a yaml tag to the struct the
// program loads; to add a kind of value, give its type UnmarshalText (and MarshalText for
// Show).
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"syscall"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a configuration or secret file in bytes; real ones are far
// smaller.
const maxFile = 1 << 20

// Options says what is read in addition to the file.
type Options struct {
	// Prefix begins the names of environment variables that override keys by
	// their path: VOICE_GATEWAY_ makes VOICE_GATEWAY_MCP_RETRY_ATTEMPTS the key
	// mcp.retry.attempts. A variable with the prefix that is no key is an error.
	// Without a prefix only fields with an env tag are read.
	Prefix string
	// Known are variables with the prefix that are allowed although they are not
	// keys.
	Known []string
	// Environ replaces the environment of the process, for tests; nil: the real one.
	Environ []string
}

// Defaulter is implemented by elements of maps and lists whose defaults are not
// zero values.
type Defaulter interface {
	SetDefaults()
}

// Known is implemented by elements of maps whose defaults depend on what the file says of
// them. It is called for a new element, before its values are read; text returns the value
// of a key, "" where it is not a text.
type Known interface {
	SetDefaultsOf(text func(key string) string)
}

// Placed is implemented by elements of maps whose order in the file counts. The first
// is at 1; one that the file does not name keeps 0.
type Placed interface {
	SetPlace(n int)
}

// Problem is one thing that is wrong with the configuration.
type Problem struct {
	Where string // file:line or "environment"
	Key   string // the key's path or the variable's name
	Text  string // what is wrong, and what was expected
}

func (p Problem) String() string {
	if p.Key == "" {
		return p.Where + ": " + p.Text
	}
	return p.Where + ": " + p.Key + ": " + p.Text
}

// Problems is the error of a configuration that cannot be used: all its problems,
// a line each.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// Origins remembers where each value came from.
type Origins struct {
	file string
	of   map[string]string // by the paths of values
	keys map[string]int    // the lines of keys, also of those that hold others
}

// Of returns the origin of the value at a key's path: "default", "file:line" or
// "environment NAME". A list has one origin.
func (o *Origins) Of(path string) string {
	if origin, ok := o.of[path]; ok {
		return origin
	}
	return "default"
}

// Names reports whether the file has the key at a path, also with null as its value.
func (o *Origins) Names(path string) bool {
	_, ok := o.keys[path]
	return ok
}

// Near says where to correct the value at a key's path: its own origin, else the line
// of the nearest key around it, else the file. Paths may be written with an index, as
// in words[1].
func (o *Origins) Near(path string) string {
	path, _, _ = strings.Cut(path, "[")
	for at := path; at != ""; {
		if origin, ok := o.of[at]; ok {
			return origin
		}
		if line, ok := o.keys[at]; ok {
			return fmt.Sprintf("%s:%d", o.file, line)
		}
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
	return cmp.Or(o.file, "default")
}

// Load overwrites the values in dst, a pointer to a struct whose fields have yaml
// tags, with those of the file at path and then of the environment. An empty path
// means no file. Lists are replaced, maps are merged, and null removes a map's
// entry. Mistakes in what the user wrote are returned as Problems; dst is then
// half filled, with the defaults in the place of what is wrong, and the origins are
// those of the rest.
func Load(path string, dst any, o Options) (*Origins, error) {
	if path == "" {
		return Parse("", nil, dst, o)
	}
	data, err := Read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, dst, o)
}

// Read returns what is in a configuration file, which is not long.
func Read(path string) ([]byte, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return data, nil
}

// Parse is Load with what is in the file, or would be.
func Parse(path string, data []byte, dst any, o Options) (*Origins, error) {
	root := reflect.ValueOf(dst)
	if root.Kind() != reflect.Pointer || root.IsNil() || root.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("config: the destination is %T, not a pointer to a struct", dst)
	}
	l := &loader{file: path, root: root.Elem(), origins: &Origins{file: path, of: map[string]string{}, keys: map[string]int{}}}
	l.document(data)
	l.environment(o)
	if len(l.problems) > 0 {
		return l.origins, l.problems
	}
	return l.origins, nil
}

type loader struct {
	file     string
	root     reflect.Value
	origins  *Origins
	problems Problems
	lines    []string // of the file
}

// wrong records a problem of the file.
func (l *loader) wrong(line int, key, format string, args ...any) {
	where := l.file
	if line > 0 {
		where = fmt.Sprintf("%s:%d", l.file, line)
	}
	l.problems = append(l.problems, Problem{Where: where, Key: key, Text: fmt.Sprintf(format, args...)})
}

// CheckSyntax returns what keeps the text of a file from being read at all, nil if nothing
// does. Keys and values are not checked.
func CheckSyntax(path string, data []byte) Problems {
	l := &loader{file: path}
	l.decode(data)
	return l.problems
}

// document reads the one YAML document of the file.
func (l *loader) document(data []byte) {
	doc := l.decode(data)
	if len(doc.Content) == 1 && l.checkStructure(doc.Content[0], "") {
		l.value(doc.Content[0], l.root, "")
	}
}

// decode returns the document of the file. It is empty if the file is empty or is not YAML.
func (l *loader) decode(data []byte) (doc yaml.Node) {
	if len(bytes.TrimSpace(data)) == 0 {
		return doc
	}
	l.lines = strings.Split(string(data), "\n")
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&doc); err != nil {
		if line, r := firstControl(data); r != 0 { // the library does not name the line
			l.wrong(line, "", controlText, r, "this line")
		} else if !errors.Is(err, io.EOF) { // only comments
			l.syntax(err)
		}
		return yaml.Node{}
	}
	var more yaml.Node
	if err := decoder.Decode(&more); err == nil {
		l.wrong(more.Line, "", "a second document begins here: the configuration is one")
		return yaml.Node{}
	} else if !errors.Is(err, io.EOF) {
		l.syntax(err)
		return yaml.Node{}
	}
	return doc
}

// syntax turns the library's "yaml: line 3: text" into our form.
func (l *loader) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if _, scanErr := fmt.Sscanf(text, "line %d:", &line); scanErr == nil {
		_, text, _ = strings.Cut(text, ": ")
	}
	if tab := l.findTab(line); tab > 0 && strings.Contains(text, "found") {
		l.wrong(tab, "", "not valid YAML: a tab at line %d: YAML wants spaces", tab)
		return
	}
	l.wrong(line, "", "not valid YAML: %s", inWords(text))
}

// findTab returns the number of a line that is indented with a tab, 0 if there is none. It
// looks at the line that the library names and at the next one, which may be meant.
func (l *loader) findTab(from int) int {
	for n := max(from, 1); n <= min(from+1, len(l.lines)); n++ {
		line := l.lines[n-1]
		if strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t") {
			return n
		}
	}
	return 0
}

// inWords says what is wrong with a text that is no YAML and what to do, if that is known;
// else it returns the library's text.
func inWords(text string) string {
	switch {
	case strings.Contains(text, "cannot start any token"):
		return "a value begins with a sign that YAML reserves (@, ` or %); put the value in quotes"
	case strings.Contains(text, "unexpected end of stream"), strings.Contains(text, "while scanning a quoted scalar"):
		return "a quote or a bracket that is opened here or before is never closed"
	case strings.Contains(text, "mapping values are not allowed"):
		return "a colon where no key can stand: the line before may be indented differently or have no value, or a value with a colon needs quotes"
	case strings.Contains(text, "did not find expected key"), strings.Contains(text, "could not find expected ':'"):
		return "a key or its colon is missing here, or the line is indented differently from those beside it"
	case strings.Contains(text, "did not find expected ',' or"), strings.Contains(text, "did not find expected node content"):
		return "a list in [ ] or keys in { } are not complete: a comma or the closing bracket is missing"
	case strings.Contains(text, "did not find expected '-' indicator"):
		return "the items of a list are not indented alike"
	}
	return text
}

// checkStructure reports whether the file has neither aliases, which are unsafe to expand,
// nor keys given twice, which are hard to read.
func (l *loader) checkStructure(n *yaml.Node, path string) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		l.wrong(n.Line, path, "anchors and aliases are not supported: write the value out")
		return false
	}
	if r := control(n.Value); r != 0 {
		l.wrong(n.Line, strings.Map(withoutControl, path), controlText, r, "it")
	}
	ok := true
	if n.Kind != yaml.MappingNode {
		for _, child := range n.Content {
			ok = l.checkStructure(child, path) && ok
		}
		return ok
	}
	firstLine := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		if key.Kind != yaml.ScalarNode {
			l.wrong(key.Line, path, "a key must be plain text")
			ok = false
			continue
		}
		if first, twice := firstLine[key.Value]; twice {
			l.wrong(key.Line, at, "given twice, first on line %d", first)
			ok = false
		}
		firstLine[key.Value] = key.Line
		ok = l.checkStructure(key, at) && l.checkStructure(value, at) && ok
	}
	return ok
}

// controlText is what is wrong with a text that holds a control character. Such a text
// moves the cursor or hides a line wherever it is shown.
const controlText = "the control character %U stands in %s; expected text without it"

// control returns the first control character of a text, or 0. Tabs and line breaks are
// allowed, because arguments of programs may hold them.
func control(text string) rune {
	for _, r := range text {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) {
			return r
		}
	}
	return 0
}

// withoutControl drops control characters from a path that is shown.
func withoutControl(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// firstControl returns the first line of a file with a control character, and that
// character, or 0.
func firstControl(data []byte) (line int, r rune) {
	for text := range strings.Lines(string(data)) {
		line++
		if r = control(text); r != 0 {
			return line, r
		}
	}
	return 0, 0
}

// ErrNoFile says that a pipe, a directory or a device is in the place of a file.
var ErrNoFile = errors.New("it is no plain file")

// readBounded reads a file that should be small. A pipe is not waited for.
func readBounded(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w; expected a file", path, ErrNoFile)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is over %d bytes: is it the right file?", path, maxFile)
	}
	return data, nil
}
