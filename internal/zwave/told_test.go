package zwave

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	planned "voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// phrases returns our own replies in every language.
func phrases(t *testing.T) map[string]*reply.Phrases {
	t.Helper()
	out := map[string]*reply.Phrases{}
	for _, language := range sentences.Languages() {
		p, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		out[language] = p
	}
	return out
}

// asked returns the reply to a question about a thing whose state is a word.
func asked(t *testing.T, p *reply.Phrases, e *home.Entity, question string, word any) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"value": word, "age_seconds": 1, "reachable": true})
	if err != nil {
		t.Fatal(err)
	}
	slots := map[string]any{}
	if question != "" {
		slots["state"] = question
	}
	steps := []planned.Step{{Action: intent.Action{Intent: "HassGetState", Slots: slots}, Entity: e, Risk: tools.Read}}
	return p.SayResults(steps, []tools.Result{{Data: data}})
}

// begins reports whether a sentence begins as one of the phrases does, up to the
// name.
func begins(p *reply.Phrases, said string, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		before, _, _ := strings.Cut(p.Phrase(key, p.Places(&home.Entity{Name: "|"}, nil, 0)), "|")
		return before != "" && strings.HasPrefix(said, before)
	})
}

// twoStates returns the sensors of two states that a house can have, by the
// source of their value: every one in our tables and one that is in none.
func twoStates() map[string]*value {
	out := map[string]*value{}
	for property := range binaries {
		out["binary "+property] = &value{Address: wire.ValueID{Node: 2, Class: wire.BinarySensor, Property: property}, Readable: true, Type: "boolean"}
	}
	out["binary unknown"] = &value{Address: wire.ValueID{Node: 2, Class: wire.BinarySensor, Property: "Pet present"}, Readable: true, Type: "boolean"}
	for at := range notifications {
		property, key, _ := strings.Cut(at, "/")
		out["event "+at] = &value{Address: wire.ValueID{Node: 2, Class: wire.Notification, Property: property, Key: key}, Readable: true, Type: "number"}
	}
	return out
}

// reported returns the values that a sensor may report, and whether each means
// that what it watches for is there. Values of a contact that are left out mean
// nothing.
func reported(s sensor) map[any]bool {
	out := map[any]bool{false: false, true: true}
	if s.id.Class != wire.Notification {
		return out
	}
	if s.kind == home.Contact {
		for raw, open := range map[float64]bool{0: false, 1: true, 2: true, 22: true, 23: false, 5632: true, 5633: true} {
			out[raw] = open
		}
		return out
	}
	for event := range 256 { // an event is a byte; 0 is idle
		out[float64(event)] = event != 0
	}
	if s.class == "heat" { // cold is no fire, and nothing else that is asked about
		delete(out, 5.0)
		delete(out, 6.0)
	}
	return out
}

