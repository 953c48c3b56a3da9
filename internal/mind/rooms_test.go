package mind_test

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
)

// furnished makes a house of lines such as "Bedroom Lamp | light | Bedroom"; a class
// may stand behind the domain: "Roof Window | cover.window | Bedroom".
func furnished(t *testing.T, lines string) *home.House {
	t.Helper()
	abilities := map[string][]home.Ability{
		"light": {home.OnOff, home.Brightness}, "switch": {home.OnOff}, "fan": {home.OnOff}, "lock": {home.Lock},
		"cover": {home.OpenClose, home.Position, home.Stop}, "climate": {home.Setpoint, home.Mode}, "binary_sensor": {home.Contact},
	}
	h := &home.House{}
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		parts := strings.Split(line, "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		name, area := parts[0], parts[2]
		domain, class, _ := strings.Cut(parts[1], ".")
		e := home.Entity{
			ID: domain + "." + name + "@" + area, Name: name, Domain: domain, Area: area, Abilities: abilities[domain], Server: "zwave",
			Read: &home.Control{Tool: "get_device_state", ID: name + "@" + area},
		}
		if class != "" {
			e.Attributes = map[string]any{"device_class": class}
		}
		if domain != "binary_sensor" {
			e.Control = &home.Control{Tool: "control_zwave_device", ID: name + "@" + area}
		}
		e.Namesakes = slices.ContainsFunc(h.Entities, func(o home.Entity) bool { return o.Name == name })
		for i := range h.Entities {
			h.Entities[i].Namesakes = h.Entities[i].Namesakes || h.Entities[i].Name == name
		}
		h.Entities = append(h.Entities, e)
		if area != "" && h.Area(area) == nil {
			h.Areas = append(h.Areas, home.Area{Name: area})
		}
	}
	return h
}

// uttered is a sentence in a room, with the calls it makes and the reply.
type uttered struct{ area, text, calls, reply string }

// speakIn says every sentence in a house that is in its first state.
func speakIn(t *testing.T, language, lines string, sentences []uttered) {
	t.Helper()
	house := furnished(t, lines)
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, house)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sentences {
		k := converseIn(t, house, matcher, language, func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			return func(func(dialogue.Part, error) bool) {}
		})
		k.line("[" + s.area + "]")
		k.line(s.text)
		if calls := strings.Join(k.world.Calls, ", "); calls != s.calls || k.said[0] != s.reply {
			t.Errorf("%s, %s: %q\n got %q %q\nwant %q %q", language, s.area, s.text, calls, k.said[0], s.calls, s.reply)
		}
	}
}

const english = `
Lamp | light | Living Room
Floor Lamp | light | Living Room
Kettle | switch | Kitchen
Kitchen Lamp | light | Kitchen
Kitchen Window | binary_sensor.window | Kitchen
Bedroom Lamp | light | Bedroom
Roof Window | cover.window | Bedroom
Thermostat | climate | Hall
Fan | fan | Living Room
Office Light | light | Office
Left Lamp | light | Studio
Right Lamp | light | Studio
Door | lock | Garden
Hall Door | lock | Hall
Power Strip 1 | switch | Living Room
Power Strip 2 | switch | Living Room
Power Strip 3 | switch | Living Room
2nd Floor Hall Light | light | Hall
Sonoff 1 | switch | Office
Sonoff 2 | switch | Office
`

const german = `
Lampe | light | Wohnzimmer
Küchenlicht | light | Küche
Stehlampe | light | Wohnzimmer
Schlafzimmerlampe | light | Schlafzimmer
Küchenfenster | binary_sensor.window | Küche
Dachfenster | cover.window | Schlafzimmer
Spot links | light | Wohnzimmer
Spot rechts | light | Wohnzimmer
Thermostat | climate | Flur
Ventilator | fan | Wohnzimmer
Steckdosenleiste 1 | switch | Büro
Steckdosenleiste 2 | switch | Büro
Licht 2. Stock | light | Flur
Sonoff 1 | switch | Büro
Sonoff 2 | switch | Büro
Kaffee Maschine | switch | Küche
Rollo | cover.blind | Wohnzimmer
Fernseher | switch | Wohnzimmer
`

