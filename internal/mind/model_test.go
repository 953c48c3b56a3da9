package mind_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// saying is what a model does: each sentence after its pause, an error for "!".
type saying struct {
	after    time.Duration
	sentence string
}

// speaker is a model that says what the test wants, and keeps what it was asked.
type speaker struct {
	says  []saying
	asked []dialogue.Prompt
}

func (s *speaker) reply(_ context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	s.asked = append(s.asked, p)
	return func(yield func(dialogue.Part, error) bool) {
		for _, one := range s.says {
			<-time.After(one.after)
			if one.sentence == "!" {
				yield(dialogue.Part{}, errors.New("it is ill"))
				return
			}
			if !yield(dialogue.Part{Sentence: one.sentence}, nil) {
				return
			}
		}
	}
}

// minded makes an answerer with a model, in a language.
func minded(t *testing.T, language string, m mind.Assistant) *mind.Mind {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, fake.House())
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	done := func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Receipt: &tools.Receipt{Device: "Kitchen Light", Outcome: tools.Confirmed, Value: "on"}}, nil
	}
	a, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: fake.House()}, &fake.Caller{CallFunc: done}, m, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// spoken answers a spoken text and returns the record and what was said.
func spoken(t *testing.T, a *mind.Mind, text string, followUp bool) (record.Record, []string) {
	t.Helper()
	var said []string
	rec := record.Record{ID: record.NewID(), Source: record.FromMic}
	if !followUp {
		rec.Wake = &record.Wake{}
	}
	a.Answer(t.Context(), record.Turn{
		Request: record.Request{Text: text, Source: record.FromMic, FollowUp: followUp}, Record: &rec,
		Watch: record.Stopwatch{Zero: time.Now()}, Say: func(s string) { said = append(said, s) },
	})
	return rec, said
}

// momentIn is what is said in a long silence.
func momentIn(t *testing.T, language string) string {
	t.Helper()
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	return phrases.Phrase("one_moment", nil)
}

func TestOneMomentIsSaidOnceInALongSilence(t *testing.T) {
	t.Parallel()
	second := time.Second
	for name, c := range map[string]struct {
		language string
		says     []saying
		want     []string
		reply    string
	}{
		"three rounds of calls":   {"en", []saying{{18 * second, "Whales nap."}}, []string{"One moment.", "Whales nap."}, "Whales nap."},
		"in German":               {"de", []saying{{5 * second, "Wale dösen."}}, []string{"Einen Moment.", "Wale dösen."}, "Wale dösen."},
		"in Spanish":              {"es", []saying{{5 * second, "Duermen."}}, []string{momentIn(t, "es"), "Duermen."}, "Duermen."},
		"in French":               {"fr", []saying{{5 * second, "Elles dorment."}}, []string{"Un instant.", "Elles dorment."}, "Elles dorment."},
		"an answer in time":       {"en", []saying{{3 * second, "Whales nap."}, {4 * second, "They float."}}, []string{"Whales nap.", "They float."}, "Whales nap. They float."},
		"a silence in the middle": {"en", []saying{{3 * second, "Let me look."}, {12 * second, "They float."}}, []string{"Let me look.", "One moment.", "They float."}, "Let me look. They float."},
		"two silences":            {"en", []saying{{6 * second, "Whales nap."}, {12 * second, "They float."}}, []string{"One moment.", "Whales nap.", "They float."}, "Whales nap. They float."},
		"and then a failure":      {"en", []saying{{8 * second, "!"}}, []string{"One moment.", "Sorry, that did not work."}, "Sorry, that did not work."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &speaker{says: c.says}
				rec, said := spoken(t, minded(t, c.language, &fake.Assistant{ReplyFunc: m.reply}), "xyzzy whales", false)
				if !slices.Equal(said, c.want) || rec.Reply != c.reply {
					t.Errorf("said %q, replied %q, want %q and %q", said, rec.Reply, c.want, c.reply)
				}
			})
		})
	}
}

