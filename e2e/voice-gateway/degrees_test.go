package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// The houses of the degrees: one in which everything measures in Fahrenheit, one in
// Celsius, and one where it is mixed. Where the present value is given, a device has it
// at the start.
const (
	fahrenheitHouse = `
nodes:
  - {id: 2, name: Hall Thermostat, location: Hall, kind: thermostat_f, values: {49-0-Air temperature: 70.5, 67-0-setpoint-1: 68}}
  - {id: 3, name: Bedroom Thermostat, location: Bedroom, kind: thermostat_f, values: {49-0-Air temperature: 66, 67-0-setpoint-1: 66}}
  - {id: 4, name: Freezer Sensor, location: Kitchen, kind: temperature, extra: [{id: 49-0-Air temperature, type: number, unit: °F, value: -1.3}]}
  - {id: 5, name: Porch Sensor, location: Porch, kind: temperature, extra: [{id: 49-0-Air temperature, type: number, unit: °F, value: 41}]}
  - {id: 6, name: Bedroom Lamp, location: Bedroom, kind: dimmer}
  - {id: 7, name: Office Thermostat, location: Office, kind: thermostat_auto_f, values: {49-0-Air temperature: 71, 67-0-setpoint-1: 66, 67-0-setpoint-2: 76}}
`
	celsiusHouse = `
nodes:
  - {id: 2, name: Hall Thermostat, location: Hall, kind: thermostat, values: {49-0-Air temperature: 20.5, 67-0-setpoint-1: 20}}
  - {id: 3, name: Bedroom Thermostat, location: Bedroom, kind: thermostat, values: {49-0-Air temperature: 18.5, 67-0-setpoint-1: 19}}
  - {id: 4, name: Freezer Sensor, location: Kitchen, kind: temperature, values: {49-0-Air temperature: -18.5}}
  - {id: 5, name: Hall Motion, location: Hall, kind: multi_sensor, values: {49-0-Air temperature: 19.5, 49-0-Illuminance: 120}}
  - {id: 6, name: Bedroom Lamp, location: Bedroom, kind: dimmer}
  - {id: 7, name: Office Thermostat, location: Office, kind: thermostat, values: {64-0-mode: 3, 49-0-Air temperature: 21, 67-0-setpoint-1: 19, 67-0-setpoint-2: 24}}
  - {id: 8, name: Cellar Thermostat, location: Cellar, kind: thermostat, extra: [{id: 67-0-setpoint-1, type: number, unit: °C, min: 40, max: 96, writeable: true, value: 18}]}
`
	germanHouse = `
nodes:
  - {id: 2, name: Flur Thermostat, location: Flur, kind: thermostat, values: {49-0-Air temperature: 20, 67-0-setpoint-1: 20}}
  - {id: 3, name: Schlafzimmer Thermostat, location: Schlafzimmer, kind: thermostat, values: {49-0-Air temperature: 18, 67-0-setpoint-1: 19}}
  - {id: 4, name: Gefrierschrank Sensor, location: Küche, kind: temperature, values: {49-0-Air temperature: -18}}
  - {id: 5, name: Garten Melder, location: Garten, kind: multi_sensor, values: {49-0-Air temperature: 19, 49-0-Illuminance: 120}}
  - {id: 6, name: Bedroom Lamp, location: Schlafzimmer, kind: dimmer}
  - {id: 7, name: Büro Thermostat, location: Büro, kind: thermostat, values: {64-0-mode: 3, 49-0-Air temperature: 21, 67-0-setpoint-1: 19, 67-0-setpoint-2: 24}}
  - {id: 8, name: Stehlampe, location: Wohnzimmer, kind: dimmer}
  - {id: 9, name: Rollläden, location: Wohnzimmer, kind: shade}
  - {id: 10, name: Bad Thermometer, location: Bad, kind: temperature, values: {49-0-Air temperature: 20.5}}
`
	frenchHouse = `
nodes:
  - {id: 2, name: Thermostat entrée, location: Entrée, kind: thermostat, values: {49-0-Air temperature: 20, 67-0-setpoint-1: 20}}
  - {id: 3, name: Thermostat chambre, location: Chambre, kind: thermostat, values: {49-0-Air temperature: 18, 67-0-setpoint-1: 19}}
  - {id: 4, name: Capteur congélateur, location: Cuisine, kind: temperature, values: {49-0-Air temperature: -18}}
  - {id: 5, name: Détecteur jardin, location: Jardin, kind: multi_sensor, values: {49-0-Air temperature: 19, 49-0-Illuminance: 120}}
  - {id: 6, name: Bedroom Lamp, location: Chambre, kind: dimmer}
  - {id: 7, name: Thermostat bureau, location: Bureau, kind: thermostat, values: {64-0-mode: 3, 49-0-Air temperature: 21, 67-0-setpoint-1: 19, 67-0-setpoint-2: 24}}
  - {id: 8, name: Lampadaire, location: Salon, kind: dimmer}
  - {id: 9, name: Volets, location: Salon, kind: shade}
  - {id: 10, name: Thermomètre bain, location: Salle de bain, kind: temperature, values: {49-0-Air temperature: 20.5}}
`
	spanishHouse = `
nodes:
  - {id: 2, name: Termostato pasillo, location: Pasillo, kind: thermostat, values: {49-0-Air temperature: 20, 67-0-setpoint-1: 20}}
  - {id: 3, name: Termostato dormitorio, location: Dormitorio, kind: thermostat, values: {49-0-Air temperature: 18, 67-0-setpoint-1: 19}}
  - {id: 4, name: Sensor congelador, location: Cocina, kind: temperature, values: {49-0-Air temperature: -18}}
  - {id: 5, name: Detector jardín, location: Jardín, kind: multi_sensor, values: {49-0-Air temperature: 19, 49-0-Illuminance: 120}}
  - {id: 6, name: Bedroom Lamp, location: Dormitorio, kind: dimmer}
  - {id: 7, name: Termostato oficina, location: Oficina, kind: thermostat, values: {64-0-mode: 3, 49-0-Air temperature: 21, 67-0-setpoint-1: 19, 67-0-setpoint-2: 24}}
  - {id: 8, name: Lámpara de pie, location: Salón, kind: dimmer}
  - {id: 9, name: Persianas, location: Salón, kind: shade}
  - {id: 10, name: Termómetro baño, location: Baño, kind: temperature, values: {49-0-Air temperature: 20.5}}
`
	mixedHouse = `
nodes:
  - {id: 2, name: Hall Thermostat, location: Hall, kind: thermostat, values: {49-0-Air temperature: 20.5, 67-0-setpoint-1: 20}}
  - {id: 3, name: Bedroom Thermostat, location: Bedroom, kind: thermostat, values: {49-0-Air temperature: 18.5, 67-0-setpoint-1: 19}}
  - {id: 4, name: Guest Thermostat, location: Guest Room, kind: thermostat_f, values: {49-0-Air temperature: 68, 67-0-setpoint-1: 68}}
  - {id: 5, name: Shed Sensor, location: Shed, kind: temperature, extra: [{id: 49-0-Air temperature, type: number, unit: °F, value: 41}]}
  - {id: 6, name: Freezer Sensor, location: Kitchen, kind: temperature, extra: [{id: 49-0-Air temperature, type: number, unit: °F, value: -4}]}
  - {id: 7, name: Bedroom Lamp, location: Bedroom, kind: dimmer}
  - {id: 8, name: Office Thermostat, location: Office, kind: thermostat_f, values: {49-0-Air temperature: 71, 67-0-setpoint-1: 66}}
`
)

