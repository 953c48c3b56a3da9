package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/tools"
)

// Cottage is the house of the conversations. It has things that can be mistaken
// for each other.
func Cottage() *home.House {
	h := &home.House{Areas: []home.Area{{Name: "Kitchen"}, {Name: "Bedroom"}, {Name: "Hall"}, {Name: "Office"}}}
	add := func(name, domain, area string, can ...home.Ability) *home.Entity {
		h.Entities = append(h.Entities, home.Entity{
			ID: domain + "." + name, Name: name, Domain: domain, Area: area, Abilities: can, Server: "zwave",
			Control: &home.Control{Tool: "control_zwave_device", ID: name}, Read: &home.Control{Tool: "get_device_state", ID: name},
		})
		return &h.Entities[len(h.Entities)-1]
	}
	add("Kitchen Light", "light", "Kitchen", home.OnOff)
	add("Left Lamp", "light", "Bedroom", home.OnOff, home.Brightness)
	add("Right Lamp", "light", "Bedroom", home.OnOff, home.Brightness, home.Colour)
	add("Coffee Machine", "switch", "Kitchen", home.OnOff)
	add("Blind", "cover", "Bedroom", home.OpenClose, home.Position, home.Stop).Attributes = map[string]any{"device_class": "blind"}
	add("Thermostat", "climate", "Bedroom", home.Setpoint, home.Mode)
	add("Front Door", "lock", "Hall", home.Lock)
	add("Back Door", "lock", "Hall", home.Lock)
	for i := range 6 {
		add(fmt.Sprintf("Office Light %c", 'A'+i), "light", "Office", home.OnOff)
	}
	return h
}

// World is a house that remembers what was done to it, behind tools that answer
// as the Z-Wave server does.
type World struct {
	mu      sync.Mutex
	State   map[string]map[string]any // by device and property
	Outcome map[string]string         // by device: the outcome of its calls and perhaps its reason ("accepted/on_its_way"), where that is not "confirmed"
	Calls   []string
	told    map[string]time.Time // by device: when it last reported
}

// Note writes down a call that another tool has answered.
func (w *World) Note(call string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Calls = append(w.Calls, call)
}

// NewWorld makes a world in which the cottage is in its first state.
func NewWorld() *World { return NewWorldOf(Cottage()) }

// NewWorldOf makes a world in which a house is in its first state.
func NewWorldOf(h *home.House) *World {
	w := &World{State: map[string]map[string]any{}, Outcome: map[string]string{}, told: map[string]time.Time{}}
	for _, e := range h.Entities {
		s := map[string]any{"on_off": "off"}
		switch e.Domain {
		case "cover":
			s = map[string]any{"position": 50.0}
		case "climate":
			s = map[string]any{"setpoint": 19.5, "mode": "heat"}
		case "lock":
			s = map[string]any{"lock": "unlocked"}
		case "sensor":
			s = map[string]any{"temperature": map[bool]float64{true: 19.5, false: 21}[strings.HasPrefix(e.ID, "office")]}
		}
		if e.Can(home.Brightness) {
			s["brightness"] = 0.0
		}
		if e.Can(home.Colour) {
			s["colour"] = "#ffa757"
		}
		w.State[e.Read.ID] = s
	}
	return w
}

// Read returns a property as the device tells it: whether a lamp is on follows
// from its level.
func (w *World) Read(device, property string) any {
	s := w.State[device]
	level, dims := s["brightness"].(float64)
	at, moves := s["position"].(float64)
	word := func(yes bool, a, b string) any {
		if yes {
			return a
		}
		return b
	}
	switch {
	case property == "on_off" && dims:
		return word(level > 0, "on", "off")
	case property == "open_close" && moves:
		return word(at > 0, "open", "closed")
	}
	return s[property]
}

func (w *World) main(device string) string {
	switch {
	case w.State[device]["position"] != nil:
		return "open_close"
	case w.State[device]["lock"] != nil:
		return "lock"
	case w.State[device]["mode"] != nil:
		return "mode"
	case w.State[device]["temperature"] != nil:
		return "temperature"
	}
	return "on_off"
}

