package grammar_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/template"
)

// expansion writes the sentences of a pack with the names of a house: enough of each
// sentence that every alternative of every choice, also within rules, and every text of
// every list occurs.
type expansion struct {
	few    int // at most so many texts of a sentence; 0: all that are needed
	pack   *intent.Pack
	house  *home.House
	lang   *numbers.Language
	block  *intent.Block
	values map[string][]string // texts of a list, by its name and the domains of the block
	said   map[string]int      // how many were said
}

func expand(pack *intent.Pack, h *home.House, few int) *expansion {
	lang, _ := numbers.For(pack.Language)
	return &expansion{few: few, pack: pack, house: h, lang: lang, values: make(map[string][]string), said: make(map[string]int)}
}

// mostForms bounds the texts of one sentence.
const mostForms = 3000

// texts are forms of one sentence of a block.
func (x *expansion) texts(tb testing.TB, block *intent.Block, sentence *template.Node) []string {
	tb.Helper()
	x.block = block
	root := x.form(tb, sentence, 0)
	var out []string
	for root.open > 0 && (x.few == 0 || len(out) < x.few) {
		if len(out) == mostForms {
			tb.Errorf("%s: more than %d forms of one sentence, %d alternatives left", block.Intent, mostForms, root.open)
			break
		}
		var b strings.Builder
		x.say(root, &b)
		out = append(out, strings.ToLower(strings.Join(strings.Fields(b.String()), " ")))
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
}

// form is a place in a sentence. Open is how many alternatives below it were not said
// yet.
type form struct {
	node  *template.Node
	items []*form
	open  int
	turn  int // choice: which of the alternatives that were said already comes next
}

func (x *expansion) form(tb testing.TB, n *template.Node, depth int) *form {
	tb.Helper()
	if depth > 200 {
		tb.Fatalf("%s: rules in a circle", x.block.Intent)
	}
	f := &form{node: n}
	if n.Kind == template.Rule {
		f.items = []*form{x.form(tb, x.pack.Rules[n.Name], depth+1)}
	}
	for _, item := range n.Items {
		f.items = append(f.items, x.form(tb, item, depth+1))
	}
	if len(f.items) == 0 {
		f.open = max(1, x.unsaid(n))
	}
	f.count()
	return f
}

// unsaid is how many texts of a list no sentence has had.
func (x *expansion) unsaid(n *template.Node) int {
	if n.Kind != template.List && n.Kind != template.Range {
		return 0
	}
	key, texts := x.list(n)
	return max(0, len(texts)-x.said[key])
}

// count says how many forms are needed to say what is left.
func (f *form) count() {
	if len(f.items) == 0 {
		return
	}
	f.open = 0
	for _, item := range f.items {
		if f.node.Kind == template.Choice {
			f.open += item.open
		} else {
			f.open = max(f.open, item.open)
		}
	}
}

func (x *expansion) say(f *form, out *strings.Builder) {
	switch f.node.Kind {
	case template.Text:
		out.WriteString(f.node.Text)
	case template.Choice:
		x.say(f.alternative(), out)
	case template.Shuffle:
		for _, item := range f.items {
			out.WriteString(" ")
			x.say(item, out)
			out.WriteString(" ")
		}
	case template.Sequence, template.Rule:
		for _, item := range f.items {
			x.say(item, out)
		}
	case template.List, template.Range:
		out.WriteString(x.value(f.node))
	}
	if len(f.items) == 0 {
		f.open = x.unsaid(f.node)
	}
	f.count()
}

// alternative returns the choice with the most texts left to say, or the next one.
func (f *form) alternative() *form {
	most := slices.MaxFunc(f.items, func(a, b *form) int { return cmp.Compare(a.open, b.open) })
	if most.open > 0 {
		return most
	}
	f.turn++
	return f.items[f.turn%len(f.items)]
}

// value is the next text of a list.
func (x *expansion) value(n *template.Node) string {
	key, texts := x.list(n)
	if len(texts) == 0 {
		return nothing
	}
	x.said[key]++
	return texts[x.said[key]%len(texts)]
}

// nothing stands where a list has no text in this house.
const nothing = "\x00"

// list are the texts of a list, and the name they have here.
func (x *expansion) list(n *template.Node) (key string, texts []string) {
	key = n.Name
	switch {
	case n.Kind == template.Range:
		key = fmt.Sprint(n.From, n.To, n.Step)
	case n.Name == "name":
		key += strings.Join(x.block.Domains, " ")
	}
	texts, ok := x.values[key]
	if !ok {
		texts = x.listed(n)
		x.values[key] = texts
	}
	return key, texts
}

func (x *expansion) listed(n *template.Node) []string {
	if n.Kind == template.Range {
		return x.numbers(numbers.Range{From: n.From, To: n.To, Step: n.Step})
	}
	var out []string
	switch n.Name {
	case "area":
		for _, name := range x.house.AreaNames() {
			out = append(out, intent.AreaSpoken(x.house, name, x.pack)...)
		}
		return out
	case "floor":
		for _, f := range x.house.Floors {
			out = append(out, strings.ToLower(f.Name))
		}
		return out
	case "name":
		for i := range x.house.Entities {
			if e := &x.house.Entities[i]; len(x.block.Domains) == 0 || slices.Contains(x.block.Domains, e.Domain) {
				out = append(out, intent.EntityNames(e, x.pack)...)
			}
		}
		return out
	case "command":
		return x.command()
	case "command_head", "command_rest": // the same with its time in the middle
		for _, command := range x.command() {
			head, rest, _ := strings.Cut(command, " ")
			out = append(out, map[string]string{"command_head": head, "command_rest": rest}[n.Name])
		}
		return out
	}
	switch l := x.pack.Lists[n.Name]; l.Kind {
	case intent.TextList:
		for _, v := range l.Values {
			out = append(out, v.Texts...)
		}
	case intent.RangeList:
		out = x.numbers(intent.Span(l.Range))
	case intent.WildcardList:
		out = []string{"zorbing"}
	case intent.HostList:
	}
	return out
}

// command is one for a timer to carry out: what the language says to switch the first
// light off, as in its examples.
func (x *expansion) command() []string {
	said := sentences.WordsOf(x.pack.Language).Examples.Off[0]
	for i := range x.house.Entities {
		if e := &x.house.Entities[i]; e.Domain == "light" {
			return []string{strings.ReplaceAll(said, "{}", intent.EntityNames(e, x.pack)[0])}
		}
	}
	return nil
}

// numbers are the first, the last and some other numbers, in words.
func (x *expansion) numbers(r numbers.Range) []string {
	var out []string
	all := x.lang.Spellings(r)
	if len(all) == 0 { // written in figures alone
		return nil
	}
	for i := 0; i < len(all); i += max(1, len(all)/7) {
		out = append(out, all[i].Text)
	}
	return append(out, all[len(all)-1].Text)
}