const spanish = `
Lámpara | light | Salón
Lámpara del Dormitorio | light | Dormitorio
Ventana Cocina | binary_sensor.window | Cocina
Ventana de techo | cover.window | Dormitorio
Foco izquierdo | light | Salón
Foco derecho | light | Salón
Termostato | climate | Pasillo
Ventilador | fan | Salón
Regleta 1 | switch | Oficina
Regleta 2 | switch | Oficina
Luz segundo piso | light | Pasillo
Sonoff 1 | switch | Oficina
Sonoff 2 | switch | Oficina
`

const french = `
Lampe | light | Salon
Lampe de chambre | light | Chambre
Fenêtre Cuisine | binary_sensor.window | Cuisine
Fenêtre de toit | cover.window | Chambre
Spot gauche | light | Salon
Spot droit | light | Salon
Thermostat | climate | Couloir
Ventilateur | fan | Salon
Multiprise 1 | switch | Bureau
Multiprise 2 | switch | Bureau
Lumière 2e étage | light | Couloir
Sonoff 1 | switch | Bureau
Sonoff 2 | switch | Bureau
`

// builtIn is much of the house that the simulator has built in.
const builtIn = `
Kitchen Light | light | Kitchen
Coffee Machine | switch | Kitchen
Kitchen Sensor Temperature | sensor.temperature | Kitchen
Living Room Light | light | Living Room
Reading Lamp | light | Living Room
Living Room Blinds | cover.blind | Living Room
Thermostat | climate | Living Room
Bedroom Lamp | light | Bedroom
Bedroom Curtains | cover.curtain | Bedroom
Bedroom Thermostat | climate | Bedroom
Hallway Light | light | Hallway
Front Door | lock | Hallway
Hallway Motion | binary_sensor.motion | Hallway
Garage Door | cover.garage | Garage
Garage Window | binary_sensor.window | Garage
Office Light | light | Office
Ceiling Fan | fan | Office
Workbench Strip 1 | switch | Workshop
Workbench Strip 2 | switch | Workshop
Workbench Strip 3 | switch | Workshop
Workbench Strip 4 | switch | Workshop
Mood Light | light | Guest Room
Guest Thermostat | climate | Guest Room
Guest Blinds | cover.blind | Guest Room
Cellar Door | lock | Cellar
Cellar Hatch | binary_sensor.opening | Cellar
Pond Pump | switch | Garden
Doorbell | siren | Porch
Attic Smoke Alarm | binary_sensor.smoke | Attic
Attic Light | light | Attic
`

