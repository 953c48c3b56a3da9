//go:build accept

package crowd

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

var (
	whole = flag.Bool("whole", false, "list every sentence that was not done")
	every = flag.Bool("every", false, "judge the whole crowd too, each sentence by a reader that has not seen it")
)

// TestAcceptCrowd judges what would be done about each sentence of the given half. It fails
// if anything is done without an order, or if fewer sentences are understood than before.
func TestAcceptCrowd(t *testing.T) {
	t.Parallel()
	house, crowd := loadHouse(t), loadSentences(t)
	said := from(given, crowd)
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, house)
	if err != nil {
		t.Fatal(err)
	}
	sentences := tabulate(judge{house}.all(said, func(text string) intent.Decision { return matcher.Match(text, here) }))
	sentences.show(t, "the sentences alone", *whole)
	sentences.hold(t, floor{right: 165, asked: 5, questions: 5, wrongDays: 0})
	model := train(t, pack, crowd)
	showKinds(t, model, said)
	both := tabulate(judge{house}.all(said, readBy(matcher, model, house)))
	both.show(t, "the sentences, and the reader for what fits none", *whole)
	both.hold(t, floor{right: 240, asked: 20, questions: 5, wrongDays: 0})
	if *every {
		all := tabulate(judge{house}.judgeAll(t, pack, crowd, func(m *reader.Model) func(string) intent.Decision { return readBy(matcher, m, house) }))
		all.show(t, "the whole crowd, each sentence by a reader that has not seen it", *whole)
		all.hold(t, floor{right: all.home.all() * 3 / 4, asked: all.home.all() / 10, questions: 22, wrongDays: 0})
	}
}

// readBy understands a text as the mind does without a language model: by a sentence, else
// as the reader rewrites it.
func readBy(matcher *intent.Matcher, model reader.Learned, house *home.House) func(string) intent.Decision {
	match := func(text string) intent.Decision { return matcher.Match(text, here) }
	words := reader.WordsOf("en")
	return func(text string) intent.Decision {
		d := match(text)
		if !reader.Reads(d) {
			return d
		}
		switch r := words.Read(reader.Text{Words: text, Act: d.Act}, model, house, match); {
		case r.Verdict == reader.Do:
			return r.Means
		case r.Verdict == reader.Ask && d.Route == intent.Model:
			return intent.Decision{Route: intent.Ask, Reason: intent.Uncertain, Question: r.Sentence}
		}
		return d
	}
}

// all judges what an understanding makes of each sentence.
func (j judge) all(said []learn.Sentence, understand func(string) intent.Decision) []finding {
	var out []finding
	for _, s := range said {
		d := understand(s.Text)
		out = append(out, finding{s, j.of(s, d), describe(d)})
	}
	return out
}

// describe says what a decision comes to.
func describe(d intent.Decision) string {
	switch d.Route {
	case intent.Local:
		var acts []string
		for _, a := range d.Actions {
			acts = append(acts, fmt.Sprint(a.Intent, a.Slots, a.Devices))
		}
		return strings.Join(acts, "; ")
	case intent.Model:
		return ""
	case intent.Ask, intent.Reject:
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", d.Route, d.Reason, d.Question))
}

// floor is how many sentences for the house must be right and how many may be asked about,
// and how many of the others may be asked about or come on a wrong day. At most one
// order in a hundred may be understood wrongly, and nothing may be done without an order.
type floor struct{ right, asked, questions, wrongDays int }

// hold fails the test where a table is below the floor.
func (t table) hold(tb testing.TB, f floor) {
	tb.Helper()
	for _, limit := range []struct {
		what      string
		got, most int
	}{
		{"sentences for the house that are not right", t.home.all() - t.home[right], t.home.all() - f.right},
		{"sentences for the house that are asked about", t.home[asked], f.asked},
		{"sentences for the house with a wrong order", t.home[wrong], t.home.all() / 100},
		{"other sentences with an act", t.others[act], 0},
		{"other sentences that are asked about", t.others[question], f.questions},
		{"reminders on a wrong day", t.others[wrongDay], f.wrongDays},
	} {
		if limit.got > limit.most {
			tb.Errorf("%d %s, expected at most %d", limit.got, limit.what, limit.most)
		}
	}
}

// grasp is how well the reader alone tells what the sentences are about, from a mark on: of
// those for the house how many reach it and how many of these are about the same things, and
// how many others reach it.
type grasp struct{ home, reach, right, others int }

// reach counts the sentences that reach a mark of their kind.
func reach(m *reader.Model, said []learn.Sentence, mark func(reader.Kind) float64) grasp {
	var g grasp
	for _, s := range said {
		is, guess := reader.Labelled(s.Label), m.Kind(s.Text)
		reaches := guess.Kind != reader.None && guess.Share >= mark(guess.Kind)
		switch {
		case is != reader.None:
			g.home++
			if reaches {
				g.reach++
			}
			if reaches && guess.Kind.Things() == is.Things() {
				g.right++
			}
		case reaches:
			g.others++
		}
	}
	return g
}

// showKinds prints how well the reader alone tells what the sentences are about, and fails
// the test if it tells more than two in a hundred wrongly where it is sure.
func showKinds(tb testing.TB, m *reader.Model, said []learn.Sentence) {
	tb.Helper()
	tb.Attr("shows", "what the reader alone takes for an order")
	show := func(name string, g grasp) {
		tb.Attr("shows", fmt.Sprintf("mark %s: %d of %d sentences for the house, %.1f %% of them about the same things; %d others",
			name, g.reach, g.home, 100*float64(g.right)/float64(max(1, g.reach)), g.others))
	}
	for _, mark := range []float64{0, 0.5, 0.8, 0.9} {
		show(fmt.Sprint(mark), reach(m, said, func(reader.Kind) float64 { return mark }))
	}
	nearly := func(k reader.Kind) float64 { return m.Marks(k).Nearly }
	sure := reach(m, said, func(k reader.Kind) float64 { return m.Marks(k).Sure })
	show("sure", sure)
	show("nearly", reach(m, said, nearly))
	if 50*(sure.reach-sure.right) > sure.reach || sure.others > 5 {
		tb.Errorf("where the reader is sure, %d of %d are about other things, and %d are not for the house", sure.reach-sure.right, sure.reach, sure.others)
	}
	for _, s := range said {
		if g := m.Kind(s.Text); reader.Labelled(s.Label) == reader.None && g.Kind != reader.None && g.Share >= nearly(g.Kind) {
			tb.Attr("shows", fmt.Sprintf("read as %s (%.2f): %s %q", g.Kind, g.Share, s.Label, s.Text))
		}
	}
}
