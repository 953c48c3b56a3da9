package intent_test

import (
	"os"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// outcome is what a sentence must lead to: the brief form of the decision, or the
// beginning of it if it ends in "…". After "not " it is what must not happen.
type outcome struct{ text, area, want string }

func (o outcome) check(t *testing.T, m *intent.Matcher) {
	t.Helper()
	got := brief(m.Match(o.text, o.area))
	want, not := strings.CutPrefix(o.want, "not ")
	begin, open := strings.CutSuffix(want, "…")
	fits := got == want || open && strings.HasPrefix(got, begin)
	if fits == not {
		t.Errorf("%q in %q:\ngot  %s\nwant %s", o.text, o.area, got, o.want)
	}
}

// abroad is a matcher of another language in the house of its own list.
func abroad(tb testing.TB, language string) *intent.Matcher {
	tb.Helper()
	data, err := os.ReadFile("testdata/house_" + language + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	return foreignMatcher(tb, language, h)
}

func foreignMatcher(tb testing.TB, language string, h *home.House) *intent.Matcher {
	tb.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := intent.New(pack, h)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// rooms are two rooms of the houses of our lists, by language.
var rooms = map[string][2]string{
	"en": {"Kitchen", "Living Room"}, "de": {"Küche", "Wohnzimmer"}, "es": {"Cocina", "Salón"}, "fr": {"Cuisine", "Salon"},
}

func checkAll(t *testing.T, m *intent.Matcher, all []outcome) {
	t.Helper()
	for _, o := range all {
		t.Run(o.text+"/"+o.area, func(t *testing.T) {
			t.Parallel()
			o.check(t, m)
		})
	}
}

// TestRoomByNumber: a bare number for a room is a temperature where it can be
// one. It never sets a thing that is called like the room.
func TestRoomByNumber(t *testing.T) {
	t.Parallel()
	t.Run("en", func(t *testing.T) {
		t.Parallel()
		checkAll(t, matcher(t, sharedHouse(t, "intents", "natural_home.json")), []outcome{
			{"set the living room to 21", "", "HassClimateSetTemperature climate.living_room"},
			{"set the lounge to nineteen", "Kitchen", "HassClimateSetTemperature climate.living_room"},
			{"set the bedroom to 18", "Kitchen", "HassClimateSetTemperature climate.bedroom"},
			{"set the office to 21", "", "ask ambiguous office"},
			{"set the bedroom to 50", "", "ask ambiguous bedroom"},
			{"set the garage to 21", "", "not Hass…"},
			{"set the garage to 50", "", "not Hass…"},
			{"open the garage to 50 percent", "", "HassSetPosition cover.garage"},
			{"turn the bedroom red", "", "HassLightSet light.bedroom light.dads_lamp light.moms_lamp"},
			{"turn on the kitchen", "", "ask ambiguous kitchen"},
			{"set the bedroom light to 50", "", "HassLightSet light.bedroom"},
			{"set the office shade to 21", "", "HassSetPosition cover.office"},
		})
	})
	t.Run("de", func(t *testing.T) {
		t.Parallel()
		checkAll(t, abroad(t, "de"), []outcome{
			{"stell das Wohnzimmer auf 21", "", "HassClimateSetTemperature climate.living"},
			{"stell das Wohnzimmer auf 21 Grad", "Küche", "HassClimateSetTemperature climate.living"},
		})
		checkAll(t, mergedMatcher(t, "de", "home_de.json"), []outcome{
			{"stell das Wohnzimmer auf 21", "", "HassClimateSetTemperature climate.ecobee"},
		})
	})
	t.Run("es", func(t *testing.T) {
		t.Parallel()
		checkAll(t, abroad(t, "es"), []outcome{
			{"pon el salón a 21", "", "HassClimateSetTemperature climate.living"},
			{"pon la cocina a 20", "", "ask ambiguous cocina"},
		})
		checkAll(t, mergedMatcher(t, "es", "home_es.json"), []outcome{
			{"pon la cocina a 20", "", "HassClimateSetTemperature climate.termostato_cocina"},
		})
	})
	t.Run("fr", func(t *testing.T) {
		t.Parallel()
		checkAll(t, abroad(t, "fr"), []outcome{
			{"mets le salon à 21", "", "HassClimateSetTemperature climate.living"},
		})
		checkAll(t, mergedMatcher(t, "fr", "home_fr.json"), []outcome{
			{"mets le salon à 21", "", "HassClimateSetTemperature climate.thermostat_du_salon"},
		})
	})
}

// TestMisheardRooms: nothing is done in a room if another room may have been meant.
func TestMisheardRooms(t *testing.T) {
	t.Parallel()
	checkAll(t, matcher(t, sharedHouse(t, "intents", "natural_home.json")), []outcome{
		{"turn on the lights in the master bathroom", "", "not Hass…"},
		{"turn off the lights in the master bathroom", "Kitchen", "not Hass…"},
		{"turn on the bad room light", "", "not Hass…"},
		{"turn off the bad room light", "Kitchen", "not Hass…"},
		{"turn on the lights in the bad room", "", "not Hass…"},
		{"turn on the lights in the bath room", "Kitchen", "HassTurnOn light.bathroom"},
		{"turn on the lights in the living rum", "Kitchen", "HassTurnOn light.living_room light.reading_lamp"},
		{"turn on the lights in the dyning room", "", "HassTurnOn light.dining_room"},
		{"turn on the lights in the kitschen", "", "HassTurnOn light.kitchen light.counter"},
	})
}

// TestTheDoor: a word that many things are called by does not name a thing that
// lets people in.
func TestTheDoor(t *testing.T) {
	t.Parallel()
	m := matcher(t, sharedHouse(t, "intents", "natural_home.json"))
	checkAll(t, m, []outcome{
		{"open the door", "Kitchen", "ask ambiguous door"},
		{"open the door", "", "ask ambiguous door"},
		{"open the door", "Garage", "ask ambiguous door"},
		{"close the door", "Kitchen", "ask ambiguous door"},
		{"open the big door", "", "ask ambiguous big door"},
		{"close the big door", "Kitchen", "ask ambiguous big door"},
		{"unlock the kitchen", "", "ask ambiguous kitchen"},
		{"unlock the front", "", "HassTurnOff lock.front"},
		{"open the garage", "Kitchen", "HassTurnOn cover.garage"},
		{"close the garage door", "Kitchen", "HassTurnOff cover.garage"},
		{"open the big garage door", "", "HassTurnOn cover.garage"},
	})
	for language, texts := range map[string][]string{
		"es": {"abre la puerta", "abre la puerta grande"}, "fr": {"ouvre la porte", "ouvre la grande porte", "ferme la porte"},
	} {
		m := abroad(t, language)
		for _, text := range texts {
			for _, area := range []string{"", rooms[language][0], rooms[language][1]} {
				outcome{text, area, "ask ambiguous…"}.check(t, m)
			}
		}
	}
	d := m.Match("open the door", "Kitchen")
	if got := strings.Join(d.Options, " "); got != "lock.back cover.garage lock.front" {
		t.Errorf("asks for %s", got)
	}
}

// TestWater: everybody can shut the water off in the words of their language.
func TestWater(t *testing.T) {
	t.Parallel()
	t.Run("en", func(t *testing.T) {
		t.Parallel()
		checkAll(t, matcher(t, sharedHouse(t, "intents", "natural_home.json")), []outcome{
			{"turn off the water", "", "HassTurnOff valve.main"},
			{"turn the water off", "Kitchen", "HassTurnOff valve.main"},
			{"shut off the water", "", "HassTurnOff valve.main"},
			{"shut the water off", "", "HassTurnOff valve.main"},
			{"close the main valve", "", "HassTurnOff valve.main"},
			{"close the valve", "", "HassTurnOff valve.main"},
			{"turn off the main water valve", "", "HassTurnOff valve.main"},
			{"close the water valve", "", "HassTurnOff valve.main"},
			{"turn on the water", "", "HassTurnOn valve.main"},
			{"turn the water back on", "", "HassTurnOn valve.main"},
			{"open the valve", "", "ask ambiguous valve"},
			{"turn off the sprinklers", "", "HassTurnOff valve.sprinkler"},
		})
	})
	for language, all := range map[string][]outcome{
		"de": {
			{"schließe das Hauptventil", "", "HassTurnOff valve.hauptventil"},
			{"dreh das Hauptventil zu", "", "HassTurnOff valve.hauptventil"},
			{"öffne das Hauptventil", "", "HassTurnOn valve.hauptventil"},
			{"stell das Wasser ab", "", "HassTurnOff valve.hauptventil"},
			{"dreh das Wasser auf", "", "HassTurnOn valve.hauptventil"},
		},
		"es": {
			{"cierra la llave de paso", "", "HassTurnOff valve.llave_de_paso"},
			{"abre la llave de paso", "", "HassTurnOn valve.llave_de_paso"},
			{"corta el agua", "", "HassTurnOff valve.llave_de_paso"},
			{"abre el agua", "", "HassTurnOn valve.llave_de_paso"},
		},
		"fr": {
			{"ferme la valve principale", "", "HassTurnOff valve.valve_principale"},
			{"ouvre la valve principale", "", "HassTurnOn valve.valve_principale"},
			{"coupe l'eau", "", "HassTurnOff valve.valve_principale"},
			{"ouvre l'eau", "", "HassTurnOn valve.valve_principale"},
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			checkAll(t, mergedMatcher(t, language, "home_"+language+".json"), all)
		})
	}
}

// TestKindWithoutSentence: what the house has and the pack has no sentence for
// goes to the model.
func TestKindWithoutSentence(t *testing.T) {
	t.Parallel()
	h := &home.House{Entities: []home.Entity{{ID: "lawn_mower.clippy", Name: "Clippy", Domain: "lawn_mower"}, {ID: "switch.coffee", Name: "Coffee Maker", Domain: "switch"}}}
	checkAll(t, matcher(t, h), []outcome{
		{"open the clippy", "", "llm no_sentence"},
		{"open the coffee maker", "", "reject wrong_kind coffee maker"},
	})
}

// TestTimesAndConditions: words that say when a thing is to happen are neither a
// place nor a thing.
func TestTimesAndConditions(t *testing.T) {
	t.Parallel()
	for language, all := range map[string][]string{
		"en": {
			"turn on the light after sunset",
			"turn on the lights on easter", "turn on the light in july",
		},
		"de": {
			"mach das licht im sommer an", "mach das licht im notfall an", "licht im dezember an",
		},
		"es": {
			"enciende la luz si está oscuro",
			"apaga la luz en verano", "apaga las luces de noche",
		},
		"fr": {
			"allume la lumière dans la soirée", "allume la lumière s'il fait noir", "allume la lumière en été",
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := matcher(t, ours(t))
			if language != "en" {
				m = abroad(t, language)
			}
			for _, text := range all {
				for _, area := range []string{"", rooms[language][0], rooms[language][1]} {
					outcome{text, area, "llm…"}.check(t, m)
				}
			}
		})
	}
}

// TestDaysAreAskedAbout: a day without a time of the clock is for that day, and the
// gateway asks for the time. If no room is known, the sentence must name the thing.
func TestDaysAreAskedAbout(t *testing.T) {
	t.Parallel()
	for language, all := range map[string][]string{
		"en": {"turn on the light on monday", "turn on the light in the evening", "turn off the light in the morning", "turn on the light on december 3rd"},
		"de": {
			"mach das licht am abend an", "mach das licht am montag an", "schalte das licht am wochenende aus", "licht heute abend an",
			"mach das licht am 3. dezember an",
		},
		"es": {"enciende la luz esta noche", "apaga la luz por la noche", "enciende la luz el lunes", "enciende la luz el 3 de diciembre"},
		"fr": {"allume la lumière ce soir", "allume la lumière lundi", "éteins la lumière cette nuit", "allume la lumière le 3 décembre"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := matcher(t, ours(t))
			if language != "en" {
				m = abroad(t, language)
			}
			for _, text := range all {
				outcome{text, "", "reject later_which"}.check(t, m)
				outcome{text, rooms[language][0], "ask when"}.check(t, m)
				outcome{text, rooms[language][1], "ask when"}.check(t, m)
			}
		})
	}
}

