package mind_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// script is a model that calls tools round by round and then says its words. Each
// call is written as one line: "Left Lamp on", "Left Lamp level 40", or as a tool
// with its arguments: "notes.add {…}".
type script struct {
	rounds []string // the calls of a round, separated by "; "
	words  string

	acted []dialogue.Acted
}

func (m *script) reply(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) {
		for _, round := range m.rounds {
			var calls []dialogue.Call
			for line := range strings.SplitSeq(round, "; ") {
				calls = append(calls, modelCall(line))
			}
			acted := q.Act(ctx, calls)
			m.acted = append(m.acted, acted)
			if acted.Say != "" && !yield(dialogue.Part{Sentence: acted.Say, Receipt: true}, nil) || acted.Stop {
				return
			}
		}
		if m.words != "" {
			yield(dialogue.Part{Sentence: m.words}, nil)
		}
	}
}

// modelCall reads a line of a script. A call whose line begins with "!" does not fit
// the schema of its tool.
func modelCall(line string) dialogue.Call {
	if wrong, ok := strings.CutPrefix(line, "!"); ok {
		c := modelCall(wrong)
		c.Result = tools.Result{Failed: true, Text: "the arguments are wrong"}
		return c
	}
	if tool, args, ok := strings.Cut(line, " {"); ok {
		server, name, _ := strings.Cut(tool, ".")
		risk := tools.Reversible
		if after, costly := strings.CutPrefix(server, "$"); costly {
			server, risk = after, tools.Costly
		}
		spec := tools.Spec{Name: name, Server: server, Risk: risk}
		return dialogue.Call{Call: tools.Call{Tool: name, Args: json.RawMessage("{" + args)}, Spec: spec}
	}
	words := strings.Fields(line)
	i := slices.IndexFunc(words, func(w string) bool {
		return slices.Contains([]string{"on", "off", "open", "close", "lock", "unlock", "toggle", "level", "colour", "setpoint", "position", "mode", "stop"}, w)
	})
	args := map[string]any{"device_name": strings.Join(words[:i], " "), "action": words[i]}
	if i+1 < len(words) {
		args["value"] = json.RawMessage(words[i+1])
	}
	body, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	spec := tools.Spec{Name: "control_zwave_device", Server: "zwave", Risk: tools.Reversible}
	return dialogue.Call{Call: tools.Call{Tool: spec.Name, Args: body}, Spec: spec}
}

