package packaging

import (
	"fmt"
	"regexp"
	"strings"
)

// Setting is a line of a shipped configuration: a key with its default, or a key that
// only has others below it.
type Setting struct {
	Path    string   // such as mcp.retry.attempts
	Default string   // as YAML; "" for a key with others below it
	Comment string   // what stands behind it
	Before  []string // the lines of the comment before it
	Group   bool     // it has others below it
}

// keyLine matches a key, its default and its comment.
var keyLine = regexp.MustCompile(`^( *)([a-z][a-z0-9_]*):(?: +((?:[^#\s]|\S#|\s[^#\s])*?))?(?: +# (.*))?$`)

// continuation is the column from which on a comment alone on its line goes on with the
// one behind the key before it.
const continuation = 12

// Settings reads a shipped configuration: two spaces a level, a comment behind a key or on
// the lines before it.
func Settings(shipped string) ([]Setting, error) {
	var (
		all    []Setting
		path   []string
		before []string
	)
	for number, line := range strings.Split(strings.TrimRight(shipped, "\n"), "\n") {
		text := strings.TrimLeft(line, " ")
		switch {
		case text == "":
			before = append(before, "")
			continue
		case strings.HasPrefix(text, "#") && len(line)-len(text) >= continuation && len(all) > 0:
			all[len(all)-1].Comment += " " + strings.TrimSpace(strings.TrimPrefix(text, "#"))
			continue
		case strings.HasPrefix(text, "#"):
			before = append(before, strings.TrimPrefix(strings.TrimPrefix(text, "#"), " "))
			continue
		}
		m := keyLine.FindStringSubmatch(line)
		if m == nil || len(m[1])%2 != 0 || len(m[1])/2 > len(path) {
			return nil, fmt.Errorf("line %d is no key with a default: %q", number+1, line)
		}
		path = append(path[:len(m[1])/2], m[2])
		all = append(all, Setting{Path: strings.Join(path, "."), Default: m[3], Comment: m[4], Before: before, Group: m[3] == ""})
		before = nil
	}
	return all, nil
}
