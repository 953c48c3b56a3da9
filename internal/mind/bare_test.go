package mind_test

import (
	"strings"
	"testing"
	"testing/synctest"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// TestWhatToDoWithANamedThing: after a name alone, a short answer says what to do with
// the thing; any other text is a new sentence.
func TestWhatToDoWithANamedThing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language string
		lines    []string
		calls    string
	}{
		{"en", []string{"the kitchen light", "on"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "turn it on"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "off please"}, "Kitchen Light off"},
		{"en", []string{"coffee machine", "switch that off"}, "Coffee Machine off"},
		{"en", []string{"left lamp", "50 percent"}, "Left Lamp level 50"},
		{"en", []string{"the right lamp", "make it blue"}, "Right Lamp colour blue; Right Lamp on"},
		{"en", []string{"front door", "lock it"}, "Front Door lock"},
		{"en", []string{"left lamp", "turn on the kitchen light"}, "Kitchen Light on"},
		{"en", []string{"kitchen light", "+31s", "on"}, ""},
		{"de", []string{"Left Lamp", "an"}, "Left Lamp on"},
		{"de", []string{"Left Lamp", "aus"}, "Left Lamp off"},
		{"de", []string{"Left Lamp", "schalte sie ein"}, "Left Lamp on"},
		{"de", []string{"Left Lamp", "auf 50 Prozent"}, "Left Lamp level 50"},
		{"es", []string{"Left Lamp", "enciende"}, "Left Lamp on"},
		{"es", []string{"Left Lamp", "apágala"}, "Left Lamp off"},
		{"es", []string{"Left Lamp", "enciéndela"}, "Left Lamp on"},
		{"fr", []string{"Left Lamp", "allume"}, "Left Lamp on"},
		{"fr", []string{"Left Lamp", "éteins-la"}, "Left Lamp off"},
	} {
		t.Run(tt.language+" "+strings.Join(tt.lines, ", "), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, tt.language, nil)
				for _, l := range tt.lines {
					k.line(l)
				}
				if got := strings.Join(k.world.Calls, "; "); !strings.HasSuffix(got, tt.calls) || tt.calls == "" && got != "" {
					t.Errorf("said %q, made %q, want %q", k.said, got, tt.calls)
				}
			})
		})
	}
}

// TestFireIsNoThing: a question that asks for an alarm even without its pronoun is about
// the alarm, whatever the pronoun could stand for.
func TestFireIsNoThing(t *testing.T) {
	t.Parallel()
	pack, err := intent.Ours("de")
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, smoky())
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{
		{"brennt es"},
		{"schalte das Bürolicht ein", "brennt es"},
		{"ist das Bürolicht an", "brennt es"},
		{"welche Lichter sind an", "brennt es"},
		{"schalte das Bürolicht ein", "welche Lichter sind an", "brennt es"},
		{"Bürolicht", "brennt es"},
		{"schalte das Bürolicht und das Flurlicht ein", "brennt es"},
		{"schalte das Bürolicht ein", "schalte das Flurlicht ein", "brennt es"},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := converseIn(t, smoky(), matcher, "de", nil)
			for _, l := range lines {
				k.line(l)
			}
			if got := k.records[len(k.records)-1].Reply; got != "Nein, der Rauchmelder meldet keinen Rauch." {
				t.Errorf("%q: %q, want the alarm", lines, got)
			}
		})
	}
}

// smoky is a house of two lamps and a smoke alarm.
func smoky() *home.House {
	h := &home.House{}
	for _, of := range []struct{ name, domain string }{{"Bürolicht", "light"}, {"Flurlicht", "light"}, {"Rauchmelder", "binary_sensor"}} {
		e := home.Entity{ID: of.name, Name: of.name, Domain: of.domain, Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: of.name}}
		if of.domain == "light" {
			e.Abilities, e.Control = []home.Ability{home.OnOff}, &home.Control{Tool: "control_zwave_device", ID: of.name}
		} else {
			e.Attributes = map[string]any{"device_class": "smoke"}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}
