package sim

import (
	"bytes"
	_ "embed" // the default house
	"errors"
	"fmt"
	"io"
	"time"

	"go.yaml.in/yaml/v3"
)

// House is what is played: a network with its nodes.
type House struct {
	HomeID uint32     `yaml:"home_id"`
	Nodes  []NodeSpec `yaml:"nodes"`
}

// NodeSpec is one device of a house file.
type NodeSpec struct {
	ID         int            `yaml:"id"`
	Name       string         `yaml:"name"`
	Location   string         `yaml:"location"`
	Kind       string         `yaml:"kind"`       // see kinds
	Product    string         `yaml:"product"`    // description of the product
	Ramp       time.Duration  `yaml:"ramp"`       // for the whole range; 0: at once, covers take 4s
	Supervised bool           `yaml:"supervised"` // the device confirms commands (locks and blinds always do)
	Sleeping   bool           `yaml:"sleeping"`
	Battery    int            `yaml:"battery"` // percent; 0: it has none
	Dead       bool           `yaml:"dead"`    // it does not answer
	Deaf       bool           `yaml:"deaf"`    // it acknowledges commands and does nothing
	Values     map[string]any `yaml:"values"`  // by value id without node, such as 37-0-currentValue: true
}

//go:embed house.yaml
var defaultHouse []byte

// DefaultHouse is the built-in house: six rooms, easy names.
func DefaultHouse() House {
	h, err := ParseHouse(defaultHouse)
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
		switch {
		case n.ID < 2 || n.ID > maxNode:
			return fmt.Errorf("the node %q has the id %d; use 2 to %d, 1 is the controller", n.Name, n.ID, maxNode)
		case seen[n.ID]:
			return fmt.Errorf("two nodes have the id %d", n.ID)
		case kinds[n.Kind] == nil:
			return fmt.Errorf("the node %q has the kind %q; known are %s", n.Name, n.Kind, kindNames())
		case n.Ramp < 0:
			return fmt.Errorf("the node %q has the ramp %v; use 0 or more", n.Name, n.Ramp)
		}
		seen[n.ID] = true
	}
	return nil
}
