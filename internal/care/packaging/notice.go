package packaging

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Own is a text of a licence for what the repository itself contains.
type Own struct{ About, Text string }

// Notice writes whose work the programs contain, under which licences, and the whole
// texts. A text that several share is written once.
func Notice(w io.Writer, own []Own, l Linked) error {
	var b strings.Builder
	b.WriteString("voice-gateway, zwave-mcp-server and home-assistant-mcp-server contain the work of others.\n\nThey contain these modules:\n\n")
	owners := map[string][]string{} // by text
	var texts []string
	add := func(owner, text string) {
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
		owners[text] = append(owners[text], owner)
	}
	for _, o := range own {
		add(o.About, strings.TrimSpace(o.Text))
	}
	for _, m := range l.Modules {
		fmt.Fprintf(&b, "  %s %s: %s\n", m.name(), m.Version, strings.Join(m.Licences, ", "))
		for _, text := range m.Texts {
			add(m.name(), text)
		}
	}
	b.WriteString("\nThey load these libraries of the machine, which have packages and licences of their own:\n\n")
	for _, name := range l.Libraries {
		fmt.Fprintf(&b, "  %s\n", name)
	}
	for _, text := range texts {
		fmt.Fprintf(&b, "\n%s\n%s:\n\n%s\n", strings.Repeat("-", 72), strings.Join(slices.Compact(owners[text]), ", "), text)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the notice: %w", err)
	}
	return nil
}

// name is what a person calls a module.
func (m Component) name() string {
	if m.Path == "std" {
		return "The Go standard library"
	}
	return m.Path
}
