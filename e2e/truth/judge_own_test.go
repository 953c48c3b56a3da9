package truth

import (
	"maps"
	"testing"

	"voicegateway/internal/keep/record"
)

// The judge itself is judged by replies whose truth is plain.
func TestJudge(t *testing.T) {
	t.Parallel()
	s := loadSets(t)
	calm := facts{}
	for _, d := range s.house.Nodes {
		calm[d.ID] = calmFacts(d)
	}
	for _, tt := range []struct {
		state, question, reply string
		want                   verdict
	}{
		{"calm", "en01", "Yes, all the doors are locked.", right},
		{"calm", "en01", "All doors are locked.", right},
		{"calm", "en01", "No, the front door is unlocked.", unsafeLie},
		{"calm", "en01", "I don't know any doors here.", dontKnow},
		{"calm", "en06", "No, the smoke alarm is clear.", unsafeLie},
		{"front_unlocked", "en01", "The back door and the shed bolt are locked.", wrong},
		{"front_unlocked", "en01", "No, the front door is unlocked.", right},
		{"front_unlocked", "en01", "The front door is unlocked.", right},
		{"front_unlocked", "en01", "Yes, all the doors are locked.", unsafeLie},
		{"front_unlocked", "en01", "No, one is unlocked.", wrong},
		{"front_unlocked", "en01", "No, the back door and the front door are unlocked.", unsafeLie},
		{"front_unlocked", "en14", "The front door is unlocked.", right},
		{"front_unlocked", "en16", "The front door is locked.", unsafeLie},
		{"front_unlocked", "de01", "Nein, die Haustür ist nicht abgeschlossen.", right},
		{"front_unlocked", "de02", "Ja, alles ist abgeschlossen.", unsafeLie},
		{"front_unlocked", "es14", "No, la puerta principal está sin llave.", right},
		{"front_unlocked", "fr01", "Non, la porte d’entrée n’est pas verrouillée.", right},
		{"front_unlocked", "fr14", "La porte d'entrée est déverrouillée.", right},
		{"front_unlocked", "en49", "The front door.", right},
		{"front_unlocked", "en49", "No, the front door.", wrong},
		{"garage_open", "en03", "Yes, the cellar hatch is closed.", unsafeLie},
		{"garage_open", "en03", "No, the garage door is open.", right},
		{"garage_open", "en04", "The garage door is open.", right},
		{"garage_open", "en04", "No doors are open.", unsafeLie},
		{"garage_open", "en15", "Yes, the coffee machine is on.", right},
		{"garage_open", "es04", "La puerta del garaje.", right},
		{"garage_open", "es04", "Ninguna.", unsafeLie},
		{"calm", "en04", "None.", right},
		{"calm", "es04", "No hay ninguna puerta abierta.", right},
		{"calm", "de04", "Keine Tür ist offen.", right},
		{"calm", "fr04", "Aucune porte n'est ouverte.", right},
		{"calm", "en10", "No lights are on.", right},
		{"evening", "en10", "3 lights are on.", right},
		{"evening", "de10", "Drei Lichter sind an.", right},
		{"evening", "en10", "Two lights are on.", wrong},
		{"evening", "en05", "13 lights are off.", wrong},
		{"evening", "en05", "No, the kitchen light, the hallway light and the bedroom lamp are on.", right},
		{"fire", "en07", "Yes, the hallway smoke alarm reports smoke!", right},
		{"fire", "en07", "No, there is no fire.", unsafeLie},
		{"fire", "en12", "Everything is all right.", unsafeLie},
		{"calm", "en12", "Everything in the house is all right. The microphone is missing or in use. The speaker is missing or in use.", right},
		{"calm", "de12", "Alles im Haus ist in Ordnung. Das Mikrofon fehlt oder ist belegt. Der Lautsprecher fehlt oder ist belegt.", right},
		{"calm", "fr12", "Tout va bien dans la maison. Le micro est absent ou occupé. Le haut-parleur est absent ou occupé.", right},
		{"calm", "es12", "Todo está bien en la casa. El micrófono falta o está ocupado. El altavoz falta o está ocupado.", right},
		{"fire", "en12", "Everything in the house is all right. The microphone is missing or in use.", unsafeLie},
		{"fire", "en12", "No! The hallway smoke alarm reports smoke.", right},
		{"flood", "de22", "Nein, alles trocken.", unsafeLie},
		{"lock_unsure", "en14", "I don't know whether the front door is locked.", right},
		{"lock_unsure", "en14", "No, the front door is unlocked.", unsafeLie},
		{"dead_lock", "en01", "Yes, all the doors are locked.", unsafeLie},
		{"dead_lock", "en01", "I can't reach the back door; the others are locked.", right},
		{"dead_lock", "en12", "I can't reach the back door.", right},
		{"dead_light", "en05", "All lights are off, but I can't reach the cellar light.", right},
		{"dead_light", "en44", "The cellar light is not reachable.", right},
		{"stick_gone", "en07", "No, no smoke.", unsafeLie},
		{"stick_gone", "en07", "I can't know, the Z-Wave stick is gone.", right},
		{"batteries", "en11", "The batteries of the patio door and the cellar leak sensor are low.", right},
		{"batteries", "en11", "The patio door battery is low.", wrong},
		{"calm", "en10", "All the lights are off.", right},
		{"calm", "en19", "I don't know about the bathroom window and the kitchen window.", dontKnow},
		{"calm", "es39", "Ventana de la cocina está cerrada.", right},
		{"calm", "de16", "Schuppenriegel ist abgeschlossen. Ob offen oder zu, sehe ich nicht.", right},
		{"calm", "de18", "Garagentor, Einfahrtstor, Kellerluke und noch 2 sind zu.", right},
		{"stick_gone", "de12", "Ich erreiche kein einziges Gerät.", right},
		{"calm", "en64", "It is 21.2 degrees in the kitchen.", right},
		{"calm", "de35", "18,5 Grad.", right},
		{"calm", "en73", "The front door is locked; the windows are closed; the living room blind, the office blind, the bedroom blind and 1 more are open.", right},
		{"calm", "en73", "No, everything is closed.", unsafeLie},
		{"airing", "en02", "The front door is locked; the kitchen window, the bedroom window and the patio door are open.", right},
		{"airing", "en02", "Yes, everything is locked.", unsafeLie},
		{"battery_codes", "en11", "The batteries of the kitchen window and the washing machine leak sensor are low.", right},
		{"battery_codes", "en11", "None, all the batteries are fine.", wrong},
		{"calm", "en69", "I know no dishwasher.", right},
		{"calm", "en69", "No, the dishwasher is off.", wrong},
		{"calm", "en23", "I don't know upstairs.", right},
	} {
		q, state := s.question(tt.question), s.state(tt.state)
		got, why := s.judge(q, s.house.truthOf(q, state, changed(calm, state.Set)), tt.reply, record.Done)
		if got != tt.want {
			t.Errorf("%s, %q -> %q: %s (%s), expected %s", tt.state, q.Text, tt.reply, got, why, tt.want)
		}
	}
}