// saying is a sentence in a room, what is answered, and what a device then has: its name,
// the value and the number, "Hall Thermostat 67-0-setpoint-1 70".
type saying struct{ room, text, reply, fact string }

// TestDegrees checks that a house speaks in one scale whatever its devices count in, that
// each device's own range decides, and that the reply says when a setting has no effect.
func TestDegrees(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		house   string
		env     []string
		sayings []saying
	}{
		"fahrenheit":         {fahrenheitHouse, nil, fahrenheitSayings()},
		"celsius":            {celsiusHouse, nil, celsiusSayings()},
		"celsius in german":  {germanHouse, []string{"VOICE_GATEWAY_GATEWAY_LANGUAGE=de"}, germanSayings()},
		"celsius in french":  {frenchHouse, []string{"VOICE_GATEWAY_GATEWAY_LANGUAGE=fr"}, frenchSayings()},
		"celsius in spanish": {spanishHouse, []string{"VOICE_GATEWAY_GATEWAY_LANGUAGE=es"}, spanishSayings()},
		"mixed":              {mixedHouse, []string{"VOICE_GATEWAY_GATEWAY_UNITS=metric"}, mixedSayings()},
		"celsius told in fahrenheit": {celsiusHouse, []string{"VOICE_GATEWAY_GATEWAY_UNITS=us"}, []saying{
			{"Bedroom", "what is the temperature", "The bedroom thermostat measures 65.3 degrees.", ""},
			{"Hall", "set the thermostat to 70 degrees", "The hall thermostat is set to 70 degrees.", "Hall Thermostat 67-0-setpoint-1 21"},
			{"Hall", "undo", "The hall thermostat is at 68 degrees again.", "Hall Thermostat 67-0-setpoint-1 20"},
			{"Hall", "set the hall thermostat to 120 degrees", "It can only be set between 41 and 86 degrees.", ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			house, played, broker := playHouse(t, tt.house)
			_, address, _ := daemon(t, broker, tt.env...)
			say := func(s saying) (r record.Record) {
				if err := rig.SendJSON(t.Context(), http.MethodPost, "http://"+address+"/api/ask", map[string]string{"text": s.text, "area": s.room}, &r); err != nil {
					t.Fatal(err)
				}
				return r
			}
			eventually(t, "the house is known", func() bool {
				var home json.RawMessage
				return get(t, address, "/api/home", &home) == nil && strings.Contains(string(home), house.Nodes[0].Name)
			})
			wrong := 0
			for _, s := range tt.sayings {
				reply := say(s).Reply
				if fact := factOf(t, played, s.fact); reply != s.reply || fact != s.fact {
					wrong++
					t.Errorf("%s: %q\n  is answered %q, %s\n     expected %q, %s", s.room, s.text, reply, fact, s.reply, s.fact)
				}
			}
			t.Logf("%d of %d sentences are right", len(tt.sayings)-wrong, len(tt.sayings))
		})
	}
}

// factOf is what the device that a fact is about really has, in the form of a fact.
func factOf(t *testing.T, house *rig.House, fact string) string {
	t.Helper()
	words := strings.Fields(fact)
	if len(words) < 3 {
		return fact
	}
	device, value := strings.Join(words[:len(words)-2], " "), words[len(words)-2]
	all, err := house.Truth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(device, " ", value, " ", all[device].Values[value])
}