// TestTimesAreTimers: the same with a time of the clock is for that time, and nothing is
// done at once. If no room is known, the gateway asks for it as if the command were for
// now.
func TestTimesAreTimers(t *testing.T) {
	t.Parallel()
	for language, all := range map[string][]string{
		"en": {"turn on the light at seven", "turn on the light at 7", "turn on the light at noon", "turn off the lights at half past six", "turn off the light at midnight"},
		"es": {"enciende la luz a las ocho", "enciende la luz al mediodía"},
		"fr": {"éteins la lumière à minuit", "allume la lumière à huit heures"},
	} {
		m := matcher(t, ours(t))
		if language != "en" {
			m = abroad(t, language)
		}
		for _, text := range all {
			for _, area := range rooms[language] {
				outcome{text, area, "HassStartTimer"}.check(t, m)
			}
		}
	}
}

// TestOverheardNeedsTheWord: a word that ends in "o" is not the word "o".
func TestOverheardNeedsTheWord(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][]string{
		"en": {"what about the pizza", "the sofa looks like a banana", "we need a piano also", "i like this brand"},
		"de": {"erzähl mir was über den hund", "was kostet ein pfund", "wie ist der befund", "wo liegt die gruppenunterkunft"},
		"es": {"cuéntame un chiste de otoño", "enciende la luz a las ocho", "enciende la luz si está oscuro", "qué me cuentas de eso", "háblame de la ley"},
		"fr": {"raconte une histoire de hibou", "parle-moi du filet", "où est le carnet", "donne une idée de jouet"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m := foreignMatcher(t, language, lintHouse())
			for _, text := range texts {
				outcome{text, "", "not reject overheard…"}.check(t, m)
			}
		})
	}
	checkAll(t, abroad(t, "es"), []outcome{{"y entonces él dijo que sí o", "", "reject overheard"}})
}

