package reply_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
)

// manor is a house with things of every kind that questions are about, by what its
// family calls them in one language. The class of its contacts is what a server
// knows that understands English names only.
var manor = map[string]struct {
	rooms [4]string // kitchen, cellar, garden, bedroom
	names map[string]string
}{
	"en": {[4]string{"Kitchen", "Cellar", "Garden", "Bedroom"}, map[string]string{
		"front": "Front Door", "shed": "Shed Bolt", "celldoor": "Cellar Door", "garage": "Garage Door", "gate": "Garden Gate", "hatch": "Cellar Hatch",
		"side": "Side Door", "window": "Kitchen Window", "skylight": "Roof Window", "blind": "Kitchen Shutter", "screen": "Bedroom Roller", "lamp": "Kitchen Light",
		"spot": "Counter Spots", "cellamp": "Cellar Light", "plug": "Coffee Machine", "smoke": "Kitchen Smoke Alarm", "co": "Cellar Carbon Monoxide Alarm",
		"water": "Cellar Leak Sensor", "battery": "Front Door Battery", "stat": "Bedroom Thermostat", "climate": "Kitchen Sensor",
	}},
	"de": {[4]string{"Küche", "Keller", "Garten", "Schlafzimmer"}, map[string]string{
		"front": "Haustür", "shed": "Schuppenriegel", "celldoor": "Kellertür", "garage": "Garagentor", "gate": "Gartentor", "hatch": "Kellerluke",
		"side": "Nebentür", "window": "Küchenfenster", "skylight": "Dachfenster", "blind": "Küchenrollladen", "screen": "Schlafzimmerrollo", "lamp": "Küchenlicht",
		"spot": "Strahler", "cellamp": "Kellerlicht", "plug": "Kaffeemaschine", "smoke": "Rauchmelder Küche", "co": "Kohlenmonoxidmelder Keller",
		"water": "Wassermelder Keller", "battery": "Haustür Battery", "stat": "Schlafzimmerthermostat", "climate": "Küchensensor",
	}},
	"es": {[4]string{"Cocina", "Sótano", "Jardín", "Dormitorio"}, map[string]string{
		"front": "Puerta principal", "shed": "Cerrojo del cobertizo", "celldoor": "Puerta del sótano", "garage": "Puerta del garaje", "gate": "Portón del jardín",
		"hatch": "Trampilla del sótano", "side": "Puerta lateral", "window": "Ventana de la cocina", "skylight": "Claraboya", "blind": "Persiana de la cocina",
		"screen": "Estor del dormitorio", "lamp": "Luz de la cocina", "spot": "Focos", "cellamp": "Luz del sótano", "plug": "Tostadora", "smoke": "Detector de la cocina",
		"co": "Detector del sótano", "water": "Sonda del sótano", "battery": "Puerta principal Battery", "stat": "Termostato del dormitorio", "climate": "Sensor de la cocina",
	}},
	"fr": {[4]string{"Cuisine", "Cave", "Jardin", "Salon"}, map[string]string{
		"front": "Porte d'entrée", "shed": "Verrou du cabanon", "celldoor": "Porte de la cave", "garage": "Porte de garage", "gate": "Portail du jardin",
		"hatch": "Trappe de la cave", "side": "Porte latérale", "window": "Fenêtre de la cuisine", "skylight": "Velux", "blind": "Volet de la cuisine",
		"screen": "Store du bureau", "lamp": "Lumière de la cuisine", "spot": "Spots", "cellamp": "Lampe de la cave", "plug": "Cafetière", "smoke": "Détecteur de la cuisine",
		"co": "Détecteur de la cave", "water": "Sonde de la cave", "battery": "Porte d'entrée Battery", "stat": "Thermostat du salon", "climate": "Capteur de la cuisine",
	}},
}

