package mind_test

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// kinds tells the kind of a text by a word of it, and how sure that is.
type kinds map[string]reader.Guess

func (k kinds) Kind(text string) reader.Guess {
	for word, guess := range k {
		if strings.Contains(text, word) {
			return guess
		}
	}
	return reader.Guess{Kind: reader.None, Share: 1}
}
func (k kinds) Among(text string, _ []reader.Kind) float64 { return k.Kind(text).Share }
func (kinds) Marks(reader.Kind) reader.Marks               { return reader.Marks{Sure: 0.9, Nearly: 0.5} }

// pupil is a matcher that keeps what it is taught.
type pupil struct {
	*fake.Matcher
	taught []string
}

func (*pupil) Keepable(record.Request, string, []intent.Action) (can, tell bool) { return false, false }
func (*pupil) Learn(record.Request, intent.Action) (string, error)               { return "", nil }
func (p *pupil) Keep(said, _, _ string, acts []intent.Action) {
	for _, a := range acts {
		p.taught = append(p.taught, said+": "+a.Intent+" "+strings.Join(a.Devices, " "))
	}
}

// rereading is a mind without a language model, which reads other words than ours.
type rereading struct {
	*mind.Mind
	*pupil
	calls []string
}

func reread(t *testing.T, known kinds) *rereading {
	t.Helper()
	matcher, err := intent.New(intent.English(), fake.House())
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	r := &rereading{pupil: &pupil{Matcher: &fake.Matcher{MatchFunc: matcher.Match, Home: fake.House()}}}
	call := func(_ context.Context, c tools.Call) (tools.Result, error) {
		r.calls = append(r.calls, c.Tool+" "+string(c.Args))
		return tools.Result{Receipt: &tools.Receipt{Device: "Kitchen Light", Property: "value", Outcome: tools.Confirmed, Value: false}}, nil
	}
	none := &fake.Assistant{ReplyFunc: func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
	}}
	r.Mind, err = mind.New(r.pupil, &fake.Caller{CallFunc: call}, none, phrases, guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r.SetKinds(known)
	return r
}

// say answers a text of a recogniser; "" if it was written.
func (r *rereading) say(t *testing.T, text, recogniser string) record.Record {
	t.Helper()
	if recogniser == "" {
		return r.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
	}
	rec := record.Record{ID: record.NewID(), Source: record.FromMic, Wake: &record.Wake{}, Transcript: &record.Transcript{Text: text, Engine: recogniser}}
	r.Answer(t.Context(), record.Turn{
		Request: record.Request{Text: text, Source: record.FromMic}, Record: &rec, Watch: record.Stopwatch{Zero: time.Now()}, Say: func(string) {},
	})
	return rec
}

const other = "would you extinguish the kitchen light"

// What is said in other words is done if it is sure, asked about if it is nearly sure or
// was only heard, and left otherwise.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	off := func(share float64) kinds { return kinds{"extinguish": {Kind: reader.LightOff, Share: share}} }
	for name, tt := range map[string]struct {
		text, recogniser string
		known            kinds
		outcome          record.Outcome
		reply            string
	}{
		"sure":                              {other, "", off(0.95), record.Done, "The kitchen light is off."},
		"nearly sure":                       {other, "", off(0.7), record.Asked, "Turn off the Kitchen Light?"},
		"not sure":                          {other, "", off(0.3), record.Failed, "I know the kitchen light, but not what to do with it."},
		"on a floor that nobody knows":      {"everything off downstairs", "", kinds{}, record.Failed, "I don't know a room called downstairs."},
		"a tale of such a floor":            {"we were all downstairs yesterday", "", kinds{}, record.Failed, "I did not understand that."},
		"nothing for the house":             {other, "", kinds{}, record.Failed, "I did not understand that."},
		"sure, and heard":                   {other, "moonshine", off(0.95), record.Asked, "Turn off the Kitchen Light?"},
		"very sure, and heard":              {other, "moonshine", off(0.99), record.Done, "The kitchen light is off."},
		"of a recogniser of our sentences":  {other, "pocketsphinx", off(0.99), record.Failed, "I did not understand that."},
		"with a condition":                  {other + " if i am away", "", off(0.99), record.Failed, "That was not an order, so I did nothing."},
		"a thing that lets somebody in":     {"please extinguish the front door", "", off(0.99), record.Failed, "I know the front door, but not what to do with it."},
		"what a sentence of ours says":      {"turn off the kitchen light", "", kinds{"turn": {Kind: reader.LightOn, Share: 1}}, record.Done, "The kitchen light is off."},
		"what a sentence of ours asks back": {"set a timer", "", kinds{"timer": {Kind: reader.LightOff, Share: 1}}, record.Asked, "For how long?"},
	} {
		r := reread(t, tt.known)
		rec := r.say(t, tt.text, tt.recogniser)
		if rec.Outcome != tt.outcome || rec.Reply != tt.reply {
			t.Errorf("%s: %q ends %s: %q, want %s: %q", name, tt.text, rec.Outcome, rec.Reply, tt.outcome, tt.reply)
		}
		if done := len(r.calls) > 0; done != (tt.outcome == record.Done) {
			t.Errorf("%s: the calls are %q", name, r.calls)
		}
	}
}