// TestAskedInThePast: a question never acts, however it is put.
func TestAskedInThePast(t *testing.T) {
	t.Parallel()
	m := matcher(t, sharedHouse(t, "intents", "natural_home.json"))
	for _, text := range []string{
		"did you turn off the light", "have you turned off the light", "could you tell me if the light is on", "did you turn off the lights",
		"have you switched on the fan", "can you tell me if the lights are off", "did you turn the light off", "have you turned the lights on",
	} {
		for _, area := range []string{"", "Kitchen", "Living Room"} {
			d := m.Match(text, area)
			asks := d.Route == intent.Local && d.Actions[0].Intent == "HassGetState" || d.Reason == intent.WhichArea || d.Reason == intent.NoDevice
			if d.Route != intent.Model && !asks {
				t.Errorf("%q in %q: %s", text, area, brief(d))
			}
		}
	}
}

// TestKindInQuestions: if several things are of the kind, the gateway asks which
// one is meant.
func TestKindInQuestions(t *testing.T) {
	t.Parallel()
	checkAll(t, matcher(t, sharedHouse(t, "intents", "natural_home.json")), []outcome{
		{"how fast is the fan", "Kitchen", "ask ambiguous fan"},
		{"how fast is the fan", "Bathroom", "HassGetState fan.bathroom"},
		{"is the fan running", "Bathroom", "HassGetState fan.bathroom"},
		{"how bright is the light", "Living Room", "ask ambiguous light"},
		{"is the light in the kitchen on", "", "HassGetState light.kitchen light.counter"},
	})
}

