package reply_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// TestALostReadingIsNoAct: a question whose one reading got no answer names what
// cannot be reached. Where the server is away, which no thing is to blame for, the
// house is told as out of reach; nobody hears that nothing was done.
func TestALostReadingIsNoAct(t *testing.T) {
	t.Parallel()
	away := map[string]string{
		"en": "I can't reach the house. Try again in a minute.",
		"de": "Ich erreiche das Haus nicht. Bitte gleich noch einmal.",
		"es": "No puedo contactar con la casa. Prueba otra vez en un minuto.",
		"fr": "Impossible de joindre la maison. Réessaie dans une minute.",
	}
	for _, c := range []struct {
		language, text, want string // no want: all are lost
	}{
		{"en", "is the front door locked", "I can't reach the front door."},
		{"en", "is the kitchen smoke alarm quiet", "I can't reach the kitchen smoke alarm."},
		{"en", "what is the bedroom thermostat set to", "I can't reach the bedroom thermostat."},
		{"en", "is there water in the cellar", "I can't reach the cellar leak sensor."},
		{"en", "are all the windows closed", ""},
		{"en", "is there smoke", "I can't reach the kitchen smoke alarm."},
		{"en", "is everything all right", "I can't reach any device."},
		{"en", "are all devices in the garden working", ""},
		{"en", "are all devices in the garden reachable", ""},
		{"de", "ist die haustür abgeschlossen", "Haustür erreiche ich nicht."},
		{"de", "sind alle fenster zu", ""},
		{"es", "está cerrada con llave la puerta principal", "No puedo contactar con Puerta principal."},
		{"fr", "est-ce que la porte d'entrée est verrouillée", "Je n'arrive pas à joindre Porte d'entrée."},
	} {
		for _, why := range []error{tools.ErrNotConnected, tools.ErrNoAnswer, context.DeadlineExceeded} {
			want := c.want
			if errors.Is(why, tools.ErrNotConnected) || want == "" {
				want = away[c.language]
			}
			a := manorIn(t, c.language)
			steps, err := plan.Calls(a.match.Match(c.text, ""), a.house, "")
			if err != nil {
				t.Fatalf("%q: %v", c.text, err)
			}
			results, errs := make([]tools.Result, len(steps)), make([]error, len(steps))
			for i := range steps {
				if steps[i].Entity != nil {
					errs[i] = fmt.Errorf("reading: %w", why)
					results[i] = tools.Result{Failed: true, Text: a.p.Apology(errs[i])}
				}
			}
			if got := a.p.Told(steps, results, errs...); got != want {
				t.Errorf("%q after %v:\ngot  %q\nwant %q", c.text, why, got, want)
			}
		}
	}
}

// TestWhatThereWasNoTimeForIsNotBlamed: a question about many things may run out of
// time before it has asked all of them. Nothing speaks against those.
func TestWhatThereWasNoTimeForIsNotBlamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"en", "are all the windows closed", "I don't know about"},
		{"en", "is everything all right", "I don't know about"},
		{"de", "sind alle fenster zu", "weiß ich nichts"},
	} {
		a := manorIn(t, c.language)
		steps, err := plan.Calls(a.match.Match(c.text, ""), a.house, "")
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		results, errs := make([]tools.Result, len(steps)), make([]error, len(steps))
		for i := range steps {
			results[i] = tools.Result{Data: []byte(`{"state":"closed","reachable":true}`)}
			if e := steps[i].Entity; e != nil && e.Opening() != 0 {
				errs[i] = fmt.Errorf("waiting for other readings: %w", tools.ErrNotAsked)
				results[i] = tools.Result{Failed: true, Text: a.p.Apology(errs[i])}
				break
			}
		}
		if got := a.p.Told(steps, results, errs...); !strings.Contains(got, c.want) || strings.Contains(got, "reach") {
			t.Errorf("%q: %q, want %q and nobody blamed", c.text, got, c.want)
		}
	}
}
