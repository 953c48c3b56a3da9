package sim

import (
	"bytes"
	_ "embed" // the built-in houses
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/zwave/wire"
)

// House is what is played: a network with its nodes, and the settings of its
// gateway.
type House struct {
	HomeID  uint32      `yaml:"home_id"`
	Gateway GatewaySpec `yaml:"gateway"`
	Nodes   []NodeSpec  `yaml:"nodes"`
}

// NodeSpec is one device of a house file.
type NodeSpec struct {
	ID         int            `yaml:"id"`
	Name       string         `yaml:"name"`
	Location   string         `yaml:"location"`
	Kind       string         `yaml:"kind"`       // see devices.yaml
	Product    string         `yaml:"product"`    // description of the product
	Ramp       time.Duration  `yaml:"ramp"`       // for the whole range; 0: at once, covers take 4s
	Supervised bool           `yaml:"supervised"` // the device confirms commands (locks and blinds always do)
	Sleeping   bool           `yaml:"sleeping"`
	Battery    int            `yaml:"battery"` // percent; 0: it has none; 255: it warns that it is low, as the class has it
	Values     map[string]any `yaml:"values"`  // by value id without node, such as 37-0-currentValue: true
	Extra      []ValueSpec    `yaml:"extra"`   // values in addition to those of the kind, or instead of them
	Quirks     `yaml:",inline"`
}

// Quirks are what is wrong or odd with a device.
type Quirks struct {
	Dead    bool          `yaml:"dead"`     // it does not answer
	Deaf    bool          `yaml:"deaf"`     // it acknowledges commands and does nothing
	Liar    bool          `yaml:"liar"`     // it answers over Supervision that it has done what it has not
	StopsAt *float64      `yaml:"stops_at"` // the level at which it stops on its way to another one, from 0 to 99
	Hangs   bool          `yaml:"hangs"`    // its interview never ends: it answers, and the gateway knows none of its values
	Holds   time.Duration `yaml:"holds"`    // every frame to it keeps the driver's queue for so long
	Quiet   bool          `yaml:"quiet"`    // it reports only when it is asked
	Full    bool          `yaml:"full"`     // its reports carry target and duration, as those of newer switches and lamps do
	Hasty   bool          `yaml:"hasty"`    // it answers over Supervision before it has done anything
	Steps   bool          `yaml:"steps"`    // it reports every level on its way, and nothing of how long it takes
	Ignores []string      `yaml:"ignores"`  // value ids it acknowledges and leaves as they are
	Naive   bool          `yaml:"naive"`    // it accepts every byte as a level and keeps its own ramp, as the recorded dimmer does
	IDs     [3]int        `yaml:"ids"`      // manufacturer, product type and product id
}

// ValueSpec is a value that a user adds in a house file, to make devices that no
// kind describes: other ranges, units, states, command classes. The built-in
// kinds are made of ValueSpecs as well.
type ValueSpec struct {
	ID        string   `yaml:"id"` // value id without node: 112-0-3
	Type      string   `yaml:"type"`
	Label     string   `yaml:"label"`
	Name      string   `yaml:"property_name"` // where it is not the property itself
	KeyName   string   `yaml:"key_name"`
	Unit      string   `yaml:"unit"`
	Min       *float64 `yaml:"min"`
	Max       *float64 `yaml:"max"`
	States    []state  `yaml:"states"`
	Writeable bool     `yaml:"writeable"`
	Unread    bool     `yaml:"write_only"`
	Value     any      `yaml:"value"`

	Stateless bool           `yaml:"stateless"` // an event, such as a pressed button
	More      map[string]any `yaml:"more"`      // further members of its description, such as ccSpecific
	Rank      int            `yaml:"rank"`      // of a part in devices.yaml
}

//go:embed house.yaml
var defaultHouse []byte

// DefaultHouse is the built-in house: easy names, and one of every kind of device.
func DefaultHouse() House {
	h, err := ParseHouse(defaultHouse)
	if err != nil {
		return House{} // a test proves that the embedded file is right
	}
	return h
}

//go:embed hard.yaml
var hardHouse []byte

// HardHouse is the built-in house that is hard to live with: names that cannot be
// pronounced or that share topics, and devices that are slow, lie, or are dead when
// everything starts.
func HardHouse() House {
	h, err := ParseHouse(hardHouse)
	if err != nil {
		return House{} // a test proves that the embedded file is right
	}
	return h
}

// ParseHouse reads a house file; unknown keys are errors.
func ParseHouse(data []byte) (House, error) {
	h := House{HomeID: 0xC0FFEE01}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&h); err != nil && !errors.Is(err, io.EOF) {
		return House{}, fmt.Errorf("reading the house file: %w", err)
	}
	return h, h.Validate()
}

// maxNode is the highest id of a classic Z-Wave node.
const maxNode = 232

// Validate says what is wrong with a house.
func (h House) Validate() error {
	seen := map[int]bool{1: true} // the controller
	for _, n := range h.Nodes {
		if seen[n.ID] {
			return fmt.Errorf("two nodes have the id %d", n.ID)
		}
		seen[n.ID] = true
		if err := n.validate(); err != nil {
			return err
		}
	}
	cfg := Config{}
	return h.Gateway.Apply(&cfg)
}

// lowWarning is the battery level at which a device warns that its battery is low.
const lowWarning = 255

func (n NodeSpec) validate() error {
	switch {
	case n.ID < 2 || n.ID > maxNode:
		return fmt.Errorf("the node %q has the id %d; use 2 to %d, 1 is the controller", n.Name, n.ID, maxNode)
	case recorded().Kinds[n.Kind].Parts == nil:
		return fmt.Errorf("the node %q has the kind %q; known are %s", n.Name, n.Kind, kindNames())
	case n.Ramp < 0 || n.Ramp > time.Hour:
		return fmt.Errorf("the node %q has the ramp %v; use 0 to 1h", n.Name, n.Ramp)
	case n.Battery < 0 || n.Battery > 100 && n.Battery != lowWarning:
		return fmt.Errorf("the node %q has the battery level %d; use 0 to 100 percent, or 255 for a warning", n.Name, n.Battery)
	}
	for _, v := range n.Extra {
		if err := v.validate(n); err != nil {
			return err
		}
	}
	return n.Quirks.validate(n.Name)
}

func (q Quirks) validate(name string) error {
	switch {
	case q.Holds < 0 || q.Holds > time.Minute:
		return fmt.Errorf("the node %q holds the driver's queue for %v; use 0 to 1m", name, q.Holds)
	case q.StopsAt != nil && (*q.StopsAt < 0 || *q.StopsAt > 99):
		return fmt.Errorf("the node %q stops at the level %v; use 0 to 99", name, *q.StopsAt)
	}
	return nil
}

func (v ValueSpec) validate(n NodeSpec) error {
	id, ok := wire.ParseValueID(n.ID, v.ID)
	if !ok || id.Endpoint < 0 || id.Endpoint > 127 || id.Class < 0 || id.Class > 0xFFFF {
		return fmt.Errorf("the node %q has an extra value %q; a value id is class-endpoint-property, such as 49-0-Humidity", n.Name, v.ID)
	}
	switch v.Type {
	case "number", "boolean", "string", "any", "duration", "color":
		return nil
	default:
		return fmt.Errorf("the value %q of the node %q has the type %q; use number, boolean, string, any, duration or color", v.ID, n.Name, v.Type)
	}
}
