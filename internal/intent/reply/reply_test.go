package reply_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// update has the golden files written.
var update = flag.Bool("update", false, "write the golden files anew")

// answers makes a result of each text: a JSON object is structured data, "!x" a
// failure with the text x, anything else a text.
func answers(n int, texts []string) []tools.Result {
	out := make([]tools.Result, n)
	for i := range out {
		text := texts[min(i, len(texts)-1)]
		switch {
		case strings.HasPrefix(text, "{"):
			out[i].Data, out[i].Receipt = json.RawMessage(text), tools.ReadReceipt(json.RawMessage(text))
		case strings.HasPrefix(text, "!"):
			out[i] = tools.Result{Failed: true, Text: text[1:]}
		default:
			out[i].Text = text
		}
	}
	return out
}

// TestRefusal: the reply repeats the words that are not known or not understood, in a
// sentence that begins with a capital.
func TestRefusal(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/refusal.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		p, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		return p.Refusal(intent.Decision{
			Route: intent.Reject, Reason: intent.Reason(c.Given["reason"]), Heard: asked, NeedHouse: c.Given["house"] == "away",
		})
	})
	golden.Compare(t, *update)
}

// TestDenied: the reply names the dangerous act that is switched off, if it has a name.
func TestDenied(t *testing.T) {
	t.Parallel()
	houses := housesInLanguages(t)
	golden := fake.ReadProse(t, "testdata/denied.txtar")
	golden.Answer(func(_ fake.ProseCase, language, asked string) string {
		a, kitchen := houses[language], "Kitchen"
		if language != "en" {
			kitchen = toldRooms[language][kitchen]
		}
		steps, err := plan.Calls(a.match.Match(asked, kitchen), a.house, "")
		if err != nil {
			t.Errorf("%s: %q: %v", language, asked, err)
			return ""
		}
		return a.p.SayDenied(steps)
	})
	golden.Compare(t, *update)
}

// sentence is an error that was written to be heard.
type sentence string

func (s sentence) Error() string { return string(s) }

// TestApology: an error becomes a sentence. English texts of plans and tools are not
// spoken in another language.
func TestApology(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/apology.txtar")
	for _, language := range sentences.Languages() {
		a := inLanguage(t, language)
		say := func(name, said string) {
			golden.Say(name, fake.ProseLine{Language: language, Said: said})
		}
		for _, c := range []struct {
			name string
			err  error
		}{
			{"no error", nil},
			{"too late", fmt.Errorf("calling: %w", context.DeadlineExceeded)},
			{"stopped", context.Canceled},
			{"no answer", fmt.Errorf("calling: %w", tools.ErrNoAnswer)},
			{"no answer, and too late", fmt.Errorf("%w: %w", tools.ErrNoAnswer, context.DeadlineExceeded)},
			{"not connected", fmt.Errorf("calling: %w", tools.ErrNotConnected)},
			{"not connected, and why", fmt.Errorf("%w: %w", tools.ErrNotConnected, errors.New("broken pipe"))},
			{"a sentence", sentence("The Z-Wave server is not connected.")},
			{"a sentence, wrapped", fmt.Errorf("calling zwave: %w", sentence("The Z-Wave server is not connected."))},
			{"technical words", errors.New("dial tcp 127.0.0.1:1883: connection refused")},
			{"a panic", errors.New("Panic: goroutine 1 [running]:\nmain.main()")},
			{"a bare word", sentence("Oops.")},
		} {
			say(c.name, a.p.Apology(c.err))
		}
		refused := []plan.Step{{Action: intent.Action{Intent: "HassTurnOn"}, Entity: &home.Entity{Name: "Lampe", Domain: "light"}}}
		say("refused in English", a.p.SayResults(refused, []tools.Result{{Receipt: &tools.Receipt{Outcome: tools.Refused, Message: "No."}}}))
		if language == "en" {
			say("of a plan", a.p.Apology(&plan.Error{Text: "That device is gone."}))
			continue // its house has no scene
		}
		scene := intent.Decision{Route: intent.Local, Actions: []intent.Action{{Intent: "HassTurnOn", Devices: []string{"scene.movie"}}}}
		steps, err := plan.Calls(scene, a.house, "")
		if err != nil {
			t.Fatal(err)
		}
		say("a scene that no tool starts", a.p.SayResults(steps, make([]tools.Result, 1)))
	}
	golden.Compare(t, *update)
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	p := fake.English()
	if got := p.Phrase("many_devices", map[string]any{"count": 7}); got != "That is 7 devices. Shall I go on?" {
		t.Errorf("got %q", got)
	}
	if p.Phrase("no such phrase", nil) != "" || p.Phrase("no_model", nil) == "" || p.Phrase("not_heard", nil) == "" {
		t.Error("wrong phrases")
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	data, err := sentences.Replies("en")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reply.Load(data); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ yaml, want string }{
		"empty":   {"", `"done_on" is missing`},
		"no yaml": {"\t:", "reading replies"},
		"forms":   {string(data) + "\n", ""},
	} {
		_, err := reply.Load([]byte(tt.yaml))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTold(f *testing.F) {
	f.Add(`{"device":"x","outcome":"confirmed","before":1,"value":"x"}`, "text", true)
	f.Add(`{"state":{},"values":{"setpoint":[]},"age_seconds":-1}`, "", false)
	p := fake.English()
	e := &home.Entity{ID: "x", Name: "Lamp", Domain: "light"}
	f.Fuzz(func(_ *testing.T, data, text string, failed bool) {
		receipt := tools.ReadReceipt(json.RawMessage(data))
		r := []tools.Result{{Data: json.RawMessage(data), Receipt: receipt, Text: text, Failed: failed}, {Data: json.RawMessage(data), Receipt: receipt}}
		for _, name := range []string{"HassTurnOn", "HassGetState", "LocalClimateAdjust"} {
			a := intent.Action{Intent: name, Slots: map[string]any{"state": "on"}}
			p.SayResults([]plan.Step{{Action: a, Entity: e, Risk: tools.Read}, {Action: a, Entity: e}}, r)
			p.SayResults([]plan.Step{{Action: a, Entity: e}}, r)
		}
	})
}
