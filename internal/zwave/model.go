package zwave

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// model is the house at one moment: immutable, rebuilt from every getNodes.
type model struct {
	homeID     uint32
	controller int // the controller's own node id; 0: unknown
	nodes      map[int]*node
	entities   []*entity // sorted by area and name
	names      *form.Names[*entity]
	wholeNodes map[string][]*node    // nodes whose names no entity has, by name
	states     map[wire.ValueID]bool // the values that show what a thing does
	topics     topicIndex
	home       home.House
	left       []string // what the house has beyond the bounds of nodelist.go, in words
	at         time.Time
	asked      uint64        // when its list was asked for, in the order of messages
	replaced   chan struct{} // closed when a newer model is current
}

// entity is one thing a person can name: a device's function or one sensor.
type entity struct {
	ID        string
	Name      string
	Aliases   []string
	Domain    string // light, switch, fan, cover, lock, climate, valve, sensor, binary_sensor
	Class     string // device class: garage, valve, siren, temperature, window …
	node      *node
	unread    bool                  // nothing is known of the node but its name, and what it may be
	main      wire.ValueID          // its state as the device reports it
	parts     map[part]wire.ValueID // the values that are written, and others that belong to it
	sensors   []sensor
	abilities []home.Ability
}

// part names a value by what it does for an entity.
type part string

const (
	partTarget   part = "target"
	partDuration part = "duration"
	partUp       part = "up"   // start opening or brightening; false stops
	partDown     part = "down" // start closing
	partColour   part = "colour"
	partMode     part = "mode"
	partActivity part = "activity" // what a thermostat is doing
	partFanMode  part = "fan_mode"
	partFan      part = "fan"      // what its fan is doing
	partSetpoint part = "setpoint" // followed by the setpoint's type
	partHeat     part = partSetpoint + "1"
	partCool     part = partSetpoint + "2"
)

// sensor is one thing a device measures.
type sensor struct {
	kind  home.Ability
	word  string // the last word of its name: "Temperature"
	class string // device class, as in home.Entity's attributes
	id    wire.ValueID
}

func emptyModel() *model { return newModel(0, nil, wire.Scheme{}, nil) }

func newModel(homeID uint32, nodes map[int]*node, scheme wire.Scheme, aliases map[string][]string, foreign ...map[int]*node) *model {
	m := &model{
		homeID:   homeID,
		nodes:    nodes,
		states:   map[wire.ValueID]bool{},
		topics:   newTopicIndex(nodes, scheme, foreign...),
		at:       time.Now(),
		replaced: make(chan struct{}),
	}
	m.entities, m.left = entitiesOf(nodes)
	slices.SortStableFunc(m.entities, func(a, b *entity) int {
		return cmp.Or(cmp.Compare(a.node.area(), b.node.area()), cmp.Compare(a.Name, b.Name))
	})
	other := map[string][]string{}
	for name, more := range aliases {
		other[form.Fold(name)] = more
	}
	for _, e := range m.entities {
		e.ID = m.identify(e)
		e.addAliases(other)
		for _, id := range e.states() {
			m.states[id] = true
		}
	}
	m.names = form.NewNames(m.entities, (*entity).named)
	m.wholeNodes = wholeNodesOf(nodes, m.entities)
	m.home = m.structure()
	return m
}

