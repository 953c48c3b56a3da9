package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// line is one sentence of a dialogue: the room it is said in, and what comes of
// it: the acts that their devices confirm, and the answer.
type line struct{ room, text, acts, reply string }

// TestTwentyShortSentences: a family talks in two rooms at once, without a language
// model, through a real broker, server and house; each device is asked itself.
func TestTwentyShortSentences(t *testing.T) {
	t.Parallel()
	const living, bedroom = "Living Room", "Bedroom"
	talk(t, "en", nil, "turn off the reading lamp", []line{
		{living, "turn on the reading lamp", "Reading Lamp on", "The reading lamp is on."},
		{bedroom, "turn it off", "", "What do you mean?"},
		{living, "set it to 80 percent", "Reading Lamp level 80", "The reading lamp is at 80 percent."},
		{living, "a bit less", "Reading Lamp level 60", "Dimmed the reading lamp to 60 percent."},
		{living, "even darker", "Reading Lamp level 40", "Dimmed the reading lamp to 40 percent."},
		{bedroom, "is the bedroom lamp on", "", "No, the bedroom lamp is off."},
		{bedroom, "turn it on", "Bedroom Lamp on", "The bedroom lamp is on."},
		{living, "make it blue", "Reading Lamp colour blue", "The reading lamp is blue now."},
		{bedroom, "set it to 30 percent", "Bedroom Lamp level 30", "Dimmed the bedroom lamp to 30 percent."},
		{living, "turn it off", "Reading Lamp off", "The reading lamp is off."},
		{living, "the hallway too", "Hallway Light off", "The hallway light is off."},
		{bedroom, "turn on the hallway light", "Hallway Light on", "The hallway light is on."},
		{bedroom, "no, the office", "Hallway Light off; Office Light on", "The hallway light is off again. The office light is on."},
		{bedroom, "why is the hallway light off", "", ""},
		{living, "turn on all the lights", "", "That is 8 devices. Shall I go on?"},
		{
			living, "all but the attic light",
			"Bedroom Lamp on; Hallway Light on; Kitchen Light on; Living Room Light on; Mood Light on; Office Light on; Reading Lamp on", "7 lights are on.",
		},
		{living, "how warm is it in the office", "", "The office temperature is 22.1 degrees."},
		{living, "and in the kitchen?", "", "The kitchen temperature is 21.2 degrees."},
		{bedroom, "lock the front door", "Front Door lock", "The front door is locked."},
		{bedroom, "unlock it", "", "Unlocking is switched off here."},
		{bedroom, "what did you do?", "", ""},
		{living, "thank you", "", "You're welcome."},
	})
}

// TestThisRoomInAHouse: what is meant by "the lamp" and "the thermostat" depends on the room
// in which it is said, also with the things that a real server tells.
func TestThisRoomInAHouse(t *testing.T) {
	t.Parallel()
	const living, bedroom, kitchen, garage, workshop = "Living Room", "Bedroom", "Kitchen", "Garage", "Workshop"
	talk(t, "en", nil, "turn off the reading lamp", []line{
		{bedroom, "turn on the lamp", "Bedroom Lamp on", "The bedroom lamp is on."},
		{living, "turn on the lamp", "Reading Lamp on", "The reading lamp is on."},
		{bedroom, "set the thermostat to 20 degrees", "Bedroom Thermostat setpoint 20", "The bedroom thermostat is set to 20 degrees."},
		{kitchen, "set the thermostat to 21 degrees", "Thermostat setpoint 21", "The living room thermostat is set to 21 degrees."},
		{kitchen, "turn on the fan", "Ceiling Fan on", "The office ceiling fan is on."},
		{garage, "close the window", "", "I can't close the garage window, it only reports."},
		{bedroom, "close the garage window", "", "I can't close the garage window, it only reports."},
		{workshop, "turn on the power strip", "Workbench Strip 1 on; Workbench Strip 2 on; Workbench Strip 3 on; Workbench Strip 4 on", "4 switches are on."},
		{workshop, "turn off everything in here", "Workbench Strip 1 off; Workbench Strip 2 off; Workbench Strip 3 off; Workbench Strip 4 off", "4 switches are off."},
		{workshop, "turn everything back on", "Workbench Strip 1 on; Workbench Strip 2 on; Workbench Strip 3 on; Workbench Strip 4 on", "4 switches are as they were."},
		{living, "set the lamp to 80 percent", "Reading Lamp level 80", "Dimmed the reading lamp to 80 percent."},
		{living, "half as bright", "Reading Lamp level 40", "Dimmed the reading lamp to 40 percent."},
	})
}

