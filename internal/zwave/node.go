package zwave

import (
	"strconv"
	"strings"

	"voicegateway/internal/zwave/wire"
)

// node is one device of a getNodes answer. Name and Loc are spelled as in the
// gateway, because topics are made of them; people see display and area.
type node struct {
	ID        int
	Name      string
	Loc       string
	Status    string
	Available bool
	Ready     bool // all its values are known to the gateway
	Endpoints []endpoint
	Class     deviceClass
	Listening listeningInfo
	Kept      bool   // some values are from an earlier list, because the gateway is still reading its own
	Product   string // label and description, for guessing what it is

	values map[wire.ValueID]*value
}

type endpoint struct {
	Index int
	Label string
}

type deviceClass struct{ Generic, Specific int }

type listeningInfo struct {
	Always     bool
	Frequently bool
}

// display returns the name for people.
func (n *node) display() string {
	if name := strings.Join(strings.Fields(n.Name), " "); name != "" {
		return name
	}
	return fallbackName(n.ID)
}

// fallbackName is what people see of a node without a name.
func fallbackName(id int) string { return "Device " + strconv.Itoa(id) }

// topicName is what the gateway's own pages and topics call a node without a name.
func (n *node) topicName() string { return "nodeID_" + strconv.Itoa(n.ID) }

// area returns the room for people; empty when none is set.
func (n *node) area() string { return strings.Join(strings.Fields(n.Loc), " ") }

// sleeper reports whether the node sleeps and is out of reach meanwhile.
func (n *node) sleeper() bool { return !n.Listening.Always && !n.Listening.Frequently }

// value is one value of a node with its metadata.
type value struct {
	Address    wire.ValueID
	Type       string
	Readable   bool
	Writeable  bool
	Label      string
	Unit       string
	Min, Max   *float64
	States     []choice
	FreeStates bool // other values than those of States are allowed, too
	Value      any
	LastUpdate float64 // milliseconds since 1970
}

// choice is one allowed value with its word.
type choice struct {
	Text  string
	Value any
}

// find returns a value of the node, nil if it has none.
func (n *node) find(class, endpoint int, property, key string) *value {
	return n.values[wire.ValueID{Node: n.ID, Class: class, Endpoint: endpoint, Property: property, Key: key}]
}
