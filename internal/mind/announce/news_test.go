package announce_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mind/announce"
)

// update has the golden file written.
var update = flag.Bool("update", false, "write the golden file anew")

// TestNewsInWords: what is said of each kind of news, in each language.
func TestNewsInWords(t *testing.T) {
	t.Parallel()
	names := map[string]map[string]string{
		"en": {},
		"de": {"Attic": "Dachboden", "Attic Smoke Alarm": "Rauchmelder Dachboden", "Cellar Door": "Kellertür", "Front Door": "Haustür", "Hall": "Flur", "Hall Light": "Flurlicht", "Hall Sensor": "Flursensor", "Heater": "Heizlüfter"},
		"es": {"Attic": "Desván", "Attic Smoke Alarm": "Detector del desván", "Cellar Door": "Puerta del sótano", "Front Door": "Puerta principal", "Hall": "Pasillo", "Hall Light": "Luz del pasillo", "Hall Sensor": "Sensor del pasillo", "Heater": "Calefactor"},
		"fr": {"Attic": "Grenier", "Attic Smoke Alarm": "Détecteur du grenier", "Cellar Door": "Porte de la cave", "Front Door": "Porte d'entrée", "Hall": "Couloir", "Hall Light": "Lampe du couloir", "Hall Sensor": "Capteur du couloir", "Heater": "Radiateur"},
	}
	homeless := smoke("detected", "clear")
	homeless.Area = ""
	golden := fake.ReadProse(t, "testdata/news.txtar")
	for _, c := range []struct {
		name   string
		rule   announce.Rule
		events []home.Event
	}{
		{"an alarm", announce.Rule{}, []home.Event{smoke("detected", "clear")}},
		{"an alarm without a room", announce.Rule{}, []home.Event{homeless}},
		{"an alarm is over", announce.Rule{}, []home.Event{smoke("detected", "clear"), smoke("clear", "detected")}},
		{"open for a time", announce.Rule{When: record.LeftOpen}, []home.Event{door("open", "closed")}},
		{"open", announce.Rule{When: record.LeftOpen, For: time.Second}, []home.Event{door("open", "closed")}},
		{"a low battery", announce.Rule{When: record.BatteryLow}, []home.Event{thing("Hall Sensor", "battery", 5.0, 95.0)}},
		{"a dead device", announce.Rule{When: record.Dead}, []home.Event{thing("Hall Light", "reach", "dead", "alive")}},
		{"a jammed lock", announce.Rule{When: record.Jammed}, []home.Event{thing("Front Door", "lock", "jammed", "unlocked")}},
		{"a state", announce.Rule{When: record.InState, State: "on"}, []home.Event{thing("Heater", "switch", "on", "off")}},
	} {
		for _, language := range sentences.Languages() {
			translate := func(name string) string {
				if translated := names[language][name]; translated != "" {
					return translated
				}
				return name
			}
			cfg := announce.Config{}
			if c.rule.When != "" {
				if c.rule.When == record.InState {
					c.rule.Things = []string{translate(c.events[0].Thing)}
				}
				cfg.Rules = []announce.Rule{c.rule}
			}
			synctest.Test(t, func(t *testing.T) {
				f := newFamilyOf(t, cfg, language)
				for _, e := range c.events {
					e.Thing, e.Area = translate(e.Thing), translate(e.Area)
					f.tell(e)
					f.wait(time.Hour)
				}
				f.mu.Lock()
				defer f.mu.Unlock()
				if len(f.mqtt) != len(c.events) {
					t.Fatalf("%s: %s: %d announcements, expected %d", c.name, language, len(f.mqtt), len(c.events))
				}
				golden.Say(c.name, fake.ProseLine{Language: language, Said: f.mqtt[len(f.mqtt)-1].Text})
			})
		}
	}
	golden.Compare(t, *update)
}