// told is what the model read of each call, a line for each.
func (m *script) told() string {
	var all []string
	for _, acted := range m.acted {
		for _, c := range acted.Calls {
			text := c.Result.Text
			if c.Result.Failed {
				text = "failed: " + text
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

const offices = "Office Light A on; Office Light B on; Office Light C on; Office Light D on; Office Light E on; Office Light F on"

// TestTheGate plays turns in which a model acts: its calls, what the house receives, and
// what the family hears.
func TestTheGate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language string
		area     string
		before   []string // lines of the talk before the model's turn
		rounds   []string
		words    string
		then     []string // and after it
		calls    []string // in the world, sorted within a turn
		said     []string // of the model's turn and those after it
		ends     string   // the model's turn: route, outcome, calls in the record
		told     string   // a part of what the model read
	}{
		"six lamps are asked about, done, and taken back": {
			rounds: []string{offices}, then: []string{"yes", "undo"},
			calls: []string{
				"Office Light A on", "Office Light B on", "Office Light C on", "Office Light D on", "Office Light E on", "Office Light F on",
				"Office Light A off", "Office Light B off", "Office Light C off", "Office Light D off", "Office Light E off", "Office Light F off",
			},
			said: []string{"That is 6 devices. Shall I go on?", "6 lights are on.", "6 lights are as they were."},
			ends: "model asked 6",
		},
		"a stranger's tool that writes is asked about": {
			rounds: []string{`$notes.add_note {"text":"milk"}`}, then: []string{"yes"},
			said: []string{`Shall notes add note "milk"?`, "Notes says it is done."},
			ends: "model asked 1", told: "the user has been asked",
		},
		"and left after a no": {
			language: "de", rounds: []string{`$notes.add_note {"text":"milch"}; Küchenlicht on`}, then: []string{"nein"},
			said: []string{`Soll notes das tun: add note, "milch"?`, "Okay."},
			ends: "model asked 2",
		},
		"a no leaves them": {
			rounds: []string{offices}, then: []string{"no"},
			said: []string{"That is 6 devices. Shall I go on?", "Okay."},
			ends: "model asked 6",
		},
		"a group is asked about like its members": {
			rounds: []string{"office lights on"}, then: []string{"yes"},
			calls: []string{"Office Light A on", "Office Light B on", "Office Light C on", "Office Light D on", "Office Light E on", "Office Light F on"},
			said:  []string{"That is 6 devices. Shall I go on?", "6 lights are on."},
			ends:  "model asked 1",
		},
		"a list of names": {
			rounds: []string{"Left Lamp, Right Lamp on"},
			calls:  []string{"Left Lamp on", "Right Lamp on"},
			said:   []string{"2 lights are on."},
			ends:   "model done 2",
			told:   "The left lamp is on. The right lamp is on.",
		},
		"a list with a stranger": {
			rounds: []string{"Left Lamp, Chandelier on"}, words: "Sorry.",
			said: []string{"Sorry."},
			ends: "model failed 1",
			told: `there is no device "Chandelier"`,
		},
		"lights that go off are not asked about, and told as one": {
			before: []string{"Office Light A: on", "Office Light B: on", "Office Light C: on", "Office Light D: on", "Office Light E: on", "Office Light F: on"},
			rounds: []string{strings.ReplaceAll(offices, " on", " off")},
			calls:  []string{"Office Light A off", "Office Light B off", "Office Light C off", "Office Light D off", "Office Light E off", "Office Light F off"},
			said:   []string{"6 lights are off."},
			ends:   "model done 6",
		},
		"rounds of one turn count together": {
			rounds: []string{"Left Lamp on; Right Lamp on; Kitchen Light on", "Coffee Machine on; Blind open; Office Light A on"}, then: []string{"yes", "undo"},
			calls: []string{
				"Kitchen Light on", "Left Lamp on", "Right Lamp on", "Blind open", "Coffee Machine on", "Office Light A on",
				"Blind position 50", "Coffee Machine off", "Kitchen Light off", "Left Lamp off", "Office Light A off", "Right Lamp off",
			},
			said: []string{
				"3 lights are on. That is 6 devices. Shall I go on?",
				"3 devices are set.", "6 devices are as they were.",
			},
			ends: "model asked 6",
		},
		"another command than the answer is taken back alone": {
			rounds: []string{"Left Lamp on; Right Lamp on; Kitchen Light on", "Coffee Machine on; Blind open; Office Light A on"}, then: []string{"turn on office light b", "undo"},
			calls: []string{"Kitchen Light on", "Left Lamp on", "Right Lamp on", "Office Light B on", "Office Light B off"},
			said:  []string{"3 lights are on. That is 6 devices. Shall I go on?", "The office light b is on.", "The office light b is off again."},
			ends:  "model asked 6",
		},
		"several settings of five devices are five": {
			rounds: []string{"Left Lamp on; Left Lamp level 40; Right Lamp on; Right Lamp level 40; Kitchen Light on; Blind close"},
			calls:  []string{"Blind close", "Kitchen Light on", "Left Lamp level 40", "Left Lamp on", "Right Lamp level 40", "Right Lamp on"},
			said:   []string{"2 lights are at 40 percent. The kitchen light is on. The blind is closed."},
			ends:   "model done 6",
		},
		"what is dangerous is refused and told, the rest is done": {
			rounds: []string{"Left Lamp on; Front Door unlock; Right Lamp on"}, words: "It's open.",
			calls: []string{"Left Lamp on", "Right Lamp on"},
			said:  []string{"2 lights are on. Unlocking is switched off here. It's open."}, // the model's own words are the assistant's to judge
			ends:  "model failed 3",
			told:  "failed: Unlocking is switched off here.",
		},
		"what the schema forbids is a complaint, but what is dangerous is told": {
			rounds: []string{"!Left Lamp on; !Front Door unlock"},
			said:   []string{"Unlocking is switched off here."},
			ends:   "refused failed 2",
			told:   "failed: the arguments are wrong",
		},
		"a refusal is told once": {
			rounds: []string{"Front Door unlock", "Front Door unlock; Back Door unlock"},
			said:   []string{"Unlocking is switched off here."},
			ends:   "refused failed 3",
		},
		"a wrong name and then the right one": {
			rounds: []string{"Lamp on", "Left Lamp on"},
			calls:  []string{"Left Lamp on"},
			said:   []string{"The left lamp is on."},
			ends:   "model done 2",
			told:   `failed: Not done: several devices may be called "Lamp": "Left Lamp" (Bedroom), "Right Lamp" (Bedroom)`,
		},
		"a wrong value and then the right one": {
			rounds: []string{"Left Lamp level 400", "Left Lamp level", "Left Lamp colour \"red\"", "Left Lamp level 40"},
			calls:  []string{"Left Lamp level 40"},
			said:   []string{"The left lamp is at 40 percent."},
			ends:   "model done 4",
			told:   `failed: Not done: the value of "level" is a number from 0 to 100`,
		},
		"a value as a text": {
			rounds: []string{`Left Lamp level "40%"`},
			calls:  []string{"Left Lamp level 40"},
			said:   []string{"The left lamp is at 40 percent."},
			ends:   "model done 1",
		},
		"complaints are the model's alone": {
			rounds: []string{"Chandelier on"}, words: "I can't find that lamp.",
			said: []string{"I can't find that lamp."},
			ends: "model failed 1",
			told: `there is no device "Chandelier". The devices of this tool are: "Kitchen Light" (Kitchen), `,
		},
		"a device that refuses the value, mended": {
			before: []string{"Thermostat: refused/refused_value"},
			rounds: []string{"Thermostat setpoint 90"},
			calls:  []string{"Thermostat setpoint 90"},
			said:   []string{"The thermostat can't be set to 90."},
			ends:   "model failed 1",
			told:   "failed: The thermostat can't be set to 90.",
		},
		"the same call twice in a round": {
			rounds: []string{"Left Lamp level 40; Left Lamp level 40; Right Lamp on; right lamp on"},
			calls:  []string{"Left Lamp level 40", "Right Lamp on"},
			said:   []string{"The left lamp is at 40 percent. The right lamp is on."},
			ends:   "model done 2",
		},
		"the same call in the next round": {
			rounds: []string{"Left Lamp on; Left Lamp level 40", "Left Lamp on; Left Lamp level 40", "Left Lamp off"},
			calls:  []string{"Left Lamp level 40", "Left Lamp off", "Left Lamp on"},
			said:   []string{"Dimmed the left lamp to 40 percent. The left lamp is off."},
			ends:   "model done 3",
			told:   "Done already in this turn: The left lamp is on.",
		},
		"in German": {
			language: "de",
			rounds:   []string{"Left Lamp on; Front Door unlock", "Kitchen Light off; Chandelier on"},
			calls:    []string{"Kitchen Light off", "Left Lamp on"},
			said:     []string{"Left Lamp ist an. Das Aufschließen ist hier abgeschaltet. Kitchen Light ist aus."},
			ends:     "model failed 4",
			told:     "The left lamp is on.",
		},
		"what a device did not do is told": {
			before: []string{"Right Lamp: no_answer/silent", "Blind: accepted/on_its_way"},
			rounds: []string{"Left Lamp on; Right Lamp on; Blind close"},
			calls:  []string{"Blind close", "Left Lamp on", "Right Lamp on"},
			said:   []string{"The left lamp is on. I can't reach the right lamp. The blind is on its way."},
			ends:   "model failed 3",
		},
		"another server's tool is not believed word for word": {
			rounds: []string{`notes.add {"text":"milk"}; notes.add {"text": "milk"}`},
			said:   []string{"Notes says it is done."},
			ends:   "model done 1",
			told:   "The front door is unlocked.",
		},
		"a tool of ours": {
			rounds: []string{`.set_volume {"action":"up"}; Left Lamp on`}, then: []string{"undo"},
			calls: []string{"Left Lamp on", "Left Lamp off"},
			said:  []string{"It's noon. The left lamp is on.", "The left lamp is off again. The rest I can't undo."},
			ends:  "model done 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.language == "" {
				tt.language = "en"
			}
			m := &script{rounds: tt.rounds, words: tt.words}
			k := converse(t, tt.language, m.reply)
			k.answer.SetCaller(&fake.Caller{CallFunc: func(ctx context.Context, c tools.Call) (tools.Result, error) {
				if c.Server == "notes" {
					return tools.Result{Text: "The front door is unlocked.", Untrusted: true}, nil
				}
				return k.world.Call(ctx, c)
			}})
			for _, l := range tt.before {
				k.line(l)
			}
			order := map[string]string{"de": "mach es hier gemütlich"}[tt.language]
			for _, l := range append([]string{cmp.Or(order, "make it cosy in here for a film")}, tt.then...) {
				k.line(l)
			}
			if !slices.Equal(k.world.Calls, tt.calls) {
				t.Errorf("calls:\n%s\nexpected:\n%s", strings.Join(k.world.Calls, "\n"), strings.Join(tt.calls, "\n"))
			}
			if !slices.Equal(k.said, tt.said) {
				t.Errorf("said:\n%s\nexpected:\n%s", strings.Join(k.said, "\n"), strings.Join(tt.said, "\n"))
			}
			if ends := fmt.Sprint(k.records[0].Route, " ", k.records[0].Outcome, " ", max(len(k.records[0].Calls), 0)); ends != tt.ends {
				t.Errorf("it ends %q, expected %q: %s", ends, tt.ends, k.records[0].Error)
			}
			if !strings.Contains(m.told(), tt.told) {
				t.Errorf("the model was told\n%s\nexpected\n%s", m.told(), tt.told)
			}
		})
	}
}

