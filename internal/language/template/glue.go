package template

import (
	"fmt"
	"slices"
	"strings"
)

// row is one way to write parts that touch each other: phrases with texts between
// them, texts[i] before phrases[i] and one behind the last.
type row struct {
	phrases []*Phrase
	apart   []bool // phrases[i] may have a space of its own at its edges
	texts   []string
}

// glue cuts parts into words that touch each other. A text that touches a list is a
// separate word if a space may stand between, and one word with the value if it ends or
// begins with an apostrophe: "{area}['s]", "{level}[ ][%|percent]". The rest is only for
// written text: "50%" is never heard as one word.
func (p *Phrases) glue(nodes []*Node) (*Phrase, error) {
	rows := []row{{texts: []string{""}}}
	for _, n := range nodes {
		var err error
		if p.values(n, 0) {
			rows, err = p.withPhrase(rows, n)
		} else {
			rows, err = p.withTexts(rows, n)
		}
		if err != nil {
			return nil, err
		}
	}
	out := &Phrase{Kind: Any}
	for _, r := range rows {
		if all := r.cut(); all != nil {
			out.Items = append(out.Items, all)
		}
	}
	if len(out.Items) == 0 {
		return nil, fmt.Errorf("a list is glued to letters")
	}
	return out, nil
}

func (p *Phrases) withPhrase(rows []row, n *Node) ([]row, error) {
	item, err := p.Of(n)
	if err != nil {
		return nil, err
	}
	apart := p.edge(n, true, 0).space || p.edge(n, false, 0).space
	for i := range rows {
		r := &rows[i]
		r.phrases, r.apart, r.texts = append(r.phrases, item), append(r.apart, apart), append(r.texts, "")
	}
	return rows, nil
}

func (p *Phrases) withTexts(rows []row, n *Node) ([]row, error) {
	texts, err := Spellings(n, p.rules, maxSpellings)
	if n.Space() {
		texts = []string{" "}
	}
	if err != nil {
		return nil, err
	}
	if len(rows)*len(texts) > maxSpellings {
		return nil, fmt.Errorf("more than %d spellings of one text", maxSpellings)
	}
	out := make([]row, 0, len(rows)*len(texts))
	for _, r := range rows {
		for _, text := range texts {
			longer := row{phrases: slices.Clone(r.phrases), apart: slices.Clone(r.apart), texts: slices.Clone(r.texts)}
			longer.texts[len(longer.texts)-1] += text
			out = append(out, longer)
		}
	}
	return out, nil
}

// values reports whether a list stands in a node.
func (p *Phrases) values(n *Node, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch n.Kind {
	case List, Range:
		return true
	case Rule:
		body, ok := p.rules[n.Name]
		return !ok || p.values(body, depth+1)
	case Text, Sequence, Choice, Shuffle:
	}
	return slices.ContainsFunc(n.Items, func(item *Node) bool { return p.values(item, depth+1) })
}

// cut cuts a row into words; nil if a text is glued to a list so that no word of
// a language comes of it.
func (r *row) cut() *Phrase {
	all := &Phrase{Kind: All}
	for i, text := range r.texts {
		first, last := i == 0, i == len(r.phrases)
		if !first && !last && text == "" && !r.apart[i] && !r.apart[i-1] {
			return nil // two lists without anything between them
		}
		head, text, tail := borders(text, !first, !last)
		if head != "" {
			n := len(all.Items) - 1
			with := all.Items[n].beside("", head, r.apart[i-1])
			if with == nil {
				return nil
			}
			all.Items = append(all.Items[:n], with...)
		}
		for word := range strings.FieldsSeq(text) {
			all.Items = append(all.Items, &Phrase{Kind: Word, Text: word})
		}
		if last {
			break
		}
		with := r.phrases[i].beside(tail, "", r.apart[i])
		if with == nil {
			return nil
		}
		all.Items = append(all.Items, with...)
	}
	return all
}

// borders takes the letters off a text that touch a phrase before or behind it.
func borders(text string, before, behind bool) (head, middle, tail string) {
	if before {
		head, text, _ = strings.Cut(text, " ")
		text = " " + text
	}
	if behind {
		i := strings.LastIndexByte(text, ' ')
		text, tail = text[:i+1], text[i+1:]
	}
	return head, text, tail
}

// beside puts letters before or behind a phrase: glued where they have an apostrophe
// at that border, else as a word where a space may stand there. nil if neither.
func (p *Phrase) beside(before, after string, apart bool) []*Phrase {
	if before == "" && after == "" {
		return []*Phrase{p}
	}
	if strings.HasPrefix(after, "'") || strings.HasSuffix(before, "'") {
		if glued := p.glue(before, after); glued != nil {
			return []*Phrase{glued}
		}
	}
	switch {
	case !apart:
		return nil
	case before != "":
		return []*Phrase{{Kind: Word, Text: before}, p}
	}
	return []*Phrase{p, {Kind: Word, Text: after}}
}

// glue is a phrase with letters glued to its first or last word; nil if it has no
// word there.
func (p *Phrase) glue(before, after string) *Phrase {
	out := *p
	switch p.Kind {
	case Word:
		out.Text = before + p.Text + after
		return &out
	case Value:
		out.Before, out.After = before+p.Before, p.After+after
		return &out
	case Named:
		return p.Items[0].glue(before, after)
	case All:
		if len(p.Items) == 0 {
			return nil
		}
		at := 0
		if after != "" {
			at = len(p.Items) - 1
		}
		glued := p.Items[at].glue(before, after)
		if glued == nil {
			return nil
		}
		out.Items = slices.Clone(p.Items)
		out.Items[at] = glued
		return &out
	case Any:
	}
	out.Items = nil
	for _, item := range p.Items {
		if glued := item.glue(before, after); glued != nil {
			out.Items = append(out.Items, glued)
		}
	}
	if len(out.Items) == 0 {
		return nil
	}
	return &out
}
