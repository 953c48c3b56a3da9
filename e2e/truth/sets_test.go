// Package truth asks the real programs what families ask, in houses of many states
// and with devices that misbehave, and judges every answer by what the simulated
// devices really are. It exists because a wrong yes or no about a lock or a fire is
// worse than no answer. The sets in testdata were written before anything answered
// them; a new question, state or act is a line there.
package truth

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/zwave/sim"
)

var languages = []string{"en", "de", "es", "fr"}

// dwelling is the house of the sets, with the families' names for everything in it.
type dwelling struct {
	Areas map[string]area `yaml:"areas"`
	Nodes []device        `yaml:"nodes"`
}

type area struct {
	Floor string            `yaml:"floor"`
	Names map[string]string `yaml:",inline"`
}

// device is a node with what families take it for and how they call it.
type device struct {
	sim.NodeSpec `yaml:",inline"`
	Area         string   `yaml:"area"`
	Is           []string `yaml:"is"`
	EN           string   `yaml:"en"`
	DE           string   `yaml:"de"`
	ES           string   `yaml:"es"`
	FR           string   `yaml:"fr"`
}

func (d device) called(lang string) string {
	return map[string]string{"en": d.EN, "de": d.DE, "es": d.ES, "fr": d.FR}[lang]
}

// values are new values of nodes, by node and value id.
type values map[int]map[string]any

// fault is a fault of the simulator, or one around the house: ping asks a node,
// dead_at_start is a node that is dead before anything is started.
type fault struct {
	Op    string        `yaml:"op"`
	Node  int           `yaml:"node"`
	Value any           `yaml:"value"`
	Count int           `yaml:"count"`
	For   time.Duration `yaml:"for"`
}

// situation is a state of the house.
type situation struct {
	ID          string        `yaml:"id"`
	About       string        `yaml:"about"`
	Set         values        `yaml:"set"`
	Faults      []fault       `yaml:"faults"`
	Unreachable []any         `yaml:"unreachable"`
	Settle      time.Duration `yaml:"settle"`
	Old         time.Duration `yaml:"old"`
}

// reaches reports whether what a node reports can be relied on.
func (s situation) reaches(node int) bool {
	return !slices.ContainsFunc(s.Unreachable, func(u any) bool { return u == "*" || u == node })
}

// question is a line of what families ask, with its meaning.
type question struct {
	ID     string `yaml:"id"`
	Text   string `yaml:"text"`
	Ask    string `yaml:"ask"`
	Of     string `yaml:"of"`
	Thing  int    `yaml:"thing"`
	In     string `yaml:"in"`
	Floor  string `yaml:"floor"`
	That   string `yaml:"that"`
	Here   string `yaml:"here"`
	Like   string `yaml:"like"`
	Untold bool   `yaml:"untold"`

	lang string
}

// act is a command, the fault at that moment, and the replies that are right.
type act struct {
	ID         string         `yaml:"id"`
	About      string         `yaml:"about"`
	Lang       string         `yaml:"lang"`
	Set        values         `yaml:"set"`
	Faults     []fault        `yaml:"faults"`
	Mid        []fault        `yaml:"mid"`
	Wait       time.Duration  `yaml:"wait"`
	Broker     string         `yaml:"broker"`
	Own        bool           `yaml:"own"`
	Say        string         `yaml:"say"`
	Here       string         `yaml:"here"`
	Node       int            `yaml:"node"`
	Want       map[string]any `yaml:"want"`
	WantOthers values         `yaml:"want_others"`
	May        []string       `yaml:"may"`
	Left       []int          `yaml:"left"`
	Blameless  bool           `yaml:"blameless"`
	Liar       bool           `yaml:"liar"`
}

func read(tb testing.TB, name string, into any) {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}

// sets is everything that is written down in testdata.
type sets struct {
	house     dwelling
	states    []situation
	questions []question
	acts      []act
	words     map[string]*words
}

