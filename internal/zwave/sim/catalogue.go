package sim

import (
	"bytes"
	"cmp"
	_ "embed" // the recorded devices
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/zwave/wire"
)

// Command classes that only simulated devices use.
const (
	basic             = 32
	thermostatFanMode = 68
	userCode          = 99
)

// catalogue is the content of devices.yaml: what the recordings show of devices.
type catalogue struct {
	Kinds   map[string]kind        `yaml:"kinds"`
	Parts   map[string][]ValueSpec `yaml:"parts"`
	Classes map[int]class          `yaml:"classes"`
	Node    map[string]any         `yaml:"node"`    // members of every node in getNodes
	Event   map[string]any         `yaml:"event"`   // members of every node in events
	Traffic map[string]any         `yaml:"traffic"` // the controller's, in events
	Calls   map[string]constant    `yaml:"calls"`
}

// kind is a kind of device. Its flags say how it behaves unlike others; the rest follows
// from the command classes of its values.
type kind struct {
	Class      [2]int        `yaml:"class"` // generic and specific device class
	Parts      []string      `yaml:"parts"`
	Endpoints  []int         `yaml:"endpoints"`
	Travel     time.Duration `yaml:"travel"`     // for the whole range, where the house file has no ramp
	Supervised bool          `yaml:"supervised"` // it answers for what it does
	Full       bool          `yaml:"full"`       // its reports carry target and duration, as those of newer switches do
	Hasty      bool          `yaml:"hasty"`      // it answers success before it has done anything
	Unclaimed  bool          `yaml:"unclaimed"`  // it moves, so the gateway claims no level
	Frequent   bool          `yaml:"frequent"`   // it listens frequently, not always
	Watts      float64       `yaml:"watts"`      // what its meter reports a second after it is switched on
}

// class is a command class.
type class struct {
	Name    string `yaml:"name"`
	Version int    `yaml:"version"`
	House   bool   `yaml:"house"` // a command to the whole house makes sense
}

// constant is an API call that always has the same answer.
type constant struct {
	Result   any           `yaml:"result"`
	Problem  string        `yaml:"problem"`
	Stranger string        `yaml:"stranger"` // the problem where the node is not there
	After    time.Duration `yaml:"after"`
}

//go:embed devices.yaml
var deviceFile []byte

// recorded is the embedded catalogue. A test proves that it can be read.
var recorded = sync.OnceValue(func() catalogue {
	c, err := readCatalogue()
	if err != nil {
		return catalogue{}
	}
	return c
})

func readCatalogue() (c catalogue, err error) {
	d := yaml.NewDecoder(bytes.NewReader(deviceFile))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("reading devices.yaml: %w", err)
	}
	return c, nil
}

func kindNames() string { return strings.Join(slices.Sorted(maps.Keys(recorded().Kinds)), ", ") }

func className(number int) string {
	if c, ok := recorded().Classes[number]; ok {
		return c.Name
	}
	return fmt.Sprintf("Command Class %d", number)
}

// addKind gives a node the values of its kind, and those that every device or
// every sleeping device has.
func (n *node) addKind() {
	endpoints := n.kind.Endpoints
	if len(endpoints) == 0 {
		endpoints = []int{0}
	}
	for _, part := range n.kind.Parts {
		for _, endpoint := range endpoints {
			n.addPart(part, endpoint)
		}
	}
	n.addPart("identity", 0)
	for i, property := range []string{"manufacturerId", "productType", "productId"} {
		n.preset(n.byText("114-0-"+property), float64(n.ids()[i]))
	}
	if n.spec.Battery > 0 {
		n.addPart("battery", 0)
		n.preset(n.byText("128-0-level"), float64(n.spec.Battery))
	}
	if n.spec.Sleeping {
		n.addPart("wake_up", 0)
	}
}

// addPart adds the values of a part on one of the node's endpoints.
func (n *node) addPart(part string, endpoint int) {
	first := len(n.values)
	for _, spec := range recorded().Parts[part] {
		id, ok := wire.ParseValueID(n.spec.ID, spec.ID)
		if !ok {
			continue
		}
		id.Endpoint = endpoint
		v := n.addValue(id, spec)
		if spec.Rank > 0 {
			v.rank = first + spec.Rank
		}
	}
}

// addValue adds a value, or replaces the value with the same id.
func (n *node) addValue(id wire.ValueID, s ValueSpec) *value {
	m := meta{Type: s.Type, Label: cmp.Or(s.Label, id.Property), Name: s.Name, KeyName: s.KeyName, Unit: s.Unit, Min: s.Min, Max: s.Max, More: s.More}
	for _, st := range s.States {
		m.States = append(m.States, state{st.Text, jsonValue(st.Value)})
	}
	fact := jsonValue(s.Value)
	v := &value{
		id: id, meta: m, writeable: s.Writeable, readable: !s.Unread, stateless: s.Stateless,
		fact: fact, believed: fact, rank: len(n.values),
	}
	if i := slices.IndexFunc(n.values, func(o *value) bool { return o.id == id }); i >= 0 {
		n.values[i] = v
	} else {
		n.values = append(n.values, v)
	}
	return v
}

// UnmarshalYAML reads {text: Closed, value: 0}, or Closed: 0 for short.
func (s *state) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, content := n.Content[i].Value, n.Content[i+1]
		switch {
		case key == "text":
			s.Text = content.Value
			continue
		case key == "value":
		case len(n.Content) == 2:
			s.Text = key
		default:
			return errors.New("a state is {text: Closed, value: 0}, or Closed: 0 for short")
		}
		if err := content.Decode(&s.Value); err != nil {
			return fmt.Errorf("reading the value of the state %q: %w", s.Text, err)
		}
	}
	return nil
}
