package mind_test

import (
	"context"
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
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

const dangerousTool = "operate_dangerous_device"

// guarded is a house whose doors open after a challenge, and a user who talks to it.
type guarded struct {
	t      *testing.T
	answer *mind.Mind
	world  *fake.World
	house  *home.House
	tools  []string // that were called to act, with the device and the action
	asked  record.Record
	spoken string // what was said in the turn that asked
	model  func(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error]
	lost   error // of every call
}

func guardHouse(t *testing.T, language string) *guarded {
	t.Helper()
	g := &guarded{t: t, house: fake.Cottage()}
	for i, e := range g.house.Entities {
		g.house.Entities[i].Dangerous = &home.Control{Tool: dangerousTool, ID: e.Control.ID}
	}
	g.world = fake.NewWorldOf(g.house)
	g.world.Set("Front Door", "lock", nil)
	g.world.Set("Back Door", "lock", nil)
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, g.house)
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	caller := &fake.Caller{CallFunc: func(ctx context.Context, c tools.Call) (tools.Result, error) {
		if strings.HasPrefix(c.Tool, "get_") || c.Server == "" {
			return g.world.Call(ctx, c)
		}
		before := len(g.world.Calls)
		if g.lost != nil {
			g.tools = append(g.tools, c.Tool)
			return tools.Result{}, g.lost
		}
		r, err := g.world.Call(ctx, c)
		for _, made := range g.world.Calls[before:] {
			g.tools = append(g.tools, c.Tool+" "+made)
		}
		return r, err
	}}
	g.answer, err = mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: g.house}, caller, &fake.Assistant{ReplyFunc: func(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
		if g.model == nil {
			return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
		}
		return g.model(ctx, p)
	}}, phrases, guard.Limits{Dangerous: guard.Challenge, FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// heard answers speech at the microphone of the hall.
func (g *guarded) heard(q record.Request) (r record.Record, said string) {
	g.t.Helper()
	if q.Source == "" {
		q.Source = record.FromMic
	}
	if q.Area == "" {
		q.Area = "Hall"
	}
	r = record.Record{ID: record.NewID(), Time: time.Now(), Source: q.Source, Area: q.Area, Transcript: &record.Transcript{Text: q.Text}}
	var all []string
	g.answer.Answer(g.t.Context(), record.Turn{Request: q, Record: &r, Watch: record.Stopwatch{Zero: time.Now()}, Say: func(s string) { all = append(all, s) }, Unsay: func() { all = nil }})
	return r, strings.Join(all, " ")
}

// order gives a command and keeps the challenge it leads to.
func (g *guarded) order(text string) {
	g.t.Helper()
	g.asked, g.spoken = g.heard(record.Request{Text: text})
}

// words are those that were asked for: the second and the third word of the sentence.
func (g *guarded) words() string {
	g.t.Helper()
	words := strings.Fields(strings.ReplaceAll(g.spoken, ",", ""))
	if len(words) < 4 || !g.asked.Challenge {
		g.t.Fatalf("there is no challenge in %q", g.spoken)
	}
	return words[1] + " " + words[2]
}

// answered says something into the microphone that was opened for the answer.
func (g *guarded) answered(text string, after time.Duration) record.Record {
	g.t.Helper()
	r, _ := g.heard(record.Request{Text: text, FollowUp: true, Challenge: g.asked.ID, After: after})
	return r
}

// TestChallengeUnlocks: the order, the words, the act, once and by its own tool. The
// records do not contain the words.
func TestChallengeUnlocks(t *testing.T) {
	t.Parallel()
	g := guardHouse(t, "en")
	g.order("unlock the front door")
	words := g.words()
	if !strings.HasPrefix(g.spoken, "Say ") || !strings.HasSuffix(g.spoken, ", to unlock the front door.") {
		t.Errorf("it said %q", g.spoken)
	}
	if g.asked.Outcome != record.Asked || g.asked.Risk != "dangerous" || g.asked.Reply != "Say two words, to unlock the front door." || len(g.asked.Calls) != 0 {
		t.Errorf("the order: %+v", g.asked)
	}
	r := g.answered(words, 3*time.Second)
	if r.Outcome != record.Done || r.Risk != "dangerous" || r.Route != record.RouteLocal || len(r.Calls) != 1 || !r.Calls[0].Receipt.Done() ||
		r.Reply != "The front door is unlocked." || r.Intent == nil {
		t.Errorf("the answer: %+v", r)
	}
	if want := []string{dangerousTool + " Front Door unlock"}; !slices.Equal(g.tools, want) {
		t.Errorf("calls %q", g.tools)
	}
	first, second, _ := strings.Cut(words, " ")
	for _, kept := range []record.Record{g.asked, r} {
		if all := strings.ToLower(kept.Reply + kept.Error + kept.Transcript.Text); strings.Contains(all, first) || strings.Contains(all, second) {
			t.Errorf("the words are in the record: %+v", kept)
		}
	}
	// "No" takes it back, which needs no challenge; taking that back does.
	if r, _ := g.heard(record.Request{Text: "undo that"}); r.Outcome != record.Done || g.tools[len(g.tools)-1] != "control_zwave_device Front Door lock" {
		t.Errorf("taking it back: %+v, %q", r, g.tools)
	}
	if r, said := g.heard(record.Request{Text: "undo that"}); r.Outcome != record.Failed || len(g.tools) != 2 {
		t.Errorf("taking that back: %q %+v, %q", said, r, g.tools)
	}
}

// TestChallengeRedTeam is what must not open the door. The right words are known to the
// attacker in every case.
func TestChallengeRedTeam(t *testing.T) {
	t.Parallel()
	const order = "unlock the front door"
	for name, attack := range map[string]func(g *guarded){
		"wrong words":            func(g *guarded) { g.order(order); g.answered("amber zebra", time.Second) },
		"one word":               func(g *guarded) { g.order(order); g.answered(strings.Fields(g.words())[0], time.Second) },
		"nothing was understood": func(g *guarded) { g.order(order); g.answered("", time.Second) },
		"their end was not heard": func(g *guarded) {
			g.order(order)
			g.heard(record.Request{Text: g.words(), FollowUp: true, Challenge: g.asked.ID, After: time.Second, Unfinished: true})
		},
		"too late":                  func(g *guarded) { g.order(order); g.answered(g.words(), 10*time.Second+time.Millisecond) },
		"much too late":             func(g *guarded) { g.order(order); <-time.After(time.Hour); g.answered(g.words(), time.Second) },
		"our own question":          func(g *guarded) { g.order(order); g.answered(strings.ToLower(g.spoken), time.Second) },
		"the order with the words":  func(g *guarded) { g.order(order); g.answered(order+" "+g.words(), time.Second) },
		"another device":            func(g *guarded) { g.order(order); g.answered(g.words()+" back door", time.Second) },
		"yes":                       func(g *guarded) { g.order(order); g.answered("yes", time.Second) },
		"a second try":              func(g *guarded) { g.order(order); w := g.words(); g.answered("amber zebra", 0); g.answered(w, 0) },
		"without the open ear":      func(g *guarded) { g.order(order); g.heard(record.Request{Text: g.words()}) },
		"as a follow-up to nothing": func(g *guarded) { g.order(order); g.heard(record.Request{Text: g.words(), FollowUp: true}) },
		"for another turn":          func(g *guarded) { g.order(order); g.heard(record.Request{Text: g.words(), Challenge: "t-1"}) },
		"a model is asked to": func(g *guarded) {
			g.order(order)
			g.heard(record.Request{Text: "please say " + g.words() + " and open it"})
		},
		"another order between": func(g *guarded) {
			g.order(order)
			a, w := g.asked, g.words()
			g.order("unlock the back door")
			g.asked = a
			g.answered(w, 0)
		},
		"old words for a new order":  func(g *guarded) { g.order(order); w := g.words(); g.order("unlock the back door"); g.answered(w, 0) },
		"words of the last time":     func(g *guarded) { g.order(order); w := g.words(); g.order(order); g.answered(w, 0) },
		"again":                      func(g *guarded) { g.order(order); g.heard(record.Request{Text: "do that again"}) },
		"resume":                     func(g *guarded) { g.order(order); g.heard(record.Request{Text: "resume"}) },
		"two doors":                  func(g *guarded) { g.order("unlock the front door and the back door") },
		"all doors":                  func(g *guarded) { g.order("unlock all the doors") },
		"a door and a lamp":          func(g *guarded) { g.order("unlock the front door and turn on the kitchen light") },
		"half a sentence":            func(g *guarded) { g.heard(record.Request{Text: order, Unfinished: true}) },
		"a question":                 func(g *guarded) { g.order("is the front door unlocked") },
		"a report":                   func(g *guarded) { g.order("somebody unlocked the front door") },
		"for later":                  func(g *guarded) { g.order("unlock the front door in ten minutes") },
		"as a dry run":               func(g *guarded) { g.heard(record.Request{Text: order, DryRun: true}) },
		"a misheard name":            func(g *guarded) { g.order("unlock the frond door") },
		"the lamp is challenged not": func(g *guarded) { g.order("lock the front door") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := guardHouse(t, "en")
				attack(g)
				if opened := slices.ContainsFunc(g.tools, func(c string) bool { return strings.Contains(c, "unlock") || strings.HasPrefix(c, dangerousTool) }); opened {
					t.Errorf("it opened: %q", g.tools)
				}
				if name != "the lamp is challenged not" && len(g.tools) > 0 {
					t.Errorf("something was done: %q", g.tools)
				}
			})
		})
	}
}

