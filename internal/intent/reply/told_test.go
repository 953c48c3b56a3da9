package reply_test

import (
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/plan"
)

// toldResults are results of tools by their names in the golden file (answers).
var toldResults = map[string]string{
	"confirmed":               `{"device":"x","outcome":"confirmed"}`,
	"accepted":                `{"device":"x","outcome":"accepted"}`,
	"no answer":               `{"device":"x","outcome":"no_answer"}`,
	"queued":                  `{"device":"x","outcome":"queued"}`,
	"refused":                 `{"device":"x","outcome":"refused","message":"Thermostat goes up to 28 degrees."}`,
	"failed":                  "!The Z-Wave server is not connected.",
	"from 100 to 40":          `{"device":"x","outcome":"confirmed","before":100,"value":40}`,
	"from 0 to 0":             `{"device":"x","outcome":"confirmed","before":0,"value":0}`,
	"from 10 to 40":           `{"device":"x","outcome":"confirmed","before":10,"value":40}`,
	"now blue":                `{"device":"x","outcome":"confirmed","value":"#0000ff"}`,
	"now off":                 `{"device":"x","outcome":"confirmed","value":false}`,
	"locked":                  `{"state":"locked","age_seconds":5,"reachable":true}`,
	"locked, 9 seconds ago":   `{"state":"locked","age_seconds":9,"reachable":true}`,
	"locked, 50 hours ago":    `{"state":"locked","age_seconds":180000,"reachable":true}`,
	"locked, 3 days ago":      `{"state":"locked","age_seconds":259200,"reachable":true}`,
	"locked, and lost":        `{"state":"locked","age_seconds":10800,"reachable":false}`,
	"unlocked":                `{"state":"unlocked","age_seconds":5,"reachable":true}`,
	"unlocked, 9 seconds ago": `{"state":"unlocked","age_seconds":9,"reachable":true}`,
	"no state":                `{"state":null}`,
	"not read":                "!The front door did not answer.",
	"contact closed":          `{"sensor":"contact","value":"closed","unit":"","age_seconds":3}`,
	"contact true":            `{"sensor":"contact","value":true,"unit":"","age_seconds":3}`,
	"open":                    `{"value":"open","age_seconds":3}`,
	"on":                      `{"state":"on"}`,
	"off":                     `{"state":"off"}`,
	"47 percent":              `{"value":47,"unit":"%","age_seconds":60}`,
	"7.5 degrees":             `{"value":7.5,"unit":"°C","age_seconds":9}`,
	"21.26 degrees":           `{"value":21.26,"unit":"°C","age_seconds":60}`,
	"21.26 degrees, and lost": `{"value":21.26,"unit":"°C","age_seconds":60,"reachable":false}`,
	"heat, 19 degrees":        `{"state":"heat","values":{"temperature":19,"setpoint":20,"unit":"°C"},"age_seconds":60}`,
	"ten past nine":           "It is ten past nine.",
	"16:05":                   `{"time":"2026-11-21T16:05:00Z","zone":"UTC","spoken":"It's 4:05 PM."}`,
}

// toldRooms are the rooms of the golden file in the other houses.
var toldRooms = map[string]map[string]string{
	"de": {"Kitchen": "Küche", "Living Room": "Wohnzimmer", "Garage": "Garage"},
	"es": {"Kitchen": "Cocina", "Living Room": "Salón", "Garage": "Garaje"},
	"fr": {"Kitchen": "Cuisine", "Living Room": "Salon", "Garage": "Garage"},
}

// TestTold follows commands and questions up to the spoken reply. That one thing was
// done takes eight words at most.
func TestTold(t *testing.T) {
	t.Parallel()
	houses := housesInLanguages(t)
	golden := fake.ReadProse(t, "testdata/told.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		a, area := houses[language], c.Given["area"]
		if language != "en" {
			area = toldRooms[language][area]
		}
		results := []string{""}
		if c.Given["results"] != "" {
			results = strings.Split(c.Given["results"], " | ")
			for i, name := range results {
				if results[i] = toldResults[name]; results[i] == "" {
					t.Errorf("%s: there is no result %q in toldResults", c.Name, name)
				}
			}
		}
		steps, err := plan.Calls(a.match.Match(asked, area), a.house, area)
		if err != nil {
			t.Errorf("%s: %q: %v", language, asked, err)
			return ""
		}
		got := a.p.SayResults(steps, answers(len(steps), results))
		confirmed := len(results) == 1 && strings.Contains(results[0], "confirmed") && c.Name != "two commands"
		// Eight words; a Spanish name of a thing has up to four, and an article. Percent is one.
		counted := strings.NewReplacer(" :", "", "por ciento", "%", "pour cent", "%").Replace(got)
		if most := 8 + map[bool]int{true: 1}[language == "es"]; confirmed && len(strings.Fields(counted)) > most {
			t.Errorf("%s: %q is longer than %d words", language, got, most)
		}
		return got
	})
	golden.Compare(t, *update)
}