func fahrenheitSayings() []saying {
	const hall, bedroom, office = "Hall Thermostat 67-0-setpoint-1 ", "Bedroom Thermostat 67-0-setpoint-1 ", "Office Thermostat 67-0-setpoint-"
	return []saying{
		{"Hall", "what is the temperature", "The hall thermostat measures 70.5 degrees.", ""},
		{"Hall", "how warm is it in the bedroom", "The bedroom thermostat measures 66 degrees.", ""},
		{"Hall", "what is the hall thermostat set to", "The hall thermostat is set to 68 degrees.", ""},
		{"Hall", "set the thermostat to 70 degrees", "The hall thermostat is set to 70 degrees.", hall + "70"},
		{"Hall", "undo", "The hall thermostat is at 68 degrees again.", hall + "68"},
		{"Hall", "set the bedroom thermostat to seventy two degrees", "The bedroom thermostat is set to 72 degrees.", bedroom + "72"},
		{"Bedroom", "make it warmer", "The bedroom thermostat is set to 73 degrees.", bedroom + "73"},
		{"Bedroom", "undo", "The bedroom thermostat is at 72 degrees again.", bedroom + "72"},
		{"Bedroom", "make it two degrees cooler", "The bedroom thermostat is set to 70 degrees.", bedroom + "70"},
		{"Bedroom", "make it 65 degrees in here", "The bedroom thermostat is set to 65 degrees.", bedroom + "65"},
		{"Bedroom", "set the thermostat to 68 degrees fahrenheit", "The bedroom thermostat is set to 68 degrees.", bedroom + "68"},
		{"Bedroom", "set the thermostat to 20 degrees celsius", "The bedroom thermostat is set to 68 degrees Fahrenheit.", bedroom + "68"},
		{"Bedroom", "set the thermostat to 21 celsius", "The bedroom thermostat is set to 70 degrees Fahrenheit.", bedroom + "70"},
		{"Bedroom", "set the thermostat to 66°F", "The bedroom thermostat is set to 66 degrees.", bedroom + "66"},
		{"Bedroom", "set the thermostat to 67 f", "The bedroom thermostat is set to 67 degrees.", bedroom + "67"},
		{"Hall", "set the hall thermostat to 120 degrees", "It can only be set between 41 and 86 degrees.", hall + "68"},
		{"Hall", "set the hall thermostat to 20 degrees", "It can only be set between 41 and 86 degrees.", hall + "68"},
		{"Hall", "set the hall thermostat to 90 degrees", "It can only be set between 41 and 86 degrees.", hall + "68"},
		{"Hall", "heat the hall to 71 degrees", "The hall thermostat is set to 71 degrees.", hall + "71"},
		{"Hall", "set the temperature in the hall to 69.5 degrees", "The hall thermostat is set to 69.5 degrees.", hall + "69.5"},
		{"Hall", "is it warmer in the porch than in the bedroom", "No, the bedroom is warmer: 66 against 41 degrees.", ""},
		{"Hall", "is it warmer than 68 degrees in here", "Yes, the hall thermostat measures 70.5 degrees.", ""},
		{"Hall", "is it colder than 60 degrees in the bedroom", "No, the bedroom thermostat measures 66 degrees.", ""},
		{"Hall", "is it warmer than 20 degrees celsius in the bedroom", "No, the bedroom thermostat measures 66 degrees Fahrenheit.", ""},
		{"Hall", "how cold is the freezer", "The kitchen freezer sensor measures -1.3 degrees.", ""},
		{"Hall", "what is the temperature of the freezer", "The kitchen freezer sensor measures -1.3 degrees.", ""},
		{"Hall", "which room is the coldest", "The porch is coldest, at 41 degrees.", ""},
		{"Bedroom", "set the bedroom lamp to 70 percent", "The bedroom lamp is at 70 percent.", "Bedroom Lamp 38-0-currentValue 70"},
		{"Bedroom", "turn off the heating", "The bedroom thermostat is off.", "Bedroom Thermostat 64-0-mode 0"},
		{"Bedroom", "set the thermostat to 64 degrees", "The bedroom thermostat is set to 64 degrees, but it is off.", bedroom + "64"},
		{"Bedroom", "make it warmer", "The bedroom thermostat is set to 65 degrees, but it is off.", bedroom + "65"},
		{"Bedroom", "turn on the heating", "The bedroom thermostat is set to heat.", "Bedroom Thermostat 64-0-mode 1"},
		{"Office", "what is the office thermostat set to", "The office thermostat heats to 66 and cools to 76 degrees.", ""},
		{"Office", "make it cooler", "The office thermostat cools to 75 degrees.", office + "2 75"},
		{"Office", "make it warmer", "The office thermostat heats to 67 degrees.", office + "1 67"},
		{"Office", "undo", "The office thermostat heats to 66 degrees again.", office + "1 66"},
		{"Office", "set the thermostat to 70 degrees", "The office thermostat cools to 70 degrees.", office + "2 70"},
		{"Office", "set the thermostat to 64 degrees", "The office thermostat heats to 64 degrees.", office + "1 64"},
		{"Hall", "set the hall thermostat to 68 degrees", "The hall thermostat is set to 68 degrees.", hall + "68"},
		{"Hall", "undo", "The hall thermostat is at 69.5 degrees again.", hall + "69.5"},
	}
}