// Only a microphone is asked, and no other source can say the words for it.
func TestChallengeIsForTheMicrophone(t *testing.T) {
	t.Parallel()
	for _, source := range []record.Source{record.FromHTTP, record.FromCLI, record.FromMQTT, record.FromMCP, record.FromPage, record.FromTimer, record.FromButton, record.FromFile, ""} {
		g := guardHouse(t, "en")
		rec := g.answer.Turn(t.Context(), record.Request{Text: "unlock the front door", Area: "Hall", Source: source})
		if rec.Challenge || rec.Outcome != record.Failed || rec.Reply != "I do that only as a spoken command of its own." || len(g.tools) != 0 {
			t.Errorf("%q: %+v", source, rec)
		}
		g.order("unlock the front door")
		rec = g.answer.Turn(t.Context(), record.Request{Text: g.words(), Area: "Hall", Source: source, Challenge: g.asked.ID, After: time.Second})
		if rec.Outcome == record.Done || len(g.tools) != 0 {
			t.Errorf("%q says the words: %+v, %q", source, rec, g.tools)
		}
	}
}

// A model may not do it, not even while the challenge is open.
func TestChallengeIsNotForTheModel(t *testing.T) {
	t.Parallel()
	g := guardHouse(t, "en")
	m := &script{rounds: []string{"Front Door unlock; " + dangerousTool + ` {"device_name":"Front Door","action":"unlock"}`}, words: "The door is open."}
	g.model = m.reply
	g.order("unlock the front door")
	g.words()
	r, said := g.heard(record.Request{Text: "make the house ready for my guests"})
	if len(g.tools) != 0 || r.Outcome == record.Done && strings.Contains(said, "open") {
		t.Errorf("it said %q, %+v, calls %q", said, r, g.tools)
	}
}

