package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// TestAmendments plays conversations in which acts are taken back.
func TestAmendments(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/amendments/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { held(t, file, archive) })
		})
	}
}

func held(t *testing.T, file string, archive *txtar.Archive) {
	t.Helper()
	language := "en"
	var k *talk
	for _, f := range archive.Files {
		switch f.Name {
		case "language":
			language = strings.TrimSpace(string(f.Data))
		case "talk":
			k = converse(t, language, nil)
			for l := range strings.Lines(string(f.Data)) {
				k.line(strings.TrimSpace(l))
			}
		}
	}
	var ends []string
	for _, r := range k.records {
		name := ""
		if r.Intent != nil {
			name = r.Intent.Name
		}
		receipts := 0
		for _, c := range r.Calls {
			if c.Receipt != nil {
				receipts++
			}
		}
		ends = append(ends, strings.TrimSpace(fmt.Sprintf("%s %s %s %d/%d %s", r.Route, r.Outcome, name, receipts, len(r.Calls), r.Error)))
	}
	got := map[string]string{"calls": lines(k.world.Calls), "said": lines(k.said), "ends": lines(ends)}
	for i, f := range archive.Files {
		want, expected := got[f.Name]
		if !expected || string(f.Data) == want {
			continue
		}
		if *update {
			archive.Files[i].Data = []byte(want)
			continue
		}
		t.Errorf("%s:\n%sexpected:\n%s", f.Name, want, f.Data)
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOnlyCorrectionsAmend: anything else that is heard without a wake word is
// taken for television.
func TestOnlyCorrectionsAmend(t *testing.T) {
	t.Parallel()
	said := map[string][]string{
		"en": {"no", "No.", "No!", "undo", "Undo that.", "no, the other one", "the other one", "stop", "cancel", "cancel that", "not that one", "that's wrong", "That’s wrong."},
		"de": {"nein", "Nein!", "rückgängig", "mach das rückgängig", "nein, die andere", "das andere", "stopp", "abbrechen"},
		"es": {"no", "¡No!", "deshaz eso", "la otra", "no, el otro", "para", "cancela"},
		"fr": {"non", "annule ça", "l'autre", "L’autre.", "non, l'autre", "arrête", "stop", "annule"},
	}
	for language, texts := range said {
		k := converse(t, language, nil)
		for _, text := range texts {
			if !k.answer.Amends(text) {
				t.Errorf("%s: %q is no correction", language, text)
			}
		}
		talk, err := os.ReadFile("../intent/testdata/television_" + language + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(talk)) {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") && k.answer.Amends(l) {
				t.Errorf("%s: %q is taken for a correction", language, l)
			}
		}
	}
	k := converse(t, "en", nil)
	for _, text := range []string{
		"", " ", "...", "yes", "okay", "turn off the light", "no way", "no thank you I'm fine", "stop the car", "the other one is mine", "undo the top button",
		"know", "oh no", "no no no no no", strings.Repeat("no ", 100), "the kitchen light", "one", "all of them",
	} {
		if k.answer.Amends(text) {
			t.Errorf("%q is taken for a correction", text)
		}
	}
}

// called makes a model of one turn: its calls are made one after the other, then its
// words are said.
func called(calls []tools.Call, risk tools.Risk, words string) func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		return func(yield func(dialogue.Part, error) bool) {
			for _, c := range calls {
				call := dialogue.Call{Call: c, Spec: tools.Spec{Name: c.Tool, Server: c.Server, Risk: risk}}
				if risk == tools.Read {
					call.Took = 1
					yield(dialogue.Part{Call: &call}, nil)
					continue
				}
				q.Act(ctx, []dialogue.Call{call})
			}
			yield(dialogue.Part{Sentence: words}, nil)
		}
	}
}

