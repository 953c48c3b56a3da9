package zwave

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/zwave/wire"
)

// model is the house at one moment: immutable, rebuilt from every getNodes.
type model struct {
	homeID      uint32
	nodes       map[int]*node
	entities    []*entity // sorted by area and name
	names       map[string][]*entity
	rooms       map[string][]*entity      // by area and name together
	topics      map[string][]wire.ValueID // below the prefix
	shared      map[int]bool              // nodes whose topics belong to another node as well
	nodeByTopic map[string]int
	home        home.House
	at          time.Time
	replaced    chan struct{} // closed when a newer model is current
}

// entity is one thing a person can name: a device's function or one sensor.
type entity struct {
	ID        string
	Name      string
	Aliases   []string
	Domain    string // light, switch, fan, cover, lock, climate, valve, sensor, binary_sensor
	Class     string // device class: garage, valve, siren, temperature, window …
	node      *node
	main      wire.ValueID          // its state as the device reports it
	parts     map[part]wire.ValueID // what is written, and what else belongs to it
	sensors   []sensor
	abilities []home.Ability
	folded    []string // everything it may be called, as fold makes it
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
	partHeat     part = "heat"     // setpoints
	partCool     part = "cool"
)

// sensor is one thing a device measures.
type sensor struct {
	kind  home.Ability
	word  string // as it ends a name: "Temperature"
	class string // device class, as in home.Entity's attributes
	id    wire.ValueID
}

func emptyModel() *model { return newModel(0, nil, wire.Scheme{}, nil) }

func newModel(homeID uint32, nodes map[int]*node, scheme wire.Scheme, aliases map[string][]string) *model {
	m := &model{
		homeID:      homeID,
		nodes:       nodes,
		names:       map[string][]*entity{},
		rooms:       map[string][]*entity{},
		nodeByTopic: map[string]int{},
		shared:      map[int]bool{},
		at:          time.Now(),
		replaced:    make(chan struct{}),
	}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		m.entities = append(m.entities, nodes[id].entities()...)
	}
	slices.SortStableFunc(m.entities, func(a, b *entity) int {
		return cmp.Or(cmp.Compare(a.node.area(), b.node.area()), cmp.Compare(a.Name, b.Name))
	})
	other := map[string][]string{}
	for name, more := range aliases {
		other[fold(name)] = more
	}
	for _, e := range m.entities {
		e.ID = fmt.Sprintf("zw-%08x-%d-%d-%d", homeID, e.node.ID, e.main.Class, e.main.Endpoint)
		if isSensor(e) || e.main.Class == wire.WindowCovering {
			e.ID += "-" + strings.ReplaceAll(strings.ToLower(wire.Sanitise(e.main.Property+" "+e.main.Key)), "/", "-")
			e.ID = strings.TrimRight(e.ID, "_")
		}
		e.Aliases = other[fold(e.Name)]
		for _, name := range append([]string{e.Name, e.ID}, e.Aliases...) {
			key := fold(name)
			m.names[key] = append(m.names[key], e)
			if name != e.ID { // nobody says an id, so none is like one
				e.folded = append(e.folded, key)
			}
		}
		if area := e.node.area(); area != "" {
			key := fold(area + " " + e.Name)
			e.folded = append(e.folded, key)
			m.rooms[key] = append(m.rooms[key], e)
		}
	}
	m.indexTopics(scheme)
	m.home = m.structure()
	return m
}

func (m *model) indexTopics(scheme wire.Scheme) {
	m.topics = map[string][]wire.ValueID{}
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[id]
		base := scheme.Node(id, n.Name, n.Loc)
		if first, taken := m.nodeByTopic[base]; taken {
			m.shared[first], m.shared[id] = true, true
		} else {
			m.nodeByTopic[base] = id
		}
	}
	for id, n := range m.nodes {
		if m.shared[id] {
			continue // two nodes speak on these topics: only polls tell them apart
		}
		base := scheme.Node(id, n.Name, n.Loc)
		for vid := range n.values {
			topic := scheme.Value(base, vid)
			m.topics[topic] = append(m.topics[topic], vid)
		}
	}
}

// chooseScheme finds how the gateway builds topics: the scheme that explains most
// of the topics seen.
func chooseScheme(nodes map[int]*node, seen []string) wire.Scheme {
	topics := make(map[string]bool, len(seen))
	for _, t := range seen {
		topics[t] = true
	}
	var best wire.Scheme
	most := 0
	for _, scheme := range wire.Schemes() {
		hits := 0
		for id, n := range nodes {
			base := scheme.Node(id, n.Name, n.Loc)
			for vid := range n.values {
				if topics[scheme.Value(base, vid)] {
					hits++
				}
			}
		}
		if hits > most {
			best, most = scheme, hits
		}
	}
	return best
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

// handle is the identifier other programs use for an entity: its plain name
// where that is unique, so that calls stay readable in logs and to models.
func (m *model) handle(e *entity) string {
	if len(m.names[fold(e.Name)]) == 1 {
		return e.Name
	}
	return e.ID
}

// structure is the house in the project's common words.
func (m *model) structure() home.House {
	h := home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	areas := map[string]bool{}
	for _, e := range m.entities {
		area := e.node.area()
		if area != "" && !areas[area] {
			areas[area] = true
			h.Areas = append(h.Areas, home.Area{Name: area, Aliases: []string{}})
		}
		entity := home.Entity{
			ID: e.ID, Name: e.Name, Aliases: slices.Clone(e.Aliases), Domain: e.Domain, Area: area,
			Attributes: m.attributes(e), Abilities: e.abilities,
			Read: &home.Control{Tool: toolState, ID: m.handle(e)},
		}
		if entity.Aliases == nil {
			entity.Aliases = []string{}
		}
		if isSensor(e) {
			entity.Read.Tool = toolSensor
		} else if len(e.parts) > 0 {
			entity.Control = &home.Control{Tool: toolControl, ID: m.handle(e)}
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
		a["modes"] = words(m.value(e.parts[partMode]).States)
	}
	if e.has(home.Setpoint) {
		v := m.value(e.setpoint(nil))
		a["unit"], a["min"], a["max"] = v.Unit, v.Min, v.Max
	}
	if isSensor(e) && m.value(e.main).Unit != "" {
		a["unit"] = m.value(e.main).Unit
	}
	if len(a) == 0 {
		return nil
	}
	return a
}

func words(states []choice) []string {
	out := make([]string, 0, len(states))
	for _, s := range states {
		out = append(out, strings.ToLower(s.Text))
	}
	return out
}

// has says whether an entity has an ability.
func (e *entity) has(a home.Ability) bool { return slices.Contains(e.abilities, a) }

func isSensor(e *entity) bool { return e.Domain == "sensor" || e.Domain == "binary_sensor" }

// fold makes names comparable: case, white space, quotes and a leading "the" do
// not matter.
func fold(name string) string {
	name = strings.NewReplacer("’", "'", "_", " ").Replace(strings.ToLower(name))
	return strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "the ")
}
