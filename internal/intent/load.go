package intent

import (
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/template"
)

// maxPackBytes bounds a sentence file; the largest known pack is under 1 MB.
const maxPackBytes = 8 << 20

// English is our own pack. It is part of the program; a test proves it loads.
func English() *Pack {
	if p, err := Ours(sentences.OfTools); err == nil {
		return p
	}
	return &Pack{Language: sentences.OfTools}
}

// ours are our own packs that were read, by language.
var ours sync.Map

// Ours returns our own pack of a language, which is read once and must not be changed. It
// is an error if there is none.
func Ours(language string) (*Pack, error) {
	if p, ok := ours.Load(language); ok {
		return p.(*Pack), nil
	}
	data, err := sentences.Pack(language)
	if err != nil {
		return nil, fmt.Errorf("there are no sentences of our own for the language %q", language)
	}
	p, err := LoadPack(data)
	if err != nil {
		return nil, err
	}
	first, _ := ours.LoadOrStore(language, p)
	return first.(*Pack), nil
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
	Answers     []rawBlock         `yaml:"answers"`
	Lists       map[string]rawList `yaml:"lists"`
	Rules       map[string]string  `yaml:"expansion_rules"`
	SpokenRules map[string]string  `yaml:"spoken_rules"`
	Skip        []string           `yaml:"skip_words"`
	Polite      Polite             `yaml:"spoken_polite"`
	Later       []string           `yaml:"spoken_later"`
	Pronouns    Pronouns           `yaml:"pronouns"`
	Join        []string           `yaml:"join_words"`
	Denials     []string           `yaml:"denials"`
	Except      Except             `yaml:"except"`
	NotNames    []string           `yaml:"not_names"`
	Common      []string           `yaml:"common_names"`
	Moments     []string           `yaml:"moments"`
	Decoys      Decoys             `yaml:"decoys"`
	Texts       map[string]string  `yaml:"texts"`
}

func (r *rawPack) pack() (*Pack, error) {
	p := &Pack{
		Language: r.Language, Skip: slices.Clone(r.Skip), Polite: r.Polite, Later: r.Later, Pronouns: r.Pronouns, Join: r.Join, Denials: r.Denials, Except: r.Except, NotNames: r.NotNames,
		Common: r.Common, Moments: r.Moments, Decoys: r.Decoys, Texts: r.Texts, Lists: make(map[string]List), compiled: newOnce(),
	}
	slices.SortStableFunc(p.Skip, func(a, b string) int { return len(b) - len(a) })
	var err error
	if p.Rules, err = parseRules(r.Rules, p.compiled.nodes); err != nil {
		return nil, err
	}
	if p.SpokenRules, err = parseRules(r.SpokenRules, p.compiled.nodes); err != nil {
		return nil, err
	}
	for name, l := range r.Lists {
		if hostLists[name] {
			return nil, fmt.Errorf("list %q: the house fills this list, the pack may not", name)
		}
		if p.Lists[name], err = l.list(p.Rules, &p.compiled.spell); err != nil {
			return nil, fmt.Errorf("list %q: %w", name, err)
		}
	}
	for i := range r.Answers {
		b, err := r.Answers[i].block("", p)
		if err != nil {
			return nil, fmt.Errorf("answers: block %d: %w", i+1, err)
		}
		p.Answers = append(p.Answers, b)
	}
	for i := 0; i+1 < len(r.Intents.Content); i += 2 {
		if err := p.addIntent(r.Intents.Content[i].Value, r.Intents.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func parseRules(texts map[string]string, nodes *template.Pool) (map[string]*template.Node, error) {
	rules := make(map[string]*template.Node, len(texts))
	for name, text := range texts {
		n, err := nodes.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("rule <%s>: %w", name, err)
		}
		rules[name] = n
	}
	return rules, nil
}

func (p *Pack) addIntent(name string, n *yaml.Node) error {
	var body struct {
		Data []rawBlock `yaml:"data"`
	}
	if err := n.Decode(&body); err != nil {
		return fmt.Errorf("intent %s: %w", name, err)
	}
	for i := range body.Data {
		b, err := body.Data[i].block(name, p)
		if err != nil {
			return fmt.Errorf("intent %s: block %d: %w", name, i+1, err)
		}
		p.Blocks = append(p.Blocks, b)
	}
	return nil
}
