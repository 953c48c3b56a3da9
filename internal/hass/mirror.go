package hass

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"
)

// The states that say nothing of a thing.
const (
	unavailable = "unavailable" // its integration cannot reach it
	unknown     = "unknown"     // it has no value yet
)

// status is the state of one entity as Home Assistant last told it. It is never changed,
// so that a reader keeps what it has read.
type status struct {
	state      string
	attributes map[string]any
	context    string    // the id of what caused it
	user       bool      // it was a person who did, or a program in a person's name
	updated    time.Time // by the clock of Home Assistant
	seq        uint64    // counts all changes of all entities
}

// known reports whether the state says something of the thing.
func (s *status) known() bool {
	return s != nil && s.state != unavailable && s.state != unknown && s.state != ""
}

// away reports whether Home Assistant cannot reach the thing.
func (s *status) away() bool { return s == nil || s.state == unavailable }

// restored reports whether the state is from before the last start, as its integration has
// not come up again.
func (s *status) restored() bool { return s != nil && s.attributes["restored"] == true }

// assumed reports whether Home Assistant only guesses the state.
func (s *status) assumed() bool { return s != nil && s.attributes["assumed_state"] == true }

// number returns an attribute that is a number.
func (s *status) number(name string) (float64, bool) {
	if s == nil {
		return 0, false
	}
	n, ok := s.attributes[name].(float64)
	return n, ok
}

// text returns an attribute that is a text; "" for any other.
func (s *status) text(name string) string {
	if s == nil {
		return ""
	}
	t, _ := s.attributes[name].(string)
	return t
}

// structural are the attributes that say what a thing is, and not how it is just now.
var structural = []string{
	"friendly_name", "device_class", "supported_features", "supported_color_modes", "unit_of_measurement", "min_temp", "max_temp",
	"target_temp_step", "hvac_modes", "percentage_step", "entity_id", "source_list", "preset_modes", "available_modes", "min_humidity", "max_humidity",
	"current_temperature", "current_humidity",
}

// merely are those of the structural attributes of which only matters that they exist.
var merely = []string{"current_temperature", "current_humidity"}

// mirror holds the states of all entities, as Home Assistant tells them. Its methods may
// be called from several goroutines.
type mirror struct {
	mu       sync.Mutex
	states   map[string]*status
	shape    map[string]map[string]any // structural attributes as last told, also of what is unavailable now
	seq      uint64
	watchers map[string][]chan struct{}
	told     func(id string, now *status) // of every change, in their order; it must return at once
}

func newMirror(told func(id string, now *status)) *mirror {
	return &mirror{states: map[string]*status{}, shape: map[string]map[string]any{}, watchers: map[string][]chan struct{}{}, told: told}
}

// The shapes of an event of subscribe_entities.
type (
	changes struct {
		Added   map[string]compressed `json:"a"`
		Changed map[string]difference `json:"c"`
		Removed []string              `json:"r"`
	}
	compressed struct {
		State      string          `json:"s"`
		Attributes map[string]any  `json:"a"`
		Context    json.RawMessage `json:"c"`
		Changed    float64         `json:"lc"`
		Updated    *float64        `json:"lu"`
	}
	difference struct {
		More struct {
			State      *string         `json:"s"`
			Attributes map[string]any  `json:"a"`
			Context    json.RawMessage `json:"c"`
			Changed    *float64        `json:"lc"`
			Updated    *float64        `json:"lu"`
		} `json:"+"`
		Less struct {
			Attributes []string `json:"a"`
		} `json:"-,"` //nolint:staticcheck // the key is a minus sign; without the comma the field would be left out
	}
)

