package moonshine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/language/speech"
)

// scripted is a network that finds some texts likely, by the logarithm of their
// probability, and every other one hardly possible.
type scripted struct {
	texts []string // of the tokens
	likes map[string]float64
	rows  []string // the texts so far
	stops error    // of the second step
	steps int
}

// vocabulary gives every word and letter a token, behind the marks and bytes.
func vocabulary(words ...string) []string {
	texts := make([]string, lastBare+1)
	for l := 'a'; l <= 'z'; l++ {
		texts = append(texts, string(l), "▁"+string(l))
	}
	for d := '0'; d <= '9'; d++ {
		texts = append(texts, string(d), "▁"+string(d))
	}
	texts = append(texts, ".", ",", "?", "%", "'", "▁The", "-")
	for _, w := range words {
		texts = append(texts, "▁"+w)
	}
	return texts
}

// hardly is the logarithm of what the network hardly finds possible.
const hardly = -30.0

func (n *scripted) scores(text string) []float32 {
	row := slices.Repeat([]float32{hardly}, len(n.texts))
	for liked, score := range n.likes {
		rest, begins := strings.CutPrefix(liked, text)
		if !begins {
			continue
		}
		next := tokenEnd
		for token := lastBare + 1; token < len(n.texts) && rest != ""; token++ { // the longest that goes on
			if t := n.texts[token]; strings.HasPrefix(rest, t) && (next == tokenEnd || len(t) > len(n.texts[next])) {
				next = token
			}
		}
		row[next] = float32(logAdd(float64(row[next]), score))
	}
	return row
}

func (n *scripted) begin() ([]float32, error) {
	n.rows = []string{""}
	return n.scores(""), nil
}

func (n *scripted) step(rows []row) ([][]float32, error) {
	if n.steps++; n.steps == 2 && n.stops != nil {
		return nil, n.stops
	}
	var texts []string
	var all [][]float32
	for _, r := range rows {
		text := n.rows[r.parent] + n.texts[r.token]
		texts = append(texts, text)
		all = append(all, n.scores(text))
	}
	n.rows = texts
	return all, nil
}

// automaton makes an automaton of sentences; "A and B" has its second sentence in
// later states.
func automaton(sentences ...string) speech.Automaton {
	a := speech.Automaton{States: make([]speech.AutomatonState, 1), Figures: map[string]string{"21": "twenty one", "70": "seventy"}}
	ids := map[string]int32{}
	for _, s := range sentences {
		at := int32(0)
		for w := range strings.FieldsSeq(s) {
			id, ok := ids[w]
			if !ok {
				id = int32(len(a.Words))
				ids[w], a.Words = id, append(a.Words, w)
			}
			to := int32(-1)
			for _, m := range a.States[at].Moves {
				if m.Word == id {
					to = m.To
				}
			}
			if to < 0 {
				to = int32(len(a.States))
				a.States[at].Moves = append(a.States[at].Moves, speech.AutomatonMove{Word: id, To: to})
				a.States = append(a.States, speech.AutomatonState{})
			}
			at = to
		}
		a.States[at].Accept = true
	}
	a.Later = int32(len(a.States))
	return a
}

