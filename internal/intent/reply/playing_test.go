package reply_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// TestWhatPlaysAndStandsOnLists: what a player plays is said only while it plays, and a list
// by what stands on it, as the house tells it.
func TestWhatPlaysAndStandsOnLists(t *testing.T) {
	t.Parallel()
	tv := &home.Entity{ID: "tv", Name: "TV", Domain: "media_player"}
	robot := &home.Entity{ID: "robot", Name: "Robot", Domain: "vacuum"}
	list := &home.Entity{ID: "shop", Name: "Shopping List", Domain: "todo"}
	for name, tt := range map[string]struct {
		e        *home.Entity
		slots    map[string]any
		state    string
		en, de   string
		esp, fra string
	}{
		"a title":          {tv, map[string]any{"about": "title"}, `"state":"playing","values":{"media_title":"Money","media_artist":"Abba"}`, "The TV: Money by Abba.", "", "", ""},
		"no artist":        {tv, map[string]any{"about": "title"}, `"state":"playing","values":{"media_title":"Money"}`, "The TV: Money.", "", "", ""},
		"an old title":     {tv, map[string]any{"about": "title"}, `"state":"paused","values":{"media_title":"Money"}`, "The TV is paused.", "", "", ""},
		"no title":         {tv, map[string]any{"about": "title"}, `"state":"off","values":{}`, "The TV is off.", "", "", ""},
		"its volume":       {tv, map[string]any{"about": "volume"}, `"state":"playing","values":{"volume":30}`, "The TV is at 30 percent.", "", "", ""},
		"it plays":         {tv, map[string]any{"state": "playing"}, `"state":"playing","values":{}`, "Yes, the TV is playing.", "", "", ""},
		"it does not":      {tv, map[string]any{"state": "playing"}, `"state":"paused","values":{}`, "No, the TV is paused.", "", "", ""},
		"it is on":         {tv, map[string]any{"state": "on"}, `"state":"playing","values":{}`, "Yes, the TV is playing.", "", "", ""},
		"it is not":        {tv, map[string]any{"state": "on"}, `"state":"off","values":{}`, "No, the TV is off.", "", "", ""},
		"a robot":          {robot, map[string]any{}, `"state":"docked","values":{}`, "The robot is docked.", "Robot ist an der Station.", "Robot está en la base.", "Le robot est à la base."},
		"a robot in need":  {robot, map[string]any{"state": "cleaning"}, `"state":"error","values":{}`, "No, the robot is in trouble.", "", "", ""},
		"a list":           {list, map[string]any{"about": "items"}, `"state":2,"values":{"items":["milk","bread"]}`, "The shopping list: milk and bread.", "", "", ""},
		"an empty list":    {list, map[string]any{"about": "items"}, `"state":0,"values":{"items":[]}`, "The shopping list is empty.", "", "", ""},
		"a long list":      {list, map[string]any{"about": "items"}, `"state":10,"values":{"items":["a","b","c","d","e","f","g","h","i","j"]}`, "The shopping list: a, b, c, d, e, f, g, h and 2 more.", "", "", ""},
		"what nobody told": {list, map[string]any{"about": "items"}, `"state":2,"values":{}`, "I can't say anything about the shopping list.", "", "", ""},
	} {
		for language, want := range map[string]string{"en": tt.en, "de": tt.de, "es": tt.esp, "fr": tt.fra} {
			if want == "" {
				continue
			}
			p, err := reply.Ours(language)
			if err != nil {
				t.Fatal(err)
			}
			s := plan.Step{Action: intent.Action{Intent: "HassGetState", Slots: tt.slots}, Entity: tt.e, Risk: tools.Read, Call: tools.Call{Tool: "get_device_state"}}
			got := p.SayResults([]plan.Step{s}, []tools.Result{{Data: json.RawMessage(`{"device":"x",` + tt.state + `,"age_seconds":1,"stale":false,"reachable":true}`)}})
			if got != want {
				t.Errorf("%s, %s: %q, want %q", name, language, got, want)
			}
		}
	}
}

// TestWhatWasDoneToAPlayer: a thing that was muted or turned down was not switched on or off,
// and neither was a list that somebody wrote on.
func TestWhatWasDoneToAPlayer(t *testing.T) {
	t.Parallel()
	tv := &home.Entity{ID: "tv", Name: "TV", Domain: "media_player"}
	damp := &home.Entity{ID: "damp", Name: "Humidifier", Domain: "humidifier"}
	list := &home.Entity{ID: "shop", Name: "Shopping List", Domain: "todo"}
	for name, tt := range map[string]struct {
		deed  reply.Deed
		said  string
		state string
	}{
		"muted":    {reply.Deed{Entity: tv, Property: "mute", Value: true}, "I muted the TV.", "muted"},
		"unmuted":  {reply.Deed{Entity: tv, Property: "mute", Value: false}, "I unmuted the TV.", "not muted"},
		"volume":   {reply.Deed{Entity: tv, Property: "volume", Value: 30.0}, "I set the TV to 30 percent.", "30 percent"},
		"silent":   {reply.Deed{Entity: tv, Property: "volume", Value: 0.0}, "I set the TV to 0 percent.", "0 percent"},
		"skipped":  {reply.Deed{Entity: tv, Property: "skip"}, "I skipped on the TV.", ""},
		"humidity": {reply.Deed{Entity: damp, Property: "target_humidity", Value: 50.0}, "I set the humidifier to 50 percent.", "50 percent"},
		"a list":   {reply.Deed{Entity: list, Property: "list", Value: 4.0}, "I changed the shopping list.", "4"},
	} {
		english, err := reply.Ours("en")
		if err != nil {
			t.Fatal(err)
		}
		r := reply.Retold{Phrases: english}
		if got := r.Done([]reply.Deed{tt.deed}, false); got != tt.said {
			t.Errorf("%s: %q, want %q", name, got, tt.said)
		}
		if got := r.State(&tt.deed); got != tt.state {
			t.Errorf("%s: %q, want %q", name, got, tt.state)
		}
		for _, state := range []string{"on", "off"} {
			if r.Into(&tt.deed, state) {
				t.Errorf("%s: it is said to have brought it into %q", name, state)
			}
		}
	}
}