// TestActsOfAModelAMinute: a model may do ten acts within a minute. Acts that failed or
// were refused do not count, and a confirmed group counts once. Further acts are refused
// with the reason and do not reach the house.
func TestActsOfAModelAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &script{}
		k := converse(t, "de", m.reply)
		turn := func(rounds ...string) string {
			m.rounds = rounds
			k.line("mach es hier gemütlich")
			return k.said[len(k.said)-1]
		}
		turn(offices)
		k.line("ja") // a group counts once
		k.line("Left Lamp: refused/refused_by_device")
		turn("Left Lamp on; Front Door unlock")
		k.line("Left Lamp: confirmed")
		for range 4 {
			turn("Left Lamp on; Right Lamp on")
		}
		made := len(k.world.Calls)
		if got, want := turn("Left Lamp off; Right Lamp off; Kitchen Light on"), "Left Lamp ist aus. Das sind über 10 Dinge in einer Minute. Bitte in einer Minute noch einmal."; got != want {
			t.Errorf("said %q, expected %q", got, want)
		}
		if got := len(k.world.Calls) - made; got != 1 || !strings.Contains(m.told(), "failed: Not done. That is over 10 things in a minute.") {
			t.Errorf("%d calls over the limit; the model was told %s", got-1, m.told())
		}
		if got := turn(offices); got != "Das sind über 10 Dinge in einer Minute. Bitte in einer Minute noch einmal." {
			t.Errorf("a group over the limit: %q", got)
		}
		k.line("schalte das Licht in der Küche ein")
		<-time.After(time.Minute)
		if got := turn("Right Lamp off"); got != "Right Lamp ist aus." {
			t.Errorf("a minute later: %q", got)
		}
	})
}