func celsiusSayings() []saying {
	const hall, bedroom, office, cellar = "Hall Thermostat 67-0-setpoint-1 ", "Bedroom Thermostat 67-0-setpoint-1 ", "Office Thermostat 67-0-setpoint-", "Cellar Thermostat 67-0-setpoint-1 "
	return []saying{
		{"Bedroom", "what is the temperature", "The bedroom thermostat measures 18.5 degrees.", ""},
		{"Hall", "what is the hall thermostat set to", "The hall thermostat is set to 20 degrees.", ""},
		{"Hall", "set the thermostat to 22 degrees", "The hall thermostat is set to 22 degrees.", hall + "22"},
		{"Hall", "undo", "The hall thermostat is at 20 degrees again.", hall + "20"},
		{"Hall", "make it warmer", "The hall thermostat is set to 21 degrees.", hall + "21"},
		{"Hall", "undo", "The hall thermostat is at 20 degrees again.", hall + "20"},
		{"Hall", "make it half a degree warmer", "The hall thermostat is set to 20.5 degrees.", hall + "20.5"},
		{"Hall", "undo", "The hall thermostat is at 20 degrees again.", hall + "20"},
		{"Hall", "set the thermostat to 70 degrees fahrenheit", "The hall thermostat is set to 21 degrees Celsius.", hall + "21"},
		{"Hall", "set the thermostat to 68 degrees fahrenheit", "The hall thermostat is set to 20 degrees Celsius.", hall + "20"},
		{"Hall", "set the hall thermostat to sixty six degrees fahrenheit", "The hall thermostat is set to 19 degrees Celsius.", hall + "19"},
		{"Hall", "set the thermostat to 20 degrees celsius", "The hall thermostat is set to 20 degrees.", hall + "20"},
		{"Hall", "set the thermostat to 21°C", "The hall thermostat is set to 21 degrees.", hall + "21"},
		{"Hall", "set the hall thermostat to 33 degrees", "It can only be set between 5 and 30 degrees.", hall + "21"},
		{"Hall", "set the hall thermostat to 50 degrees", "It can only be set between 5 and 30 degrees.", hall + "21"},
		{"Hall", "set the hall thermostat to 2 degrees", "It can only be set between 5 and 30 degrees.", hall + "21"},
		{"Cellar", "set the cellar thermostat to 20 degrees", "The cellar thermostat is set to 20 degrees.", cellar + "20"},
		{"Cellar", "set the cellar thermostat to 50 degrees", "It can only be set between 4 and 35 degrees.", cellar + "20"},
		{"Cellar", "make it warmer", "The cellar thermostat is set to 21 degrees.", cellar + "21"},
		{"Hall", "how cold is the freezer", "The kitchen freezer sensor measures -18.5 degrees.", ""},
		{"Hall", "what is the temperature of the freezer", "The kitchen freezer sensor measures -18.5 degrees.", ""},
		{"Hall", "what's the freezer temperature", "The kitchen freezer sensor measures -18.5 degrees.", ""},
		{"Kitchen", "is the freezer warmer than -10 degrees", "No, the freezer sensor measures -18.5 degrees.", ""},
		{"Hall", "what is the temperature of the hall motion", "The hall motion measures 19.5 degrees.", ""},
		{"Hall", "is it bright in the hall", "The hall illuminance is 120 lux.", ""},
		{"Hall", "how bright is it in here", "The hall illuminance is 120 lux.", ""},
		{"Hall", "is it warmer in the hall than in the bedroom", "Yes, the hall is warmer: 19.5 against 18.5 degrees.", ""},
		{"Bedroom", "is it warmer than 65 degrees fahrenheit in here", "Yes, the bedroom thermostat measures 18.5 degrees Celsius.", ""},
		{"Bedroom", "turn off the heating", "The bedroom thermostat is off.", "Bedroom Thermostat 64-0-mode 0"},
		{"Bedroom", "set the bedroom thermostat to 22 degrees", "The bedroom thermostat is set to 22 degrees, but it is off.", bedroom + "22"},
		{"Bedroom", "what is the bedroom thermostat set to", "The bedroom thermostat is set to 22 degrees, but it is off.", ""},
		{"Bedroom", "turn on the heating", "The bedroom thermostat is set to heat.", "Bedroom Thermostat 64-0-mode 1"},
		{"Bedroom", "set the thermostat to cool", "The bedroom thermostat is set to cool.", "Bedroom Thermostat 64-0-mode 2"},
		{"Bedroom", "set the thermostat to 25 degrees", "The bedroom thermostat is set to 25 degrees.", "Bedroom Thermostat 67-0-setpoint-2 25"},
		{"Office", "what is the office thermostat set to", "The office thermostat heats to 19 and cools to 24 degrees.", ""},
		{"Office", "make it cooler", "The office thermostat cools to 23 degrees.", office + "2 23"},
		{"Office", "make it a bit warmer", "The office thermostat heats to 20 degrees.", office + "1 20"},
		{"Office", "undo", "The office thermostat heats to 19 degrees again.", office + "1 19"},
		{"Office", "make it two degrees cooler", "The office thermostat cools to 21 degrees.", office + "2 21"},
		{"Office", "undo", "The office thermostat cools to 23 degrees again.", office + "2 23"},
	}
}