// manorThings are the things of every manor: domain, class, room and what each
// reports when all is well.
var manorThings = []struct {
	id, domain, class string
	room              int
	report            string
}{
	{"front", "lock", "", 0, `{"state":"locked","values":{"battery":80}`},
	{"celldoor", "lock", "", 1, `{"state":"locked","values":{"battery":70}`},
	{"shed", "lock", "", 2, `{"state":"locked","values":{}`},
	{"garage", "cover", "garage", 2, `{"state":"closed","values":{}`},
	{"gate", "cover", "garage", 2, `{"state":"closed","values":{}`},
	{"hatch", "binary_sensor", "door", 1, `{"value":"closed"`},
	{"side", "binary_sensor", "door", 2, `{"value":"closed"`},
	{"window", "binary_sensor", "door", 0, `{"value":"closed"`},
	{"skylight", "binary_sensor", "window", 0, `{"value":"closed"`},
	{"blind", "cover", "blind", 0, `{"state":"closed","values":{"position":0}`},
	{"screen", "cover", "shade", 2, `{"state":"closed","values":{"position":0}`},
	{"lamp", "light", "", 0, `{"state":"off","values":{}`},
	{"spot", "light", "", 0, `{"state":"off","values":{}`},
	{"cellamp", "light", "", 1, `{"state":"off","values":{}`},
	{"plug", "switch", "", 0, `{"state":"off","values":{}`},
	{"smoke", "binary_sensor", "smoke", 0, `{"value":"clear"`},
	{"co", "binary_sensor", "carbon_monoxide", 1, `{"value":"clear"`},
	{"water", "binary_sensor", "moisture", 1, `{"value":"clear"`},
	{"battery", "sensor", "battery", 0, `{"value":80,"unit":"%"`},
	{"stat", "climate", "", 3, `{"state":"heat","values":{"temperature":18.5,"setpoint":19,"unit":"°C"}`},
	{"climate", "sensor", "temperature", 0, `{"sensor":"temperature","value":21.2,"unit":"°C"`},
}

// asker asks in one manor.
type asker struct {
	asking
	rooms [4]string
	names map[string]string
}

func manorIn(t *testing.T, language string) asker {
	t.Helper()
	m := manor[language]
	h := &home.House{}
	for _, room := range m.rooms {
		h.Areas = append(h.Areas, home.Area{Name: room})
	}
	for _, s := range manorThings {
		e := home.Entity{ID: s.id, Name: m.names[s.id], Domain: s.domain, Area: m.rooms[s.room], Server: "zwave", Read: &home.Control{Tool: "get_device_state", ID: s.id}}
		if s.class != "" {
			e.Attributes = map[string]any{"device_class": s.class}
		}
		switch s.domain {
		case "binary_sensor":
			ability := home.Ability(s.class)
			if s.class == "door" || s.class == "window" {
				ability = home.Contact
			}
			e.Abilities, e.Read.Tool = []home.Ability{ability, home.Battery}, "get_device_sensor_data"
		case "sensor":
			e.Abilities, e.Read.Tool = []home.Ability{home.Ability(s.class)}, "get_device_sensor_data"
		case "lock":
			e.Abilities = []home.Ability{home.Lock}
			if strings.Contains(s.report, "battery") {
				e.Abilities = append(e.Abilities, home.Battery)
			}
		}
		h.Entities = append(h.Entities, e)
	}
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
	return asker{asking{h, match, p}, m.rooms, m.names}
}

// what answers a question in a manor in which all is well but for what news tells:
// pairs of an id and a state, "away" or a whole report. "front battery" is the
// battery of the front door.
func (a asker) what(t *testing.T, text string, news map[string]string) string {
	t.Helper()
	d := a.match.Match(text, "")
	steps, err := plan.Calls(d, a.house, "")
	if err != nil || d.Route != intent.Local {
		t.Errorf("%q is not understood: %s %s %v", text, d.Route, d.Reason, err)
		return ""
	}
	var texts []string
	for i := range steps {
		s := &steps[i]
		if s.Risk != "read" {
			t.Errorf("%q would act: %s", text, s.Call.Args)
		}
		if s.Entity == nil {
			texts = append(texts, news["servers"])
			if news["servers"] == "" {
				texts[i] = `{"servers":[{"id":"zwave","status":"connected"}]}`
			}
			continue
		}
		texts = append(texts, reportOf(s.Entity.ID, strings.Contains(string(s.Call.Args), `"sensor":"battery"`), news))
	}
	return a.p.Told(steps, answers(len(steps), texts))
}