// What a recogniser wrote by itself is asked about however sure its kind is. What asks for no
// act is answered if that is very sure. All else is not for the house.
func TestLooseWordsAreAskedAbout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		known   kinds
		follow  bool
		outcome record.Outcome
		reply   string
	}{
		"very sure":            {other, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.999}}, false, record.Asked, "Turn off the Kitchen Light?"},
		"nearly sure":          {other, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.7}}, false, record.Asked, "Turn off the Kitchen Light?"},
		"not sure":             {other, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.3}}, false, record.Ignored, ""},
		"after a question":     {other, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.999}}, true, record.Ignored, ""},
		"lets somebody in":     {"please extinguish the front door", kinds{"extinguish": {Kind: reader.LightOff, Share: 0.999}}, false, record.Ignored, ""},
		"a sentence of ours":   {"turn off the kitchen light", kinds{}, false, record.Ignored, ""},
		"a question, sure":     {"tell me which date we have", kinds{"date": {Kind: reader.Clock, Share: 0.99}}, false, record.Done, "Done."},
		"a question, not very": {"tell me which date we have", kinds{"date": {Kind: reader.Clock, Share: 0.92}}, false, record.Asked, "What"},
	} {
		r := reread(t, tt.known)
		rec := record.Record{ID: record.NewID(), Source: record.FromMic, Wake: &record.Wake{}, Transcript: &record.Transcript{Text: tt.text, Engine: "moonshine"}}
		r.Answer(t.Context(), record.Turn{
			Request: record.Request{Text: tt.text, Source: record.FromMic, Loose: true, FollowUp: tt.follow}, Record: &rec,
			Watch: record.Stopwatch{Zero: time.Now()}, Say: func(string) {},
		})
		if rec.Outcome != tt.outcome || !strings.HasPrefix(rec.Reply, tt.reply) || tt.reply == "" && rec.Reply != "" {
			t.Errorf("%s: %q ends %s: %q, want %s: %q", name, tt.text, rec.Outcome, rec.Reply, tt.outcome, tt.reply)
		}
		if slices.ContainsFunc(r.calls, func(c string) bool { return strings.Contains(c, "control") }) {
			t.Errorf("%s: the calls are %q", name, r.calls)
		}
	}
}

// The record says how other words were read, beside what was said.
func TestOtherWordsAreExplained(t *testing.T) {
	t.Parallel()
	rec := reread(t, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.95}}).say(t, other, "")
	want := record.Reading{Kind: "light_off", Share: 0.95, Sure: 0.9, Nearly: 0.5, Sentence: "turn off the Kitchen Light", Verdict: "do", Why: "every word is explained"}
	if rec.Reading == nil || *rec.Reading != want || rec.Transcript.Text != other {
		t.Errorf("the reading of %q is %+v, want %+v", rec.Transcript.Text, rec.Reading, want)
	}
}

// A yes does what was asked about and is remembered, a no does nothing.
func TestOtherWordsAreAskedAbout(t *testing.T) {
	t.Parallel()
	for answer, taught := range map[string][]string{
		"yes":                       {other + ": HassTurnOff light.Kitchen Light"},
		"no":                        nil,
		"turn off the bedroom lamp": nil,
	} {
		r := reread(t, kinds{"extinguish": {Kind: reader.LightOff, Share: 0.7}})
		if rec := r.say(t, other, ""); rec.Outcome != record.Asked {
			t.Fatalf("%q ends %s", other, rec.Outcome)
		}
		rec := r.say(t, answer, "")
		if !slices.Equal(r.taught, taught) {
			t.Errorf("after %q it has learnt %q, want %q (%s: %q)", answer, r.taught, taught, rec.Outcome, rec.Reply)
		}
		if (answer == "no") != (len(r.calls) == 0) {
			t.Errorf("after %q the calls are %q", answer, r.calls)
		}
	}
}