func mixedSayings() []saying {
	const hall, guest, office = "Hall Thermostat 67-0-setpoint-1 ", "Guest Thermostat 67-0-setpoint-1 ", "Office Thermostat 67-0-setpoint-1 "
	return []saying{
		{"Hall", "is it warmer in the shed than in the bedroom", "No, the bedroom is warmer: 18.5 against 5 degrees.", ""},
		{"Hall", "is it colder in the shed than in the bedroom", "Yes, the shed is colder: 5 against 18.5 degrees.", ""},
		{"Hall", "is it warmer in the guest room or in the bedroom", "The guest room is warmer: 20 against 18.5 degrees.", ""},
		{"Hall", "which room is the coldest", "The shed is coldest, at 5 degrees.", ""},
		{"Hall", "which room is the warmest", "The office is warmest, at 21.7 degrees.", ""},
		{"Hall", "how warm is it in the shed", "The shed sensor measures 5 degrees.", ""},
		{"Hall", "what is the temperature in the guest room", "The guest thermostat measures 20 degrees.", ""},
		{"Hall", "how cold is the freezer", "The kitchen freezer sensor measures -20 degrees.", ""},
		{"Hall", "is it colder than 10 degrees in the shed", "Yes, the shed sensor measures 5 degrees.", ""},
		{"Hall", "is it warmer than 50 degrees fahrenheit in the shed", "No, the shed sensor measures 5 degrees Celsius.", ""},
		{"Guest Room", "is it warmer than 19 degrees in here", "Yes, the guest thermostat measures 20 degrees.", ""},
		{"Guest Room", "what is the guest thermostat set to", "The guest thermostat is set to 20 degrees.", ""},
		{"Guest Room", "set the thermostat to 21 degrees", "The guest thermostat is set to 21 degrees.", guest + "70"},
		{"Guest Room", "undo", "The guest thermostat is at 20 degrees again.", guest + "68"},
		{"Guest Room", "make it warmer", "The guest thermostat is set to 21 degrees.", guest + "70"},
		{"Guest Room", "undo", "The guest thermostat is at 20 degrees again.", guest + "68"},
		{"Guest Room", "make it two degrees cooler", "The guest thermostat is set to 18 degrees.", guest + "64"},
		{"Guest Room", "undo", "The guest thermostat is at 20 degrees again.", guest + "68"},
		{"Guest Room", "set the thermostat to 70 degrees fahrenheit", "The guest thermostat is set to 21 degrees Celsius.", guest + "70"},
		{"Guest Room", "set the thermostat to 71 degrees fahrenheit", "The guest thermostat is set to 21.5 degrees Celsius.", guest + "71"},
		{"Guest Room", "set the thermostat to 20 degrees celsius", "The guest thermostat is set to 20 degrees.", guest + "68"},
		{"Guest Room", "set the guest thermostat to 33 degrees", "It can only be set between 5 and 30 degrees.", guest + "68"},
		{"Guest Room", "set the guest thermostat to 60 degrees", "It can only be set between 5 and 30 degrees.", guest + "68"},
		{"Guest Room", "set the guest thermostat to 4 degrees", "It can only be set between 5 and 30 degrees.", guest + "68"},
		{"Hall", "set the thermostat to 22 degrees", "The hall thermostat is set to 22 degrees.", hall + "22"},
		{"Hall", "make it cooler", "The hall thermostat is set to 21 degrees.", hall + "21"},
		{"Hall", "set the thermostat to 68 degrees fahrenheit", "The hall thermostat is set to 20 degrees Celsius.", hall + "20"},
		{"Hall", "set the office thermostat to 20 degrees", "The office thermostat is set to 20 degrees.", office + "68"},
		{"Office", "make it warmer", "The office thermostat is set to 21 degrees.", office + "70"},
		{"Office", "make it half a degree warmer", "The office thermostat is set to 21.5 degrees.", office + "71"},
		{"Office", "make it half a degree cooler", "The office thermostat is set to 21 degrees.", office + "70"},
		{"Office", "is the office warmer than the hall", "Yes, the office is warmer: 21.7 against 20.5 degrees.", ""},
		{"Office", "what is the temperature", "The office thermostat measures 21.7 degrees.", ""},
		{"Office", "turn off the heating", "The office thermostat is off.", "Office Thermostat 64-0-mode 0"},
		{"Office", "set the thermostat to 19 degrees", "The office thermostat is set to 19 degrees, but it is off.", office + "66"},
		{"Office", "undo", "The office thermostat is at 21 degrees again, but it is off.", office + "70"},
		{"Office", "turn on the heating", "The office thermostat is set to heat.", "Office Thermostat 64-0-mode 1"},
		{"Office", "what is the office thermostat set to", "The office thermostat is set to 21 degrees.", ""},
		{"Shed", "what is the temperature in here", "The shed sensor measures 5 degrees.", ""},
		{"Guest Room", "make it warmer by two degrees", "The guest thermostat is set to 22 degrees.", guest + "72"},
		{"Guest Room", "make it 2 degrees fahrenheit cooler", "The guest thermostat is set to 21 degrees Celsius.", guest + "70"},
		{"Guest Room", "in ten minutes set the guest thermostat to 70 degrees fahrenheit", "In ten minutes: set the guest thermostat to 21 degrees.", ""},
		{"Guest Room", "set the guest thermostat to 66 fahrenheit, and the hall thermostat to 19 degrees", "The guest thermostat is set to 19 degrees Celsius. The hall thermostat is set to 19 degrees Celsius.", guest + "66"},
		{"Guest Room", "is the freezer below zero", "Yes, the kitchen freezer sensor measures -20 degrees.", ""},
		{"Hall", "is the hall warmer than the shed", "Yes, the hall is warmer: 20.5 against 5 degrees.", ""},
	}
}