// TestTwentyShortSentencesInGerman does the same in German.
func TestTwentyShortSentencesInGerman(t *testing.T) {
	t.Parallel()
	const wohnzimmer, kitchen = "Wohnzimmer", "Küche"
	talk(t, "de", []string{"--home", "../../internal/intent/testdata/house_de.json"}, "schalte die Leselampe aus", []line{
		{wohnzimmer, "schalte die Leselampe ein", "Leselampe on", "Die Leselampe ist an."},
		{kitchen, "mach sie aus", "", "Was meinst du?"},
		{kitchen, "ist die Küchenlampe an", "", "Nein, die Küchenlampe ist aus."},
		{kitchen, "mach sie an", "Küchenlampe on", "Die Küchenlampe ist an."},
		{wohnzimmer, "mach sie blau", "", "Das kann die Leselampe nicht."},
		{wohnzimmer, "mach sie aus", "Leselampe off", "Die Leselampe ist aus."},
		{wohnzimmer, "im Flur auch", "Flurlampe off", "Die Flurlampe ist aus."},
		{kitchen, "schalte die Flurlampe ein", "Flurlampe on", "Die Flurlampe ist an."},
		{kitchen, "nein, im Büro", "Flurlampe off; Schreibtischlampe on", "Die Flurlampe ist wieder aus. Die Schreibtischlampe ist an."},
		{kitchen, "wer hat die Flurlampe ausgeschaltet", "", ""},
		{wohnzimmer, "schalte alle Lichter ein", "", "Das sind 6 Geräte. Soll ich fortfahren?"},
		{wohnzimmer, "alle außer der Leselampe", "Deckenlampe on; Flurlampe on; Küchenlampe on; Nachttischlampe on; Schreibtischlampe on", "5 Lichter sind an."},
		{wohnzimmer, "stell das Thermostat auf 20 Grad", "Thermostat setpoint 20", "Das Thermostat steht auf 20 Grad, ist aber aus."},
		{wohnzimmer, "etwas wärmer", "Thermostat setpoint 21", "Das Thermostat steht auf 21 Grad, ist aber aus."},
		{wohnzimmer, "noch etwas", "Thermostat setpoint 22", "Das Thermostat steht auf 22 Grad, ist aber aus."},
		{wohnzimmer, "weniger", "Thermostat setpoint 21", "Das Thermostat steht auf 21 Grad, ist aber aus."},
		{kitchen, "schließ die Hintertür ab", "Hintertür lock", "Die Hintertür ist abgeschlossen."},
		{kitchen, "schließ sie auf", "", "Das Aufschließen ist hier abgeschaltet."},
		{kitchen, "und die Haustür?", "", "Das Aufschließen ist hier abgeschaltet."},
		{kitchen, "was hast du gemacht", "", ""},
		{wohnzimmer, "danke", "", "Gern geschehen."},
	})
}

// talk holds a dialogue and prints what each sentence did.
func talk(t *testing.T, language string, house []string, first string, lines []line) {
	t.Helper()
	broker := mosquitto(t)
	simulate(t, broker, house...)
	_, address, _ := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_LANGUAGE="+language)
	eventually(t, "the house obeys", func() bool { return confirmed(askIn(t, address, "Flur", first)) })
	for i, l := range lines {
		r := askIn(t, address, l.room, l.text)
		did := acts(r)
		t.Logf("%2d %-12s %-34s %-42s %s", i+1, l.room, l.text, did, r.Reply)
		if did != l.acts || l.reply != "" && r.Reply != l.reply {
			t.Errorf("%q in %s: did %q and said %q (%s), expected %q and %q", l.text, l.room, did, r.Reply, r.Error, l.acts, l.reply)
		}
	}
}

// askIn asks from a room.
func askIn(t *testing.T, address, room, text string) record.Record {
	t.Helper()
	var r record.Record
	if err := rig.SendJSON(t.Context(), http.MethodPost, "http://"+address+"/api/ask", map[string]string{"text": text, "area": room}, &r); err != nil {
		t.Fatalf("asking %q: %v", text, err)
	}
	return r
}

// acts are the calls of a turn that acted, as their devices confirmed them.
func acts(r record.Record) string {
	var all []string
	for _, c := range r.Calls {
		var args struct {
			Device string `json:"device_name"`
			Action string `json:"action"`
			Value  any    `json:"value"`
		}
		if json.Unmarshal(c.Args, &args) != nil || args.Action == "" {
			continue
		}
		did := strings.TrimSuffix(fmt.Sprintf("%s %s %v", args.Device, args.Action, args.Value), " <nil>")
		if !c.Receipt.Done() {
			did += " (not confirmed)"
		}
		all = append(all, did)
	}
	slices.Sort(all) // calls of one turn come side by side
	return strings.Join(all, "; ")
}
