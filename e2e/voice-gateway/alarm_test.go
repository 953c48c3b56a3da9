package e2e

import (
	"strings"
	"testing"
)

// TestAnAlarmIsToldInEveryLanguage asks four families of one house whether it
// burns, leaks or moves: before, while and after its sensors report that.
func TestAnAlarmIsToldInEveryLanguage(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	stranger := listen(t, broker, "zwave/_SIM/#")
	families := []struct {
		language string
		calm, on map[string]string // answers by question
	}{
		{"en", map[string]string{
			"is there a fire":               "No, the attic smoke alarm reports no smoke.",
			"is there water in the cellar":  "No, the boiler leak reports no water.",
			"is anyone in the hallway":      "No, the hallway motion reports no movement.",
			"is the attic smoke alarm okay": "Yes, the attic smoke alarm is all right.",
		}, map[string]string{
			"is there a fire":               "Yes, the attic smoke alarm reports smoke.",
			"is there water in the cellar":  "Yes, the boiler leak reports water.",
			"is anyone in the hallway":      "Yes, the hallway motion reports movement.",
			"is the attic smoke alarm okay": "The attic smoke alarm reports smoke.",
		}},
		{"de", map[string]string{
			"brennt es":                "Nein, der Attic Smoke Alarm meldet keinen Rauch.",
			"gibt es ein leck":         "Nein, Boiler Leak meldet kein Wasser.",
			"ist jemand im Hallway":    "Nein, Hallway Motion meldet keine Bewegung.",
			"gibt es rauch":            "Nein, der Attic Smoke Alarm meldet keinen Rauch.",
			"ist attic smoke alarm an": "Nein, der Attic Smoke Alarm meldet keinen Rauch.",
		}, map[string]string{
			"brennt es":                "Ja, der Attic Smoke Alarm meldet Rauch.",
			"gibt es ein leck":         "Ja, Boiler Leak meldet Wasser.",
			"ist jemand im Hallway":    "Ja, Hallway Motion meldet Bewegung.",
			"gibt es rauch":            "Ja, der Attic Smoke Alarm meldet Rauch.",
			"ist attic smoke alarm an": "Ja, der Attic Smoke Alarm meldet Rauch.",
		}},
		{"es", map[string]string{
			"hay fuego":              "No, Attic Smoke Alarm indica que no hay humo.",
			"hay agua en el Cellar":  "No, Boiler Leak indica que no hay agua.",
			"hay alguien en Hallway": "No, Hallway Motion indica que no hay movimiento.",
		}, map[string]string{
			"hay fuego":              "Sí, Attic Smoke Alarm indica que hay humo.",
			"hay agua en el Cellar":  "Sí, Boiler Leak indica que hay agua.",
			"hay alguien en Hallway": "Sí, Hallway Motion indica que hay movimiento.",
		}},
		{"fr", map[string]string{
			"y a-t-il le feu":                  "Non, Attic Smoke Alarm ne signale pas de fumée.",
			"y a-t-il une fuite":               "Non, Boiler Leak ne signale pas d'eau.",
			"y a-t-il quelqu'un dans Hallway":  "Non, Hallway Motion ne signale pas de mouvement.",
			"est-ce qu'il y a de la fumée":     "Non, Attic Smoke Alarm ne signale pas de fumée.",
			"y a-t-il de l'eau dans le Cellar": "Non, Boiler Leak ne signale pas d'eau.",
		}, map[string]string{
			"y a-t-il le feu":                  "Oui, Attic Smoke Alarm signale de la fumée.",
			"y a-t-il une fuite":               "Oui, Boiler Leak signale de l'eau.",
			"y a-t-il quelqu'un dans Hallway":  "Oui, Hallway Motion signale du mouvement.",
			"est-ce qu'il y a de la fumée":     "Oui, Attic Smoke Alarm signale de la fumée.",
			"y a-t-il de l'eau dans le Cellar": "Oui, Boiler Leak signale de l'eau.",
		}},
	}
	https := make([]string, len(families))
	for i, f := range families {
		_, https[i], _ = daemon(t, broker, "VOICE_GATEWAY_GATEWAY_LANGUAGE="+f.language, "VOICE_GATEWAY_GATEWAY_ID=test-"+f.language)
	}
	answer := func(when string, of func(int) map[string]string) {
		t.Helper()
		for i, f := range families {
			for text, want := range of(i) {
				eventually(t, when+": "+f.language+": "+text, func() bool {
					r, err := tryAsk(t, https[i], text)
					return err == nil && r.Reply == want
				})
			}
		}
	}
	const control = "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault"
	change := func(faults ...string) {
		t.Helper()
		before := len(stranger.on(control))
		for _, f := range faults {
			if err := stranger.Publish(t.Context(), control+"/set", []byte(f)); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "the house has changed", func() bool { return len(stranger.on(control)) == before+len(faults) })
		for _, m := range stranger.on(control)[before:] {
			if !strings.Contains(m, `"ok":true`) {
				t.Fatalf("the house refused a change: %s", m)
			}
		}
	}
	answer("calm", func(i int) map[string]string { return families[i].calm })
	change(
		`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`,
		`{"op":"awake","node":"Boiler Leak"}`,
		`{"op":"change","node":"Boiler Leak","key":"113-0-Water Alarm-Sensor status","value":2}`,
		`{"op":"change","node":"Hallway Motion","key":"113-0-Home Security-Motion sensor status","value":8}`,
	)
	answer("alarm", func(i int) map[string]string { return families[i].on })
	change(
		`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":0}`,
		`{"op":"change","node":"Boiler Leak","key":"113-0-Water Alarm-Sensor status","value":0}`,
		`{"op":"change","node":"Hallway Motion","key":"113-0-Home Security-Motion sensor status","value":0}`,
	)
	answer("calm again", func(i int) map[string]string { return families[i].calm })
}
