package reply_test

import (
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/tools"
)

// TestAHouseIsNotAllRightWithAnAlarmOn: a siren that howls, broken glass and a
// break-in are told where somebody asks whether all is well.
func TestAHouseIsNotAllRightWithAnAlarmOn(t *testing.T) {
	t.Parallel()
	things := []struct{ id, name, domain, class string }{
		{"siren", "Siren", "switch", "siren"},
		{"horn", "Hall Horn", "siren", ""},
		{"glass", "Conservatory", "binary_sensor", "glass_break"},
		{"thief", "Alarm Box", "binary_sensor", "intrusion"},
		{"plug", "Kettle", "switch", ""},
	}
	for _, c := range []struct {
		language, text string
		on             map[string]string
		want           string
	}{
		{"en", "is everything all right", nil, "Everything is all right."},
		{"en", "is everything all right", map[string]string{"plug": "on"}, "Everything is all right."},
		{"en", "is everything all right", map[string]string{"siren": "on"}, "The siren is on."},
		{"en", "can i go to bed", map[string]string{"horn": "on"}, "The hall horn is on."},
		{"en", "is everything all right", map[string]string{"glass": "detected"}, "The conservatory reports broken glass."},
		{"en", "is everything all right", map[string]string{"thief": "detected"}, "The alarm box reports a break-in."},
		{"de", "ist alles in ordnung", map[string]string{"thief": "detected", "siren": "on"}, "Alarm Box meldet einen Einbruch. Siren ist an."},
		{"es", "está todo bien", map[string]string{"siren": "on"}, "Siren está encendida."},
		{"fr", "tout va bien", map[string]string{"siren": "on"}, "Siren est allumée."},
		// What only one kind of sensor tells.
		{"en", "is any glass broken", map[string]string{"glass": "detected"}, "Yes, the conservatory reports broken glass."},
		{"en", "is there broken glass in the house", nil, "No, the conservatory reports no broken glass."},
		{"en", "has a window been smashed", nil, "No, the conservatory reports no broken glass."},
		{"en", "has somebody broken in", map[string]string{"thief": "detected"}, "Yes, the alarm box reports a break-in."},
		{"de", "ist irgendwo glas zerbrochen", map[string]string{"glass": "detected"}, "Ja, Conservatory meldet Glasbruch."},
		{"de", "wurde eine scheibe eingeschlagen", nil, "Nein, Conservatory meldet keinen Glasbruch."},
		{"de", "ist jemand eingebrochen", map[string]string{"thief": "detected"}, "Ja, Alarm Box meldet einen Einbruch."},
		{"es", "hay algún cristal roto", map[string]string{"glass": "detected"}, "Sí, Conservatory: rotura de cristal."},
		{"fr", "y a-t-il une vitre cassée", map[string]string{"glass": "detected"}, "Oui, Conservatory : bris de verre."},
		// A question with a not asks the same.
		{"en", "isn't there any broken glass", nil, "No, the conservatory reports no broken glass."},
	} {
		h := &home.House{Areas: []home.Area{{Name: "Hall"}}}
		for _, s := range things {
			e := home.Entity{ID: s.id, Name: s.name, Domain: s.domain, Area: "Hall", Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: s.id}}
			if s.class != "" {
				e.Attributes = map[string]any{"device_class": s.class}
			}
			if s.domain == "binary_sensor" {
				e.Abilities = []home.Ability{home.Ability(s.class)}
			}
			h.Entities = append(h.Entities, e)
		}
		pack, err := intent.Ours(c.language)
		if err != nil {
			t.Fatal(err)
		}
		match, err := intent.New(pack, h)
		if err != nil {
			t.Fatal(err)
		}
		p, err := reply.Ours(c.language)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := plan.Calls(match.Match(c.text, ""), h, "")
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		results, errs := make([]tools.Result, len(steps)), make([]error, len(steps))
		for i := range steps {
			state := `{"servers":[{"id":"zwave","status":"connected"}]}`
			if e := steps[i].Entity; e != nil {
				calm := map[string]string{"binary_sensor": "clear"}[e.Domain]
				if calm == "" {
					calm = "off"
				}
				if word := c.on[e.ID]; word != "" {
					calm = word
				}
				state = `{"state":"` + calm + `","reachable":true}`
			}
			results[i] = tools.Result{Data: []byte(state)}
		}
		if got := p.Told(steps, results, errs...); got != c.want {
			t.Errorf("%s: %q with %v: %q, want %q", c.language, c.text, c.on, got, c.want)
		}
	}
}