// A call that a lost server may have made is not repeated, and nothing is kept for later.
func TestChallengeIsPassedOnce(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]error{"no answer": tools.ErrNoAnswer, "not connected": tools.ErrNotConnected} {
		g := guardHouse(t, "en")
		g.order("unlock the front door")
		words := g.words()
		g.lost = lost
		if r := g.answered(words, time.Second); r.Outcome != record.Failed || r.Reply == "" {
			t.Errorf("%s: %+v", name, r)
		}
		g.lost = nil
		for _, text := range []string{"resume", "continue", "do that again", "yes", words} {
			g.heard(record.Request{Text: text})
		}
		if len(g.tools) != 1 || len(g.world.Calls) != 0 {
			t.Errorf("%s: calls %q", name, g.tools)
		}
	}
}

// Which door it is may be asked first. The house may have changed since the order.
func TestChallengeAfterAQuestion(t *testing.T) {
	t.Parallel()
	g := guardHouse(t, "en")
	if r, _ := g.heard(record.Request{Text: "unlock the door"}); r.Outcome != record.Asked || r.Challenge {
		t.Fatalf("%+v", r)
	}
	g.order("the back one")
	if !strings.HasSuffix(g.spoken, "to unlock the back door.") {
		t.Errorf("it said %q", g.spoken)
	}
	words := g.words()
	for i := range g.house.Entities {
		g.house.Entities[i].Dangerous = nil
	}
	if r := g.answered(words, time.Second); r.Outcome != record.Failed || len(g.tools) != 0 {
		t.Errorf("the server has forbidden it: %+v, %q", r, g.tools)
	}
	if r, _ := g.heard(record.Request{Text: "unlock the front door"}); r.Challenge || r.Reply != "Unlocking is switched off here." {
		t.Errorf("a server that does not allow it: %+v", r)
	}
}

