package intent_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// strangers are the names of testdata that a house lacks, by house.
func strangers(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("names/testdata/strangers.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]string)
	heading := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			heading = strings.Trim(line, "[]")
		default:
			out[heading] = append(out[heading], line)
		}
	}
	return out
}

// part reads a house that is a part of a shared file, "home.json home".
func part(t *testing.T, heading string) *home.House {
	t.Helper()
	file, key, ok := strings.Cut(heading, " ")
	if !ok {
		return sharedHouse(t, "intents", file)
	}
	data, err := os.ReadFile(fake.Shared(t, "intents", file))
	if err != nil {
		t.Fatal(err)
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		t.Fatal(err)
	}
	h, err := home.Load(parts[key])
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestWhatTheHouseLacksIsRefused says every command to things that do not exist. No
// command may reach a device, in whatever room it is said.
func TestWhatTheHouseLacksIsRefused(t *testing.T) {
	t.Parallel()
	sentences := []string{
		"turn on the %", "turn off the %", "switch the % on", "open the %", "close the %", "unlock the %", "dim the % to twenty percent",
		"toggle the %",
	}
	// The floor is called basement and has a light; a timer is not a device.
	there := map[string]bool{"basement light": true, "egg timer": true}
	for heading, missing := range strangers(t) {
		if strings.HasPrefix(heading, "home_") { // not named in English
			continue
		}
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			m := matcher(t, part(t, heading))
			routes := make(map[intent.Route]int)
			for _, name := range missing {
				if there[name] {
					continue
				}
				for i, sentence := range sentences {
					text := strings.ReplaceAll(sentence, "%", name)
					d := m.Match(text, []string{"", "Kitchen", "Living Room"}[i%3])
					routes[d.Route]++
					if d.Route == intent.Local {
						t.Errorf("%q acts: %+v", text, d.Actions)
					}
				}
			}
			t.Logf("%v", routes)
		})
	}
}

// TestDangerousActsNeedTheNameItself says dangerous commands with misheard names:
// the gateway asks about the likeliest thing and does not act on it.
func TestDangerousActsNeedTheNameItself(t *testing.T) {
	t.Parallel()
	m := matcher(t, sharedHouse(t, "intents", "natural_home.json"))
	tests := map[string]string{
		"unlock the frunt door":    "lock.front",
		"unlock the front tour":    "lock.front",
		"unlock the black door":    "lock.back",
		"open the garbage door":    "cover.garage",
		"open the carriage door":   "cover.garage",
		"open the water mane":      "valve.main",
		"turn on the spring clear": "valve.sprinkler",
	}
	for text, id := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			for _, area := range []string{"", "Kitchen", "Hallway", "Garage"} {
				d := m.Match(text, area)
				if d.Route == intent.Local {
					t.Errorf("in %q: acts: %+v", area, d.Actions)
				}
				if d.Route == intent.Ask && (len(d.Options) == 0 || d.Options[0] != id) {
					t.Errorf("in %q: asks for %v, want %s", area, d.Options, id)
				}
			}
		})
	}
	if d := m.Match("lock the frunt door", ""); d.Route != intent.Local {
		t.Errorf("what is not dangerous must be done: %+v", d)
	}
}

func TestDangerousInOtherLanguages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entity home.Entity
		want   bool
	}{
		"german garage":      {home.Entity{Name: "Garagentor", Domain: "cover"}, true},
		"spanish garage":     {home.Entity{Name: "Puerta Garaje", Domain: "cover"}, true},
		"french gate":        {home.Entity{Name: "Portail", Domain: "cover"}, true},
		"german oven":        {home.Entity{Name: "Backofen", Domain: "switch"}, true},
		"french oven":        {home.Entity{Name: "four de la cuisine", Domain: "switch"}, true},
		"a number":           {home.Entity{Name: "Lamp four", Domain: "light"}, false},
		"an outdoor shade":   {home.Entity{Name: "Outdoor Shade", Domain: "cover"}, false},
		"a projector screen": {home.Entity{Name: "Projector Screen", Domain: "cover"}, false},
	}
	for name, tt := range tests {
		if got := intent.Dangerous(intent.Action{Intent: "HassTurnOn"}, &tt.entity); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestMisheardNamesInSentences takes names by likeness, by room and by the area
// of the sentence.
func TestMisheardNamesInSentences(t *testing.T) {
	t.Parallel()
	m := matcher(t, sharedHouse(t, "intents", "natural_home.json"))
	tests := map[string]struct {
		text, area string
		route      intent.Route
		device     string
	}{
		"misheard":           {"turn on the sealing fan", "", intent.Local, "fan.living_room"},
		"cut in two":         {"turn on the bath rum fan", "", intent.Local, "fan.bathroom"},
		"other word, room":   {"turn on the office lamp", "Kitchen", intent.Local, "light.desk_lamp"},
		"other word":         {"turn on the desk light", "", intent.Local, "light.desk_lamp"},
		"several in a room":  {"turn on the bedside lamp", "", intent.Ask, ""},
		"not in that area":   {"turn on the sealing fan in the kitchen", "", "", ""},
		"misheard, in area":  {"turn on the reeding lamp in the living room", "", intent.Local, "light.reading_lamp"},
		"garden, not garage": {"open the garden door", "", intent.Reject, ""},
		"dish light":         {"turn on the dish light", "Kitchen", intent.Reject, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := m.Match(tt.text, tt.area)
			if tt.route == "" { // any outcome but doing it
				if d.Route == intent.Local {
					t.Errorf("acts: %+v", d.Actions)
				}
				return
			}
			if d.Route != tt.route || tt.device != "" && (len(d.Actions) != 1 || len(d.Actions[0].Devices) != 1 || d.Actions[0].Devices[0] != tt.device) {
				t.Errorf("got %+v", d)
			}
			if len(d.Options) > 3 {
				t.Errorf("asks for %d things", len(d.Options))
			}
		})
	}
}