// TestEveryAttemptOfASourceCounts: refused and failed commands count, and so does a
// model's turn, once.
func TestEveryAttemptOfASourceCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &script{rounds: []string{"Left Lamp on", "Right Lamp on"}}
		k := converse(t, "en", m.reply)
		for range 59 {
			k.line("unlock the front door")
		}
		k.line("make it cosy in here for a film")
		made := len(k.world.Calls)
		k.line("make it cosy in here for a film")
		if rec := k.records[len(k.records)-1]; rec.Route != record.RouteRefused || rec.Reply != "That is too much at once. Try again in a minute." || made != 2 || len(k.world.Calls) != made {
			t.Errorf("%d calls, then %+v", made, rec.Verdict)
		}
		k.line("turn on the kitchen light")
		if rec := k.records[len(k.records)-1]; rec.Route != record.RouteRefused || len(k.world.Calls) != made {
			t.Errorf("a local command: %+v", rec.Verdict)
		}
		<-time.After(time.Minute)
		k.line("turn on the kitchen light")
		if rec := k.records[len(k.records)-1]; rec.Outcome != record.Done {
			t.Errorf("a minute later: %+v", rec.Verdict)
		}
	})
}

// TestNamesOfTwoServers: a device is reached only through the tool of its own server, and
// two devices with the same name are told apart by their ids in their tools.
func TestNamesOfTwoServers(t *testing.T) {
	t.Parallel()
	house := &home.House{}
	add := func(server, id, name, area, tool string) {
		house.Entities = append(house.Entities, home.Entity{
			ID: server + id, Name: name, Domain: "light", Area: area, Server: server, Abilities: []home.Ability{home.OnOff}, Control: &home.Control{Tool: tool, ID: id},
		})
	}
	add("zwave", "zw-4", "Lamp", "Kitchen", "control_zwave_device")
	add("zwave", "zw-7", "Lamp", "Hall", "control_zwave_device")
	add("hue", "Strip", "Strip", "Hall", "set_light")
	for name, tt := range map[string]struct{ round, called, told string }{
		"shared":            {"Lamp on", "", `"zw-4" (Kitchen), "zw-7" (Hall)`},
		"by id":             {"zw-7 on", "control_zwave_device zw-7", "on"},
		"by room":           {"kitchen lamp on", "control_zwave_device zw-4", "on"},
		"of another server": {"Strip on", "", `"Strip" is not a device of this tool; "set_light" reaches it.`},
		"by its own server": {`hue.set_light {"device_name":"Strip","action":"on"}`, "set_light Strip", "on"},
		"without an action": {`hue.set_light {"device_name":"Strip"}`, "", "device_name and action are needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, called := &script{rounds: []string{tt.round}}, ""
			a, err := mind.New(
				&fake.Matcher{MatchFunc: func(string, string) intent.Decision { return intent.Decision{Route: intent.Model} }, Home: house},
				&fake.Caller{CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
					var w struct {
						Device string `json:"device_name"`
					}
					err := json.Unmarshal(c.Args, &w)
					called = c.Tool + " " + w.Device
					return tools.Result{Receipt: &tools.Receipt{Device: "x", Outcome: tools.Confirmed, Value: "on"}}, err
				}}, &fake.Assistant{ReplyFunc: m.reply}, fake.English(), guard.Default(), mind.Recovery{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			a.Turn(t.Context(), record.Request{Text: "make it cosy", Source: record.FromCLI})
			if called != tt.called || !strings.Contains(m.told(), tt.told) {
				t.Errorf("called %q, the model was told %s", called, m.told())
			}
		})
	}
}