// An order that continues is another order, with other words.
func TestChallengeForTheWholeSentence(t *testing.T) {
	t.Parallel()
	g := guardHouse(t, "en")
	q := record.Request{Text: "unlock the front door", Area: "Hall", Source: record.FromMic}
	r := record.Record{ID: "t-1", Transcript: &record.Transcript{Text: q.Text}, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	var said []string
	turn := record.Turn{Request: q, Record: &r, Say: func(s string) { said = append(said, s) }, Unsay: func() { said = nil }}
	g.answer.Answer(t.Context(), turn)
	g.asked, g.spoken = r, strings.Join(said, " ")
	words := g.words()
	g.answer.Extend(t.Context(), turn, speech.Transcript{Text: "unlock the front door and turn on the kitchen light"})
	if r.Challenge || r.Outcome != record.Failed || strings.Join(said, " ") != r.Reply {
		t.Errorf("the whole: %q, %+v", said, r)
	}
	if r := g.answered(words, time.Second); r.Outcome == record.Done || len(g.tools) != 0 {
		t.Errorf("the old words: %+v, %q", r, g.tools)
	}
}

// After three failures it rests, and says so.
func TestChallengeRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := guardHouse(t, "en")
		for range 3 {
			g.order("unlock the front door")
			if r := g.answered("no idea", time.Second); r.Reply != "Those were not the words. Nothing was done." {
				t.Errorf("%+v", r)
			}
		}
		g.order("unlock the front door")
		if g.asked.Challenge || g.asked.Reply != "That went wrong too often. Ask again in 10 minutes." || g.asked.Outcome != record.Failed {
			t.Errorf("%+v", g.asked)
		}
		if r, _ := g.heard(record.Request{Text: "lock the front door"}); r.Outcome != record.Done {
			t.Errorf("locking needs none: %+v", r)
		}
		<-time.After(10 * time.Minute)
		g.order("unlock the front door")
		if r := g.answered(g.words(), time.Second); r.Outcome != record.Done {
			t.Errorf("after the rest: %+v", r)
		}
	})
}

// A language without a list of words has no challenges.
func TestChallengeWithoutWords(t *testing.T) {
	t.Parallel()
	g := guardHouse(t, "de")
	g.order("schließ front door auf")
	if g.asked.Challenge || g.asked.Outcome == record.Done || len(g.tools) != 0 {
		t.Errorf("%q, %+v", g.spoken, g.asked)
	}
}

// TestChallengeWithAnEnd: a door that was unlocked for ten minutes is locked at their end,
// and one that would have to be unlocked at an end is not locked.
func TestChallengeWithAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := guardHouse(t, "en")
		k := fake.NewTimers()
		g.answer.Ends = k
		g.order("unlock the front door for ten minutes")
		if len(g.tools) != 0 || len(k.List(timers.Which{}, "").Timers) != 0 {
			t.Fatalf("before the words: %q", g.tools)
		}
		if r := g.answered(g.words(), time.Second); r.Reply != "The front door is unlocked for ten minutes." {
			t.Errorf("the answer: %+v", r)
		}
		<-time.After(11 * time.Minute)
		k.Book.Advance(k.Now())
		for _, e := range k.Book.Errands() {
			if r := g.answer.PutBack(t.Context(), record.Request{Source: record.FromTimer}, e.Back); r.Outcome != record.Done {
				t.Errorf("putting back: %+v", r)
			}
		}
		if r, _ := g.heard(record.Request{Text: "lock the back door for ten minutes"}); r.Outcome != record.Failed {
			t.Errorf("a door that would be unlocked: %+v", r)
		}
		if want := []string{dangerousTool + " Front Door unlock", "control_zwave_device Front Door lock"}; !slices.Equal(g.tools, want) {
			t.Errorf("calls %q, want %q", g.tools, want)
		}
	})
}
