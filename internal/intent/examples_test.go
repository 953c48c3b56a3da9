package intent_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// house reads a house of the shared data.
func house(t *testing.T, name string) *home.House {
	t.Helper()
	data, err := os.ReadFile(fake.Shared(t, "intents", name))
	if err != nil {
		t.Fatal(err)
	}
	file, err := home.LoadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Main.Entities {
		file.Main.Entities[i].Control = &home.Control{Tool: "control_device", ID: file.Main.Entities[i].ID}
	}
	return file.Main
}

// Every language has three sentences for a house with lights, the first of which switches
// one on, and three for a house without things.
func TestExamples(t *testing.T) {
	t.Parallel()
	for language, name := range map[string]string{"en": "home.json", "de": "home_de.json", "fr": "home_fr.json", "es": "home_es.json"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			pack, err := intent.Ours(language)
			if err != nil {
				t.Fatal(err)
			}
			for what, h := range map[string]*home.House{"a house": house(t, name), "none": nil} {
				all, err := intent.FindExamples(pack, h, "", nil)
				t.Log(what, all)
				if err != nil || len(all) != intent.WantedExamples || len(slices.Compact(slices.Sorted(slices.Values(all)))) != intent.WantedExamples {
					t.Fatalf("%s: %q, %v", what, all, err)
				}
				m, err := intent.New(pack, h)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range all {
					if d := m.Match(s, ""); d.Route != intent.Local {
						t.Errorf("%s: %q goes to %s: %s", what, s, d.Route, d.Reason)
					}
				}
				if first := m.Match(all[0], ""); h != nil && (len(first.Actions) != 1 || len(first.Actions[0].Devices) != 1) {
					t.Errorf("%q is about %+v", all[0], first.Actions)
				}
			}
		})
	}
}

// A tour has one sentence for each kind of what can be said, and none about what the
// house does not have or about what lets people in.
func TestTour(t *testing.T) {
	t.Parallel()
	for language, want := range map[string][2][]string{
		"en": {
			{"turn on the Kitchen Light", "undo that", "close the Bedroom Curtain", "set the Kitchen Heating to 20 degrees", "what is the temperature in the Office", "set a timer for five minutes"},
			{"set a timer for five minutes"},
		},
		"de": {
			{"schalte Küchenlicht ein", "rückgängig", "schließe Schlafzimmervorhang", "stell Küchenheizung auf 20 Grad", "wie warm ist es im Büro", "stelle einen Timer auf fünf Minuten"},
			{"stelle einen Timer auf fünf Minuten"},
		},
		"fr": {
			{"allume Lumière de la cuisine", "annule ça", "ferme Rideau de la chambre", "mets Chauffage de la cuisine à 20 degrés", "quelle est la température dans Bureau", "mets un minuteur de cinq minutes"},
			{"mets un minuteur de cinq minutes"},
		},
		"es": {
			{"enciende Luz de la cocina", "deshaz eso", "cierra Cortina del dormitorio", "pon Calefacción de la cocina a 20 grados", "qué temperatura hace en Oficina", "pon un temporizador de cinco minutos"},
			{"pon un temporizador de cinco minutos"},
		},
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range []*home.House{fake.Villa(language), nil} {
			m, err := intent.New(pack, h)
			if err != nil {
				t.Fatal(err)
			}
			if got := intent.Tour(m, language, h, "Garage"); !slices.Equal(got, want[i]) {
				t.Errorf("%s: %q, want %q", language, got, want[i])
			}
		}
	}
}

// A thing that could let a person in, cannot be controlled, has another thing's name or
// does not answer is in no sentence.
func TestExamplesLeaveOut(t *testing.T) {
	t.Parallel()
	var h home.House
	if err := json.Unmarshal([]byte(`{"areas":[{"name":"Kitchen"},{"name":"Hall"}],"entities":[
		{"id":"1","name":"Garage Door Opener","domain":"switch","area":"Kitchen","control":{"tool":"t","id":"1"}},
		{"id":"2","name":"Old Lamp","domain":"light","area":"Kitchen"},
		{"id":"3","name":"Broken Lamp","domain":"light","area":"Kitchen","control":{"tool":"t","id":"3"}},
		{"id":"4","name":"Twin","domain":"light","area":"Hall","control":{"tool":"t","id":"4"}},
		{"id":"5","name":"Twin","domain":"light","area":"Hall","control":{"tool":"t","id":"5"}},
		{"id":"6","name":"Coffee Machine","domain":"switch","area":"Hall","control":{"tool":"t","id":"6"}}]}`), &h); err != nil {
		t.Fatal(err)
	}
	got, err := intent.FindExamples(intent.English(), &h, "Kitchen", func(q string) bool { return q != "is the Broken Lamp on" })
	if want := []string{"turn on the Coffee Machine", "is the Coffee Machine on", "turn off the Coffee Machine"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