func loadSets(tb testing.TB) *sets {
	tb.Helper()
	s := &sets{}
	read(tb, "house.yaml", &s.house)
	read(tb, "states.yaml", &s.states)
	read(tb, "acts.yaml", &s.acts)
	read(tb, "words.yaml", &s.words)
	for _, lang := range languages {
		var asked []question
		read(tb, "questions_"+lang+".yaml", &asked)
		for i := range asked {
			asked[i].lang = lang
		}
		s.questions = append(s.questions, asked...)
	}
	return s
}

// device finds a node of the house.
func (h *dwelling) device(id int) device {
	i := slices.IndexFunc(h.Nodes, func(d device) bool { return d.ID == id })
	if i < 0 {
		return device{}
	}
	return h.Nodes[i]
}

// house is the house as the simulator plays it for a family of a language.
func (h *dwelling) house(lang string) sim.House {
	out := sim.House{HomeID: sim.DefaultHouse().HomeID}
	for _, d := range h.Nodes {
		spec := d.NodeSpec
		spec.Name, spec.Location = d.called(lang), h.Areas[d.Area].Names[lang]
		spec.Values = maps.Clone(spec.Values)
		out.Nodes = append(out.Nodes, spec)
	}
	return out
}

// members are the devices that a question is about.
func (h *dwelling) members(q question) []device {
	var out []device
	for _, d := range h.Nodes {
		switch {
		case q.Thing != 0 && d.ID != q.Thing,
			q.Thing == 0 && !d.isA(q.Of),
			q.In != "" && d.Area != q.In,
			q.Floor != "" && h.Areas[d.Area].Floor != q.Floor:
			continue
		}
		out = append(out, d)
	}
	return out
}

// groups are the kinds of things that are several kinds together.
var groups = map[string][]string{
	"powered": {"light", "plug", "fan"},
	"opening": {"door", "window"},
	"entry":   {"lock", "door", "window"},
	"way_in":  {"lock", "door"},
	"hazard":  {"smoke", "co", "leak", "gas"},
	// what a person means by "anything" that may be open
	"openable": {"door", "window", "blind", "curtain", "valve"},
}

func (d device) isA(kind string) bool {
	switch kind {
	case "device":
		return true
	case "battery":
		return d.Battery > 0
	}
	return slices.ContainsFunc(append([]string{kind}, groups[kind]...), func(k string) bool { return slices.Contains(d.Is, k) })
}

// kind is the row of the table that a question belongs to.
func (h *dwelling) kind(q question) string {
	if q.Thing != 0 {
		return cmp.Or(strings.Join(h.device(q.Thing).Is[:1], ""), q.Ask)
	}
	return cmp.Or(q.Of, q.Ask)
}

// The sets have what they should: two hundred questions of which at most a third are
// variants, fifteen states or more, seventy-two acts, and every line is about things
// that exist.
func TestSets(t *testing.T) {
	t.Parallel()
	s := loadSets(t)
	variants := 0
	seen := map[string]bool{}
	for _, q := range s.questions {
		if q.Like != "" {
			variants++
		}
		if seen[q.ID] || q.Text == "" || q.Ask == "" {
			t.Errorf("%s: the id is there twice, or the line is not whole", q.ID)
		}
		seen[q.ID] = true
		if q.Ask != "stranger" && q.Ask != "well" && len(s.house.members(q)) == 0 {
			t.Errorf("%s is about nothing in the house", q.ID)
		}
	}
	for _, q := range s.questions {
		if q.Like != "" && !seen[q.Like] {
			t.Errorf("%s is a variant of %s, which is not there", q.ID, q.Like)
		}
	}
	if len(s.questions) != 220 || variants*3 > len(s.questions) {
		t.Errorf("%d questions, %d of them variants; expected 220 and at most a third", len(s.questions), variants)
	}
	if len(s.states) < 15 || len(s.acts) != 72 {
		t.Errorf("%d states and %d acts, expected at least 15 and 72", len(s.states), len(s.acts))
	}
	for _, a := range s.acts {
		if s.house.device(a.Node).ID == 0 || len(a.May) == 0 || len(a.Want) == 0 || s.words[a.Lang] == nil {
			t.Errorf("%s is not whole", a.ID)
		}
	}
	for _, lang := range languages {
		if err := s.house.house(lang).Validate(); err != nil {
			t.Errorf("%s: %v", lang, err)
		}
	}
}
