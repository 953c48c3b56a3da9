//go:build accept

package crowd

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/intent/reader"
)

var whole = flag.Bool("whole", false, "list every sentence that was not done")

// TestAcceptCrowd judges what would be done about each sentence of the given half. It fails
// at an act that nobody ordered, and where fewer sentences are understood than before.
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
	sentences.hold(t, floor{right: 105, asked: 5, questions: 5, wrongDays: 3})
	showKinds(t, train(t, pack, crowd), said)
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
// and how many of the others may be asked about or come on a wrong day. Wrong orders are at
// most one in a hundred, and acts that nobody ordered none.
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

// showKinds prints how well the reader tells the kinds of the sentences, by mark: of those
// for the house how many reach the mark and how many of these are about the same
// things, and how many others reach it.
func showKinds(tb testing.TB, m *reader.Model, said []learn.Sentence) {
	tb.Helper()
	at := func(name string, mark func(reader.Kind) float64) {
		home, above, right, others := 0, 0, 0, 0
		for _, s := range said {
			is, g := reader.Labelled(s.Label), m.Kind(s.Text)
			reaches := g.Kind != reader.None && g.Share >= mark(g.Kind)
			switch {
			case is == reader.None && reaches:
				others++
			case is == reader.None:
			case reaches:
				home, above = home+1, above+1
				if g.Kind.Things() == is.Things() {
					right++
				}
			default:
				home++
			}
		}
		tb.Attr("shows", fmt.Sprintf("mark %s: %.0f %% of the sentences for the house reach it, %.1f %% of these are about the same things; %d others", name, 100*float64(above)/float64(home), 100*float64(right)/float64(max(1, above)), others))
	}
	tb.Attr("shows", "what the reader alone takes for which kind")
	for _, mark := range []float64{0, 0.5, 0.8, 0.9} {
		at(fmt.Sprint(mark), func(reader.Kind) float64 { return mark })
	}
	at("sure", func(k reader.Kind) float64 { return m.Marks(k).Sure })
	at("nearly", func(k reader.Kind) float64 { return m.Marks(k).Nearly })
	for _, s := range said {
		if g := m.Kind(s.Text); reader.Labelled(s.Label) == reader.None && g.Kind != reader.None && g.Share >= m.Marks(g.Kind).Nearly {
			tb.Attr("shows", fmt.Sprintf("read as %s (%.2f): %s %q", g.Kind, g.Share, s.Label, s.Text))
		}
	}
}