func germanSayings() []saying {
	const hall, bedroom, office = "Flur Thermostat 67-0-setpoint-1 ", "Schlafzimmer Thermostat 67-0-setpoint-1 ", "Büro Thermostat 67-0-setpoint-"
	return []saying{
		{"Flur", "stell die Heizung auf 22 Grad", "Das Flur Thermostat steht auf 22 Grad.", hall + "22"},
		{"Flur", "rückgängig", "Das Flur Thermostat steht wieder auf 20 Grad.", hall + "20"},
		{"Flur", "mach es wärmer", "Das Flur Thermostat steht auf 21 Grad.", hall + "21"},
		{"Flur", "rückgängig", "Das Flur Thermostat steht wieder auf 20 Grad.", hall + "20"},
		{"Flur", "stell die Heizung auf 70 Grad Fahrenheit", "Das Flur Thermostat steht auf 21 Grad Celsius.", hall + "21"},
		{"Flur", "stell die Heizung auf 20 Grad Celsius", "Das Flur Thermostat steht auf 20 Grad.", hall + "20"},
		{"Flur", "stell die Heizung auf 50 Grad", "Möglich sind 5 bis 30 Grad.", hall + "20"},
		{"Flur", "wie kalt ist der Gefrierschrank", "Der Gefrierschrank Sensor misst -18 Grad.", ""},
		{"Flur", "welche Temperatur hat der Gefrierschrank", "Der Gefrierschrank Sensor misst -18 Grad.", ""},
		{"Flur", "ist es im Garten hell", "Der Garten Melder misst 120 Lux.", ""},
		{"Flur", "wie hell ist es im Garten", "Der Garten Melder misst 120 Lux.", ""},
		{"Schlafzimmer", "schalte die Heizung aus", "Das Schlafzimmer Thermostat ist aus.", "Schlafzimmer Thermostat 64-0-mode 0"},
		{"Schlafzimmer", "stell die Heizung auf 22 Grad", "Das Schlafzimmer Thermostat steht auf 22 Grad, ist aber aus.", bedroom + "22"},
		{"Büro", "auf wie viel Grad steht die Heizung", "Das Büro Thermostat heizt auf 19 und kühlt auf 24 Grad.", ""},
		{"Büro", "mach es kälter", "Das Büro Thermostat kühlt auf 23 Grad.", office + "2 23"},
		{"Büro", "rückgängig", "Das Büro Thermostat kühlt wieder auf 24 Grad.", office + "2 24"},
		{"Wohnzimmer", "schalte die Stehlampe auf 30 Prozent", "Die Stehlampe ist auf 30 Prozent.", "Stehlampe 38-0-currentValue 30"},
		{"Wohnzimmer", "dreh die Stehlampe auf 20 Prozent runter", "Die Stehlampe ist auf 20 Prozent gedimmt.", "Stehlampe 38-0-currentValue 20"},
		{"Wohnzimmer", "mach die Stehlampe wieder aus", "Die Stehlampe ist aus.", "Stehlampe 38-0-currentValue 0"},
		{"Wohnzimmer", "schalte bitte die Stehlampe ein", "Die Stehlampe ist an.", "Stehlampe 38-0-currentValue 20"},
		{"Wohnzimmer", "ist die Stehlampe an", "Ja, die Stehlampe ist an.", ""},
		{"Wohnzimmer", "fahr die Rollläden runter", "Die Rollläden sind geschlossen.", ""},
		{"Wohnzimmer", "sind die Rollläden zu", "Ja, die Rollläden sind geschlossen.", ""},
		{"Wohnzimmer", "fahr die Rollläden bis zur Hälfte hoch", "Die Rollläden sind auf 50 Prozent.", ""},
		{"Wohnzimmer", "mach die Spülmaschine an", "Eine Spülmaschine kenne ich hier nicht.", ""},
		{"Bad", "wie warm ist es", "Das Bad Thermometer misst 20,5 Grad.", ""},
		{"Flur", "ist es im Bad wärmer als 20 Grad", "Ja, das Bad Thermometer misst 20,5 Grad.", ""},
		{"Flur", "ist es im Bad wärmer als im Garten", "Ja, das Bad ist wärmer: 20,5 gegen 19 Grad.", ""},
		{"Flur", "stell die Heizung auf 20,5 Grad", "Das Flur Thermostat steht auf 20,5 Grad.", "Flur Thermostat 67-0-setpoint-1 20.5"},
		{"Flur", "auf wie viel Grad steht die Heizung", "Das Flur Thermostat steht auf 20,5 Grad.", ""},
		{"Flur", "dreh die Heizung um ein halbes Grad runter", "Das Flur Thermostat steht auf 20 Grad.", "Flur Thermostat 67-0-setpoint-1 20"},
		{"Flur", "stell einen Timer auf anderthalb Stunden", "Eine Stunde und dreißig Minuten.", ""},
		{"Flur", "stell einen Timer auf eine Dreiviertelstunde", "Fünfundvierzig Minuten.", ""},
		{"Flur", "stell einen Timer auf zweieinhalb Minuten", "Zwei Minuten und dreißig Sekunden.", ""},
		{"Flur", "stell einen Timer auf neun Minuten", "Neun Minuten.", ""},
		{"Flur", "brich alle Timer ab", "Ich habe 4 Timer gelöscht.", ""},
		{"Flur", "weck mich morgen um halb sieben", "Wecker morgen um 6 Uhr 30.", ""},
		{"Flur", "stell den Wecker ab", "Gelöscht: der Wecker um 6 Uhr 30.", ""},
		{"Flur", "erinnere mich morgen um acht daran, den Müll rauszubringen", "Morgen um 8 Uhr: den Müll rausbringen.", ""},
		{"Wohnzimmer", "schalte die Stehlampe in einer halben Stunde aus", "Die Stehlampe geht in dreißig Minuten aus.", ""},
		{"Flur", "welcher Raum ist der kälteste", "Am kältesten ist das Schlafzimmer mit 18 Grad.", ""},
	}
}

