package zwave

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	language "voicegateway/internal/language/text"
	"voicegateway/internal/zwave/wire"
)

// model is the house at one moment: immutable, rebuilt from every getNodes.
type model struct {
	homeID     uint32
	controller int // the controller's own node id; 0: unknown
	nodes      map[int]*node
	entities   []*entity // sorted by area and name
	names      map[string][]*entity
	rooms      map[string][]*entity  // by area and name together
	plain      map[string][]*entity  // by any of their names without accents and signs
	areas      map[string]string     // folded name -> name
	wholeNodes map[string][]*node    // nodes whose names no entity has, by name
	states     map[wire.ValueID]bool // the values that show what a thing does
	topics     topicIndex
	spelling   nameIndex // for names that are not exact
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
	folded    []string // everything it may be called, folded
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
		names:    map[string][]*entity{},
		rooms:    map[string][]*entity{},
		plain:    map[string][]*entity{},
		areas:    map[string]string{},
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
		other[fold(name)] = more
	}
	for _, e := range m.entities {
		e.ID = m.identify(e)
		m.name(e, other)
		for _, id := range e.states() {
			m.states[id] = true
		}
	}
	m.wholeNodes = wholeNodesOf(nodes, m.entities)
	m.spelling = newNameIndex(m.entities)
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

// name files an entity under everything it may be called. Aliases are given by
// name, by area and name where the name is not unique, or by id.
func (m *model) name(e *entity, aliases map[string][]string) {
	area := e.node.area()
	e.Aliases = slices.Concat(aliases[fold(e.Name)], aliases[fold(e.ID)])
	if area != "" {
		e.Aliases = append(e.Aliases, aliases[fold(area+" "+e.Name)]...)
		m.areas[fold(area)] = area
	}
	if e.Name == e.node.display() && e.Name == fallbackName(e.node.ID) {
		file(m.names, fold(e.node.topicName()), e)
	}
	for i, name := range append([]string{e.ID, e.Name}, e.Aliases...) {
		key := fold(name)
		file(m.names, key, e)
		if i == 0 {
			continue // ids are not spoken, so misspelt names are not compared with them
		}
		e.folded = append(e.folded, key)
		m.filePlain(name, e)
		if area != "" {
			key = fold(area + " " + name)
			e.folded = append(e.folded, key)
			file(m.rooms, key, e)
			m.filePlain(area+" "+name, e)
		}
	}
}

// filePlain files an entity under what people say of a name: without accents and
// signs, its numbers as digits or as words of any language.
func (m *model) filePlain(name string, e *entity) {
	said := home.SpokenName(name)
	file(m.plain, plainName(name), e)
	file(m.plain, plainName(said), e)
	for _, language := range spokenLanguages() {
		if words := language.InWords(said); words != "" {
			file(m.plain, plainName(words), e)
		}
	}
}

// file puts an entity under a key, once.
func file(under map[string][]*entity, key string, e *entity) {
	if list := under[key]; len(list) == 0 || list[len(list)-1] != e {
		under[key] = append(list, e)
	}
}

// spokenLanguages are the languages in which the numbers of a name may be spoken.
var spokenLanguages = sync.OnceValue(func() []*numbers.Language {
	var out []*numbers.Language
	for _, code := range sentences.Languages() {
		if l, known := numbers.For(code); known {
			out = append(out, l)
		}
	}
	return out
})

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

// identifier returns what other programs use for an entity: its plain name where
// that is unique, so that calls stay readable in logs and for models, else its
// id.
func (m *model) identifier(e *entity) string {
	if len(m.names[fold(e.Name)]) == 1 {
		return e.Name
	}
	return e.ID
}

// structure returns the house in the project's common terms.
func (m *model) structure() home.House {
	h := home.House{Floors: []home.Floor{}, Areas: []home.Area{}, Entities: []home.Entity{}}
	areas := map[string]bool{}
	for _, e := range m.entities {
		area := e.node.area()
		if area != "" && !areas[area] {
			areas[area] = true
			aliases := []string{}
			if said := home.SpokenName(area); fold(said) != fold(area) {
				aliases = append(aliases, said)
			}
			h.Areas = append(h.Areas, home.Area{Name: area, Aliases: aliases})
		}
		entity := home.Entity{
			ID: e.ID, Name: e.Name, Aliases: slices.Clone(e.Aliases), Domain: e.Domain, Area: area,
			Attributes: m.attributes(e), Abilities: e.abilities,
			Read: &home.Control{Tool: toolState, ID: m.identifier(e)},
		}
		if said := home.SpokenName(e.Name); fold(said) != fold(e.Name) {
			entity.Aliases = append(entity.Aliases, said)
		}
		if entity.Aliases == nil {
			entity.Aliases = []string{}
		}
		if isSensor(e) && !e.unread {
			entity.Read.Tool = toolSensor
		} else if len(e.parts) > 0 || e.unread && !isSensor(e) {
			entity.Control = &home.Control{Tool: toolControl, ID: m.identifier(e)}
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

// area returns the area of a folded name; empty if there is none.
func (m *model) area(key string) string {
	if area, known := m.areas[key]; known || key == "" {
		return area
	}
	var found string
	for folded, area := range m.areas {
		if plainName(folded) == plainName(key) && plainName(key) != "" {
			if found != "" {
				return ""
			}
			found = area
		}
	}
	return found
}

// folding replaces characters that people and topics write differently.
var folding = strings.NewReplacer("’", "'", "_", " ")

// fold makes names comparable: case, white space, quotes and a leading "the" do
// not matter.
func fold(name string) string {
	name = folding.Replace(strings.ToLower(name))
	return strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "the ")
}

// plainName reduces a name to its plain letters and digits: "Küche ✨" is "kuche".
// With it a name is found without the signs that a keyboard or a recogniser
// leaves out.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range fold(name) {
		switch {
		case unicode.IsMark(r), r == '\'':
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteString(language.StripAccents(string(r)))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
