package zwave

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// node is one device of a getNodes answer. Name and Loc are as the gateway has
// them, because topics are made of them; people see display and area.
type node struct {
	ID        int           `json:"id"`
	Name      string        `json:"name"`
	Loc       string        `json:"loc"`
	Status    string        `json:"status"`
	Available bool          `json:"available"`
	Virtual   bool          `json:"virtual"`
	Endpoints []endpoint    `json:"endpoints"`
	Class     deviceClass   `json:"deviceClass"`
	Listening listeningInfo `json:"-"`
	Product   string        `json:"-"` // label and description, for guessing what it is

	values map[wire.ValueID]*value
}

type endpoint struct {
	Index int    `json:"index"`
	Label string `json:"label"`
}

type deviceClass struct {
	Generic  int `json:"generic"`
	Specific int `json:"specific"`
}

type listeningInfo struct {
	Always     bool `json:"isListening"`
	Frequently bool `json:"isFrequentListening"`
	Controller bool `json:"isControllerNode"`
}

// display is the name for people.
func (n *node) display() string {
	if name := strings.Join(strings.Fields(n.Name), " "); name != "" {
		return name
	}
	return "Device " + strconv.Itoa(n.ID)
}

// area is the room for people; empty when none is set.
func (n *node) area() string { return strings.Join(strings.Fields(n.Loc), " ") }

// sleeper says whether the node is out of reach while it sleeps.
func (n *node) sleeper() bool { return !n.Listening.Always && !n.Listening.Frequently }

// value is one value of a node with what is known about it.
type value struct {
	Address    wire.ValueID `json:"-"`
	Type       string       `json:"type"`
	Readable   bool         `json:"readable"`
	Writeable  bool         `json:"writeable"`
	Label      string       `json:"label"`
	Unit       string       `json:"unit"`
	Min        *float64     `json:"min"`
	Max        *float64     `json:"max"`
	States     []choice     `json:"states"`
	Value      any          `json:"value"`
	LastUpdate float64      `json:"lastUpdate"` // milliseconds since 1970
}

// choice is one allowed value with its word.
type choice struct {
	Text  string `json:"text"`
	Value any    `json:"value"`
}

// decodeNodes reads the result of getNodes. What cannot be read is left out and
// reported in skipped, so that one odd node does not hide the house.
func decodeNodes(result json.RawMessage) (nodes map[int]*node, skipped []error, err error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(result, &raw); err != nil {
		return nil, nil, fmt.Errorf("reading the answer of getNodes: %w", err)
	}
	nodes = make(map[int]*node, len(raw))
	for _, r := range raw {
		n, odd, err := decodeNode(r)
		skipped = append(skipped, odd...)
		if err != nil {
			skipped = append(skipped, err)
			continue
		}
		if n.Virtual || n.ID == wire.Broadcast || n.Listening.Controller {
			continue
		}
		nodes[n.ID] = n
	}
	return nodes, skipped, nil
}

func decodeNode(raw json.RawMessage) (*node, []error, error) {
	n := &node{}
	var rest struct {
		Values      map[string]json.RawMessage `json:"values"`
		Label       string                     `json:"productLabel"`
		Description string                     `json:"productDescription"`
	}
	err := errors.Join(json.Unmarshal(raw, n), json.Unmarshal(raw, &n.Listening), json.Unmarshal(raw, &rest))
	if err != nil {
		return nil, nil, fmt.Errorf("reading a node: %w", err)
	}
	if n.ID <= 0 {
		return nil, nil, errors.New("a node without an id")
	}
	n.Product = strings.ToLower(rest.Label + " " + rest.Description)
	n.values = make(map[wire.ValueID]*value, len(rest.Values))
	var skipped []error
	for key, body := range rest.Values {
		v := &value{}
		if err := errors.Join(json.Unmarshal(body, v), json.Unmarshal(body, &v.Address)); err != nil {
			skipped = append(skipped, fmt.Errorf("reading value %s of node %d: %w", key, n.ID, err))
			continue
		}
		v.Address.Node = n.ID
		n.values[v.Address] = v
	}
	return n, skipped, nil
}

// find returns a value of the node, nil if it has none.
func (n *node) find(class, endpoint int, property, key string) *value {
	return n.values[wire.ValueID{Node: n.ID, Class: class, Endpoint: endpoint, Property: property, Key: key}]
}
