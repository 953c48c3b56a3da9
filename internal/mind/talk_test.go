package mind_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// asker is a model whose one call is of a server that asks questions, and which says how
// they were answered.
type asker struct{ questions []tools.Question }

func (s *asker) reply(ctx context.Context, _ dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) {
		for _, q := range s.questions {
			q.Server = "files"
			a := tools.TalkOf(ctx).Ask(ctx, q)
			said := fmt.Sprintf("%t %t %d %g.", a.Given, a.Yes, a.Option, a.Number)
			if ctx.Err() != nil || !yield(dialogue.Part{Sentence: said}, nil) {
				return
			}
		}
	}
}

// TestServersAsk: a server's question ends the turn, and the next sentence answers it.
func TestServersAsk(t *testing.T) {
	t.Parallel()
	sure := tools.Question{Text: "Overwrite a.txt?"}
	which := tools.Question{Text: "Which file?", Kind: tools.OneOf, Options: []string{"the report of May", "the budget"}}
	ten := 10.0
	many := tools.Question{Text: "How many?", Kind: tools.ANumber, Whole: true, Most: &ten}
	const asked = "The files server asks: Overwrite a.txt?"
	for name, c := range map[string]struct {
		language string
		asks     []tools.Question
		says     []string // after the first text
		want     []string // the replies to all of them
	}{
		"yes":               {"en", []tools.Question{sure}, []string{"yes please"}, []string{asked, "true true 0 0."}},
		"no":                {"en", []tools.Question{sure}, []string{"no"}, []string{asked, "true false 0 0."}},
		"another command":   {"en", []tools.Question{sure}, []string{"turn on the kitchen light", "yes"}, []string{asked, "The kitchen light is on.", "I did not ask anything."}},
		"one of several":    {"en", []tools.Question{which}, []string{"the budget"}, []string{"The files server asks: Which file? You can choose: the report of May, the budget.", "true false 1 0."}},
		"the second":        {"en", []tools.Question{which}, []string{"the second one"}, []string{"The files server asks: Which file? You can choose: the report of May, the budget.", "true false 1 0."}},
		"by some words":     {"en", []tools.Question{which}, []string{"the report"}, []string{"The files server asks: Which file? You can choose: the report of May, the budget.", "true false 0 0."}},
		"none of them":      {"en", []tools.Question{which}, []string{"none of them"}, []string{"The files server asks: Which file? You can choose: the report of May, the budget.", "false false 0 0."}},
		"a number":          {"en", []tools.Question{many}, []string{"make it seven please"}, []string{"The files server asks: How many?", "true false 0 7."}},
		"two questions":     {"en", []tools.Question{sure, many}, []string{"yes", "3"}, []string{asked, "true true 0 0. The files server asks: How many?", "true false 0 3."}},
		"a secret":          {"en", []tools.Question{{Text: "What is your PIN?", Kind: tools.ANumber}}, nil, []string{"false false 0 0."}},
		"a hidden secret":   {"en", []tools.Question{{Text: "A number, please", Field: "n card number", Kind: tools.ANumber}}, nil, []string{"false false 0 0."}},
		"German":            {"de", []tools.Question{sure}, []string{"ja"}, []string{"Der Server files fragt: Overwrite a.txt?", "true true 0 0."}},
		"German secret":     {"de", []tools.Question{{Text: "Wie lautet Ihr Sicherheitscode?", Kind: tools.ANumber}}, nil, []string{"false false 0 0."}},
		"English secret":    {"de", []tools.Question{{Text: "What is your passphrase?"}}, nil, []string{"false false 0 0."}},
		"French":            {"fr", []tools.Question{sure}, []string{"oui"}, []string{"Le serveur files demande : Overwrite a.txt?", "true true 0 0."}},
		"Spanish, a number": {"es", []tools.Question{many}, []string{"siete"}, []string{"El servidor files pregunta: How many?", "true false 0 7."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := minded(t, c.language, &fake.Assistant{ReplyFunc: (&asker{c.asks}).reply})
				for i, text := range append([]string{"xyzzy whales"}, c.says...) {
					rec, said := spoken(t, a, text, i > 0)
					if rec.Reply != c.want[i] || strings.Join(said, " ") != rec.Reply {
						t.Errorf("%q is answered with %q, and said %q, want %q", text, rec.Reply, said, c.want[i])
					}
					if i == 1 && i == len(c.asks) && rec.Outcome != record.Done {
						t.Errorf("%q ends as %s, want done", text, rec.Outcome)
					}
					if open := i < len(c.want)-1 && i < len(c.asks) && len(c.says) > 0; open && rec.Outcome != record.Asked {
						t.Errorf("%q ends as %s, want a question", text, rec.Outcome)
					}
				}
				synctest.Wait()
				<-time.After(time.Minute) // until what was dropped has ended
			})
		})
	}
}