// TestKindIsNoName: "the light" means all light of the room, whatever one of the
// lamps is called.
func TestKindIsNoName(t *testing.T) {
	t.Parallel()
	checkAll(t, mergedMatcher(t, "fr", "home_fr.json"), []outcome{
		{"est-ce que la lumière est allumée", "Cuisine", "HassGetState light.lampe_cuisine light.lampe_plan"},
		{"la lumière est allumée", "Cuisine", "not HassGetState…"},
		{"La lumière est allumée ?", "Cuisine", "HassGetState light.lampe_cuisine light.lampe_plan"},
		{"la lampe du bureau est allumée", "Cuisine", "not HassGetState…"},
		{"la lampe du bureau est allumée ?", "Cuisine", "HassGetState light.lampe_du_bureau"},
		{"la lampe du bureau est-elle allumée", "Cuisine", "HassGetState light.lampe_du_bureau"},
	})
	checkAll(t, abroad(t, "fr"), []outcome{
		{"est-ce que la lumière est allumée", "Salon", "HassGetState light.living light.reading"},
		{"la porte d'entrée est verrouillée", "Salon", "not HassGetState…"},
		{"est-ce que la porte d'entrée est verrouillée", "Salon", "HassGetState lock.front"},
	})
	checkAll(t, mergedMatcher(t, "es", "home_es.json"), []outcome{
		{"enciende la luz", "Cocina", "HassTurnOn light.luz_cocina light.lámpara_cocina"},
		{"deja la luz encendida", "Cocina", "HassTurnOn light.luz_cocina light.lámpara_cocina"},
		{"deja la luz apagada", "Cocina", "HassTurnOff light.luz_cocina light.lámpara_cocina"},
		{"está la luz encendida", "Cocina", "HassGetState light.luz_cocina light.lámpara_cocina"},
		{"la puerta principal está cerrada con llave", "Cocina", "not HassGetState…"},
		{"¿La puerta principal está cerrada con llave?", "Cocina", "HassGetState lock.puerta_principal"},
	})
	checkAll(t, abroad(t, "de"), []outcome{
		{"ist das licht an", "Wohnzimmer", "HassGetState light.living light.reading"},
		{"brennt das licht", "Wohnzimmer", "HassGetState light.living light.reading"},
	})
}