// TestEveryWordOfASensorIsTold asks about every sensor of two states, in every state and
// language: is it there, is it not, how is it. The answer is the yes or no that the
// device means, and for an alarm that is on it is never no.
func TestEveryWordOfASensorIsTold(t *testing.T) {
	t.Parallel()
	languages := phrases(t)
	for from, v := range twoStates() {
		s, ok := sensorOf(v)
		if !ok {
			t.Errorf("%s is no sensor", from)
			continue
		}
		n := &node{ID: 2, values: map[wire.ValueID]*value{v.Address: v}}
		m := &model{nodes: map[int]*node{2: n}}
		e := n.sensorEntity(s)
		thing := &home.Entity{Name: "Thing", Domain: e.Domain, Attributes: map[string]any{"device_class": e.Class}}
		if e.Domain != "binary_sensor" {
			t.Errorf("%s is a %s", from, e.Domain)
		}
		contact := s.kind == home.Contact
		said := map[any]bool{} // by word: whether what the sensor watches for is there
		for raw, there := range reported(s) {
			word := m.sensorState(s, raw)
			if before, known := said[word]; known {
				if before != there {
					t.Errorf("%s: %v is said of both", from, word)
				}
				continue
			}
			said[word] = there
			for language, p := range languages {
				isThere, isNot, plain := asked(t, p, thing, "on", word), asked(t, p, thing, "off", word), asked(t, p, thing, "", word)
				if yes, no := begins(p, isThere, "state_yes", "senses_yes"), begins(p, isThere, "state_no", "senses_no"); yes != there || no == there {
					t.Errorf("%s, %s %v (%v): is it there? %q", language, from, raw, word, isThere)
				}
				if contact != begins(p, isNot, "state_yes", "state_no") {
					t.Errorf("%s, %s %v (%v): is it not? %q", language, from, raw, word, isNot)
				}
				if from != "binary unknown" && plain == asked(t, p, &home.Entity{Name: "Thing", Domain: "binary_sensor"}, "", word) {
					t.Errorf("%s, %s: %q is said of any sensor", language, from, plain)
				}
				if language != "en" && (strings.Contains(plain, fmt.Sprint(word)) || strings.Contains(plain, "unknown")) {
					t.Errorf("%s, %s %v: %q keeps the word %v", language, from, raw, plain, word)
				}
			}
		}
	}
}

// TestAnUnknownReportIsNoAnswer checks that a report outside the tables is reported as
// unknown, and neither as yes nor as no.
func TestAnUnknownReportIsNoAnswer(t *testing.T) {
	t.Parallel()
	languages := phrases(t)
	for from, v := range twoStates() {
		s, _ := sensorOf(v)
		v.States = []choice{{Text: "Window/door handle is open", Value: 24.0}}
		n := &node{ID: 2, values: map[wire.ValueID]*value{v.Address: v}}
		m := &model{nodes: map[int]*node{2: n}}
		thing := &home.Entity{Name: "Thing", Domain: "binary_sensor", Attributes: map[string]any{"device_class": n.sensorEntity(s).Class}}
		raws := []any{"Dust in device"}
		if s.kind == home.Contact || s.id.Class == wire.BinarySensor {
			raws = append(raws, 24.0, 254.0)
		}
		if s.class == "heat" {
			raws = append(raws, 5.0, 6.0)
		}
		for _, raw := range raws {
			word := m.sensorState(s, raw)
			for language, p := range languages {
				for _, question := range []string{"on", "off", ""} {
					want := p.Phrase("unknown_state", p.Places(thing, nil, 0))
					if got := asked(t, p, thing, question, word); got != want {
						t.Errorf("%s, %s %v (%v), asked %q: %q", language, from, raw, word, question, got)
					}
				}
			}
		}
	}
}

// TestEveryOtherWordIsTold checks that states of buttons and of what is moved,
// locked or switched have a word in every language as well.
func TestEveryOtherWordIsTold(t *testing.T) {
	t.Parallel()
	button := sensor{kind: "button_1", class: "button", id: wire.ValueID{Class: wire.CentralScene}}
	words := map[string]*home.Entity{}
	add := func(word any, domain, class string) {
		words[fmt.Sprint(word)] = &home.Entity{Name: "Thing", Domain: domain, Attributes: map[string]any{"device_class": class}}
	}
	for attribute := range 7 { // the class counts to five times
		add((&model{}).sensorState(button, float64(attribute)), "sensor", button.class)
	}
	for n := range 256 {
		if word := barrierState(float64(n)); word != nil {
			add(word, "cover", "garage")
		}
	}
	for _, on := range []bool{true, false} {
		add(either(on, "locked", "unlocked"), "lock", "")
		add(openClosed(on), "valve", "valve")
		add(onOff(&entity{Domain: "light"}, on), "light", "")
	}
	for language, p := range phrases(t) {
		for word, e := range words {
			if got := asked(t, p, e, "", word); language != "en" && strings.Contains(got, word) {
				t.Errorf("%s: %q keeps the word %s", language, got, word)
			}
		}
	}
}
