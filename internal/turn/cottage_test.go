package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
	"voicegateway/internal/turn"
)

// cottage is the house of the conversations: things of which one may be meant for
// the other.
func cottage() *home.House {
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

// world is a house that remembers, behind tools that answer as the Z-Wave server
// does.
type world struct {
	mu      sync.Mutex
	state   map[string]map[string]any // by device and property
	outcome map[string]string         // by device, where it is not confirmed
	calls   []string
}

func newWorld() *world {
	w := &world{state: map[string]map[string]any{}, outcome: map[string]string{}}
	for _, e := range cottage().Entities {
		s := map[string]any{"on_off": "off"}
		switch e.Domain {
		case "cover":
			s = map[string]any{"position": 50.0}
		case "climate":
			s = map[string]any{"setpoint": 19.5, "mode": "heat"}
		case "lock":
			s = map[string]any{"lock": "unlocked"}
		}
		if e.Can(home.Brightness) {
			s["brightness"] = 0.0
		}
		if e.Can(home.Colour) {
			s["colour"] = "#ffa757"
		}
		w.state[e.Name] = s
	}
	return w
}

// read says a property as the device does: a lamp's being on follows its level.
func (w *world) read(device, property string) any {
	s := w.state[device]
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

func (w *world) main(device string) string {
	switch {
	case w.state[device]["position"] != nil:
		return "open_close"
	case w.state[device]["lock"] != nil:
		return "lock"
	case w.state[device]["mode"] != nil:
		return "mode"
	}
	return "on_off"
}

// set is what an action writes: the property the receipt tells, and the one that
// holds it.
func (w *world) set(device, action string, value any) (property string) {
	s := w.state[device]
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
	case "lock":
		property = "lock"
		s["lock"] = "locked"
	default: // position, setpoint, mode, colour
		property = action
		s[property] = value
	}
	return property
}

func (w *world) call(_ context.Context, c tools.Call) (tools.Result, error) {
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
	if w.state[args.Device] == nil {
		return tools.Result{}, errors.New("no such device")
	}
	if c.Tool == "get_device_state" {
		data, err := json.Marshal(map[string]any{"state": w.read(args.Device, w.main(args.Device)), "values": w.state[args.Device], "reachable": true})
		return tools.Result{Data: data}, err
	}
	w.calls = append(w.calls, strings.TrimSuffix(fmt.Sprintf("%s %s %v", args.Device, args.Action, args.Value), " <nil>"))
	outcome := w.outcome[args.Device]
	if outcome == "" {
		outcome = "confirmed"
	}
	was := maps.Clone(w.state[args.Device])
	property := w.set(args.Device, args.Action, args.Value)
	now := maps.Clone(w.state[args.Device])
	w.state[args.Device] = was
	told := map[string]any{"device": args.Device, "property": property, "outcome": outcome, "before": w.read(args.Device, property), "message": "Oh."}
	for _, level := range []string{"brightness", "position"} {
		if was[level] != nil {
			told["before_level"] = was[level]
		}
	}
	failed := outcome == "refused" || outcome == "no_answer"
	if !failed {
		w.state[args.Device] = now
	}
	told["value"] = w.read(args.Device, property)
	data, err := json.Marshal(told)
	return tools.Result{Text: "Oh.", Data: data, Receipt: tools.ReadReceipt(data), Failed: failed, PublishedAt: time.Now()}, err
}

// matchers understand the cottage in each language. They are made once: that is
// most of the work of these tests.
var matchers = map[string]func() (*intent.Matcher, error){
	"en": matcherOnce("en"), "de": matcherOnce("de"), "es": matcherOnce("es"), "fr": matcherOnce("fr"),
}

func matcherOnce(language string) func() (*intent.Matcher, error) {
	return sync.OnceValues(func() (*intent.Matcher, error) {
		pack, err := intent.Ours(language)
		if err != nil {
			return nil, err
		}
		return intent.New(pack, cottage())
	})
}

// talk is a conversation in text: lines that are said, "+31s" for time that goes
// by, "Left Lamp: off" for what somebody else does, "[Bedroom]" for another room.
type talk struct {
	t       *testing.T
	world   *world
	answer  *turn.Answerer
	area    string
	said    []string
	records []record.Record
}

func converse(t *testing.T, language string, model func(context.Context, turn.Question) iter.Seq2[turn.Part, error]) *talk {
	t.Helper()
	matcher, err := matchers[language]()
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, world: newWorld(), area: "Bedroom"}
	k.answer, err = turn.NewAnswerer(&fake.Matcher{MatchFunc: matcher.Match, Home: cottage()}, &fake.Caller{CallFunc: k.world.call},
		&fake.Assistant{ReplyFunc: model}, phrases, turn.Safety{FanOutLimit: 5}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *talk) line(l string) {
	if area, ok := strings.CutPrefix(l, "["); ok {
		k.area = strings.TrimSuffix(area, "]")
		return
	}
	if wait, err := time.ParseDuration(strings.TrimPrefix(l, "+")); err == nil {
		<-time.After(wait)
		return
	}
	if device, what, ok := strings.Cut(l, ": "); ok && k.world.state[device] != nil {
		switch what {
		case "accepted", "queued", "no_answer", "refused", "confirmed":
			k.world.outcome[device] = what
		default:
			k.world.set(device, what, nil)
		}
		return
	}
	before := len(k.world.calls)
	rec := k.answer.Turn(k.t.Context(), turn.Question{Text: l, Area: k.area, Source: record.FromHTTP})
	slices.Sort(k.world.calls[before:]) // calls of one turn come side by side
	k.said = append(k.said, rec.Reply)
	k.records = append(k.records, rec)
}
