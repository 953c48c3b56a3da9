package grammar

import (
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/language/sentences"
)

// JSGF returns the grammar as text for a recogniser: lower case, with one public
// rule. Times behind commands are left out: in noise every command ended in "in".
func (g *Grammar) JSGF() string {
	w := &writer{done: make(map[string]string)}
	talk := w.rules(g.root.items)
	var b strings.Builder
	b.WriteString("#JSGF V1.0;\ngrammar house;\n\n")
	b.WriteString("public <command> = " + optionalText(g.before()) + "<sentence>" + optionalText(g.after()) + ";\n\n")
	b.WriteString("<sentence> =\n    " + talk + ";\n\n")
	b.WriteString(w.out.String())
	return b.String()
}

// Joins are what comes between two commands of one utterance, such as "and".
func (g *Grammar) Joins() []string { return g.knownPhrases(g.pack.Join) }

// LeadOn are words that lead to another sentence, such as "and", also where the pack
// has nothing that joins two commands.
func (g *Grammar) LeadOn() []string {
	return slices.Concat(g.pack.Join, sentences.WordsOf(g.pack.Language).Claims.Joins)
}

func optionalText(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return " [ " + strings.Join(texts, " | ") + " ] "
}

// writer writes nodes as JSGF; shared ones become rules.
type writer struct {
	out  strings.Builder
	done map[string]string // key -> rule name
}

// rules writes the sentences, one a line.
func (w *writer) rules(items []*node) string {
	if len(items) == 0 {
		return "<VOID>"
	}
	lines := make([]string, len(items))
	for i, n := range items {
		lines[i] = w.text(n)
	}
	return strings.Join(lines, "\n  | ")
}

func (w *writer) text(n *node) string {
	if n.rule == "" {
		return w.inline(n)
	}
	name, ok := w.done[n.rule]
	if !ok {
		// Rule names are numbered, so that no list's name can be bad syntax.
		name = fmt.Sprintf("<r%d>", len(w.done)+1)
		w.done[n.rule] = name
		body := w.inline(n)
		fmt.Fprintf(&w.out, "%s = %s;\n", name, body)
	}
	return name
}

func (w *writer) inline(n *node) string {
	switch n.kind {
	case wordNode:
		return n.word
	case sequence:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = w.text(item)
		}
		return strings.Join(parts, " ")
	case choice:
	}
	var parts []string
	optional := false
	for _, item := range n.items {
		if item.empty() {
			optional = true
			continue
		}
		parts = append(parts, w.text(item))
	}
	switch {
	case optional:
		return "[ " + strings.Join(parts, " | ") + " ]"
	case len(parts) == 1:
		return parts[0]
	}
	return "( " + strings.Join(parts, " | ") + " )"
}