// TestModelsQuestionIsAnsweredByItsModel: the microphone opens for the answer, and the
// heard text then goes to the model that asked.
func TestModelsQuestionIsAnsweredByItsModel(t *testing.T) {
	t.Parallel()
	const order, inquiry = "make it cosier in here", "why is it so dark in here"
	for name, c := range map[string]struct {
		first, asks, answer string
		followUp            bool
		toModel, mayAct     bool
	}{
		"a yes to an offer":             {inquiry, "It is off. Shall I turn on the lamp?", "yes", true, true, true},
		"a yes to a German offer":       {inquiry, "Soll ich die Lampe einschalten?", "yes", true, true, true},
		"a yes to a French offer":       {inquiry, "Voulez-vous que j'allume la lampe ?", "yes", true, true, true},
		"a yes to a Spanish offer":      {inquiry, "¿Quieres que encienda la lámpara?", "yes", true, true, true},
		"a yes to no offer":             {inquiry, "Do you mean the hall?", "yes", true, true, false},
		"a yes that goes on with order": {order, "Do you mean the hall?", "yes please", true, true, true},
		"which one, of an order":        {order, "Which lamp do you mean?", "the small brass one", true, true, true},
		"which one, of a question":      {inquiry, "Which lamp do you mean?", "the small brass one", true, true, false},
		"an order of its own":           {inquiry, "Which lamp do you mean?", "make it cosier", true, true, true},
		"a refusal in other words":      {order, "Shall I dim the lamp?", "please do not dim anything", true, true, false},
		"a question back":               {order, "Shall I dim the lamp?", "what would that do", true, true, false},
		"typed":                         {order, "Which lamp do you mean?", "the small brass one", false, true, true},
		"a no":                          {order, "Shall I dim the lamp?", "no", true, false, false},
		"a sentence of its own":         {order, "Which lamp do you mean?", "turn on the kitchen light", true, false, false},
		"no question":                   {order, "There is no lamp.", "the small brass one", true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &speaker{says: []saying{{0, c.asks}}}
			a := minded(t, "en", &fake.Assistant{ReplyFunc: m.reply})
			rec, _ := spoken(t, a, c.first, false)
			if want := map[bool]record.Outcome{true: record.Asked, false: record.Failed}[name != "no question"]; rec.Outcome != want {
				t.Fatalf("the question ends %s, want %s", rec.Outcome, want)
			}
			m.says = []saying{{0, "All right."}}
			rec, said := spoken(t, a, c.answer, c.followUp)
			if got := len(m.asked) == 2; got != c.toModel {
				t.Fatalf("the model was asked %d times, the answer ends %s with %q", len(m.asked), rec.Outcome, said)
			}
			if c.toModel && (m.asked[1].Text != c.answer || m.asked[1].MayAct != c.mayAct) {
				t.Errorf("the model was asked %+v, want may act %v", m.asked[1], c.mayAct)
			}
			if want := map[bool]record.Outcome{true: record.Failed, false: record.Done}[c.mayAct]; c.toModel && rec.Outcome != want {
				t.Errorf("the answer ends %s, want %s: an order that was not carried out is not done", rec.Outcome, want)
			}
		})
	}
}

// TestTelevisionDoesNotTalkToTheModelForEver: two questions in a row open the
// microphone, a third does not.
func TestTelevisionDoesNotTalkToTheModelForEver(t *testing.T) {
	t.Parallel()
	m := &speaker{says: []saying{{0, "Which one?"}}}
	a := minded(t, "en", &fake.Assistant{ReplyFunc: m.reply})
	var ends []record.Outcome
	for n, text := range []string{"make it cosier in here", "brought to you by soap", "and now the weather", "with sunshine"} {
		rec, _ := spoken(t, a, text, n > 0)
		ends = append(ends, rec.Outcome)
	}
	if want := []record.Outcome{record.Asked, record.Asked, record.Failed, record.Ignored}; !slices.Equal(ends, want) {
		t.Errorf("the turns end %q, want %q", ends, want)
	}
	if len(m.asked) != 3 {
		t.Errorf("the model was asked %d times", len(m.asked))
	}
}

// TestLocalCommandBesideAStuckModel: a command that needs no model is done while a
// model's answer is still open.
func TestLocalCommandBesideAStuckModel(t *testing.T) {
	t.Parallel()
	stuck, release := make(chan struct{}), make(chan struct{})
	a := minded(t, "en", &fake.Assistant{ReplyFunc: func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		return func(yield func(dialogue.Part, error) bool) {
			close(stuck)
			<-release
			yield(dialogue.Part{Sentence: "Whales nap."}, nil)
		}
	}})
	ended := make(chan record.Record, 1)
	go func() {
		ended <- a.Turn(t.Context(), record.Request{Text: "how do whales sleep", Source: record.FromHTTP})
	}()
	<-stuck
	rec := a.Turn(t.Context(), record.Request{Text: "turn on the kitchen light", Source: record.FromHTTP})
	if rec.Route != record.RouteLocal || rec.Outcome != record.Done {
		t.Errorf("the command: %+v", rec.Verdict)
	}
	select {
	case rec := <-ended:
		t.Errorf("the model's turn ended before: %+v", rec.Verdict)
	default:
	}
	close(release)
	if rec := <-ended; rec.Reply != "Whales nap." {
		t.Errorf("the model's turn: %+v", rec.Verdict)
	}
}

