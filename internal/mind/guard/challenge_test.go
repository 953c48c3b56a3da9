package guard_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/mind/guard"
)

// words are enough for a pair and another one.
var words = []string{"amber", "tiger", "pilot", "salmon", "violin", "walrus"}

var begun = time.Date(2026, 1, 2, 20, 0, 0, 0, time.UTC)

func asked(t *testing.T, b *guard.Book[string], turn string, at time.Time) guard.Pair {
	t.Helper()
	p, err := b.Ask(turn, "the order of "+turn, nil, at)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRedTeam lists attempts and their results: only the right answer to the open
// challenge passes, and it passes only once.
func TestRedTeam(t *testing.T) {
	t.Parallel()
	type try struct {
		turn  string
		said  func(p guard.Pair) []string
		after time.Duration // of the question's end
		later time.Duration // on the wall clock, after it was asked
	}
	right := func(p guard.Pair) []string { return []string{p[0] + " " + p[1]} }
	text := func(form string) func(p guard.Pair) []string {
		return func(p guard.Pair) []string {
			return []string{strings.NewReplacer("A", p[0], "B", p[1]).Replace(form)}
		}
	}
	for name, tt := range map[string]struct {
		tries []try
		want  []guard.Verdict
	}{
		"the right words":               {[]try{{"t1", right, 3 * time.Second, 8 * time.Second}}, []guard.Verdict{guard.Passed}},
		"as another recogniser writes":  {[]try{{"t1", text("A-B."), 3 * time.Second, 8 * time.Second}}, []guard.Verdict{guard.Passed}},
		"in the other reading":          {[]try{{"t1", func(p guard.Pair) []string { return []string{"ambient tie", p[0] + " " + p[1]} }, 0, 0}}, []guard.Verdict{guard.Passed}},
		"at the last moment":            {[]try{{"t1", right, 10 * time.Second, 20 * time.Second}}, []guard.Verdict{guard.Passed}},
		"a moment too late":             {[]try{{"t1", right, 10*time.Second + time.Millisecond, 20 * time.Second}}, []guard.Verdict{guard.Late}},
		"a clock that stood still":      {[]try{{"t1", right, time.Second, 2 * time.Minute}}, []guard.Verdict{guard.Late}},
		"a time before the question":    {[]try{{"t1", right, -time.Second, time.Second}}, []guard.Verdict{guard.Late}},
		"one word":                      {[]try{{"t1", text("A"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"the other word":                {[]try{{"t1", text("B"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"the other order":               {[]try{{"t1", text("B A"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"a wrong word":                  {[]try{{"t1", text("A zebra"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"nearly the word":               {[]try{{"t1", text("As B"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"a word too many":               {[]try{{"t1", text("A B please"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"the words twice":               {[]try{{"t1", text("A B A B"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"another device":                {[]try{{"t1", text("A B garage door"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"our own question":              {[]try{{"t1", text("Say A B, to unlock the front door."), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"the words with something else": {[]try{{"t1", text("the words are A B"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"nothing":                       {[]try{{"t1", func(guard.Pair) []string { return nil }, 0, 0}}, []guard.Verdict{guard.Wrong}},
		"yes":                           {[]try{{"t1", text("yes"), 0, 0}}, []guard.Verdict{guard.Wrong}},
		"another dialogue":              {[]try{{"t2", right, 0, 0}, {"t1", right, 0, 0}}, []guard.Verdict{guard.None, guard.Passed}},
		"no dialogue":                   {[]try{{"", right, 0, 0}}, []guard.Verdict{guard.None}},
		"twice":                         {[]try{{"t1", right, 0, 0}, {"t1", right, 0, 0}}, []guard.Verdict{guard.Passed, guard.None}},
		"a second try":                  {[]try{{"t1", text("A A"), 0, 0}, {"t1", right, 0, 0}}, []guard.Verdict{guard.Wrong, guard.None}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := guard.NewBook[string](words)
			p := asked(t, b, "t1", begun)
			for i, try := range tt.tries {
				order, got := b.Answer(try.turn, try.said(p), try.after, begun.Add(try.later))
				if got != tt.want[i] {
					t.Errorf("try %d: %v, expected %v", i, got, tt.want[i])
				}
				if (order == "the order of t1") != (got == guard.Passed) {
					t.Errorf("try %d: %v gives the order %q", i, got, order)
				}
			}
		})
	}
}

// A second challenge takes the place of the first, whose words no longer pass.
func TestOnlyTheNewestCounts(t *testing.T) {
	t.Parallel()
	b := guard.NewBook[string](words)
	first := asked(t, b, "t1", begun)
	second := asked(t, b, "t2", begun.Add(time.Second))
	for _, w := range second {
		if slices.Contains(first[:], w) {
			t.Errorf("%q is used again at once", w)
		}
	}
	said := func(p guard.Pair) []string { return []string{p[0] + " " + p[1]} }
	if _, got := b.Answer("t1", said(first), 0, begun.Add(2*time.Second)); got != guard.None {
		t.Errorf("the old one: %v", got)
	}
	if _, got := b.Answer("t2", said(first), 0, begun.Add(2*time.Second)); got != guard.Wrong {
		t.Errorf("the old words for the new one: %v", got)
	}
}

// A recording of the last answer is worth nothing.
func TestReplay(t *testing.T) {
	t.Parallel()
	b := guard.NewBook[string](words)
	p := asked(t, b, "t1", begun)
	said := []string{p[0] + " " + p[1]}
	if _, got := b.Answer("t1", said, 0, begun); got != guard.Passed {
		t.Fatal(got)
	}
	asked(t, b, "t2", begun.Add(time.Minute))
	if _, got := b.Answer("t2", said, 0, begun.Add(time.Minute)); got != guard.Wrong {
		t.Errorf("the same words again: %v", got)
	}
}

// After three failures within ten minutes there is no challenge for ten minutes. A
// challenge that is not answered counts as a failure.
func TestItRests(t *testing.T) {
	t.Parallel()
	wrong := func(b *guard.Book[string], at time.Time) error {
		if _, err := b.Ask("t", "", nil, at); err != nil {
			return err
		}
		b.Answer("t", []string{"no idea"}, 0, at.Add(5*time.Second))
		return nil
	}
	silent := func(b *guard.Book[string], at time.Time) error { _, err := b.Ask("t", "", nil, at); return err }
	right := func(b *guard.Book[string], at time.Time) error {
		p, err := b.Ask("t", "", nil, at)
		b.Answer("t", []string{p[0] + " " + p[1]}, 0, at)
		return err
	}
	drop := func(b *guard.Book[string], at time.Time) error {
		_, err := b.Ask("t", "", nil, at)
		b.Drop("t")
		return err
	}
	type step struct {
		minute float64
		do     func(*guard.Book[string], time.Time) error
		rests  time.Duration // 0: it is asked
	}
	for name, steps := range map[string][]step{
		"three wrong":        {{0, wrong, 0}, {1, wrong, 0}, {2, wrong, 0}, {3, wrong, 9*time.Minute + 5*time.Second}, {12, wrong, 5 * time.Second}, {12.1, wrong, 0}},
		"three silent":       {{0, silent, 0}, {1, silent, 0}, {2, silent, 0}, {3, silent, 9 * time.Minute}},
		"not within ten":     {{0, wrong, 0}, {6, wrong, 0}, {11, wrong, 0}, {12, wrong, 0}, {13, wrong, 9*time.Minute + 5*time.Second}},
		"right between":      {{0, wrong, 0}, {1, wrong, 0}, {2, right, 0}, {3, wrong, 0}, {4, wrong, 0}, {5, right, 0}},
		"withdrawn is none":  {{0, drop, 0}, {1, drop, 0}, {2, drop, 0}, {3, drop, 0}, {4, drop, 0}},
		"free after its end": {{0, wrong, 0}, {1, wrong, 0}, {2, wrong, 0}, {13, wrong, 0}, {14, wrong, 0}, {15, wrong, 0}, {16, wrong, 9*time.Minute + 5*time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := guard.NewBook[string](words)
			for i, s := range steps {
				err := s.do(b, begun.Add(time.Duration(s.minute*float64(time.Minute))))
				rest, resting := errors.AsType[*guard.RestError](err)
				switch {
				case s.rests == 0 && err != nil, s.rests > 0 && !resting:
					t.Fatalf("step %d: %v", i, err)
				case resting && rest.Left != s.rests:
					t.Errorf("step %d: it rests for another %v, expected %v", i, rest.Left, s.rests)
				}
			}
		})
	}
}

// A name of the house is never a word of a challenge, and without two words there is no
// challenge.
func TestWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	b := guard.NewBook[string](words)
	for range 50 {
		p, err := b.Ask("t", "", func(w string) bool { return w == "amber" || w == "tiger" }, begun)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(p[:], "amber") || slices.Contains(p[:], "tiger") || p[0] == p[1] {
			t.Fatalf("asked for %q", p)
		}
		b.Drop("t")
	}
	for _, few := range [][]string{nil, {"amber"}} {
		if _, err := guard.NewBook[string](few).Ask("t", "", nil, begun); !errors.Is(err, guard.ErrNoWords) {
			t.Errorf("%q: %v", few, err)
		}
	}
}

// The pairs are spread over the list, so that they cannot be guessed.
func TestPairsAreRandom(t *testing.T) {
	t.Parallel()
	list := guard.Words("en")
	b := guard.NewBook[string](list)
	first, pairs := map[string]int{}, map[guard.Pair]bool{}
	const rounds = 2000
	for range rounds {
		p := asked(t, b, "t", begun)
		b.Drop("t")
		first[p[0]]++
		pairs[p] = true
	}
	if len(first) < len(list)*9/10 || len(pairs) < rounds*98/100 {
		t.Errorf("%d different first words and %d different pairs in %d", len(first), len(pairs), rounds)
	}
}