func heard(t *testing.T, n *scripted, a speech.Automaton) Result {
	t.Helper()
	s := search{net: n, lat: newLattice(a, newTree(n.texts)), texts: n.texts}
	r, err := s.run(t.Context(), 64)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	sentences := []string{
		"turn on the light", "turn off the light", "set the light to twenty one percent", "set the light to seventy percent",
		"what's the time", "dim the light", "dim the light to seventy percent",
		"set the light to 21 percent", "set the light to 70 percent", // as a grammar adds them
	}
	words := []string{"Turn", "on", "off", "the", "light", "Set", "to", "What's", "time", "percent", "twenty", "one", "Dim", "What’s"}
	cases := map[string]struct {
		likes      map[string]float64
		best, part string
		others     []string
		free       string
	}{
		"what was said": {
			likes: map[string]float64{"▁Turn▁on▁the▁light.": -1, "▁Turn▁off▁the▁light.": -4},
			best:  "turn on the light", others: []string{"turn off the light"}, free: "turn on the light",
		},
		"figures and signs": {
			likes: map[string]float64{"▁Set▁the▁light▁to▁70%": -1},
			best:  "set the light to seventy percent", free: "set the light to seventy percent",
		},
		"figures of two words": {
			likes: map[string]float64{"▁Set▁the▁light▁to▁21▁percent.": -1},
			best:  "set the light to twenty one percent", free: "set the light to twenty one percent",
		},
		"another apostrophe": {
			likes: map[string]float64{"▁What’s▁the▁time?": -1},
			best:  "what's the time", free: "what's the time",
		},
		"letter by letter": {
			likes: map[string]float64{"▁t" + "u" + "r" + "n▁on▁the▁light": -2},
			best:  "turn on the light", free: "turn on the light",
		},
		"half a sentence": {
			likes: map[string]float64{"▁Set▁the▁light▁to": -1, "▁Set▁the▁light▁to▁70%": -4},
			best:  "set the light to seventy percent", part: "set the light to", free: "set the light to",
		},
		"a sentence that could go on": {
			likes: map[string]float64{"▁Dim▁the▁light": -1},
			best:  "dim the light", free: "dim the light",
		},
		"other words": {
			likes: map[string]float64{"▁Turn▁on▁the▁light.": -9, "▁The▁time▁to▁light": -1},
			best:  "turn on the light", free: "the time to light",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := heard(t, &scripted{texts: vocabulary(append(words, "n")...), likes: c.likes}, automaton(sentences...))
			if len(r.Sentences) == 0 || r.Sentences[0].Text != c.best {
				t.Fatalf("found %+v, want %q", r.Sentences, c.best)
			}
			for _, other := range c.others {
				if !slices.ContainsFunc(r.Sentences[1:], func(o Reading) bool { return o.Text == other }) {
					t.Errorf("%q is not among %+v", other, r.Sentences)
				}
			}
			if c.part != "" && (r.Part.Text != c.part || r.Part.Rank <= r.Sentences[0].Rank) {
				t.Errorf("the beginning is %+v beside %+v, want %q above it", r.Part, r.Sentences[0], c.part)
			}
			if r.Free.Text != c.free {
				t.Errorf("by itself it wrote %q, want %q", r.Free.Text, c.free)
			}
		})
	}
}

// The network likes to say a sentence twice. What a second sentence adds must come
// from the sound.
func TestASentenceIsNotRepeated(t *testing.T) {
	t.Parallel()
	a := automaton("lights on", "lights on and lights on")
	a.Later = 3 // the states behind "lights on"
	n := &scripted{texts: vocabulary("lights", "on", "and"), likes: map[string]float64{"▁lights▁on": -1, "▁lights▁on▁and▁lights▁on": -3}}
	if r := heard(t, n, a); r.Sentences[0].Text != "lights on" {
		t.Errorf("found %+v", r.Sentences)
	}
}

func TestASearchEnds(t *testing.T) {
	t.Parallel()
	a := automaton("lights on")
	broken := errors.New("out of memory")
	n := &scripted{texts: vocabulary("lights", "on"), likes: map[string]float64{"▁lights▁on": -1}, stops: broken}
	s := search{net: n, lat: newLattice(a, newTree(n.texts)), texts: n.texts}
	if _, err := s.run(t.Context(), 64); !errors.Is(err, broken) {
		t.Errorf("a network that fails: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errOvertaken)
	n = &scripted{texts: n.texts, likes: n.likes}
	s = search{net: n, lat: newLattice(a, newTree(n.texts)), texts: n.texts}
	if _, err := s.run(ctx, 64); !errors.Is(err, errOvertaken) {
		t.Errorf("a search that is overtaken: %v", err)
	}
	if n.steps > 1 {
		t.Errorf("an overtaken search made %d steps", n.steps)
	}
	if r := heard(t, &scripted{texts: n.texts, likes: map[string]float64{"▁lights▁on": -1}}, speech.Automaton{}); len(r.Sentences) != 0 {
		t.Errorf("without a grammar it found %+v", r.Sentences)
	}
}

// A lattice that has grown is forgotten, and finds the same afterwards.
func TestForgettingChangesNothing(t *testing.T) {
	t.Parallel()
	texts := vocabulary("lights", "on", "off")
	l := newLattice(automaton("lights on", "lights off"), newTree(texts))
	for range 2 {
		n := &scripted{texts: texts, likes: map[string]float64{"▁lights▁off": -1}}
		s := search{net: n, lat: l, texts: texts}
		r, err := s.run(t.Context(), 64)
		if err != nil || len(r.Sentences) == 0 || r.Sentences[0].Text != "lights off" {
			t.Fatalf("found %+v, %v", r.Sentences, err)
		}
		if l.ways == 0 {
			t.Error("nothing is kept of a search")
		}
		l.forget()
	}
}

func TestSums(t *testing.T) {
	t.Parallel()
	if got := logSum([]float32{-1, -1, -40}); math.Abs(got-(-1+math.Ln2)) > 1e-6 {
		t.Errorf("logSum: %v", got)
	}
	if got := logAdd(math.Log(0.25), math.Log(0.5)); math.Abs(got-math.Log(0.75)) > 1e-9 {
		t.Errorf("logAdd: %v", got)
	}
}