// TestUnansweredQuestionsOfServers: a question that nobody answers in time, or that nobody
// hears, is declined.
func TestUnansweredQuestionsOfServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan tools.Answer, 1)
		ask := func(ctx context.Context, _ dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
			return func(func(dialogue.Part, error) bool) {
				answers <- tools.TalkOf(ctx).Ask(ctx, tools.Question{Server: "files", Text: "Overwrite?"})
			}
		}
		a := minded(t, "en", &fake.Assistant{ReplyFunc: ask})
		begin := time.Now()
		if rec, _ := spoken(t, a, "xyzzy whales", false); rec.Outcome != record.Asked {
			t.Errorf("ended as %s with %q", rec.Outcome, rec.Reply)
		}
		if got := <-answers; got.Given || time.Since(begin) > 25*time.Second {
			t.Errorf("answered with %+v after %s", got, time.Since(begin))
		}
		if rec, _ := spoken(t, a, "yes", true); rec.Outcome == record.Done {
			t.Errorf("a late answer is %s with %q", rec.Outcome, rec.Reply)
		}
		for _, source := range []record.Source{record.FromTimer, record.FromButton, record.FromMCP} {
			rec := a.Turn(t.Context(), record.Request{Text: "xyzzy whales", Source: source})
			if got := <-answers; got.Given || rec.Outcome == record.Asked {
				t.Errorf("from %s: answered with %+v, and ended as %s", source, got, rec.Outcome)
			}
		}
		<-time.After(time.Minute)
	})
}

// TestRepeatedQuestionsOfServers: a server's question that is said again has the whole time
// to answer again.
func TestRepeatedQuestionsOfServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := minded(t, "en", &fake.Assistant{ReplyFunc: (&asker{[]tools.Question{{Text: "Overwrite a.txt?"}}}).reply})
		asked, _ := spoken(t, a, "xyzzy whales", false)
		for range 3 {
			<-time.After(12 * time.Second)
			if again, _ := spoken(t, a, "say that again", true); again.Outcome != record.Asked || again.Reply != asked.Reply {
				t.Errorf("said again, it is %s with %q, want %q", again.Outcome, again.Reply, asked.Reply)
			}
		}
		<-time.After(12 * time.Second)
		if rec, _ := spoken(t, a, "yes please", true); rec.Reply != "true true 0 0." {
			t.Errorf("the answer is %s with %q", rec.Outcome, rec.Reply)
		}
	})
}

// TestDryRunsAnswerNoServer: a text that is only tried answers no question of a server, and
// declines none.
func TestDryRunsAnswerNoServer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"yes please", "no", "turn on the kitchen light"} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := minded(t, "en", &fake.Assistant{ReplyFunc: (&asker{[]tools.Question{{Text: "Overwrite a.txt?"}}}).reply})
				spoken(t, a, "xyzzy whales", false)
				if rec := a.Turn(t.Context(), record.Request{Text: text, Source: record.FromMic, DryRun: true}); rec.Outcome != record.Ignored || rec.Reply != "" {
					t.Errorf("tried, %q is %s with %q", text, rec.Outcome, rec.Reply)
				}
				synctest.Wait()
				if rec, _ := spoken(t, a, "yes please", true); rec.Reply != "true true 0 0." {
					t.Errorf("the answer is %s with %q", rec.Outcome, rec.Reply)
				}
			})
		})
	}
}

// rememberer is a model that keeps what it is given to remember.
type rememberer struct {
	fake.Assistant
	texts []string
}

func (r *rememberer) Remember(_, text, _ string) { r.texts = append(r.texts, text) }

// TestDryRunsAreNotRemembered: what was only tried is no part of the conversation with a model.
func TestDryRunsAreNotRemembered(t *testing.T) {
	t.Parallel()
	r := &rememberer{}
	a := minded(t, "en", r)
	for _, dry := range []bool{true, false} {
		a.Turn(t.Context(), record.Request{Text: "unlock the front door", Source: record.FromCLI, DryRun: dry})
	}
	if len(r.texts) != 1 {
		t.Errorf("remembered %q, want the text of the second turn", r.texts)
	}
}

// TestStillWorking: a server that reports progress is told of after a silence, in every
// language, and its call is waited for.
func TestStillWorking(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "fr", "es"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				phrases, err := reply.Ours(language)
				if err != nil {
					t.Fatal(err)
				}
				work := func(ctx context.Context, _ dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
					return func(yield func(dialogue.Part, error) bool) {
						for range 20 {
							tools.TalkOf(ctx).Working("files")
							<-time.After(time.Second)
						}
						yield(dialogue.Part{Sentence: "Whales."}, nil)
					}
				}
				a := minded(t, language, &fake.Assistant{ReplyFunc: work})
				rec, said := spoken(t, a, "xyzzy whales", false)
				working := phrases.Phrase("still_working", nil)
				if want := []string{working, working, "Whales."}; working == "" || !slices.Equal(said, want) || rec.Reply != "Whales." {
					t.Errorf("said %q, replied %q, want %q", said, rec.Reply, want)
				}
			})
		})
	}
}
