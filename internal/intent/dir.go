package intent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/language/template"
)

// Limits of a directory of sentences; the largest language of known packs has
// 250 files of 400 KB together.
const (
	maxDirFiles = 5000
	maxDirBytes = 32 << 20
)

// LoadDir reads a language from a directory as Home Assistant publishes its
// sentences: intents.yaml, lists/, lists/<language>/, rules/<language>/ and
// sentences/<language>/<intent>/<combination>.yaml. The replies there are not
// read. The pack is exact. An error names the file and what is not supported.
func LoadDir(fsys fs.FS, language string) (*Pack, error) {
	d := dir{fsys: fsys, language: language, pack: &Pack{
		Language: language, Exact: true, Lists: make(map[string]List), Rules: make(map[string]*template.Node), compiled: newOnce(),
	}}
	if err := d.load(); err != nil {
		return nil, fmt.Errorf("reading sentences: %w", err)
	}
	return d.pack, nil
}

// dir is a directory being read.
type dir struct {
	fsys     fs.FS
	language string
	pack     *Pack
	order    []string // intents
	intents  map[string]*dirIntent
	files    int
	bytes    int64
}

// dirIntent is what intents.yaml says about one intent.
type dirIntent struct {
	order        []string // combinations
	combinations map[string]combination
}

type combination struct {
	ContextArea bool                `yaml:"context_area"`
	Groups      map[string][]string `yaml:"name_domain_groups"`
}