// TestThisRoomFirst: the only thing of its kind in the speaker's room comes before an
// exact name in another room. A thing in another room is taken only if this room has
// none, and the reply names its room.
func TestThisRoomFirst(t *testing.T) {
	t.Parallel()
	speakIn(t, "en", english, []uttered{
		{"Bedroom", "turn on the lamp", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Bedroom", "turn my lamp on", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Bedroom", "turn on this lamp", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Bedroom", "turn on the lamp in here", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Bedroom", "turn on the lamps", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Bedroom", "dim the lamp to 30 percent", "Bedroom Lamp@Bedroom level 30", "The bedroom lamp is at 30 percent."},
		{"Bedroom", "is the lamp on", "", "No, the bedroom lamp is off."},
		{"Bedroom", "turn on the kitchen lamp", "Kitchen Lamp@Kitchen on", "The kitchen lamp is on."},
		{"Bedroom", "turn on the lamp in the kitchen", "Kitchen Lamp@Kitchen on", "The kitchen lamp is on."},
		{"Bedroom", "turn on the living room lamp", "Lamp@Living Room on", "The lamp is on."},
		{"Living Room", "turn on the lamp", "Lamp@Living Room on", "The lamp is on."},
		{"Studio", "turn on the lamp", "", "Do you mean the left lamp or the right lamp?"},
		{"Studio", "turn on the lamps", "Left Lamp@Studio on, Right Lamp@Studio on", "2 lights are on."},
		{"Office", "turn on the lamp", "Office Light@Office on", "The office light is on."},
		{"Living Room", "turn on the lamps", "Floor Lamp@Living Room on, Lamp@Living Room on", "2 lights are on."},
		{"Bedroom", "turn on the lamps in the living room", "Floor Lamp@Living Room on, Lamp@Living Room on", "2 lights are on."},
		{"Bedroom", "turn on the lamp in my room", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Garden", "turn on the lamp", "Lamp@Living Room on", "The living room lamp is on."},
		{"Garden", "is the lamp on", "", "No, the living room lamp is off."},
		{"", "turn on the lamp", "Lamp@Living Room on", "The lamp is on."},
		{"Bedroom", "turn on the kettle", "Kettle@Kitchen on", "The kitchen kettle is on."},
		{"Bedroom", "turn on the fan", "Fan@Living Room on", "The living room fan is on."},
		{"Bedroom", "set the thermostat to 20 degrees", "Thermostat@Hall setpoint 20", "The hall thermostat is set to 20 degrees."},
		{"Hall", "lock the door", "Hall Door@Hall lock", "The hall door is locked."},
		{"Hall", "unlock the door", "", "Do you mean the hall door or the door?"},
		{"Bedroom", "lock the door", "Door@Garden lock", "The garden door is locked."},
		{"Living Room", "turn on the power strip", "Power Strip 1@Living Room on, Power Strip 2@Living Room on, Power Strip 3@Living Room on", "3 switches are on."},
		{"Bedroom", "turn off power strip two", "Power Strip 2@Living Room off", "The power strip 2 is off."},
		{"Office", "turn on the sonoff", "", "Do you mean the sonoff 1 or the sonoff 2?"},
	})
	speakIn(t, "en", builtIn, []uttered{
		{"Bedroom", "turn on the lamp", "Bedroom Lamp@Bedroom on", "The bedroom lamp is on."},
		{"Living Room", "turn on the lamp", "Reading Lamp@Living Room on", "The reading lamp is on."},
		{"Kitchen", "turn on the lamp", "Kitchen Light@Kitchen on", "The kitchen light is on."},
		{"Bedroom", "set the thermostat to 21 degrees", "Bedroom Thermostat@Bedroom setpoint 21", "The bedroom thermostat is set to 21 degrees."},
		{"Kitchen", "set the thermostat to 21 degrees", "Thermostat@Living Room setpoint 21", "The living room thermostat is set to 21 degrees."},
		{"Kitchen", "set the living room thermostat to 21 degrees", "Thermostat@Living Room setpoint 21", "The thermostat is set to 21 degrees."},
		{"Kitchen", "turn on the fan", "Ceiling Fan@Office on", "The office ceiling fan is on."},
		{"Cellar", "lock the door", "Cellar Door@Cellar lock", "The cellar door is locked."},
		{"Kitchen", "lock the door", "", "Do you mean the front door or the cellar door?"},
		{"Workshop", "turn on the power strip", "Workbench Strip 1@Workshop on, Workbench Strip 2@Workshop on, Workbench Strip 3@Workshop on, Workbench Strip 4@Workshop on", "4 switches are on."},
		{"Workshop", "turn on workbench strip number two", "Workbench Strip 2@Workshop on", "The workbench strip 2 is on."},
		{"Kitchen", "turn on the plug", "", "I can't find a plug."},
	})
	speakIn(t, "en", "Light | light | Hall\nLight | light | Bath\nPorch Light | light | Porch\nPorch Spot | light | Porch", []uttered{
		{"Hall", "turn on the light", "Light@Hall on", "The hall light is on."},
		{"Porch", "turn on the light", "Porch Light@Porch on, Porch Spot@Porch on", "2 lights are on."},
		{"Attic", "turn on the light", "", "Do you mean the hall light or the bath light?"},
		{"", "turn on the light", "", "Do you mean the hall light or the bath light?"},
		{"Attic", "turn on the lamps", "", "Do you mean the hall light or the bath light?"},
	})
	speakIn(t, "de", german, []uttered{
		{"Schlafzimmer", "mach die Lampe an", "Schlafzimmerlampe@Schlafzimmer on", "Die Schlafzimmerlampe ist an."},
		{"Schlafzimmer", "schalte meine Lampe ein", "Schlafzimmerlampe@Schlafzimmer on", "Die Schlafzimmerlampe ist an."},
		{"Schlafzimmer", "schalte diese Lampe ein", "Schlafzimmerlampe@Schlafzimmer on", "Die Schlafzimmerlampe ist an."},
		{"Schlafzimmer", "mach die Lampe in diesem Zimmer an", "Schlafzimmerlampe@Schlafzimmer on", "Die Schlafzimmerlampe ist an."},
		{"Schlafzimmer", "ist die Lampe an", "", "Nein, die Schlafzimmerlampe ist aus."},
		{"Büro", "mach die Lampe an", "Lampe@Wohnzimmer on", "Die Lampe im Wohnzimmer ist an."},
		{"Büro", "mach die Stehlampe an", "Stehlampe@Wohnzimmer on", "Die Stehlampe ist an."},
		{"Büro", "mach den Fernseher an", "Fernseher@Wohnzimmer on", "Der Fernseher im Wohnzimmer ist an."},
		{"Büro", "stelle das Thermostat auf 20 Grad", "Thermostat@Flur setpoint 20", "Das Thermostat im Flur steht auf 20 Grad."},
		{"Schlafzimmer", "mach das Rollo zu", "Rollo@Wohnzimmer close", "Das Rollo im Wohnzimmer ist geschlossen."},
		{"Schlafzimmer", "schalte die Spots im Wohnzimmer ein", "Spot links@Wohnzimmer on, Spot rechts@Wohnzimmer on", "2 Lichter sind an."},
		{"Wohnzimmer", "schalte die Spots ein", "Spot links@Wohnzimmer on, Spot rechts@Wohnzimmer on", "2 Lichter sind an."},
		{"Wohnzimmer", "mach den Spot an", "", "Meinst du den Spot links oder den Spot rechts?"},
		{"Küche", "schalte die Steckdosenleiste aus", "Steckdosenleiste 1@Büro off, Steckdosenleiste 2@Büro off", "2 Schalter sind aus."},
	})
	speakIn(t, "es", spanish, []uttered{
		{"Dormitorio", "enciende la lámpara", "Lámpara del Dormitorio@Dormitorio on", "He encendido la lámpara del dormitorio."},
		{"Dormitorio", "enciende esta lámpara", "Lámpara del Dormitorio@Dormitorio on", "He encendido la lámpara del dormitorio."},
		{"Dormitorio", "enciende la lámpara de aquí", "Lámpara del Dormitorio@Dormitorio on", "He encendido la lámpara del dormitorio."},
		{"Oficina", "enciende la lámpara", "Lámpara@Salón on", "He encendido la lámpara del salón."},
		{"Dormitorio", "enciende los focos del salón", "Foco derecho@Salón on, Foco izquierdo@Salón on", "He encendido 2 luces."},
		{"Oficina", "apaga la regleta", "Regleta 1@Oficina off, Regleta 2@Oficina off", "He apagado 2 interruptores."},
	})
	speakIn(t, "fr", french, []uttered{
		{"Chambre", "allume la lampe", "Lampe de chambre@Chambre on", "La lampe de chambre est allumée."},
		{"Chambre", "allume cette lampe", "Lampe de chambre@Chambre on", "La lampe de chambre est allumée."},
		{"Chambre", "allume la lampe dans cette pièce", "Lampe de chambre@Chambre on", "La lampe de chambre est allumée."},
		{"Bureau", "allume la lampe", "Lampe@Salon on", "La lampe du salon est allumée."},
		{"Chambre", "allume les spots du salon", "Spot droit@Salon on, Spot gauche@Salon on", "2 lumières sont allumées."},
		{"Bureau", "éteins la multiprise", "Multiprise 1@Bureau off, Multiprise 2@Bureau off", "2 prises sont éteintes."},
	})
}

// TestTheWindowOfThisRoom: a window with a motor is a window, the window of the speaker's
// room is meant, and a window that only has a sensor is known, though it cannot be moved.
func TestTheWindowOfThisRoom(t *testing.T) {
	t.Parallel()
	speakIn(t, "en", english, []uttered{
		{"Bedroom", "is the window open", "", "Yes, the roof window is open."},
		{"Bedroom", "is my window open", "", "Yes, the roof window is open."},
		{"Bedroom", "is the window closed", "", "No, the roof window is open."},
		{"Bedroom", "is the window in here open", "", "Yes, the roof window is open."},
		{"Kitchen", "is the window open", "", "No, the kitchen window is closed."},
		{"Hall", "is the window open", "", "Yes, the bedroom roof window is open."},
		{"Kitchen", "are the windows open", "", "Yes, the roof window is open."},
		{"Bedroom", "is the kitchen window open", "", "No, the kitchen window is closed."},
		{"Bedroom", "open the window", "Roof Window@Bedroom open", "The roof window is open."},
		{"Kitchen", "open the window", "", "I can't open the kitchen window, it only reports."},
		{"Kitchen", "close the kitchen window", "", "I can't close the kitchen window, it only reports."},
		{"Bedroom", "close the kitchen window", "", "I can't close the kitchen window, it only reports."},
		{"Bedroom", "lock the kitchen window", "", "I can't lock the kitchen window, it only reports."},
		{"Bedroom", "turn on the kitchen window", "", "I can't turn on the kitchen window, it only reports."},
	})
	speakIn(t, "en", builtIn, []uttered{
		{"Bedroom", "close the window", "", "I can't close the garage window, it only reports."},
		{"Kitchen", "set the garage window to 50 percent", "", "I can't control the garage window, it only reports."},
		{"Cellar", "open the hatch", "", "I can't open the cellar hatch, it only reports."},
		{"Attic", "turn off the smoke alarm", "", "I can't turn off the attic smoke alarm, it only reports."},
	})
	speakIn(t, "de", german, []uttered{
		{"Schlafzimmer", "ist das Fenster offen", "", "Ja, das Dachfenster ist offen."},
		{"Küche", "ist das Fenster offen", "", "Nein, das Küchenfenster ist zu."},
		{"Büro", "ist das Fenster offen", "", "Ja, das Dachfenster im Schlafzimmer ist offen."},
		{"Küche", "sind die Fenster zu", "", "Nein, das Dachfenster ist offen."},
		{"Schlafzimmer", "mach das Küchenfenster zu", "", "Das Küchenfenster kann ich nicht schließen, ich bekomme nur Meldungen."},
		{"Schlafzimmer", "schließe das Fenster in der Küche", "", "Das Küchenfenster kann ich nicht schließen, ich bekomme nur Meldungen."},
		{"Küche", "mach das Fenster zu", "", "Das Küchenfenster kann ich nicht schließen, ich bekomme nur Meldungen."},
		{"Schlafzimmer", "mach das Fenster auf", "Dachfenster@Schlafzimmer open", "Das Dachfenster ist offen."},
	})
	speakIn(t, "es", spanish, []uttered{
		{"Dormitorio", "está abierta la ventana", "", "Sí, la ventana de techo está abierta."},
		{"Cocina", "está abierta la ventana", "", "No, la ventana cocina está cerrada."},
		{"Dormitorio", "cierra la ventana de la cocina", "", "No puedo cerrar la ventana cocina: solo informa."},
		{"Cocina", "cierra la ventana", "", "No puedo cerrar la ventana cocina: solo informa."},
	})
	speakIn(t, "fr", french, []uttered{
		{"Chambre", "est-ce que la fenêtre est ouverte", "", "Oui, la fenêtre de toit est ouverte."},
		{"Cuisine", "est-ce que la fenêtre est ouverte", "", "Non, la fenêtre cuisine est fermée."},
		{"Chambre", "ferme la fenêtre de la cuisine", "", "Je ne peux pas fermer la fenêtre cuisine : c'est seulement un capteur."},
		{"Cuisine", "ferme la fenêtre", "", "Je ne peux pas fermer la fenêtre cuisine : c'est seulement un capteur."},
	})
}

// TestNumbersInNames: ordinals and numbers are said in other ways than they are written,
// and German compounds are split and joined.
func TestNumbersInNames(t *testing.T) {
	t.Parallel()
	const on = "2nd Floor Hall Light@Hall on"
	speakIn(t, "en", english, []uttered{
		{"Bedroom", "turn on the second floor hall light", on, "The 2nd floor hall light is on."},
		{"Bedroom", "turn on the 2nd floor hall light", on, "The 2nd floor hall light is on."},
		{"Bedroom", "turn on the floor two hall light", on, "The 2nd floor hall light is on."},
		{"Bedroom", "turn on sonoff number 1", "Sonoff 1@Office on", "The sonoff 1 is on."},
		{"Bedroom", "turn on sonoff number one", "Sonoff 1@Office on", "The sonoff 1 is on."},
		{"Bedroom", "turn on sonoff one", "Sonoff 1@Office on", "The sonoff 1 is on."},
		{"Bedroom", "turn on the first sonoff", "Sonoff 1@Office on", "The sonoff 1 is on."},
		{"Bedroom", "turn on sonoff #2", "Sonoff 2@Office on", "The sonoff 2 is on."},
	})
	speakIn(t, "de", german, []uttered{
		{"Büro", "mach das Küchen Licht an", "Küchenlicht@Küche on", "Das Küchenlicht ist an."},
		{"Büro", "mach die Steh Lampe an", "Stehlampe@Wohnzimmer on", "Die Stehlampe ist an."},
		{"Büro", "schalte die Kaffeemaschine ein", "Kaffee Maschine@Küche on", "Die Kaffee Maschine in der Küche ist an."},
		{"Büro", "schlafzimmer lampe an", "Schlafzimmerlampe@Schlafzimmer on", "Die Schlafzimmerlampe ist an."},
		{"Büro", "schalte das Licht im zweiten Stock ein", "Licht 2. Stock@Flur on", "Licht 2 Stock ist an."},
		{"Büro", "schalte Sonoff Nummer 1 ein", "Sonoff 1@Büro on", "Sonoff 1 ist an."},
	})
	speakIn(t, "es", spanish, []uttered{
		{"Oficina", "enciende la luz del segundo piso", "Luz segundo piso@Pasillo on", "He encendido la luz segundo piso."},
		{"Oficina", "enciende el sonoff número 1", "Sonoff 1@Oficina on", "He encendido Sonoff 1."},
	})
	speakIn(t, "fr", french, []uttered{
		{"Bureau", "allume la lumière du deuxième étage", "Lumière 2e étage@Couloir on", "La lumière 2e étage est allumée."},
		{"Bureau", "allume le sonoff numéro 1", "Sonoff 1@Bureau on", "Sonoff 1 est allumée."},
		{"Bureau", "allume le sonoff un", "Sonoff 1@Bureau on", "Sonoff 1 est allumée."},
	})
}

// TestAfterTheRoomWasChosen: the next sentence is about the thing that was meant, and what
// was switched off comes back on as it was. "Everything" never switches on anything else.
func TestAfterTheRoomWasChosen(t *testing.T) {
	t.Parallel()
	houses := map[string]string{"en": english, "de": german, "es": spanish, "fr": french}
	for _, talk := range []struct {
		language, area string
		lines          []string // what is said, what it does, what is answered
	}{
		{"en", "Bedroom", []string{
			"turn on the living room lamp", "Lamp@Living Room on", "The lamp is on.",
			"turn it off in ten minutes", `start_timer {"area":"Bedroom","command":"turn lamp in living room off","kind":"command","seconds":600}`, "The lamp goes off in ten minutes.",
		}},
		{"en", "Studio", []string{
			"turn on the lamp", "-", "Do you mean the left lamp or the right lamp?",
			"both", "Left Lamp@Studio on; Right Lamp@Studio on", "2 lights are on.",
		}},
		{"en", "Bedroom", []string{
			"turn on the lamp and the fan", "Bedroom Lamp@Bedroom on; Fan@Living Room on", "The bedroom lamp is on. The living room fan is on.",
			"and in the kitchen", "Kitchen Lamp@Kitchen on", "The kitchen lamp is on.",
		}},
		{"en", "Kitchen", []string{
			"turn on the kettle", "Kettle@Kitchen on", "The kettle is on.",
			"turn everything back on", "-", "There is nothing to undo.",
			"turn off everything in the kitchen", "Kettle@Kitchen off; Kitchen Lamp@Kitchen off", "2 devices are off.",
			"turn everything back on", "Kettle@Kitchen on", "The kettle is on again.",
			"turn everything back on", "-", "There is nothing to undo.",
		}},
		{"en", "Kitchen", []string{
			"dim the kitchen lamp to 80 percent", "Kitchen Lamp@Kitchen level 80", "The kitchen lamp is at 80 percent.",
			"half as bright", "Kitchen Lamp@Kitchen level 40", "Dimmed the kitchen lamp to 40 percent.",
			"make it half as bright", "Kitchen Lamp@Kitchen level 20", "Dimmed the kitchen lamp to 20 percent.",
			"make the lamp twice as bright", "Kitchen Lamp@Kitchen level 40", "The kitchen lamp is at 40 percent.",
			"undo", "Kitchen Lamp@Kitchen level 20", "The kitchen lamp is at 20 percent again.",
		}},
		{"de", "Küche", []string{
			"dimme das Küchenlicht auf 80 Prozent", "Küchenlicht@Küche level 80", "Das Küchenlicht ist auf 80 Prozent.",
			"halb so hell", "Küchenlicht@Küche level 40", "Das Küchenlicht ist auf 40 Prozent gedimmt.",
			"schalte alles in der Küche aus", "Kaffee Maschine@Küche off; Küchenlicht@Küche off", "2 Geräte sind aus.",
			"schalte alles wieder ein", "Küchenlicht@Küche level 40", "Das Küchenlicht ist wieder auf 40 Prozent.",
		}},
		{"es", "Salón", []string{
			"enciende el ventilador", "Ventilador@Salón on", "He encendido el ventilador.",
			"apaga todo en el salón", "Foco derecho@Salón off; Foco izquierdo@Salón off; Lámpara@Salón off; Ventilador@Salón off", "He apagado 4 aparatos.",
			"vuelve a encender todo", "Ventilador@Salón on", "He vuelto a encender el ventilador.",
			"pon la lámpara al 80 por ciento", "Lámpara@Salón level 80", "La lámpara está al 80 por ciento.",
			"pon la lámpara la mitad de brillante", "Lámpara@Salón level 40", "La lámpara está al 40 por ciento.",
		}},
		{"fr", "Salon", []string{
			"allume le ventilateur", "Ventilateur@Salon on", "Le ventilateur est allumé.",
			"éteins tout dans le salon", "Lampe@Salon off; Spot droit@Salon off; Spot gauche@Salon off; Ventilateur@Salon off", "4 appareils sont éteints.",
			"rallume tout", "Ventilateur@Salon on", "Le ventilateur est de nouveau allumé.",
			"mets la lampe à 80 pour cent", "Lampe@Salon level 80", "La lampe est à 80 pour cent.",
			"mets la lampe moitié moins fort", "Lampe@Salon level 40", "La lampe est à 40 pour cent.",
		}},
	} {
		t.Run(talk.language+" "+talk.lines[0], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := moveInto(t, talk.language, furnished(t, houses[talk.language]))
				f.area = talk.area
				for line := range slices.Chunk(talk.lines, 3) {
					if calls, said := f.say(line[0]); calls != line[1] || said != line[2] {
						t.Errorf("%s: %q\n got %q %q\nwant %q %q", talk.area, line[0], calls, said, line[1], line[2])
					}
				}
			})
		})
	}
}

// moveInto makes a family's house with exactly these things.
func moveInto(t *testing.T, language string, h *home.House) *family {
	t.Helper()
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	f := &family{t: t, world: fake.NewWorldOf(h), source: record.FromHTTP}
	f.clerk = &clerk{world: f.world}
	f.answer, err = mind.New(settled(t, language, h), &fake.Caller{CallFunc: f.clerk.call}, &fake.Assistant{}, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