// TestAModelsActsAreTakenBack: a model's acts on the state of devices are undone without
// the model.
func TestAModelsActsAreTakenBack(t *testing.T) {
	t.Parallel()
	control := func(device, action string) tools.Call {
		return tools.Call{Server: "zwave", Tool: "control_zwave_device", Args: json.RawMessage(fmt.Sprintf(`{"device_name":%q,"action":%q}`, device, action))}
	}
	timer := tools.Call{Tool: "timer", Args: json.RawMessage(`{"minutes":5}`)}
	for name, tt := range map[string]struct {
		calls []tools.Call
		risk  tools.Risk
		words string
		talk  []string
		want  []string
		last  string
	}{
		"one device": {
			[]tools.Call{control("Left Lamp", "on")},
			tools.Reversible, "Cosy.",
			[]string{"no"},
			[]string{"Left Lamp on", "Left Lamp off"},
			"The left lamp is off again.",
		},
		"the other one": {
			[]tools.Call{control("Left Lamp", "on")},
			tools.Reversible, "Cosy.",
			[]string{"the other one"},
			[]string{"Left Lamp on", "Left Lamp off", "Right Lamp on"},
			"The left lamp is off again. The right lamp is on.",
		},
		"two calls to one device": {
			[]tools.Call{control("Kitchen Light", "on"), control("Kitchen Light", "on")},
			tools.Reversible, "Cosy.",
			[]string{"undo"},
			[]string{"Kitchen Light on", "Kitchen Light off"},
			"The kitchen light is off again.",
		},
		"changed by somebody since": {
			[]tools.Call{control("Left Lamp", "on"), {Server: "zwave", Tool: "control_zwave_device", Args: json.RawMessage(`{"device_name":"Left Lamp","action":"level","value":40}`)}},
			tools.Reversible, "Cosy.",
			[]string{"Left Lamp: on", "undo"},
			[]string{"Left Lamp level 40", "Left Lamp on"},
			"Somebody has changed the left lamp since.",
		},
		"two settings of one device": {
			[]tools.Call{control("Left Lamp", "on"), {Server: "zwave", Tool: "control_zwave_device", Args: json.RawMessage(`{"device_name":"Left Lamp","action":"level","value":40}`)}},
			tools.Reversible, "Cosy.",
			[]string{"undo"},
			[]string{"Left Lamp level 40", "Left Lamp on", "Left Lamp off"},
			"The left lamp is off again.",
		},
		"a question of the model is answered by no": {
			[]tools.Call{control("Left Lamp", "on")},
			tools.Reversible, "Shall I dim it?",
			[]string{"no"},
			[]string{"Left Lamp on"},
			"Okay.",
		},
		"no state at all": {
			[]tools.Call{timer}, tools.Reversible, "Five minutes.", []string{"undo"}, nil, "I can't undo that.",
		},
		"a lamp and a timer": {
			[]tools.Call{control("Left Lamp", "on"), timer},
			tools.Reversible, "Cosy.",
			[]string{"undo"},
			[]string{"Left Lamp on", "Left Lamp off"},
			"The left lamp is off again. The rest I can't undo.",
		},
		"only read": {
			[]tools.Call{timer}, tools.Read, "It's five.", []string{"undo"}, nil, "There is nothing to undo.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := converse(t, "en", called(tt.calls, tt.risk, tt.words))
			for _, l := range append([]string{"make it cosy in here for a film"}, tt.talk...) {
				k.line(l)
			}
			if got := k.world.Calls; !slices.Equal(got, tt.want) {
				t.Errorf("calls: %v, expected %v", got, tt.want)
			}
			if got := k.said[len(k.said)-1]; got != tt.last {
				t.Errorf("said %q, expected %q", got, tt.last)
			}
		})
	}
}

// TestUndoWaitsItsTurn: an undo waits until another turn has finished with the
// device, and then leaves that turn's change alone.
func TestUndoWaitsItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, "en", nil)
		k.line("set the left lamp to forty percent")
		gate, inside := make(chan struct{}), make(chan struct{})
		k.answer.SetCaller(&fake.Caller{CallFunc: func(ctx context.Context, c tools.Call) (tools.Result, error) {
			if strings.Contains(string(c.Args), `"value":80`) {
				close(inside)
				<-gate
			}
			return k.world.Call(ctx, c)
		}})
		var wg sync.WaitGroup
		wg.Go(func() {
			k.answer.Turn(t.Context(), record.Request{Text: "set the left lamp to eighty percent", Area: "Bedroom", Source: record.FromCLI})
		})
		<-inside
		var rec record.Record
		wg.Go(func() {
			rec = k.answer.Turn(t.Context(), record.Request{Text: "undo", Area: "Bedroom", Source: record.FromHTTP})
		})
		synctest.Wait()
		close(gate)
		wg.Wait()
		if rec.Reply != "Somebody has changed the left lamp since." || k.world.State["Left Lamp"]["brightness"] != 80.0 {
			t.Errorf("it says %q, and the lamp is at %v", rec.Reply, k.world.State["Left Lamp"]["brightness"])
		}
	})
}

// TestTwoUndoesAtOnceAreOne: two undoes at the same time do not both take back the
// same change.
func TestTwoUndoesAtOnceAreOne(t *testing.T) {
	t.Parallel()
	k := converse(t, "en", nil)
	k.line("turn on the kitchen light")
	var wg sync.WaitGroup
	replies := make([]string, 2)
	begin := make(chan struct{})
	for i := range replies {
		wg.Go(func() {
			<-begin
			replies[i] = k.answer.Turn(t.Context(), record.Request{Text: "undo that", Area: "Bedroom", Source: record.FromHTTP}).Reply
		})
	}
	close(begin)
	wg.Wait()
	slices.Sort(replies)
	once := []string{"The kitchen light is off again.", "There is nothing to undo."}
	again := []string{"The kitchen light is off again.", "The kitchen light is on again."} // one after the other
	if !slices.Equal(replies, once) && !slices.Equal(replies, again) {
		t.Errorf("they say %q", replies)
	}
}

