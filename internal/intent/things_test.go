package intent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/language/sentences"
)

// wideHouse is a house with players, robots and lists beside its lamps.
func wideHouse(called map[string]string) *home.House {
	living, kitchen := called["living"], called["kitchen"]
	h := &home.House{Areas: []home.Area{{Name: living}, {Name: kitchen}}}
	add := func(id, domain, area string, attributes map[string]any, can ...home.Ability) {
		h.Entities = append(h.Entities, home.Entity{
			ID: id, Name: called[id], Domain: domain, Area: area, Attributes: attributes, Abilities: can,
			Control: &home.Control{Tool: "control_homeassistant_device", ID: id}, Read: &home.Control{Tool: "get_device_state", ID: id},
		})
	}
	plays := []home.Ability{home.OnOff, home.Play, home.Stop, home.Skip, home.Volume, home.Mute, home.Source}
	drives := []home.Ability{home.Start, home.Pause, home.Dock}
	add("tv", "media_player", living, map[string]any{"sources": []any{"HDMI 1", "HDMI 2", "Radio"}}, plays...)
	add("speaker", "media_player", kitchen, nil, plays...)
	add("robot", "vacuum", living, nil, drives...)
	add("mower", "lawn_mower", "", nil, drives...)
	add("fan", "fan", living, map[string]any{"presets": []any{"Breeze"}}, home.OnOff, home.Speed, home.Preset)
	add("damp", "humidifier", living, map[string]any{"modes": []any{"Sleep", "auto"}}, home.OnOff, home.TargetHumidity, home.Mode)
	add("heat", "climate", living, map[string]any{"modes": []any{"heat", "cool", "off"}, "presets": []any{"Away"}}, home.Setpoint, home.Mode, home.Preset)
	add("shop", "todo", "", nil, home.List)
	add("movie", "scene", "", nil, home.OnOff)
	add("sleep", "script", "", nil, home.OnOff)
	return h
}

// order is a line of the tables: what is said and what it means.
type order struct{ text, room, intent, thing, slots string }

func readOrders(t *testing.T, language string) (called map[string]string, all []order) {
	t.Helper()
	data, err := os.ReadFile("testdata/things_" + language + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	called = map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if names, is := strings.CutPrefix(line, "house: "); is {
			for word := range strings.FieldsSeq(names) {
				id, name, _ := strings.Cut(word, "=")
				called[id] = strings.ReplaceAll(name, "_", " ")
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := append(strings.Split(line, " | "), "", "")
		o := order{text: parts[0], intent: parts[1], thing: parts[2], slots: parts[3]}
		if text, here := strings.CutPrefix(o.text, "@ "); here {
			o.text, o.room = text, called["kitchen"]
		}
		all = append(all, o)
	}
	return called, all
}

// TestWhatAWideHouseIsTold: what families say to players, robots and lists in every language,
// and what it means.
func TestWhatAWideHouseIsTold(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			called, all := readOrders(t, language)
			m := matcherIn(t, language, wideHouse(called))
			for _, o := range all {
				d := m.Match(o.text, o.room)
				if d.Route != intent.Local || len(d.Actions) != 1 {
					t.Errorf("%q: %s %s %q %v, want %s of %s", o.text, d.Route, d.Reason, d.Heard, d.Options, o.intent, o.thing)
					continue
				}
				a := d.Actions[0]
				if a.Intent != o.intent || !slices.Equal(a.Devices, []string{o.thing}) {
					t.Errorf("%q: %s %v of %v, want %s of %s", o.text, a.Intent, a.Slots, a.Devices, o.intent, o.thing)
				}
				for want := range strings.FieldsSeq(o.slots) {
					slot, value, _ := strings.Cut(want, "=")
					if got := fmt.Sprint(a.Slots[slot]); got != strings.ReplaceAll(value, "_", " ") {
						t.Errorf("%q: %s is %q, want %q", o.text, slot, got, value)
					}
				}
			}
		})
	}
}

// TestAHouseWithoutThemHearsAsBefore: where there is nothing of these kinds, the sentences
// about them mean nothing, and the gateway's own volume stays its own.
func TestAHouseWithoutThemHearsAsBefore(t *testing.T) {
	t.Parallel()
	fresh := []string{
		catalogue.MediaPause, catalogue.MediaUnpause, catalogue.MediaNext, catalogue.MediaPrevious, catalogue.PlayerStop, catalogue.PlayerVolume, catalogue.PlayerAdjust,
		catalogue.PlayerMute, catalogue.PlayerUnmute, catalogue.PlayerSource, catalogue.Preset, catalogue.HumidifierSetpoint, catalogue.ListAddItem,
		catalogue.ListCompleteItem, catalogue.ListRemoveItem,
	}
	for _, language := range sentences.Languages() {
		called, all := readOrders(t, language)
		h := &home.House{Areas: []home.Area{{Name: called["kitchen"]}}, Entities: []home.Entity{thing(called["tv"], "switch", called["kitchen"], ""), thing("Quorra", "light", called["kitchen"], "")}}
		m := matcherIn(t, language, h)
		for _, o := range all {
			for _, a := range m.Match(o.text, o.room).Actions {
				if slices.Contains(fresh, a.Intent) {
					t.Errorf("%s, %q: %s", language, o.text, a.Intent)
				}
			}
		}
	}
	called, _ := readOrders(t, "en")
	for name, h := range map[string]*home.House{"without players": {}, "with players": wideHouse(called)} {
		m := matcherIn(t, "en", h)
		for text, want := range map[string]string{
			"louder": catalogue.SetVolumeRelative, "turn the volume up": catalogue.SetVolumeRelative, "set the volume to 40 percent": catalogue.SetVolume,
			"mute": catalogue.MediaPlayerMute, "unmute": catalogue.MediaPlayerUnmute, "what's the volume": catalogue.GetVolume,
		} {
			if d := m.Match(text, "Kitchen"); len(d.Actions) != 1 || d.Actions[0].Intent != want {
				t.Errorf("%s, %q: %+v, want %s", name, text, d.Actions, want)
			}
		}
	}
}

// TestOwnWords: a source that a player does not have is for the language model, and one of
// a player that tells none for its server.
func TestOwnWords(t *testing.T) {
	t.Parallel()
	called, _ := readOrders(t, "en")
	m := matcherIn(t, "en", wideHouse(called))
	if d := m.Match("switch the tv to jazz", ""); d.Route != intent.Model {
		t.Errorf("jazz: %s %+v", d.Route, d.Actions)
	}
	if d := m.Match("switch the kitchen speaker to jazz", ""); d.Route != intent.Local || d.Actions[0].Slots["source"] != "jazz" {
		t.Errorf("of a speaker that lists none: %s %+v", d.Route, d.Actions)
	}
}

// TestAnOrderWithoutItsVerbPlaysNothing: "mach die Musik in der Küche" may still become "aus".
func TestAnOrderWithoutItsVerbPlaysNothing(t *testing.T) {
	t.Parallel()
	called, _ := readOrders(t, "de")
	m := matcherIn(t, "de", wideHouse(called))
	for _, text := range []string{"mach die Musik", "mach die Musik in der Küche", "mach in der Küche die Musik", "mach die Musik am Fernseher"} {
		if d := m.Match(text, ""); d.Route == intent.Local {
			t.Errorf("%q: %+v", text, d.Actions)
		}
	}
}

func matcherIn(t *testing.T, language string, h *home.House) *intent.Matcher {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
