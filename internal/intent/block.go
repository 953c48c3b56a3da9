package intent

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/language/template"
)

// Limits of list values: the spellings of one, and the work for those of a pack.
const (
	maxValueSpellings = 1000
	maxSpellSteps     = 2_000_000
)

// customKey is the metadata key that marks the user's own sentences, as Home
// Assistant writes it.
const customKey = "hass_custom_sentence"

type rawList struct {
	Values   []yaml.Node `yaml:"values"`
	Range    *RangeDef   `yaml:"range"`
	Wildcard bool        `yaml:"wildcard"`
	Words    int         `yaml:"words"`
}

// rawBlock is a block as packs write it. The last four are of Home Assistant's
// files and translated by the loader of directories.
type rawBlock struct {
	Sentences []string             `yaml:"sentences"`
	Slots     map[string]yaml.Node `yaml:"slots"`
	Requires  map[string]yaml.Node `yaml:"requires_context"`
	Excludes  map[string]yaml.Node `yaml:"excludes_context"`
	Rules     map[string]string    `yaml:"expansion_rules"`
	Lists     map[string]rawList   `yaml:"lists"`
	Keywords  []string             `yaml:"required_keywords"`
	Response  string               `yaml:"response"`
	Meta      yaml.Node            `yaml:"metadata"`

	Domain  string               `yaml:"inferred_domain"`
	Domains yaml.Node            `yaml:"name_domains"`
	Spoken  bool                 `yaml:"speech_to_phrase"`
	Other   map[string]yaml.Node `yaml:",inline"`
}

// harmless are keys of a block that change nothing in what matches.
var harmless = map[string]bool{"example": true, "settings": true, "description": true, "importance": true}

func (r *rawBlock) block(intent string, p *Pack) (Block, error) {
	b := Block{Intent: intent, Source: r.Sentences, Response: r.Response}
	for key := range r.Other {
		if !harmless[key] {
			return b, fmt.Errorf("%s is not supported", key)
		}
	}
	if err := r.meta(&b); err != nil {
		return b, err
	}
	if err := r.scope(&b, p); err != nil {
		return b, err
	}
	if err := r.slots(&b); err != nil {
		return b, err
	}
	for _, w := range r.Keywords {
		b.Keywords = append(b.Keywords, fold(tidy(w)))
	}
	needs, err := conditions(r.Requires, false)
	if err != nil {
		return b, err
	}
	excludes, err := conditions(r.Excludes, true)
	if err != nil {
		return b, err
	}
	b.Context = slices.Concat(needs, excludes)
	for _, c := range needs {
		b.require(&c)
	}
	for _, s := range r.Sentences {
		n, err := p.compiled.nodes.Parse(s)
		if err != nil {
			return b, err
		}
		b.Sentences = append(b.Sentences, n)
	}
	return b, nil
}

// require notes the conditions on domain and area apart, because they do more
// than restrict a match.
func (b *Block) require(c *Condition) {
	switch c.Key {
	case "domain":
		for _, v := range c.Values {
			b.Domains = append(b.Domains, fmt.Sprint(v))
		}
	case "area":
		b.NeedsArea = true
	}
}

func (r *rawBlock) meta(b *Block) error {
	if r.Meta.IsZero() {
		return nil
	}
	if err := r.Meta.Decode(&b.Meta); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if err := r.Meta.Decode(&b.Metadata); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	b.Custom, _ = b.Metadata[customKey].(bool)
	return nil
}

// slots reads fixed values: text, numbers, true or false, or lists of them.
func (r *rawBlock) slots(b *Block) error {
	b.Slots = make(map[string]any, len(r.Slots))
	for name, n := range r.Slots {
		values, err := plainValues(&n)
		switch {
		case err != nil:
			return fmt.Errorf("slot %s: %w", name, err)
		case n.Kind == yaml.SequenceNode:
			b.Slots[name] = values
		case len(values) == 1:
			b.Slots[name] = values[0]
		default:
			return fmt.Errorf("slot %s: no value", name)
		}
	}
	return nil
}