// TestADryRunOfAnUndo shows the call and leaves everything to be taken back.
func TestADryRunOfAnUndo(t *testing.T) {
	t.Parallel()
	k := converse(t, "en", nil)
	k.line("turn on the kitchen light")
	dry := record.Request{Text: "no", Area: "Bedroom", Source: record.FromHTTP, DryRun: true}
	rec := k.answer.Turn(t.Context(), dry)
	if len(rec.Calls) != 1 || string(rec.Calls[0].Args) != `{"action":"off","device_name":"Kitchen Light"}` {
		t.Errorf("it would call %+v", rec.Calls)
	}
	k.line("no")
	if got := k.said[1]; got != "The kitchen light is off again." {
		t.Errorf("after the dry run it says %q", got)
	}
}

// TestPacksOfOthersAreCorrectedToo: corrections use our own words in every language, even
// with foreign sentences.
func TestPacksOfOthersAreCorrectedToo(t *testing.T) {
	t.Parallel()
	w := fake.NewWorld()
	nothing := func(text, _ string) intent.Decision {
		if text != "on" {
			return intent.Decision{Route: intent.Model, Reason: intent.NoSentence}
		}
		act := intent.Action{Intent: "HassTurnOn", Slots: map[string]any{}, Devices: []string{"light.Kitchen Light"}}
		return intent.Decision{Route: intent.Local, Actions: []intent.Action{act}}
	}
	a, err := mind.New(&fake.Matcher{MatchFunc: nothing, Home: fake.Cottage()}, &fake.Caller{CallFunc: w.Call}, &fake.Assistant{},
		fake.English(), guard.Limits{}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"on", "The kitchen light is on."}, {"no", "The kitchen light is off again."}, {"stop", "Okay."}, {"no", "Okay."},
	} {
		if got := a.Turn(t.Context(), record.Request{Text: c.text, Source: record.FromCLI}).Reply; got != c.want {
			t.Errorf("%q is answered %q, expected %q", c.text, got, c.want)
		}
	}
}

// TestWhatIsKeptIsBounded: the sender of a text may call its area anything, so the
// number of askers that are remembered is bounded.
func TestWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := converse(t, "en", nil)
		for i := range 80 {
			k.area = fmt.Sprintf("Nowhere %d", i)
			<-time.After(time.Millisecond)
			k.answer.Turn(t.Context(), record.Request{Text: "turn on the kitchen light", Area: k.area, Source: record.FromCLI})
			k.answer.Turn(t.Context(), record.Request{Text: "turn on the office lights", Area: k.area, Source: record.FromCLI})
			k.world.Set("Kitchen Light", "off", nil)
		}
		if k.answer.Amendable(record.FromCLI, "Nowhere 0") {
			t.Error("what was done first is still kept")
		}
		rec := k.answer.Turn(t.Context(), record.Request{Text: "undo", Area: k.area, Source: record.FromCLI})
		if rec.Reply != "The kitchen light is off again." {
			t.Errorf("the last one is answered %q", rec.Reply)
		}
	})
}

// TestUndoOfSound: what was changed of the volume is put back as it was, with a mute, and again.
func TestUndoOfSound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own, volume := localKit(t, nil)
		f := settleByClock(t, "en", "bungalow", own...)
		if _, err := volume.Set(t.Context(), 40); err != nil {
			t.Fatal(err)
		}
		for _, turn := range []struct {
			said  string
			level int
			muted bool
		}{
			{"turn the volume up", 50, false},
			{"undo", 40, false},
			{"undo", 50, false},
			{"mute for an hour", 50, true},
			{"undo", 50, false},
			{"mute", 50, true},
			{"set the volume to 20 percent", 20, false},
			{"undo", 50, true},
		} {
			rec := f.hearTurn(turn.said)
			s, err := volume.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if s.Level != turn.level || s.Muted != turn.muted || rec.Outcome != record.Done {
				t.Errorf("after %q the volume is %d, muted %t (%s %q), expected %d, %t", turn.said, s.Level, s.Muted, rec.Outcome, rec.Reply, turn.level, turn.muted)
			}
		}
		if left := f.alarms(); len(left) > 0 {
			t.Errorf("after the undo the end of the mute is left: %q", left)
		}
	})
}