// entitiesOf returns the entities of all nodes. If there are too many, the nodes with
// most of them lose some, sensors first; left says which.
func entitiesOf(nodes map[int]*node) (all []*entity, left []string) {
	found := make(map[int][]*entity, len(nodes))
	sum, most := 0, maxEntities // of all nodes, of one
	for id, n := range nodes {
		of := n.entities()
		if len(of) == 0 {
			of = n.unreadEntities()
		}
		found[id] = of
		sum += len(of)
	}
	for sum > maxEntities && most > 1 {
		most -= max(most/8, 1)
		sum = 0
		for _, of := range found {
			sum += min(len(of), most)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		of := found[id]
		if len(of) > most {
			left = append(left, fmt.Sprintf("%d of %d entities of node %d", len(of)-most, len(of), id))
			of = of[:most]
		}
		all = append(all, of...)
	}
	return all, shorten(left)
}

// identify returns an entity's id, made of what never changes: home, node, value.
func (m *model) identify(e *entity) string {
	if e.unread {
		return fmt.Sprintf("zw-%08x-%d", m.homeID, e.node.ID)
	}
	id := fmt.Sprintf("zw-%08x-%d-%d-%d", m.homeID, e.node.ID, e.main.Class, e.main.Endpoint)
	if isSensor(e) || e.main.Class == wire.WindowCovering {
		id += "-" + strings.ReplaceAll(strings.ToLower(wire.Sanitise(e.main.Property+" "+e.main.Key)), "/", "-")
		id = strings.TrimRight(id, "_")
	}
	return id
}

// addAliases gives an entity its other names. They are given by name, by area and name
// where the name is not unique, or by id.
func (e *entity) addAliases(given map[string][]string) {
	e.Aliases = slices.Concat(given[form.Fold(e.Name)], given[form.Fold(e.ID)])
	if area := e.node.area(); area != "" {
		e.Aliases = append(e.Aliases, given[form.Fold(area+" "+e.Name)]...)
	}
}

// named is what an entity is called.
func (e *entity) named() form.Named {
	n := form.Named{ID: e.ID, Name: e.Name, Aliases: e.Aliases, Area: e.node.area()}
	if e.Name == e.node.display() && e.Name == fallbackName(e.node.ID) {
		n.Also = []string{e.node.topicName()}
	}
	return n
}

func (m *model) known(id wire.ValueID) bool {
	n := m.nodes[id.Node]
	return n != nil && n.values[id] != nil
}

// value returns what is known about a value; never nil.
func (m *model) value(id wire.ValueID) *value {
	if n := m.nodes[id.Node]; n != nil && n.values[id] != nil {
		return n.values[id]
	}
	return &value{Address: id}
}

// identifier returns what other programs use for an entity.
func (m *model) identifier(e *entity) string { return m.names.Identifier(e.ID, e.Name) }

// structure returns the house in the project's common terms.
func (m *model) structure() home.House {
	h := home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	areas := map[string]bool{}
	for _, e := range m.entities {
		area := e.node.area()
		if area != "" && !areas[area] {
			areas[area] = true
			aliases := []string{}
			if said := home.SpokenName(area); form.Fold(said) != form.Fold(area) {
				aliases = append(aliases, said)
			}
			h.Areas = append(h.Areas, home.Area{Name: area, Aliases: aliases})
		}
		entity := home.Entity{
			ID: e.ID, Name: e.Name, Aliases: slices.Clone(e.Aliases), Domain: e.Domain, Area: area,
			Attributes: m.attributes(e), Abilities: e.abilities,
			Read: &home.Control{Tool: form.ToolState, ID: m.identifier(e)},
		}
		if said := home.SpokenName(e.Name); form.Fold(said) != form.Fold(e.Name) {
			entity.Aliases = append(entity.Aliases, said)
		}
		if entity.Aliases == nil {
			entity.Aliases = []string{}
		}
		if isSensor(e) && !e.unread {
			entity.Read.Tool = form.ToolSensor
		} else if len(e.parts) > 0 || e.unread && !isSensor(e) {
			entity.Control = &home.Control{Tool: form.ControlTool(prefix), ID: m.identifier(e)}
		}
		h.Entities = append(h.Entities, entity)
	}
	return h
}

func (m *model) attributes(e *entity) map[string]any {
	a := map[string]any{}
	if e.Class != "" {
		a["device_class"] = e.Class
	}
	if e.has(home.Brightness) {
		a["dimmable"] = true
	}
	if e.has(home.Colour) {
		a["color"] = true
	}
	if e.has(home.Position) {
		a["position"] = true
	}
	if e.has(home.Mode) {
		a["modes"] = stateWords(m.value(e.parts[partMode]).States)
	}
	if e.has(home.Setpoint) {
		v := m.value(e.setpoint(nil))
		low, high := v.bounds(v.Value)
		a["unit"], a["min"], a["max"] = v.Unit, low, high
	}
	if isSensor(e) && m.value(e.main).Unit != "" {
		a["unit"] = m.value(e.main).Unit
	}
	if len(a) == 0 {
		return nil
	}
	return a
}

func stateWords(states []choice) []string {
	out := make([]string, 0, len(states))
	for _, s := range states {
		out = append(out, strings.ToLower(s.Text))
	}
	return out
}

// states lists the values that show what an entity does.
func (e *entity) states() []wire.ValueID {
	out := []wire.ValueID{e.main}
	for p, id := range e.parts {
		switch {
		case p == partColour:
			out = append(out, colourParts(id)...)
		case p == partMode, p == partFanMode, strings.HasPrefix(string(p), string(partSetpoint)):
			out = append(out, id)
		}
	}
	return out
}

// has reports whether an entity has an ability.
func (e *entity) has(a home.Ability) bool { return slices.Contains(e.abilities, a) }

func isSensor(e *entity) bool { return e.Domain == "sensor" || e.Domain == "binary_sensor" }
