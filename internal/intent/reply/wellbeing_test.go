package reply_test

import (
	"strconv"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
)

// TestAHouseIsNotAllRightWithAnAlarmOn: a siren that howls, broken glass and a break-in
// are reported when a user asks whether all is well.
func TestAHouseIsNotAllRightWithAnAlarmOn(t *testing.T) {
	t.Parallel()
	houses := map[string]asking{}
	for _, language := range sentences.Languages() {
		houses[language] = alarmedIn(t, language)
	}
	p := fake.ReadProse(t, "testdata/wellbeing.txtar")
	p.Answer(func(c fake.ProseCase, language, asked string) string {
		a := houses[language]
		d := a.match.Match(asked, "")
		steps, err := plan.Calls(d, a.house, "")
		if err != nil || d.Route != intent.Local {
			t.Errorf("%s: %q is not understood: %s %s %v", language, asked, d.Route, d.Reason, err)
			return ""
		}
		var states []string
		for i := range steps {
			state := `{"servers":[{"id":"zwave","status":"connected"}],"trouble":[` + gatewayTrouble(a.p, c.Given["gateway"]) + `]}`
			if e := steps[i].Entity; e != nil {
				word := map[string]string{"binary_sensor": "clear"}[e.Domain]
				if word == "" {
					word = "off"
				}
				if given := c.Given[e.ID]; given != "" {
					word = given
				}
				state = `{"state":"` + word + `","reachable":true}`
			}
			states = append(states, state)
		}
		return a.p.SayResults(steps, answers(len(steps), states))
	})
	p.Compare(t, *update)
}

// gatewayTrouble is what the gateway itself reports, as a list of texts in JSON; key names its
// sentence.
func gatewayTrouble(p *reply.Phrases, key string) string {
	if key == "" {
		return ""
	}
	return strconv.Quote(p.Phrase(key, nil))
}

// alarmedIn returns a house with what makes an alarm, asked in one language.
func alarmedIn(t *testing.T, language string) asking {
	t.Helper()
	h := &home.House{Areas: []home.Area{{Name: "Hall"}}}
	for _, s := range []struct{ id, name, domain, class string }{
		{"siren", "Siren", "switch", "siren"},
		{"horn", "Hall Horn", "siren", ""},
		{"glass", "Conservatory", "binary_sensor", "glass_break"},
		{"thief", "Alarm Box", "binary_sensor", "intrusion"},
		{"plug", "Kettle", "switch", ""},
	} {
		e := home.Entity{ID: s.id, Name: s.name, Domain: s.domain, Area: "Hall", Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: s.id}}
		if s.class != "" {
			e.Attributes = map[string]any{"device_class": s.class}
		}
		if s.domain == "binary_sensor" {
			e.Abilities = []home.Ability{home.Ability(s.class)}
		}
		h.Entities = append(h.Entities, e)
	}
	return askAbout(t, language, h)
}

// askAbout returns what leads from a question about a house to its answer.
func askAbout(t *testing.T, language string, h *home.House) asking {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	match, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	p, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	return asking{h, match, p}
}
