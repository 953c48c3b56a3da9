// Package template reads the sentence template language of hassil, in which sentence
// packs are written: "turn on [the] {name}", "light[s]", "(a|b)", "(a;b)", "<rule>",
// "{0..100:slot}". It is separate from the matcher because the recogniser's grammar is
// made from the same trees. A new form of the language is a case in parse.go and one in
// each function that walks a tree.
package template

import "strings"

// Kind says what a Node is.
type Kind uint8

// The forms of a template.
const (
	Text     Kind = iota // literal characters, spaces included
	Sequence             // one item after the other
	Choice               // one of the items
	Shuffle              // every item once, in any order
	List                 // a value from the list Name
	Range                // a whole number From..To in steps of Step
	Rule                 // the template called Name
)

// Node is one part of a parsed template. Nodes are never changed after parsing
// and may be shared.
type Node struct {
	Kind    Kind
	Text    string  // Text
	Name    string  // List, Rule
	Slot    string  // List, Range: where the value goes
	Capture bool    // List: the value is for the reply only and fills no slot
	WordEnd bool    // List: a space or the end of the group follows, so free text ends with a word
	number  uint32  // in its pool; 0: it is in none
	Items   []*Node // Sequence, Choice, Shuffle
	From    int     // Range, inclusive
	To      int     // Range, inclusive
	Step    int     // Range, at least 1
}

// Walk calls f for n and everything below it, depth first. Rules are not
// followed.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, item := range n.Items {
		item.Walk(f)
	}
}

// Empty reports whether the node is text without any character.
func (n *Node) Empty() bool { return n.Kind == Text && n.Text == "" }

// Space reports whether the node is a space that may be left out in writing, "[ ]" or
// "[-| ]". It makes no difference in speech.
func (n *Node) Space() bool {
	space := false
	for _, item := range n.Items {
		if n.Kind != Choice || item.Kind != Text || strings.Trim(item.Text, " -") != "" {
			return false
		}
		space = space || item.Text == " "
	}
	return space
}