func frenchSayings() []saying {
	const hall, bedroom, office = "Thermostat entrée 67-0-setpoint-1 ", "Thermostat chambre 67-0-setpoint-1 ", "Thermostat bureau 67-0-setpoint-"
	return []saying{
		{"Entrée", "mets le chauffage à 22 degrés", "Le thermostat entrée est réglé à 22 degrés.", hall + "22"},
		{"Entrée", "annule", "Le thermostat entrée est de nouveau à 20 degrés.", hall + "20"},
		{"Entrée", "mets le chauffage à 70 degrés fahrenheit", "Le thermostat entrée est réglé à 21 degrés Celsius.", hall + "21"},
		{"Entrée", "mets le chauffage à 50 degrés", "La température doit être comprise entre 5 et 30 degrés.", hall + "21"},
		{"Entrée", "quelle est la température du congélateur", "Le capteur congélateur de la cuisine indique -18 degrés.", ""},
		{"Entrée", "est-ce qu'il fait clair dans le jardin", "Le détecteur jardin indique 120 lux.", ""},
		{"Chambre", "éteins le chauffage", "Le thermostat chambre est éteint.", "Thermostat chambre 64-0-mode 0"},
		{"Chambre", "mets le chauffage à 22 degrés", "Le thermostat chambre est réglé à 22 degrés, mais à l'arrêt.", bedroom + "22"},
		{"Bureau", "à combien est réglé le chauffage", "Le thermostat bureau chauffe à 19 et refroidit à 24 degrés.", ""},
		{"Bureau", "baisse le chauffage", "Le thermostat bureau refroidit à 23 degrés.", office + "2 23"},
		{"Bureau", "annule", "Le thermostat bureau refroidit de nouveau à 24 degrés.", office + "2 24"},
		{"Salon", "mets le lampadaire à 30 pour cent", "Le lampadaire est à 30 pour cent.", "Lampadaire 38-0-currentValue 30"},
		{"Salon", "baisse le lampadaire à 20 pour cent", "Le lampadaire est à 20 pour cent.", "Lampadaire 38-0-currentValue 20"},
		{"Salon", "éteins le lampadaire", "Le lampadaire est éteint.", "Lampadaire 38-0-currentValue 0"},
		{"Salon", "allume le lampadaire", "Le lampadaire est allumé.", "Lampadaire 38-0-currentValue 20"},
		{"Salon", "est-ce que le lampadaire est allumé", "Oui, le lampadaire est allumé.", ""},
		{"Salon", "ferme les volets", "Les volets sont fermés.", ""},
		{"Salon", "est-ce que les volets sont fermés", "Oui, les volets sont fermés.", ""},
		{"Salon", "ouvre les volets à moitié", "Les volets sont à 50 pour cent.", ""},
		{"Salon", "allume le lave-vaisselle", "Je ne connais pas de lave-vaisselle ici.", ""},
		{"Salle de bain", "quelle est la température", "Le thermomètre bain indique 20,5 degrés.", ""},
		{"Entrée", "est-ce qu'il fait plus de 20 degrés dans la salle de bain", "Oui, le thermomètre bain indique 20,5 degrés.", ""},
		{"Entrée", "mets le chauffage à 20,5 degrés", "Le thermostat entrée est réglé à 20,5 degrés.", "Thermostat entrée 67-0-setpoint-1 20.5"},
		{"Entrée", "à combien est réglé le chauffage", "Le thermostat entrée est réglé à 20,5 degrés.", ""},
		{"Entrée", "baisse le chauffage d'un demi-degré", "Le thermostat entrée est réglé à 20 degrés.", "Thermostat entrée 67-0-setpoint-1 20"},
		{"Entrée", "monte le chauffage de deux degrés", "Le thermostat entrée est réglé à 22 degrés.", "Thermostat entrée 67-0-setpoint-1 22"},
		{"Entrée", "mets un minuteur d'une heure et demie", "Une heure et trente minutes.", ""},
		{"Entrée", "mets un minuteur d'un quart d'heure", "Quinze minutes.", ""},
		{"Entrée", "mets un minuteur de vingt et une minutes", "Vingt-et-une minutes.", ""},
		{"Entrée", "annule tous les minuteurs", "J'ai annulé 3 minuteurs.", ""},
		{"Entrée", "réveille-moi demain à six heures et demie", "Réveil demain à 6 heures 30.", ""},
		{"Entrée", "annule le réveil", "Annulé : le réveil de 6 heures 30.", ""},
		{"Entrée", "rappelle-moi demain à huit heures d'appeler Maman", "Demain à 8 heures : appeler Maman.", ""},
		{"Salon", "éteins le lampadaire dans une demi-heure", "J'éteindrai le lampadaire dans trente minutes.", ""},
		{"Entrée", "quelle pièce est la plus froide", "C'est dans la chambre qu'il fait le plus froid : 18 degrés.", ""},
		{"Salon", "ouvre les volets aux deux tiers", "Les volets sont à 67 pour cent.", ""},
		{"Chambre", "quelle est la température", "Le thermostat chambre indique 18 degrés.", ""},
		{"Chambre", "allume le chauffage", "Le thermostat chambre est en mode chauffage.", "Thermostat chambre 64-0-mode 1"},
		{"Salon", "éteins toutes les lumières", "2 lumières sont éteintes.", ""},
		{"Bureau", "monte un peu le chauffage", "Le thermostat bureau chauffe à 20 degrés.", "Thermostat bureau 67-0-setpoint-1 20"},
	}
}