func reportOf(id string, battery bool, news map[string]string) string {
	usual := ""
	for _, s := range manorThings {
		if s.id == id {
			usual = s.report
		}
	}
	said := news[id]
	if battery && id != "battery" {
		usual, said = `{"sensor":"battery","value":90,"unit":"%"`, news[id+" battery"]
		if said == "" && news[id] == "away" {
			said = "away"
		}
	}
	switch {
	case strings.HasPrefix(said, "{"), strings.HasPrefix(said, "!"):
		return said
	case said == "away":
		return usual + `,"age_seconds":9,"reachable":false}`
	case said == "":
		return usual + `,"age_seconds":9,"reachable":true}`
	case strings.Trim(said, "0123456789") == "":
		return `{"value":` + said + `,"unit":"%","age_seconds":9,"reachable":true}`
	}
	return `{"state":"` + said + `","values":{},"age_seconds":9,"reachable":true}`
}

type news = map[string]string

// TestOneQuestionTheWholeTruth asks about kinds of things, rooms and the whole
// house, from a text to the spoken answer.
func TestOneQuestionTheWholeTruth(t *testing.T) {
	t.Parallel()
	gone := `{"state":"locked","values":{},"age_seconds":9,"reachable":false,"stale":true,"reason":"stick_gone"}`
	unknown := `{"state":null,"values":{},"age_seconds":9,"reachable":true,"stale":true}`
	tests := map[string][]struct {
		text string
		news news
		want string
	}{
		"en": {
			// Locks.
			{"are all the doors locked", nil, "Yes, all the doors are locked."},
			{"are all the doors locked", news{"front": "unlocked"}, "No, the front door is unlocked."},
			{"is everything locked", nil, "Yes, everything is locked."},
			{"is everything locked", news{"front": "unlocked"}, "No, the front door is unlocked."},
			{"is everything locked", news{"front": "unlocked", "shed": "jammed"}, "No, the front door is unlocked. The shed bolt is jammed."},
			{"is everything locked", news{"front": unknown}, "All others are locked, but I don't know about the front door."},
			{"is everything locked", news{"front": "away"}, "All others are locked, but I can't reach the front door."},
			{"is everything locked", news{"front": "away", "shed": "unlocked"}, "No, the shed bolt is unlocked. I can't reach the front door."},
			{"is everything locked", news{"front": "away", "shed": "away", "celldoor": "away"}, "I can't reach the front door, the cellar door and the shed bolt."},
			{"did i lock all the doors", news{"front": "unlocked"}, "No, the front door is unlocked."},
			{"are any doors unlocked", news{"front": "unlocked"}, "Yes, the front door is unlocked."},
			{"are any doors unlocked", nil, "No, all the doors are locked."},
			{"which doors are unlocked", nil, "None, all the doors are locked."},
			{"which doors are unlocked", news{"front": "unlocked", "shed": "unlocked"}, "The front door and the shed bolt are unlocked."},
			{"are the doors in the cellar locked", nil, "Yes, the cellar door is locked."},
			{"is the front door locked", news{"front": unknown}, "I don't know about the front door."},
			{"is the front door locked", news{"front": "jammed"}, "No, the front door is jammed."},
			{"is the front door locked", news{"front": `{"state":"locked","age_seconds":1860,"reachable":true,"stale":false}`}, "Yes, the front door is locked."},
			{
				"is everything locked",
				news{"front": gone, "celldoor": gone, "shed": gone},
				"I can't reach the front door, the cellar door and the shed bolt. Check the Z-Wave stick.",
			},
			{"is the front door locked", news{"front": gone}, "I can't reach the front door. Check the Z-Wave stick."},
			{"is the front door open", nil, "The front door is locked. I can't see whether it is open."},
			{"is the front door closed", news{"front": "unlocked"}, "The front door is unlocked. I can't see whether it is open."},
			{"is the front door open", news{"front": `{"state":"unlocked","values":{"contact":"closed"},"reachable":true}`}, "No, the front door is closed."},
			{"is the cellar door open", news{"hatch": "open"}, "The cellar door is locked. I can't see whether it is open."},
			// What is open.
			{"are all doors closed", nil, "Yes, all the doors are closed."},
			{"are all doors closed", news{"garage": "open"}, "No, the garage door is open."},
			{"are all doors closed", news{"garage": "opening"}, "No, the garage door is opening."},
			{"are all doors closed", news{"garage": "stopped", "hatch": "open"}, "No, the garage door is half open. The cellar hatch is open."},
			{"are all doors closed", news{"hatch": "away"}, "All others are closed, but I can't reach the cellar hatch."},
			{"are all doors closed", news{"window": "open"}, "Yes, all the doors are closed."},
			{"which doors are open", nil, "None, all the doors are closed."},
			{"which doors are open", news{"garage": "open", "gate": "open"}, "The garage door and the garden gate are open."},
			{"are any windows open", news{"window": "open"}, "Yes, the kitchen window is open."},
			{"is a window open", nil, "No, all the windows are closed."},
			{"how many windows are open", news{"window": "open", "skylight": "open"}, "2 windows are open: the kitchen window and the roof window."},
			{"how many windows are open", news{"window": "open"}, "One: the kitchen window."},
			{"how many windows are open", nil, "None, all the windows are closed."},
			{"how many doors are open", news{"garage": "stopped", "gate": "open"}, "2 doors are open: the garage door and the garden gate."},
			{"is the garage door open", news{"garage": "stopped"}, "Yes, the garage door is half open."},
			{"is the shed bolt closed", nil, "Yes, the shed bolt is locked."},
			{"is the kitchen light on", news{"lamp": `{"state":"on","values":{},"age_seconds":90,"reachable":true,"reason":"not_polled"}`}, "The kitchen light cannot be reached; it last reported on."},
			{"are all the lights off", news{"lamp": `{"state":"off","values":{},"age_seconds":90,"reachable":true,"reason":"dead"}`}, "All others are off, but I can't reach the kitchen light."},
			{"did i leave a window open", news{"skylight": "open"}, "Yes, the roof window is open."},
			{"are all the windows and doors closed", news{"window": "open", "gate": "open"}, "No, the garden gate and the kitchen window are open."},
			{"is everything closed", nil, "Yes, everything is closed."},
			{"is the house locked up", nil, "Yes, everything is locked up."},
			{"is the house locked up", news{"front": "unlocked", "window": "open"}, "No, the front door is unlocked. The kitchen window is open."},
			{"is anything open", news{"hatch": "open"}, "Yes, the cellar hatch is open."},
			{"what is open", nil, "Everything is closed."},
			{"is the garage closed", news{"garage": "closing"}, "No, the garage door is closing."},
			{"is the garage open", news{"garage": "closing"}, "The garage door is closing."},
			{"is the gate open", news{"gate": "open"}, "Yes, the garden gate is open."},
			{"is the hatch closed", nil, "Yes, the cellar hatch is closed."},
			{"are the blinds closed", news{"blind": "open"}, "No, the kitchen shutter is open."},
			{"are all the blinds down", nil, "Yes, all the blinds are closed."},
			// What is on.
			{"are all the lights off", news{"lamp": "on"}, "No, the kitchen light is on."},
			{"are all the lights off", nil, "Yes, all the lights are off."},
			{"are all the lights off", news{"cellamp": "away"}, "All others are off, but I can't reach the cellar light."},
			{"are all the lights off", news{"lamp": "on", "cellamp": "away"}, "No, the kitchen light is on. I can't reach the cellar light."},
			{"are the lights off in the kitchen", news{"cellamp": "on"}, "Yes, all the lights there are off."},
			{"are the kitchen lights off", news{"cellamp": "on"}, "Yes, all the lights there are off."},
			{"are the windows in the kitchen closed", nil, "Yes, all the windows there are closed."},
			{"are the doors in the garden closed", news{"hatch": "open"}, "Yes, all the doors there are closed."},
			{"is any light on in the kitchen", news{"cellamp": "on"}, "No, all the lights there are off."},
			{"is everything closed in the kitchen", news{"hatch": "open"}, "Yes, everything there is closed."},
			{"are all the windows closed", nil, "Yes, all the windows are closed."},
			// A question with a not asks the same, and articles are misheard.
			{"isn't any window open", news{"window": "open"}, "Yes, the kitchen window is open."},
			{"aren't all the windows closed", news{"window": "open"}, "No, the kitchen window is open."},
			{"aren't any lights on", nil, "No, all the lights are off."},
			{"are the all windows closed", nil, "Yes, all the windows are closed."},
			{"did i leave a light on", news{"spot": "on"}, "Yes, the counter spots are on."},
			{"did i leave anything on", news{"plug": "on"}, "Yes, the coffee machine is on."},
			{"is everything off", news{"lamp": "on", "spot": "on", "cellamp": "on", "plug": "on"}, "No, the kitchen light, the counter spots, the cellar light and 1 more are on."},
			{"are no lights on", nil, "Yes, all the lights are off."},
			// Alarms, batteries, devices.
			{"are the smoke alarms ok", nil, "Yes, the kitchen smoke alarm is all right."},
			{"is the kitchen smoke alarm ok", news{"smoke": "detected"}, "The kitchen smoke alarm reports smoke."},
			{"is the kitchen smoke alarm ok", news{"smoke battery": "8"}, "No, the battery of the kitchen smoke alarm, at 8 percent, is low."},
			{"is the kitchen smoke alarm ok", news{"smoke": "away"}, "I can't reach the kitchen smoke alarm."},
			{"are any alarms going off", news{"co": "detected"}, "Yes, the cellar carbon monoxide alarm reports carbon monoxide."},
			{"are any alarms going off", nil, "No, all the alarms are quiet."},
			{"are all alarms quiet", news{"co": "detected", "smoke": "away"}, "The cellar carbon monoxide alarm reports carbon monoxide. I can't reach the kitchen smoke alarm."},
			{"which batteries are low", nil, "None, all the batteries are fine."},
			{"which batteries are low", news{"battery": "12", "water battery": "20"}, "The batteries of the cellar leak sensor, at 20 percent, and the front door, at 12 percent, are low."},
			{"which batteries are low", news{"battery": "12", "water battery": "20", "smoke battery": "8"}, "The batteries of the kitchen smoke alarm, at 8 percent, the cellar leak sensor, at 20 percent, and the front door, at 12 percent, are low."},
			{"are any batteries low", news{"battery": "12"}, "Yes, the battery of the front door, at 12 percent, is low."},
			{"are all the batteries ok", news{"battery": "12"}, "No, the battery of the front door, at 12 percent, is low."},
			{"which devices can't you reach", news{"cellamp": "away", "shed": "away"}, "I can't reach the shed bolt and the cellar light."},
			{"which devices can't you reach", news{"front": "away", "battery": "away"}, "I can't reach the front door."},
			{"which devices are dead", nil, "None, all the devices are reachable."},
			{"how many devices are unreachable", news{"front": "away", "battery": "away"}, "One: the front door."},
			{"how many devices are unreachable", news{"cellamp": "away", "shed": "away"}, "2 devices are not reachable: the shed bolt and the cellar light."},
			{"how many devices are unreachable", nil, "None, all the devices are reachable."},
			{"are all devices working", news{"cellamp": "away"}, "No, I can't reach the cellar light."},
			{"are all devices working", news{"battery": "12"}, "Yes, all the devices are reachable."},
			{"are all of the devices responding", news{"cellamp": "away"}, "No, I can't reach the cellar light."},
			{"are all the batteries ok", news{"battery": "away"}, "All others are fine, but I can't reach the front door."},
			{"which leak sensors are wet", nil, "None, the cellar leak sensor is quiet."},
			{"are all devices reachable", news{"cellamp": "away"}, "No, I can't reach the cellar light."},
			// The whole house.
			{"is everything all right", nil, "Everything is all right."},
			{"is everything ok", news{"front": "unlocked"}, "The front door is unlocked."},
			{
				"is everything all right",
				news{
					"water": "detected", "smoke": "detected", "front": "unlocked", "garage": "open", "window": "open", "cellamp": "away", "battery": "5",
					"servers": `{"servers":[{"id":"zwave","status":"connected"},{"id":"notes","status":"failed"}]}`,
				},
				"The kitchen smoke alarm reports smoke. The cellar leak sensor reports water. The front door is unlocked. The garage door is open. The kitchen window is open. " +
					"I can't reach the cellar light. The battery of the front door, at 5 percent, is low. Not connected: notes.",
			},
			{"what's wrong", nil, "Everything is all right."},
			{
				"what's wrong",
				news{"cellamp": "away", "battery": "5", "servers": `{"servers":[{"id":"zwave","status":"connected"},{"id":"notes","status":"retrying"}]}`},
				"I can't reach the cellar light. Check that it has power. The battery of the front door, at 5 percent, is low. Change it soon. " +
					"Not connected: notes. I keep trying; the command servers says why.",
			},
			{"is everything all right", news{"front": unknown}, "I don't know about the front door."},
			{"is everything all right", news{"hatch": `{"value":"closed","age_seconds":432000,"reachable":true,"stale":true}`}, "Everything is all right. The cellar hatch last reported 5 days ago."},
			// Ages.
			{"are all doors closed", news{"hatch": `{"value":"closed","age_seconds":259200,"reachable":true}`}, "Yes, all the doors are closed. The cellar hatch last reported 3 days ago."},
			{"are all doors closed", news{"hatch": `{"value":"closed","age_seconds":7200,"reachable":true,"stale":true}`}, "Yes, all the doors are closed."},
		},
		"de": {
			{"sind alle türen abgeschlossen", news{"front": "unlocked"}, "Nein, Haustür ist nicht abgeschlossen."},
			{"ist alles abgeschlossen", nil, "Ja, alles ist abgeschlossen."},
			{"ist alles abgeschlossen", news{"front": unknown}, "Alle anderen sind abgeschlossen, aber über Haustür weiß ich nichts."},
			{"ist die haustür offen", nil, "Haustür ist abgeschlossen. Ob offen oder zu, sehe ich nicht."},
			{"sind alle türen zu", news{"garage": "open"}, "Nein, Garagentor ist offen."},
			{"sind alle türen zu", nil, "Ja, alle Türen sind zu."},
			{"welche türen sind offen", nil, "Keine, alle Türen sind zu."},
			{"welche türen sind offen", news{"hatch": "open", "gate": "open"}, "Gartentor und Kellerluke sind offen."},
			{"sind noch fenster offen", news{"window": "open"}, "Ja, Küchenfenster ist offen."},
			{"ist ein fenster offen", nil, "Nein, alle Fenster sind zu."},
			{"sind alle fenster und türen zu", news{"skylight": "open"}, "Nein, Dachfenster ist offen."},
			{"ist das tor offen", news{"gate": "open"}, "Ja, Gartentor ist offen."},
			{"ist die luke zu", nil, "Ja, Kellerluke ist zu."},
			{"ist die garage zu", news{"garage": "closing"}, "Nein, Garagentor ist gerade am Schließen."},
			{"sind alle lichter aus", news{"lamp": "on"}, "Nein, Küchenlicht ist an."},
			{"sind alle lichter aus", news{"cellamp": "away"}, "Alle anderen sind aus, aber Kellerlicht erreiche ich nicht."},
			{"sind im keller alle lichter aus", news{"lamp": "on"}, "Ja, Kellerlicht ist aus."},
			{"ist noch irgendwo licht an", news{"lamp": "on"}, "Ja, Küchenlicht ist an."},
			{"habe ich etwas angelassen", news{"plug": "on"}, "Ja, Kaffeemaschine ist an."},
			{"sind die rollläden zu", nil, "Ja, alle Rollläden sind zu."},
			{"ist rauchmelder küche in ordnung", nil, "Ja, Rauchmelder Küche ist in Ordnung."},
			{"sind die rauchmelder in ordnung", news{"smoke": "detected"}, "Rauchmelder Küche meldet Rauch."},
			{"welche batterien sind leer", news{"battery": "12"}, "Die Batterie von Haustür (12 Prozent) ist schwach."},
			{"welche batterien sind leer", nil, "Keine, alle Batterien sind in Ordnung."},
			{"welche geräte erreichst du nicht", news{"cellamp": "away"}, "Kellerlicht erreiche ich nicht."},
			{"ist alles in ordnung", nil, "Alles ist in Ordnung."},
			{"ist alles in ordnung", news{"water": "detected", "front": "unlocked"}, "Wassermelder Keller meldet Wasser. Haustür ist nicht abgeschlossen."},
		},
		"es": {
			{"están todas las puertas cerradas con llave", news{"front": "unlocked"}, "No, Puerta principal está sin llave."},
			{"está todo cerrado con llave", nil, "Sí, todo está cerrado con llave."},
			{"está abierta la puerta principal", nil, "Puerta principal está cerrada con llave. No veo si está abierta o cerrada."},
			{"están cerradas las ventanas", news{"window": "open"}, "No, Ventana de la cocina está abierta."},
			{"están abiertas todas las ventanas", news{"window": "open"}, "No, Claraboya está cerrada."},
			{"están todas las puertas cerradas", news{"garage": "open"}, "No, Puerta del garaje está abierta."},
			{"están todas las puertas cerradas", nil, "Sí, todas las puertas están cerradas."},
			{"qué puertas están abiertas", nil, "Ninguna, todas las puertas están cerradas."},
			{"qué puertas están abiertas", news{"gate": "open"}, "Portón del jardín está abierto."},
			{"qué puertas están abiertas", news{"gate": "open", "hatch": "open"}, "Portón del jardín y Trampilla del sótano están abiertos."},
			{"hay alguna ventana abierta", news{"window": "open"}, "Sí, Ventana de la cocina está abierta."},
			{"hay alguna ventana abierta", nil, "No, todas las ventanas están cerradas."},
			{"está el portón cerrado", nil, "Sí, Portón del jardín está cerrado."},
			{"está la trampilla abierta", news{"hatch": "open"}, "Sí, Trampilla del sótano está abierta."},
			{"están todas las luces apagadas", news{"lamp": "on"}, "No, Luz de la cocina está encendida."},
			{"están todas las luces apagadas", news{"cellamp": "away"}, "Todas las demás están apagadas, pero no puedo contactar con Luz del sótano."},
			{"he dejado algo encendido", news{"plug": "on"}, "Sí, Tostadora está encendida."},
			{"están las persianas bajadas", nil, "Sí, todas las persianas están cerradas."},
			{"está el detector de la cocina bien", nil, "Sí, Detector de la cocina está bien."},
			{"qué pilas están bajas", news{"battery": "12"}, "La pila de Puerta principal (12 por ciento) está baja."},
			{"qué dispositivos no responden", news{"cellamp": "away"}, "No puedo contactar con Luz del sótano."},
			{"está todo bien", nil, "Todo está bien."},
			{"está todo bien", news{"front": "unlocked", "window": "open"}, "Puerta principal está sin llave. Ventana de la cocina está abierta."},
		},
		"fr": {
			{"est-ce que toutes les portes sont verrouillées", news{"front": "unlocked"}, "Non, Porte d'entrée est déverrouillée."},
			{"est-ce que tout est verrouillé", nil, "Oui, tout est verrouillé."},
			{"la porte d'entrée est-elle ouverte", nil, "Porte d'entrée est verrouillée. Je ne vois pas si c'est ouvert ou fermé."},
			{"quelles portes ne sont pas verrouillées", news{"front": "unlocked"}, "Porte d'entrée est déverrouillée."},
			{"toutes les portes sont-elles fermées", news{"garage": "open"}, "Non, Porte de garage est ouverte."},
			{"est-ce que toutes les portes sont fermées", nil, "Oui, toutes les portes sont fermées."},
			{"quelles portes sont ouvertes", nil, "Aucune, toutes les portes sont fermées."},
			{"quelles portes sont ouvertes", news{"gate": "open", "hatch": "open"}, "Portail du jardin et Trappe de la cave sont ouverts."},
			{"y a-t-il une fenêtre ouverte", news{"window": "open"}, "Oui, Fenêtre de la cuisine est ouverte."},
			{"y a-t-il des fenêtres ouvertes", nil, "Non, toutes les fenêtres sont fermées."},
			{"est-ce que le portail est fermé", nil, "Oui, Portail du jardin est fermé."},
			{"la trappe est-elle ouverte", news{"hatch": "open"}, "Oui, Trappe de la cave est ouverte."},
			{"est-ce que toutes les lumières sont éteintes", news{"lamp": "on"}, "Non, Lumière de la cuisine est allumée."},
			{"toutes les lumières sont-elles éteintes", news{"cellamp": "away"}, "Toutes les autres sont éteintes, mais je n'arrive pas à joindre Lampe de la cave."},
			{"ai-je laissé quelque chose allumé", news{"plug": "on"}, "Oui, Cafetière est allumée."},
			{"est-ce que les volets sont fermés", nil, "Oui, tous les volets sont fermés."},
			{"est-ce que le détecteur de la cuisine est en ordre", nil, "Oui, Détecteur de la cuisine est en ordre."},
			{"quelles piles sont faibles", news{"battery": "12"}, "Pile faible : Porte d'entrée (12 pour cent)."},
			{"quels appareils ne répondent pas", news{"cellamp": "away"}, "Je n'arrive pas à joindre Lampe de la cave."},
			{"est-ce que tout va bien", nil, "Tout va bien."},
			{"tout va bien ?", news{"front": "unlocked", "window": "open"}, "Porte d'entrée est déverrouillée. Fenêtre de la cuisine est ouverte."},
		},
	}
	for language, cases := range tests {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			a := manorIn(t, language)
			for _, c := range cases {
				if got := a.what(t, c.text, c.news); got != c.want {
					t.Errorf("%q with %v:\ngot  %q\nwant %q", c.text, c.news, got, c.want)
				}
			}
		})
	}
}