func (d *dir) load() error {
	if d.language == "" || !fs.ValidPath(d.language) || strings.ContainsAny(d.language, "/.") {
		return fmt.Errorf("%q is no language code such as en", d.language)
	}
	root := "sentences/" + d.language
	if _, err := fs.Stat(d.fsys, root); err != nil {
		return d.missing()
	}
	for _, step := range []func() error{d.schema, d.rules, d.lists, d.common} {
		if err := step(); err != nil {
			return err
		}
	}
	found, err := fs.ReadDir(d.fsys, root)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range found {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	for _, name := range inOrder(names, d.order) {
		if err := d.intent(name); err != nil {
			return err
		}
	}
	return nil
}

// missing returns an error that names the languages there are instead.
func (d *dir) missing() error {
	found, err := fs.ReadDir(d.fsys, "sentences")
	if err != nil {
		return fmt.Errorf("no directory sentences: %w; expected one as Home Assistant publishes it", err)
	}
	var languages []string
	for _, e := range found {
		if e.IsDir() {
			languages = append(languages, e.Name())
		}
	}
	return fmt.Errorf("no sentences for the language %q; there are %s", d.language, strings.Join(languages, ", "))
}

// inOrder sorts names as order has them; names that are not in it come last.
func inOrder(names, order []string) []string {
	rank := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// decode reads one YAML file; known lists its keys, nil means any.
func (d *dir) decode(name string, into any) error {
	d.files++
	if d.files > maxDirFiles {
		return fmt.Errorf("more than %d files", maxDirFiles)
	}
	info, err := fs.Stat(d.fsys, name)
	if err != nil {
		return err
	}
	if d.bytes += info.Size(); d.bytes > maxDirBytes || info.Size() > maxPackBytes {
		return fmt.Errorf("%s: more than %d MB of sentences", name, maxDirBytes>>20)
	}
	data, err := fs.ReadFile(d.fsys, name)
	if err != nil {
		return err
	}
	if len(data) > maxPackBytes {
		return fmt.Errorf("%s: more than %d MB", name, maxPackBytes>>20)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// each reads the YAML files of a directory in order of their names; a directory
// that does not exist is empty.
func (d *dir) each(folder string, read func(name string) error) error {
	found, err := fs.ReadDir(d.fsys, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range found {
		if e.IsDir() || path.Ext(e.Name()) != ".yaml" {
			continue
		}
		if err := read(path.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// schema reads intents.yaml, whose order decides ties.
func (d *dir) schema() error {
	d.intents = make(map[string]*dirIntent)
	var raw map[string]struct {
		Combinations yaml.Node `yaml:"slot_combinations"`
	}
	var node yaml.Node
	err := d.decode("intents.yaml", &node)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := node.Decode(&raw); err != nil {
		return fmt.Errorf("intents.yaml: %w", err)
	}
	d.order = keys(&node)
	for name, r := range raw {
		intent := &dirIntent{order: keys(&r.Combinations)}
		if err := r.Combinations.Decode(&intent.combinations); err != nil && !r.Combinations.IsZero() {
			return fmt.Errorf("intents.yaml: %s: %w", name, err)
		}
		d.intents[name] = intent
	}
	return nil
}

// keys lists the keys of a mapping as written.
func keys(n *yaml.Node) []string {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	var out []string
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, n.Content[i].Value)
		}
	}
	return out
}

func (d *dir) rules() error {
	return d.each("rules/"+d.language, func(name string) error {
		var raw struct {
			Language string               `yaml:"language"`
			Rules    map[string]string    `yaml:"expansion_rules"`
			Other    map[string]yaml.Node `yaml:",inline"`
		}
		if err := d.decode(name, &raw); err != nil {
			return err
		}
		if err := nothingElse(raw.Other); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rules, err := parseRules(raw.Rules, d.pack.compiled.nodes)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		maps.Copy(d.pack.Rules, rules)
		return nil
	})
}

// nothingElse refuses unknown keys, because they could change what matches.
func nothingElse(other map[string]yaml.Node) error {
	for key := range other {
		return fmt.Errorf("%s is not supported here", key)
	}
	return nil
}

// lists reads the lists of all languages, then those of this one.
func (d *dir) lists() error {
	read := func(name string) error {
		var raw struct {
			Language string               `yaml:"language"`
			Lists    map[string]rawList   `yaml:"lists"`
			Other    map[string]yaml.Node `yaml:",inline"`
		}
		if err := d.decode(name, &raw); err != nil {
			return err
		}
		if err := nothingElse(raw.Other); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return d.addLists(name, raw.Lists)
	}
	if err := d.each("lists", read); err != nil {
		return err
	}
	return d.each("lists/"+d.language, read)
}

func (d *dir) addLists(file string, lists map[string]rawList) error {
	for key, raw := range lists {
		if hostLists[key] {
			return fmt.Errorf("%s: list %q: the house fills this list, the pack may not", file, key)
		}
		l, err := raw.list(d.pack.Rules, &d.pack.compiled.spell)
		if err != nil {
			return fmt.Errorf("%s: list %q: %w", file, key, err)
		}
		d.pack.Lists[key] = l
	}
	return nil
}

// common reads what holds for the whole language.
func (d *dir) common() error {
	var raw struct {
		Skip     []string `yaml:"skip_words"`
		Settings struct {
			IgnoreSpace bool                 `yaml:"ignore_whitespace"`
			Filter      yaml.Node            `yaml:"filter_with_regex"` // an aid to speed that changes nothing
			Other       map[string]yaml.Node `yaml:",inline"`
		} `yaml:"settings"`
		Lists map[string]rawList `yaml:"lists"`
		Rules map[string]string  `yaml:"expansion_rules"`
	}
	name := "sentences/" + d.language + "/_common.yaml"
	err := d.decode(name, &raw)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := nothingElse(raw.Settings.Other); err != nil {
		return fmt.Errorf("%s: settings: %w", name, err)
	}
	d.pack.Skip, d.pack.IgnoreSpace = raw.Skip, raw.Settings.IgnoreSpace
	rules, err := parseRules(raw.Rules, d.pack.compiled.nodes)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	maps.Copy(d.pack.Rules, rules)
	return d.addLists(name, raw.Lists)
}

// intent reads the combinations of one intent.
func (d *dir) intent(name string) error {
	known := d.intents[name]
	if known == nil {
		known = &dirIntent{}
	}
	folder := path.Join("sentences", d.language, name)
	var files []string
	if err := d.each(folder, func(file string) error {
		files = append(files, strings.TrimSuffix(path.Base(file), ".yaml"))
		return nil
	}); err != nil {
		return err
	}
	for _, c := range inOrder(files, known.order) {
		file := path.Join(folder, c+".yaml")
		if err := d.combination(file, name, known.combinations[c]); err != nil {
			return err
		}
	}
	return nil
}

func (d *dir) combination(file, intent string, c combination) error {
	var raw struct {
		Language string               `yaml:"language"`
		Data     []rawBlock           `yaml:"data"`
		Other    map[string]yaml.Node `yaml:",inline"`
	}
	if err := d.decode(file, &raw); err != nil {
		return err
	}
	if err := nothingElse(raw.Other); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	// Sentences for a recogniser of fixed phrases repeat the others in few words.
	whole := slices.ContainsFunc(raw.Data, func(b rawBlock) bool { return !b.Spoken })
	for i := range raw.Data {
		if raw.Data[i].Spoken && whole {
			continue
		}
		b, err := d.translate(&raw.Data[i], intent, c)
		if err != nil {
			return fmt.Errorf("%s: block %d: %w", file, i+1, err)
		}
		d.pack.Blocks = append(d.pack.Blocks, b)
	}
	return nil
}

// translate turns the short forms of Home Assistant's files into plain ones.
func (d *dir) translate(r *rawBlock, intent string, c combination) (Block, error) {
	b, err := r.block(intent, d.pack)
	if err != nil {
		return b, err
	}
	if r.Domain != "" {
		if _, ok := b.Slots["domain"]; !ok {
			b.Slots["domain"] = r.Domain
		}
	}
	if c.ContextArea && !b.has("area") {
		b.Context = append(b.Context, Condition{Key: "area", Slot: "area"})
	}
	domains, err := r.nameDomains(c)
	if err != nil {
		return b, err
	}
	if len(domains) > 0 && !b.has("domain") {
		condition := Condition{Key: "domain"}
		for _, domain := range domains {
			condition.Values = append(condition.Values, domain)
		}
		b.Context = append(b.Context, condition)
	}
	b.Domains, b.NeedsArea = nil, false
	for i := range b.Context {
		if !b.Context[i].Exclude {
			b.require(&b.Context[i])
		}
	}
	d.sort(&b)
	return b, nil
}

func (b *Block) has(key string) bool {
	return slices.ContainsFunc(b.Context, func(c Condition) bool { return c.Key == key && !c.Exclude })
}

// nameDomains reads a list of domains or the name of a group of them.
func (r *rawBlock) nameDomains(c combination) ([]string, error) {
	if r.Domains.IsZero() {
		return nil, nil
	}
	if r.Domains.Kind == yaml.ScalarNode {
		group, ok := c.Groups[r.Domains.Value]
		if !ok {
			return nil, fmt.Errorf("name_domains: no group %q in intents.yaml", r.Domains.Value)
		}
		return group, nil
	}
	var domains []string
	if err := r.Domains.Decode(&domains); err != nil {
		return nil, fmt.Errorf("name_domains: %w", err)
	}
	return domains, nil
}

// sort puts sentences with free text in front, those with most text first.
func (d *dir) sort(b *Block) {
	type pair struct {
		node   *template.Node
		source string
		rank   int
	}
	pairs := make([]pair, len(b.Sentences))
	for i, n := range b.Sentences {
		pairs[i] = pair{n, b.Source[i], 0}
		free, texts := false, 0
		n.Walk(func(n *template.Node) {
			switch n.Kind {
			case template.List:
				free = free || d.pack.Lists[n.Name].Kind == WildcardList
			case template.Text:
				texts++
			case template.Sequence, template.Choice, template.Shuffle, template.Range, template.Rule:
			}
		})
		if free {
			pairs[i].rank = -texts
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return a.rank - b.rank })
	b.Sentences, b.Source = make([]*template.Node, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		b.Sentences[i], b.Source[i] = p.node, p.source
	}
}