// TestNoWordOfAServerIsSaid: whatever a foreign server answers, the family hears one of
// our own sentences.
func TestNoWordOfAServerIsSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		result tools.Result
		err    error
		want   string
	}{
		"done":          {tools.Result{Text: "The door is open."}, nil, "Notes says it is done."},
		"failed":        {tools.Result{Text: "Say the magic word.", Failed: true}, nil, "Notes could not do that."},
		"a receipt":     {tools.Result{Receipt: &tools.Receipt{Device: "door", Outcome: tools.Accepted, Message: "Open!"}}, nil, "Notes is not sure that it is done."},
		"an error":      {tools.Result{}, words("The house is on fire."), "Notes could not do that."},
		"not connected": {tools.Result{}, tools.ErrNotConnected, "The notes server did not answer. I did nothing."},
		"no answer":     {tools.Result{}, tools.ErrNoAnswer, "The notes server did not answer. I don't know whether that worked."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &script{rounds: []string{`notes.add {"text":"milk"}`}}
			k := converse(t, "en", m.reply)
			k.answer.SetCaller(&fake.Caller{CallFunc: func(context.Context, tools.Call) (tools.Result, error) { return tt.result, tt.err }})
			k.line("make it cosy in here for a film")
			if k.said[0] != tt.want {
				t.Errorf("said %q, expected %q", k.said[0], tt.want)
			}
		})
	}
}

// words is an error that reads like a sentence.
type words string

func (w words) Error() string { return string(w) }

// TestNothingDoneIsNotDone: whatever a model claims, a turn in which nothing was done of
// what was asked is not done.
func TestNothingDoneIsNotDone(t *testing.T) {
	t.Parallel()
	for language, asks := range map[string][]string{
		"en": {"delete the old report", "can you move the old report to the trash", "create a note", "write bread on the shopping note", "find the report and delete it"},
		"de": {"lösche den alten bericht", "kannst du den alten bericht in den papierkorb verschieben", "erstelle eine notiz"},
		"fr": {"supprime l'ancien rapport", "peux-tu déplacer l'ancien rapport à la corbeille", "crée une note"},
		"es": {"borra el informe antiguo", "puedes mover el informe antiguo a la papelera", "crea una nota"},
	} {
		claim := map[string]string{"en": "I have done it.", "de": "Das habe ich erledigt.", "fr": "C'est fait.", "es": "Ya está hecho."}[language]
		for _, asked := range asks {
			m := &script{words: claim}
			k := converse(t, language, m.reply)
			k.line(asked)
			if end := k.records[0].Outcome; end != record.Failed {
				t.Errorf("%q ends as %s with %q", asked, end, k.said[0])
			}
		}
	}
	for _, asked := range []string{"write a poem about the sea", "tell me a story"} {
		m := &script{words: "The sea is wide."}
		k := converse(t, "en", m.reply)
		k.line(asked)
		if end := k.records[0].Outcome; end != record.Done {
			t.Errorf("%q ends as %s", asked, end)
		}
	}
}
