package intent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/intent/template"
)

// maxPackBytes bounds a sentence file; the largest known pack is under 1 MB.
const maxPackBytes = 8 << 20

// maxValueSpellings bounds the spellings of one list value.
const maxValueSpellings = 1000

// English is our own pack. It is part of the program; a test proves it loads.
func English() *Pack {
	data, err := sentences.Understood("en")
	if err == nil {
		if p, err := LoadPack(data); err == nil {
			return p
		}
	}
	return &Pack{Language: "en"}
}

// LoadPack reads a pack in hassil's YAML form with our own keys (see
// sentences/en.yaml). Anything it does not support is an error that names it.
func LoadPack(data []byte) (*Pack, error) {
	if len(data) > maxPackBytes {
		return nil, fmt.Errorf("reading sentences: %d bytes, at most %d are allowed", len(data), maxPackBytes)
	}
	var raw rawPack
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("reading sentences: %w", err)
	}
	p, err := raw.pack()
	if err != nil {
		return nil, fmt.Errorf("reading sentences: %w", err)
	}
	return p, nil
}

type rawPack struct {
	Language    string             `yaml:"language"`
	Intents     yaml.Node          `yaml:"intents"` // a node, because its order counts
	Lists       map[string]rawList `yaml:"lists"`
	Rules       map[string]string  `yaml:"expansion_rules"`
	SpokenRules map[string]string  `yaml:"spoken_rules"`
	Skip        []string           `yaml:"skip_words"`
	Polite      Polite             `yaml:"spoken_polite"`
	Join        []string           `yaml:"join_words"`
	NotNames    []string           `yaml:"not_names"`
	Decoys      Decoys             `yaml:"decoys"`
	Texts       map[string]string  `yaml:"texts"`
}

type rawList struct {
	Values   []yaml.Node `yaml:"values"`
	Range    *RangeDef   `yaml:"range"`
	Wildcard bool        `yaml:"wildcard"`
}

type rawBlock struct {
	Sentences []string             `yaml:"sentences"`
	Slots     map[string]any       `yaml:"slots"`
	Requires  map[string]yaml.Node `yaml:"requires_context"`
	Excludes  map[string]yaml.Node `yaml:"excludes_context"`
	Rules     map[string]string    `yaml:"expansion_rules"`
	Lists     map[string]yaml.Node `yaml:"lists"`
	Keywords  []string             `yaml:"required_keywords"`
	Response  string               `yaml:"response"`
	Meta      Meta                 `yaml:"metadata"`
}

func (r *rawPack) pack() (*Pack, error) {
	p := &Pack{
		Language: r.Language, Skip: slices.Clone(r.Skip), Polite: r.Polite, Join: r.Join, NotNames: r.NotNames,
		Decoys: r.Decoys, Texts: r.Texts, Lists: make(map[string]List),
	}
	slices.SortStableFunc(p.Skip, func(a, b string) int { return len(b) - len(a) })
	var err error
	if p.Rules, err = parseRules(r.Rules); err != nil {
		return nil, err
	}
	if p.SpokenRules, err = parseRules(r.SpokenRules); err != nil {
		return nil, err
	}
	for name, l := range r.Lists {
		if hostLists[name] {
			return nil, fmt.Errorf("list %q: the house fills this list, the pack may not", name)
		}
		if p.Lists[name], err = l.list(p.Rules); err != nil {
			return nil, fmt.Errorf("list %q: %w", name, err)
		}
	}
	for i := 0; i+1 < len(r.Intents.Content); i += 2 {
		if err := p.addIntent(r.Intents.Content[i].Value, r.Intents.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func parseRules(texts map[string]string) (map[string]*template.Node, error) {
	rules := make(map[string]*template.Node, len(texts))
	for name, text := range texts {
		n, err := template.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("rule <%s>: %w", name, err)
		}
		rules[name] = n
	}
	return rules, nil
}

func (l *rawList) list(rules map[string]*template.Node) (List, error) {
	switch {
	case l.Wildcard:
		return List{Kind: WildcardList}, nil
	case l.Range != nil:
		if l.Range.From > l.Range.To {
			return List{}, fmt.Errorf("from %d is above to %d", l.Range.From, l.Range.To)
		}
		return List{Kind: RangeList, Range: *l.Range, Multiply: l.Range.Multiplier}, nil
	}
	out := List{Kind: TextList}
	for i := range l.Values {
		v, err := listValue(&l.Values[i], rules)
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

func listValue(n *yaml.Node, rules map[string]*template.Node) (ListValue, error) {
	v := struct {
		In      string               `yaml:"in"`
		Out     any                  `yaml:"out"`
		Context map[string]yaml.Node `yaml:"context"`
	}{In: n.Value}
	if n.Kind == yaml.MappingNode {
		if err := n.Decode(&v); err != nil {
			return ListValue{}, err
		}
	}
	if len(v.Context) > 0 {
		return ListValue{}, errors.New("context of list values is not supported")
	}
	node, err := template.Parse(v.In)
	if err != nil {
		return ListValue{}, err
	}
	texts, err := template.Spellings(node, rules, maxValueSpellings)
	if err != nil {
		return ListValue{}, err
	}
	for i, text := range texts {
		texts[i] = strings.ToLower(strings.Join(strings.Fields(text), " "))
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return ListValue{}, errors.New("no text")
	}
	if v.Out == nil {
		v.Out = strings.TrimSpace(v.In)
		if node.Kind != template.Text {
			v.Out = nil // without out the matched text is the value
		}
	}
	return ListValue{Texts: texts, Out: v.Out}, nil
}

func (p *Pack) addIntent(name string, n *yaml.Node) error {
	var body struct {
		Data []rawBlock `yaml:"data"`
	}
	if err := n.Decode(&body); err != nil {
		return fmt.Errorf("intent %s: %w", name, err)
	}
	for i := range body.Data {
		b, err := body.Data[i].block(name)
		if err != nil {
			return fmt.Errorf("intent %s: block %d: %w", name, i+1, err)
		}
		p.Blocks = append(p.Blocks, b)
	}
	return nil
}

func (r *rawBlock) block(intent string) (Block, error) {
	b := Block{Intent: intent, Source: r.Sentences, Slots: r.Slots, Meta: r.Meta}
	switch {
	case len(r.Excludes) > 0:
		return b, errors.New("excludes_context is not supported")
	case len(r.Rules) > 0:
		return b, errors.New("expansion_rules inside a block are not supported")
	case len(r.Lists) > 0:
		return b, errors.New("lists inside a block are not supported")
	case len(r.Keywords) > 0:
		return b, errors.New("required_keywords are not supported")
	}
	for key, n := range r.Requires {
		if err := b.require(key, &n); err != nil {
			return b, err
		}
	}
	for _, s := range r.Sentences {
		n, err := template.Parse(s)
		if err != nil {
			return b, err
		}
		b.Sentences = append(b.Sentences, n)
	}
	return b, nil
}

func (b *Block) require(key string, n *yaml.Node) error {
	switch key {
	case "domain":
		if n.Kind == yaml.ScalarNode {
			b.Domains = []string{n.Value}
			return nil
		}
		return n.Decode(&b.Domains)
	case "area":
		b.NeedsArea = true
		return nil
	}
	return fmt.Errorf("requires_context: %s is not supported, only domain and area", key)
}