// Set does what an action does: it changes the property that holds the value, and
// returns the property that the receipt names.
func (w *World) Set(device, action string, value any) (property string) {
	s := w.State[device]
	w.told[device] = time.Now()
	switch action {
	case "on", "off":
		property = "on_off"
		s["on_off"] = action
		if s["brightness"] != nil {
			s["brightness"] = map[string]float64{"on": 100, "off": 0}[action]
		}
	case "level":
		property = "brightness"
		s["brightness"] = value
	case "open", "close":
		property = "open_close"
		s["position"] = map[string]float64{"open": 100, "close": 0}[action]
	case "lock", "locked":
		property = "lock"
		s["lock"] = "locked"
	case "unlock":
		property = "lock"
		s["lock"] = "unlocked"
	default: // position, setpoint, mode, colour
		property = action
		s[property] = value
	}
	return property
}

// Call does what a tool of the Z-Wave server does.
func (w *World) Call(_ context.Context, c tools.Call) (tools.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var args struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
		Value  any    `json:"value"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tools.Result{}, err
	}
	if c.Server == "" {
		return tools.Result{Text: "It's noon."}, nil
	}
	if w.State[args.Device] == nil {
		return tools.Result{}, errors.New("no such device")
	}
	if c.Tool == "get_device_state" {
		state := map[string]any{"state": w.Read(args.Device, w.main(args.Device)), "values": w.State[args.Device], "reachable": true}
		if at, ok := w.told[args.Device]; ok {
			state["age_seconds"] = int64(time.Since(at) / time.Second)
		}
		data, err := json.Marshal(state)
		return tools.Result{Data: data}, err
	}
	w.Calls = append(w.Calls, strings.TrimSuffix(fmt.Sprintf("%s %s %v", args.Device, args.Action, args.Value), " <nil>"))
	outcome, why, _ := strings.Cut(w.Outcome[args.Device], "/")
	if outcome == "" {
		outcome = "confirmed"
	}
	was := maps.Clone(w.State[args.Device])
	property := w.Set(args.Device, args.Action, args.Value)
	now := maps.Clone(w.State[args.Device])
	w.State[args.Device] = was
	told := map[string]any{"device": args.Device, "property": property, "outcome": outcome, "reason": why, "before": w.Read(args.Device, property), "message": "Oh."}
	for _, level := range []string{"brightness", "position"} {
		if was[level] != nil {
			told["before_level"] = was[level]
		}
	}
	failed := outcome == "refused" || outcome == "no_answer"
	if !failed {
		w.State[args.Device] = now
	}
	told["value"] = w.Read(args.Device, property)
	for _, level := range []string{"brightness", "position"} {
		if now := w.State[args.Device][level]; now != nil && property != level {
			told["value_level"] = now
		}
	}
	data, err := json.Marshal(told)
	return tools.Result{Text: "Oh.", Data: data, Receipt: tools.ReadReceipt(data), Failed: failed, PublishedAt: time.Now()}, err
}

// Matchers understand the cottage in each language. They are made once, because
// making them is most of the work of the tests.
var Matchers = map[string]func() (*intent.Matcher, error){
	"en": matcherOnce("en"), "de": matcherOnce("de"), "es": matcherOnce("es"), "fr": matcherOnce("fr"),
}

func matcherOnce(language string) func() (*intent.Matcher, error) {
	return sync.OnceValues(func() (*intent.Matcher, error) {
		pack, err := intent.Ours(language)
		if err != nil {
			return nil, err
		}
		return intent.New(pack, Cottage())
	})
}

// House is the house in which the stories play.
func House() *home.House {
	zwave := func(name, domain, area string, can ...home.Ability) home.Entity {
		return home.Entity{
			ID: domain + "." + name, Name: name, Domain: domain, Area: area, Abilities: can, Server: "zwave",
			Control: &home.Control{Tool: "control_zwave_device", ID: name}, Read: &home.Control{Tool: "get_device_state", ID: name},
		}
	}
	h := &home.House{Areas: []home.Area{{Name: "Kitchen"}, {Name: "Bedroom"}, {Name: "Hallway"}, {Name: "Office"}}}
	h.Entities = []home.Entity{
		zwave("Kitchen Light", "light", "Kitchen", home.OnOff),
		zwave("Bedroom Lamp", "light", "Bedroom", home.OnOff, home.Brightness),
		zwave("Front Door", "lock", "Hallway", home.Lock),
	}
	for i := range 6 {
		h.Entities = append(h.Entities, zwave(fmt.Sprintf("Office Light %c", 'A'+i), "light", "Office", home.OnOff))
	}
	return h
}
