//go:build oracle

package oracle

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// samples are how many sentences of each template are said.
const samples = 2

// sampler says sentences of a pack. What it chooses follows from the template alone, so
// that a sentence stays the same while others come and go.
type sampler struct {
	rules map[string]string
	lists map[string]yaml.Node
	seed  uint32
	depth int
}

// readPack takes samples of the sentences of a pack.
func readPack(name string, text []byte) ([]talk, error) {
	var pack struct {
		Rules   map[string]string    `yaml:"expansion_rules"`
		Lists   map[string]yaml.Node `yaml:"lists"`
		Intents yaml.Node            `yaml:"intents"`
	}
	if err := yaml.Unmarshal(text, &pack); err != nil {
		return nil, err
	}
	var templates []string
	find(&pack.Intents, "sentences", func(n *yaml.Node) {
		for _, item := range n.Content {
			templates = append(templates, item.Value)
		}
	})
	k := talk{name: "samples", fresh: true}
	for _, one := range templates {
		for i := range samples {
			h := fnv.New32a()
			fmt.Fprint(h, one, i)
			s := sampler{rules: pack.Rules, lists: pack.Lists, seed: h.Sum32()}
			said, rest := s.group(one, 0)
			if rest != "" {
				return nil, fmt.Errorf("%s: the template %q has an end too many", name, one)
			}
			line := strings.Join(strings.Fields(said), " ")
			if line != "" && !slices.Contains(k.lines, line) {
				k.lines = append(k.lines, line)
			}
		}
	}
	return []talk{k}, nil
}

// find calls f for every value of a key, however deep.
func find(n *yaml.Node, key string, f func(*yaml.Node)) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				f(n.Content[i+1])
				continue
			}
			find(n.Content[i+1], key, f)
		}
		return
	}
	for _, item := range n.Content {
		find(item, key, f)
	}
}

// choose returns a number below n.
func (s *sampler) choose(n int) int {
	s.seed = s.seed*1664525 + 1013904223
	return int(s.seed>>8) % n
}

// group says one of the alternatives of a template up to its closing sign, and returns
// what stands behind it.
func (s *sampler) group(t string, closing byte) (said, rest string) {
	if s.depth++; s.depth > 40 {
		return "", skip(t, closing)
	}
	defer func() { s.depth-- }()
	all := []string{""}
	together := false
	for t != "" {
		c := t[0]
		last := len(all) - 1
		var part string
		switch c {
		case '(':
			part, t = s.group(t[1:], ')')
			all[last] += part
		case '[':
			part, t = s.group(t[1:], ']')
			if s.choose(2) == 0 {
				all[last] += part
			}
		case '|':
			all, t = append(all, ""), t[1:]
		case ';':
			all, t, together = append(all, " "), t[1:], true
		case ')', ']':
			if c != closing {
				return "", t // an end too many
			}
			return s.alternative(all, together), t[1:]
		case '<':
			name, after, _ := strings.Cut(t[1:], ">")
			part, _ = s.group(s.rules[name], 0)
			all[last] += part
			t = after
		case '{':
			name, after, _ := strings.Cut(t[1:], "}")
			all[last] += s.value(name)
			t = after
		case '\\':
			all[last] += t[1:min(2, len(t))]
			t = t[min(2, len(t)):]
		default:
			all[last] += t[:1]
			t = t[1:]
		}
	}
	return s.alternative(all, together), ""
}

func (s *sampler) alternative(all []string, together bool) string {
	if together {
		return strings.Join(all, " ")
	}
	return all[s.choose(len(all))]
}

// skip returns what stands behind a group that is too deep to be said.
func skip(t string, closing byte) string {
	if i := strings.IndexByte(t, closing); closing != 0 && i >= 0 {
		return t[i+1:]
	}
	return ""
}

// value says a value of a list.
func (s *sampler) value(name string) string {
	name, _, _ = strings.Cut(name, ":")
	switch name {
	case "name", "area": // of the house that the sentence is said in
		return "‹" + name + strconv.Itoa(s.choose(97)) + "›"
	}
	n, ok := s.lists[name]
	if !ok {
		return strconv.Itoa(1 + s.choose(20))
	}
	number := ""
	find(&n, "range", func(r *yaml.Node) {
		var bounds struct{ From, To int }
		if r.Decode(&bounds) == nil {
			number = strconv.Itoa(bounds.From + s.choose(bounds.To-bounds.From+1))
		}
	})
	if number != "" {
		return number
	}
	var texts []string
	find(&n, "in", func(in *yaml.Node) {
		if in.Kind == yaml.ScalarNode {
			texts = append(texts, in.Value)
		}
		for _, item := range in.Content {
			texts = append(texts, item.Value)
		}
	})
	find(&n, "values", func(values *yaml.Node) {
		for _, item := range values.Content {
			if item.Kind == yaml.ScalarNode {
				texts = append(texts, item.Value)
			}
			find(item, "in", func(in *yaml.Node) { texts = append(texts, in.Value) })
		}
	})
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	if len(texts) == 0 {
		return "zorbing"
	}
	said, _ := s.group(texts[s.choose(len(texts))], 0)
	return said
}