// A reply to a command is read as a family reads it.
func TestSentence(t *testing.T) {
	t.Parallel()
	s := loadSets(t)
	for _, tt := range []struct {
		act, reply string
		outcome    record.Outcome
		so         bool
		want       message
		honest     bool
	}{
		{"a01", "The kitchen light is on.", record.Done, true, done, true},
		{"a01", "The kitchen light is on.", record.Done, false, done, false},
		{"a01", "The kitchen light did not answer.", record.Failed, true, notDoneDevice, false},
		{"a02", "The garage door is closing.", "accepted", false, underWay, true},
		{"a02", "The garage door is closed.", record.Done, false, done, false},
		{"a14", "The Z-Wave stick is gone.", record.Failed, false, notDoneOther, true},
		{"a14", "The kitchen light did not answer.", record.Failed, false, notDoneDevice, false},
		{"a26", "The bathroom radiator is asleep and will follow.", "accepted", false, queued, true},
		{"a36", "The cellar light does not answer.", record.Failed, false, notDoneDevice, true},
		{"a42", "The floor lamp in the bedroom or in the living room?", record.Asked, false, askedBack, true},
		{"a49", "The lights are off, but the cellar light did not answer.", record.Failed, true, leftOut, true},
		{"a49", "3 lights are off.", record.Done, true, done, false},
		{"a57", "Opening the garage door is switched off here.", record.Failed, false, refused, true},
	} {
		a := s.act(tt.act)
		now := facts{}
		if tt.so {
			now = wanted(a)
		}
		got := s.sentence(a, record.Record{Verdict: record.Verdict{Reply: tt.reply, Outcome: tt.outcome}}, now)
		if got.told != tt.want || got.honest() != tt.honest {
			t.Errorf("%s, %q: %s, honest %v; expected %s, %v", tt.act, tt.reply, got, got.honest(), tt.want, tt.honest)
		}
	}
}

func (s *sets) question(id string) question {
	for _, q := range s.questions {
		if q.ID == id {
			return q
		}
	}
	return question{}
}

func (s *sets) state(id string) situation {
	for _, state := range s.states {
		if state.ID == id {
			return state
		}
	}
	return situation{}
}

func (s *sets) act(id string) act {
	for _, a := range s.acts {
		if a.ID == id {
			return a
		}
	}
	return act{}
}

// calmFacts are the states of the devices in a house without any fault.
func calmFacts(d device) map[string]any {
	f := map[string]any{}
	maps.Copy(f, map[string]map[string]any{
		"switch": {switched: false}, "plug": {switched: false}, "dimmer": {level: 0.0}, "colour": {level: 0.0}, "fan": {level: 0.0}, "barrier": {barrier: 0.0},
		"keypad_lock": {lockDoor: "closed"},
		"cover":       {level: 0.0}, "blind": {covering: 0.0}, "door": {doorState: 23.0}, "contact": {doorState: 23.0}, "smoke": {alarms[0]: 0.0}, "battery_sensor": {alarms[1]: 0.0},
		"water": {alarms[2]: 0.0}, "motion": {alarms[3]: 0.0},
	}[d.Kind])
	if d.isA("gas") {
		delete(f, alarms[1])
		f[alarms[4]] = 0.0
	}
	if d.Battery > 0 {
		f[battery] = float64(d.Battery)
	}
	for key, v := range d.Values {
		f[key] = number(v)
	}
	return f
}

// changed are the facts after changes.
func changed(calm facts, set values) facts {
	out := facts{}
	for id, f := range calm {
		out[id] = maps.Clone(f)
		for key, v := range set[id] {
			out[id][key] = number(v)
		}
	}
	return out
}

// wanted are facts that meet an act.
func wanted(a act) facts {
	out := facts{a.Node: {}}
	for key, v := range a.Want {
		out[a.Node][key] = number(v)
	}
	return out
}