// scope reads the lists and rules of the block itself.
func (r *rawBlock) scope(b *Block, p *Pack) error {
	if len(r.Rules) == 0 && len(r.Lists) == 0 {
		return nil
	}
	b.Scoped = &Scoped{Lists: make(map[string]List, len(r.Lists))}
	var err error
	if b.Scoped.Rules, err = parseRules(r.Rules, p.compiled.nodes); err != nil {
		return err
	}
	for name, l := range r.Lists {
		if b.Scoped.Lists[name], err = l.list(rulesOf(b.Scoped.Rules, p.Rules), &p.compiled.spell); err != nil {
			return fmt.Errorf("list %q: %w", name, err)
		}
	}
	return nil
}

// rulesOf joins the rules of two scopes; the first that has a name wins.
func rulesOf(scopes ...map[string]*template.Node) map[string]*template.Node {
	out := make(map[string]*template.Node)
	for _, rules := range slices.Backward(scopes) {
		maps.Copy(out, rules)
	}
	return out
}

func (l *rawList) list(rules map[string]*template.Node, steps *int) (List, error) {
	switch {
	case l.Wildcard:
		return List{Kind: WildcardList, Words: l.Words}, nil
	case l.Range != nil:
		return List{Kind: RangeList, Range: *l.Range, Multiply: l.Range.Multiplier}, l.Range.check()
	}
	out := List{Kind: TextList}
	for i := range l.Values {
		v, err := listValue(&l.Values[i], rules, steps)
		if err != nil {
			return List{}, fmt.Errorf("value %d: %w", i+1, err)
		}
		out.Values = append(out.Values, v)
	}
	if len(out.Values) == 0 {
		return List{}, errors.New("expected values, range or wildcard")
	}
	return out, nil
}

// check says what is wrong with a range.
func (d *RangeDef) check() error {
	const most = 1_000_000 // as for ranges in templates
	switch {
	case d.From > d.To:
		return fmt.Errorf("from %d is above to %d", d.From, d.To)
	case d.From < -most || d.To > most:
		return fmt.Errorf("%d to %d, expected numbers within a million", d.From, d.To)
	case d.Step < 0:
		return fmt.Errorf("step %d, expected 1 or more", d.Step)
	case d.Fractions != "" && d.Fractions != "halves" && d.Fractions != "tenths" && d.Fractions != "parts":
		return fmt.Errorf("fractions %q is not supported, only halves, tenths and parts", d.Fractions)
	case d.Digits != nil && !*d.Digits && d.Words != nil && !*d.Words:
		return errors.New("neither digits nor words")
	}
	return nil
}

func listValue(n *yaml.Node, rules map[string]*template.Node, steps *int) (ListValue, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	v := struct {
		In       string               `yaml:"in"`
		Out      any                  `yaml:"out"`
		Context  map[string]yaml.Node `yaml:"context"`
		Metadata map[string]any       `yaml:"metadata"`
	}{In: n.Value}
	if n.Kind == yaml.MappingNode {
		if err := n.Decode(&v); err != nil {
			return ListValue{}, err
		}
	}
	if !isPlainOut(v.Out) {
		return ListValue{}, fmt.Errorf("out is %v, expected text, a number, true or false, or a list of them", v.Out)
	}
	out := ListValue{Out: v.Out, Metadata: v.Metadata}
	for key, n := range v.Context {
		values, err := plainValues(&n)
		if err != nil || len(values) != 1 || n.Kind == yaml.SequenceNode {
			return ListValue{}, fmt.Errorf("context: %s is not one plain value", key)
		}
		if out.Context == nil {
			out.Context = make(map[string]any, len(v.Context))
		}
		out.Context[key] = values[0]
	}
	node, err := template.Parse(v.In)
	if err != nil {
		return ListValue{}, err
	}
	if out.Texts, err = valueTexts(node, rules, steps); err != nil {
		return ListValue{}, err
	}
	if out.Out == nil && node.Kind == template.Text {
		out.Out = node.Text // a template without out gives the text that matched
	}
	return out, nil
}

// isPlainOut reports whether v may fill a slot: nothing, a plain value or a list
// of them.
func isPlainOut(v any) bool {
	if list, ok := v.([]any); ok {
		return !slices.ContainsFunc(list, func(v any) bool { return !isPlain(v) })
	}
	return v == nil || isPlain(v)
}

func valueTexts(n *template.Node, rules map[string]*template.Node, steps *int) ([]string, error) {
	texts, err := template.SpellingsWithin(n, rules, maxValueSpellings, steps)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		texts[i] = fold(strings.Join(strings.Fields(text), " "))
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return nil, errors.New("no text")
	}
	return texts, nil
}
