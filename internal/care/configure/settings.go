package configure

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// ErrByHand means that the file is written in a way in which this package does not
// change it, such as with anchors.
var ErrByHand = errors.New("this file has to be changed by hand")

// name matches a key that is written without quotes.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// Set returns the text of a YAML file with another value at a key's path, such as
// gateway.id or home.aliases."Den Light". The value is YAML on one line: text, a number, [a, b] or null. A key
// that is not there is put at the end of its section, a section at the end of the file.
func Set(text, path, value string) (string, error) {
	segments, err := segmentsOf(path)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(value, "\n\r") {
		return "", errors.New("the value has several lines; expected one")
	}
	if value = strings.TrimSpace(value); value == "" {
		value = `""`
	}
	if unquoted(" "+value, func(rest string) bool { return strings.HasPrefix(rest, " #") }) <= len(value) {
		return "", errors.New("the value holds a comment; put it in quotes")
	}
	var want any
	if err := yaml.Unmarshal([]byte(value), &want); err != nil {
		return "", fmt.Errorf("the value is not YAML: %w", err)
	}
	f, err := open(text)
	if err != nil {
		return "", err
	}
	if err := f.set(segments, value); err != nil {
		return "", err
	}
	changed := strings.Join(f.lines, "\n")
	// The lines were changed as text: whether they now say what they should is read back.
	if got, err := Get(changed, path); err != nil || !reflect.DeepEqual(got, want) {
		return "", fmt.Errorf("%w: %s cannot be put into its lines", ErrByHand, path)
	}
	return changed, nil
}

// segmentsOf are the keys of a path. One that is in double quotes may hold any signs.
func segmentsOf(path string) (segments []string, err error) {
	wrong := fmt.Errorf("%q is no key's path; expected one such as gateway.id", path)
	for rest, more := path, true; more; {
		var segment string
		if strings.HasPrefix(rest, `"`) {
			quoted, prefixErr := strconv.QuotedPrefix(rest)
			segment, err = strconv.Unquote(quoted)
			rest, more = strings.CutPrefix(rest[len(quoted):], ".")
			if prefixErr != nil || err != nil || segment == "" || strings.ContainsAny(segment, "\n\r") || !more && rest != "" {
				return nil, wrong
			}
		} else if segment, rest, more = strings.Cut(rest, "."); !name.MatchString(segment) {
			return nil, wrong
		}
		segments = append(segments, segment)
	}
	return segments, nil
}

// QuoteKey is a key as a segment of a path, whatever signs are in it.
func QuoteKey(key string) string { return strconv.Quote(key) }

// Get returns the value at a key's path, nil if there is none.
func Get(text, path string) (any, error) {
	var all any
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	segments, err := segmentsOf(path)
	if err != nil {
		return nil, err
	}
	for _, segment := range segments {
		table, ok := all.(map[string]any)
		if !ok {
			return nil, nil //nolint:nilnil // nothing is there
		}
		all = table[segment]
	}
	return all, nil
}

// file is a configuration as lines and as what they mean.
type file struct {
	lines []string
	root  *yaml.Node // nil: nothing but comments
}

func open(text string) (*file, error) {
	f := &file{lines: strings.Split(text, "\n")}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	if len(doc.Content) == 1 && doc.Content[0].Kind == yaml.MappingNode {
		f.root = doc.Content[0]
	} else if len(doc.Content) > 0 && doc.Content[0].ShortTag() != "!!null" {
		return nil, fmt.Errorf("%w: it holds no keys", ErrByHand)
	}
	return f, nil
}

// set changes the lines.
func (f *file) set(segments []string, value string) error {
	var section *yaml.Node // the key of the deepest section that is there
	at := f.root
	for i, segment := range segments {
		if at != nil && at.Kind == yaml.MappingNode && at.Style&yaml.FlowStyle != 0 {
			return f.setInFlow(section, at, segments[i:], value)
		}
		key, inner := child(at, segment)
		switch {
		case key == nil && at != nil && at.Kind != yaml.MappingNode && at.ShortTag() != "!!null":
			return fmt.Errorf("%w: line %d holds a value and no keys", ErrByHand, section.Line)
		case key == nil:
			f.insert(section, at, segments[i:], value)
			return nil
		case i == len(segments)-1:
			f.replace(key, value)
			return nil
		}
		section, at = key, inner
	}
	return nil
}