// foreseeing is a model that notes what it is to expect.
type foreseeing struct {
	fake.Assistant
	expected []dialogue.Prompt
}

// Expect notes the prompt.
func (f *foreseeing) Expect(_ context.Context, p dialogue.Prompt) (drop func()) {
	f.expected = append(f.expected, p)
	return func() {}
}

// TestModelExpectsOnlyWhatItWillBeAsked: a text that is understood here, or belongs to
// the turn before, is not sent to a model before it is final.
func TestModelExpectsOnlyWhatItWillBeAsked(t *testing.T) {
	t.Parallel()
	m := &speaker{says: []saying{{0, "Which lamp do you mean?"}}}
	f := &foreseeing{Assistant: fake.Assistant{ReplyFunc: m.reply}}
	a := minded(t, "en", f)
	request := func(text string, followUp bool) record.Request {
		return record.Request{Text: text, Source: record.FromMic, FollowUp: followUp}
	}
	for text, want := range map[string]int{
		"turn on the kitchen light": 0, "what time is it": 0, "undo that": 0, "yes": 0,
		"make it cosier in here": 1, "why is the sky so blue": 1,
	} {
		f.expected = nil
		a.Expect(t.Context(), request(text, false))
		if len(f.expected) != want {
			t.Errorf("%q: %d prompts are expected, want %d", text, len(f.expected), want)
		}
	}
	f.expected = nil
	a.Expect(t.Context(), request("make it cosier in here", false))
	spoken(t, a, "make it cosier in here", false)
	p := m.asked[0]
	p.Act, p.Read, p.Look = nil, nil, nil
	if !reflect.DeepEqual(f.expected[0], p) {
		t.Errorf("expected is %+v, asked %+v", f.expected[0], p)
	}
	f.expected = nil
	a.Expect(t.Context(), request("the small brass one", true))
	a.Expect(t.Context(), request("the small brass one", false))
	if len(f.expected) > 0 {
		t.Errorf("an answer to a question is expected: %+v", f.expected)
	}
}

// TestATurnWithoutAnActIsNotDone: whatever a model says, its turn is not done where
// nothing was done that was asked.
func TestATurnWithoutAnActIsNotDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		part dialogue.Part
		want record.Outcome
	}{
		"an order that is talked about": {"make it cosier in here", dialogue.Part{Sentence: "What a lovely idea."}, record.Failed},
		"an order that is asked about":  {"make it cosier in here", dialogue.Part{Sentence: "Which room do you mean?"}, record.Asked},
		"a call that nobody can make":   {"call my mother please", dialogue.Part{Sentence: "I can't make calls."}, record.Failed},
		"a poem":                        {"write me a poem", dialogue.Part{Sentence: "Roses are red."}, record.Done},
		"a question":                    {"why is the sky so blue", dialogue.Part{Sentence: "Blue light scatters most."}, record.Done},
		"a question with a false claim": {"why is the sky so blue", dialogue.Part{Sentence: "I did not change anything.", Undone: true}, record.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := minded(t, "en", &fake.Assistant{ReplyFunc: func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
				return func(yield func(dialogue.Part, error) bool) { yield(c.part, nil) }
			}})
			rec := a.Turn(t.Context(), record.Request{Text: c.text, Source: record.FromHTTP})
			if rec.Outcome != c.want || (rec.Outcome == record.Failed) != (rec.Error != "") {
				t.Errorf("it ends %s with the error %q, want %s", rec.Outcome, rec.Error, c.want)
			}
		})
	}
}

// TestAModelsThingsAreReadInItsPlace: what the model tells without having read it is read,
// recorded and told by the mind.
func TestAModelsThingsAreReadInItsPlace(t *testing.T) {
	t.Parallel()
	var told string
	a := minded(t, "en", &fake.Assistant{ReplyFunc: func(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		return func(yield func(dialogue.Part, error) bool) {
			told = p.Look(ctx, []string{p.House.Entities[0].ID})
			yield(dialogue.Part{Sentence: told, Receipt: true}, nil)
		}
	}})
	rec := a.Turn(t.Context(), record.Request{Text: "what a day", Source: record.FromHTTP})
	if told == "" || rec.Reply != told || len(rec.Calls) != 1 || rec.Outcome != record.Done {
		t.Errorf("it is told %q, and the record is %+v", told, rec.Verdict)
	}
}