func spanishSayings() []saying {
	const hall, bedroom, office = "Termostato pasillo 67-0-setpoint-1 ", "Termostato dormitorio 67-0-setpoint-1 ", "Termostato oficina 67-0-setpoint-"
	return []saying{
		{"Pasillo", "pon la calefacción a 22 grados", "El termostato pasillo está a 22 grados.", hall + "22"},
		{"Pasillo", "deshacer", "El termostato pasillo está otra vez a 20 grados.", hall + "20"},
		{"Pasillo", "pon la calefacción a 70 grados fahrenheit", "El termostato pasillo está a 21 grados Celsius.", hall + "21"},
		{"Pasillo", "pon la calefacción a 50 grados", "La temperatura tiene que estar entre 5 y 30 grados.", hall + "21"},
		{"Pasillo", "qué temperatura hay en el congelador", "El sensor congelador de la cocina marca -18 grados.", ""},
		{"Pasillo", "cuánta luz hay en el jardín", "El detector jardín marca 120 lux.", ""},
		{"Dormitorio", "apaga la calefacción", "He apagado el termostato dormitorio.", "Termostato dormitorio 64-0-mode 0"},
		{"Dormitorio", "pon la calefacción a 22 grados", "El termostato dormitorio está a 22 grados, pero no está en marcha.", bedroom + "22"},
		{"Oficina", "a cuántos grados está la calefacción", "El termostato oficina calienta a 19 y enfría a 24 grados.", ""},
		{"Oficina", "baja la calefacción", "El termostato oficina enfría a 23 grados.", office + "2 23"},
		{"Oficina", "deshacer", "El termostato oficina enfría otra vez a 24 grados.", office + "2 24"},
		{"Salón", "pon la lámpara de pie al 30 por ciento", "La lámpara de pie está al 30 por ciento.", "Lámpara de pie 38-0-currentValue 30"},
		{"Salón", "baja la lámpara de pie al 20 por ciento", "La lámpara de pie está al 20 por ciento.", "Lámpara de pie 38-0-currentValue 20"},
		{"Salón", "apaga la lámpara de pie", "He apagado la lámpara de pie.", "Lámpara de pie 38-0-currentValue 0"},
		{"Salón", "enciende la lámpara de pie", "He encendido la lámpara de pie.", "Lámpara de pie 38-0-currentValue 20"},
		{"Salón", "está encendida la lámpara de pie", "Sí, la lámpara de pie está encendida.", ""},
		{"Salón", "baja las persianas", "He cerrado las persianas.", ""},
		{"Salón", "están cerradas las persianas", "Sí, las persianas están cerradas.", ""},
		{"Salón", "sube las persianas a la mitad", "Las persianas están al 50 por ciento.", ""},
		{"Salón", "enciende el lavavajillas", "No conozco ningún aparato llamado lavavajillas.", ""},
		{"Baño", "qué temperatura hace", "El termómetro baño marca 20,5 grados.", ""},
		{"Pasillo", "hace más de 20 grados en el baño", "Sí, el termómetro baño marca 20,5 grados.", ""},
		{"Pasillo", "pon la calefacción a 20,5 grados", "El termostato pasillo está a 20,5 grados.", "Termostato pasillo 67-0-setpoint-1 20.5"},
		{"Pasillo", "a cuántos grados está la calefacción", "El termostato pasillo está a 20,5 grados.", ""},
		{"Pasillo", "baja la calefacción medio grado", "El termostato pasillo está a 20 grados.", "Termostato pasillo 67-0-setpoint-1 20"},
		{"Pasillo", "sube la calefacción dos grados", "El termostato pasillo está a 22 grados.", "Termostato pasillo 67-0-setpoint-1 22"},
		{"Pasillo", "pon un temporizador de una hora y media", "Una hora y treinta minutos.", ""},
		{"Pasillo", "pon un temporizador de tres cuartos de hora", "Cuarenta y cinco minutos.", ""},
		{"Pasillo", "pon un temporizador de veintiún minutos", "Veintiún minutos.", ""},
		{"Pasillo", "cancela todos los temporizadores", "He cancelado 3 temporizadores.", ""},
		{"Pasillo", "despiértame mañana a las seis y media", "Alarma mañana a las 6:30.", ""},
		{"Pasillo", "cancela la alarma", "Cancelado: la alarma de las 6:30.", ""},
		{"Pasillo", "recuérdame mañana a las ocho llamar a Mamá", "Mañana a las 8 en punto: llamar a Mamá.", ""},
		{"Salón", "apaga la lámpara de pie en media hora", "Apagaré la lámpara de pie en treinta minutos.", ""},
		{"Pasillo", "qué habitación es la más fría", "Donde más frío hace es en el dormitorio: 18 grados.", ""},
		{"Salón", "abre las persianas dos tercios", "Las persianas están al 67 por ciento.", ""},
		{"Dormitorio", "qué temperatura hace", "El termostato dormitorio marca 18 grados.", ""},
		{"Dormitorio", "enciende la calefacción", "El termostato dormitorio está en modo calor.", "Termostato dormitorio 64-0-mode 1"},
		{"Salón", "apaga todas las luces", "He apagado 2 luces.", ""},
		{"Oficina", "sube un poco la calefacción", "El termostato oficina calienta a 20 grados.", "Termostato oficina 67-0-setpoint-1 20"},
	}
}