// child is the key of a mapping with a name, and its value.
func child(n *yaml.Node, name string) (key, value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// replace puts a value on the line of its key, in the place of all lines the old one
// had.
func (f *file) replace(key *yaml.Node, value string) {
	head, comment := f.around(key)
	last := f.last(key)
	f.lines = slices.Replace(f.lines, key.Line-1, last+1, strings.TrimRight(head+" "+value+comment, " "))
}

// around is what stands on the line of a key around its value: all to the colon, and
// the comment with the blanks before it.
func (f *file) around(key *yaml.Node) (head, comment string) {
	line := f.lines[key.Line-1]
	begin := offset(line, key.Column-1)
	colon := begin + unquoted(line[begin:], func(rest string) bool { return strings.HasPrefix(rest, ":") })
	head, value := line[:colon+1], line[colon+1:]
	cut := unquoted(value, func(rest string) bool { return strings.HasPrefix(rest, " #") })
	return head, value[len(strings.TrimRight(value[:cut], " ")):]
}

// offset is where the nth character of a line begins.
func offset(line string, n int) int {
	for i := range line {
		if n == 0 {
			return i
		}
		n--
	}
	return len(line)
}

// unquoted returns the first index of a text, outside quotes, at which is returns true,
// or the text's length if there is none.
func unquoted(text string, is func(rest string) bool) int {
	quote := rune(0)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case quote == '"' && r == '\\':
			i += size
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case is(text[i:]):
			return i
		case r == '"' || r == '\'':
			quote = r
		}
		i += size
	}
	return len(text)
}

// last returns the index of the last line that belongs to a key: deeper lines, and the
// items of a list at the key's own depth.
func (f *file) last(key *yaml.Node) int {
	depth, last := key.Column-1, key.Line-1
	for i := key.Line; i < len(f.lines); i++ {
		text := strings.TrimLeft(f.lines[i], " ")
		indent := len(f.lines[i]) - len(text)
		switch {
		case strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#"):
			continue
		case indent > depth, indent == depth && (strings.HasPrefix(text, "- ") || text == "-"):
			last = i
		default:
			return last
		}
	}
	return last
}

// lastLine is the number of lines without the empty ones at the end.
func (f *file) lastLine() int {
	n := len(f.lines)
	for n > 0 && strings.TrimSpace(f.lines[n-1]) == "" {
		n--
	}
	return n
}

// insert puts new keys at the end of a section, nil for the file.
func (f *file) insert(section, in *yaml.Node, segments []string, value string) {
	if section == nil {
		f.lines = append(f.lines[:f.lastLine()], "") // the file ends with a line's end
	}
	depth, at := 0, f.lastLine()
	if section != nil {
		depth, at = section.Column+1, f.last(section)+1
		if head, comment := f.around(section); in.Kind != yaml.MappingNode { // it said null, or nothing
			f.lines[section.Line-1] = strings.TrimRight(head+comment, " ")
		}
	}
	if in != nil && in.Kind == yaml.MappingNode && len(in.Content) > 0 {
		depth = in.Content[0].Column - 1
	}
	var added []string
	for i, segment := range segments {
		if !name.MatchString(segment) {
			segment = QuoteKey(segment)
		}
		line := strings.Repeat(" ", depth+2*i) + segment + ":"
		if i == len(segments)-1 {
			line += " " + value
		}
		added = append(added, line)
	}
	f.lines = slices.Insert(f.lines, at, added...)
}

// setInFlow changes a section that is written in braces, and writes the section on one
// line.
func (f *file) setInFlow(section, in *yaml.Node, segments []string, value string) error {
	if section == nil {
		return fmt.Errorf("%w: all of it stands in braces", ErrByHand)
	}
	var new yaml.Node
	if err := yaml.Unmarshal([]byte(value), &new); err != nil || len(new.Content) != 1 {
		new = yaml.Node{Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!null"}}}
	}
	at := in
	for i, segment := range segments {
		key, inner := child(at, segment)
		if key == nil {
			key, inner = &yaml.Node{Kind: yaml.ScalarNode, Value: segment}, &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
			at.Content = append(at.Content, key, inner)
		}
		if i == len(segments)-1 {
			*inner = *new.Content[0]
			break
		}
		if inner.Kind != yaml.MappingNode {
			return fmt.Errorf("%w: line %d holds a value and no keys", ErrByHand, key.Line)
		}
		at = inner
	}
	withoutComments(in)
	text, err := yaml.Marshal(in)
	if err != nil {
		return fmt.Errorf("writing the section: %w", err)
	}
	line := strings.TrimRight(string(text), "\n")
	if strings.Contains(line, "\n") {
		return fmt.Errorf("%w: line %d holds a text of several lines", ErrByHand, section.Line)
	}
	f.replace(section, line)
	return nil
}

// withoutComments takes the comments from a node: they stay on their lines.
func withoutComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, inner := range n.Content {
		withoutComments(inner)
	}
}