// apply takes an event. whole says that it is the first one of a connection, which has all
// entities. reshaped says that the structure of the house may have changed.
func (m *mirror) apply(event json.RawMessage, whole bool) (reshaped bool, err error) {
	var c changes
	if err := json.Unmarshal(event, &c); err != nil {
		return false, fmt.Errorf("reading a change of states: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if whole {
		for id := range m.states {
			if _, still := c.Added[id]; !still {
				c.Removed = append(c.Removed, id)
			}
		}
	}
	for _, id := range c.Removed {
		if m.states[id] != nil {
			reshaped = true
			m.set(id, nil)
			delete(m.shape, id)
		}
	}
	for id, a := range c.Added {
		reshaped = m.add(id, a) || reshaped
	}
	for id, d := range c.Changed {
		reshaped = m.change(id, d) || reshaped
	}
	return reshaped, nil
}

// add takes an entity whole. The caller holds mu.
func (m *mirror) add(id string, a compressed) (reshaped bool) {
	s := &status{state: a.State, attributes: a.Attributes, updated: at(a.Changed)}
	s.causedBy(a.Context)
	if a.Updated != nil {
		s.updated = at(*a.Updated)
	}
	if s.attributes == nil {
		s.attributes = map[string]any{}
	}
	old := m.states[id]
	reshaped = m.reshape(id, s, nil) || old == nil
	m.set(id, s)
	return reshaped
}

// change takes what has changed of an entity; one that is not known is ignored. The caller
// holds mu.
func (m *mirror) change(id string, d difference) (reshaped bool) {
	old := m.states[id]
	if old == nil {
		return false
	}
	s := *old
	if d.More.State != nil {
		s.state = *d.More.State
	}
	if len(d.More.Attributes) > 0 || len(d.Less.Attributes) > 0 {
		s.attributes = maps.Clone(old.attributes)
		maps.Copy(s.attributes, d.More.Attributes)
		for _, name := range d.Less.Attributes {
			delete(s.attributes, name)
		}
		reshaped = m.reshape(id, &s, d.More.Attributes)
	}
	s.causedBy(d.More.Context)
	for _, t := range []*float64{d.More.Changed, d.More.Updated} {
		if t != nil {
			s.updated = at(*t)
		}
	}
	m.set(id, &s)
	return reshaped
}

// reshape keeps the structural attributes of an entity; news are those that may have
// changed, nil all. What is unavailable has lost most of them, so it keeps those that it
// had. The caller holds mu.
func (m *mirror) reshape(id string, s *status, news map[string]any) (reshaped bool) {
	shape := m.shape[id]
	if shape == nil {
		shape = map[string]any{}
	}
	copied := false
	for _, name := range structural {
		v, has := s.attributes[name]
		if _, isNew := news[name]; !has || v == nil || news != nil && !isNew {
			continue
		}
		if slices.Contains(merely, name) {
			v = true
		}
		if reflect.DeepEqual(shape[name], v) {
			continue
		}
		if !copied {
			shape, copied = maps.Clone(shape), true
		}
		shape[name] = v
	}
	m.shape[id] = shape
	return copied
}

// set makes a state the present one and tells of it. The caller holds mu.
func (m *mirror) set(id string, s *status) {
	m.seq++
	if s == nil {
		delete(m.states, id)
	} else {
		s.seq = m.seq
		m.states[id] = s
	}
	for _, w := range m.watchers[id] {
		poke(w)
	}
	if m.told != nil {
		m.told(id, s)
	}
}

// causedBy takes the context of a state, which comes as its id or as those of its parts that
// have changed.
func (s *status) causedBy(raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var id string
	if json.Unmarshal(raw, &id) == nil {
		s.context = id
		return
	}
	var parts map[string]*string
	if json.Unmarshal(raw, &parts) != nil {
		return
	}
	if id := parts["id"]; id != nil {
		s.context = *id
	}
	if user, told := parts["user_id"]; told {
		s.user = user != nil
	}
}

// at reads a moment, in seconds since 1970.
func at(seconds float64) time.Time {
	if seconds <= 0 || seconds > 1e11 {
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}

// read returns the state of an entity; nil if there is none.
func (m *mirror) read(id string) *status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.states[id]
}

// now returns the number of the latest change.
func (m *mirror) now() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seq
}

// watch returns a channel that receives after each change of an entity, until stop.
func (m *mirror) watch(id string) (changed <-chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchers[id] = append(m.watchers[id], w)
	return w, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watchers[id] = slices.DeleteFunc(m.watchers[id], func(o chan struct{}) bool { return o == w })
		if len(m.watchers[id]) == 0 {
			delete(m.watchers, id)
		}
	}
}

// snapshot returns the states of all entities, and what they are.
func (m *mirror) snapshot() (states map[string]*status, shape map[string]map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.states), maps.Clone(m.shape)
}

// tellSince tells again of what is not as in an earlier snapshot.
func (m *mirror) tellSince(before map[string]*status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.states {
		if before[id] != s && m.told != nil {
			m.told(id, s)
		}
	}
}

// poke leaves a message in a channel with room for one, unless one is there already.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
