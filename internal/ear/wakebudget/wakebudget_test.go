package wakebudget_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"voicegateway/internal/ear/wakebudget"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

const word = "hey jarvis"

var start = time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)

// house is a book and the time in it.
type house struct {
	*wakebudget.Book
	now time.Time
}

func newHouse(budget int) *house {
	return &house{wakebudget.New(budget, []string{word}, map[string]float64{word: 0.97}, []string{word}, nil), start}
}

// woke lets time pass, and then a wake of the length of a turn.
func (h *house) woke(after time.Duration, v wakebudget.Verdict) {
	h.now = h.now.Add(after)
	h.Woke(wakebudget.Wake{Word: word, At: h.now, Ended: h.now.Add(5 * time.Second), Verdict: v})
	h.now = h.now.Add(5 * time.Second)
}

// falseOnes are false wakes, far enough apart to move a threshold.
func (h *house) falseOnes(n int) {
	for range n {
		h.woke(90*time.Minute, wakebudget.False)
	}
}

func (h *house) threshold() float64 { return h.Thresholds()[word] }

// counts are the wakes of all days.
func (h *house) counts() (d wakebudget.Day) {
	for _, x := range h.Words()[0].Days {
		d.Meant, d.False, d.Missed, d.Lost = d.Meant+x.Meant, d.False+x.False, d.Missed+x.Missed, d.Lost+x.Lost
	}
	return d
}

func text(s string) *record.Transcript { return &record.Transcript{Text: s} }

// What a turn's record tells of its wake.
func TestJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		r    record.Record
		want wakebudget.Verdict
	}{
		"nothing was said":     {record.Record{Verdict: record.Verdict{Outcome: record.Ignored}}, wakebudget.False},
		"no command":           {record.Record{Transcript: text(""), Verdict: record.Verdict{Outcome: record.Ignored}}, wakebudget.Doubtful},
		"talk":                 {record.Record{Transcript: text("and then he said"), Verdict: record.Verdict{Outcome: record.Ignored}}, wakebudget.Doubtful},
		"a command":            {record.Record{Transcript: text("lamp on"), Verdict: record.Verdict{Outcome: record.Done}}, wakebudget.Meant},
		"a command that fails": {record.Record{Transcript: text("lamp on"), Verdict: record.Verdict{Outcome: record.Failed}}, wakebudget.Meant},
		"a question":           {record.Record{Transcript: text("the lamp"), Verdict: record.Verdict{Outcome: record.Asked}}, wakebudget.Meant},
		"interrupted":          {record.Record{Verdict: record.Verdict{Outcome: record.Interrupted}}, wakebudget.Unknown},
		"the ear failed":       {record.Record{Verdict: record.Verdict{Outcome: record.Failed}}, wakebudget.Unknown},
		"a complaint": {record.Record{
			Transcript: text("that wasn't me"), Intent: &record.Intent{Name: catalogue.NotForYou}, Verdict: record.Verdict{Outcome: record.Done},
		}, wakebudget.Complained},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := wakebudget.Judge(tt.r); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// One false wake is within the budget; those beyond it raise the threshold, one step at
// most in an hour, and never over its bound.
func TestOverTheBudget(t *testing.T) {
	t.Parallel()
	h := newHouse(1)
	h.falseOnes(1)
	if m := h.Moves(); len(m) > 0 {
		t.Fatalf("moved within the budget: %v", m)
	}
	h.woke(time.Minute, wakebudget.False)
	m := h.Moves()
	if len(m) != 1 || m[0].From != 0.97 || m[0].To <= 0.97 || m[0].Why != wakebudget.OverBudget {
		t.Fatalf("moves: %+v", m)
	}
	h.woke(time.Minute, wakebudget.False)
	if m := h.Moves(); len(m) > 0 {
		t.Fatalf("moved twice within an hour: %v", m)
	}
	h.falseOnes(10)
	if got, most := h.threshold(), h.Words()[0].Most; got != most || most >= 1 {
		t.Errorf("threshold %v after many false wakes, bound %v", got, most)
	}
}

// Without a budget, and for a word without a threshold, wakes are counted only.
func TestCountedOnly(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]*house{
		"no budget":    newHouse(0),
		"no threshold": {wakebudget.New(1, []string{word}, nil, nil, nil), start},
	} {
		before := h.threshold()
		h.falseOnes(5)
		if m := h.Moves(); len(m) > 0 || h.threshold() != before {
			t.Errorf("%s: %v", name, m)
		}
		if h.counts().False != 5 || h.FalseOfDay(h.now) != 5 {
			t.Errorf("%s: counted %+v", name, h.counts())
		}
	}
}

// A try that was nearly the word, and a second one that was heard: a missed wake. It
// moves the threshold back if the lowest one would have heard it.
func TestAMissedWakeMovesBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		score        float64
		before       []time.Duration // of the tries that were not heard
		verdict      wakebudget.Verdict
		missed, lost int
		back         bool
	}{
		"two tries":               {0.971, []time.Duration{6 * time.Second, 3 * time.Second}, wakebudget.Meant, 2, 2, true},
		"a second try":            {0.971, []time.Duration{3 * time.Second}, wakebudget.Meant, 1, 1, true},
		"lost at any threshold":   {0.8, []time.Duration{6 * time.Second, 3 * time.Second}, wakebudget.Meant, 2, 0, false},
		"long before":             {0.971, []time.Duration{time.Minute}, wakebudget.Meant, 0, 0, false},
		"the same word":           {0.971, []time.Duration{300 * time.Millisecond}, wakebudget.Meant, 0, 0, false},
		"a television":            {0.971, []time.Duration{3 * time.Second}, wakebudget.False, 0, 0, false},
		"nobody knows who it was": {0.971, []time.Duration{3 * time.Second}, wakebudget.Unknown, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(1)
			h.falseOnes(4)
			h.Moves()
			high := h.threshold()
			h.now = h.now.Add(10 * time.Minute)
			for _, d := range tt.before {
				h.Near(word, tt.score, h.now.Add(-d))
			}
			h.woke(0, tt.verdict)
			if c := h.counts(); c.Missed != tt.missed || c.Lost != tt.lost {
				t.Errorf("counted %+v", c)
			}
			if back := h.threshold() < high; back != tt.back {
				t.Errorf("threshold %v after %v", h.threshold(), high)
			}
		})
	}
}

// Who is missed often is not made harder to hear, whatever the television does.
func TestMissedWakesGoBeforeTheBudget(t *testing.T) {
	t.Parallel()
	h := newHouse(1)
	h.falseOnes(3)
	h.now = h.now.Add(10 * time.Minute)
	h.Near(word, 0.971, h.now.Add(-3*time.Second))
	h.woke(0, wakebudget.Meant)
	at := h.threshold()
	h.falseOnes(6)
	if h.threshold() != at {
		t.Errorf("threshold %v, was %v, with one wake of one lost", h.threshold(), at)
	}
	for range 100 {
		h.woke(time.Minute, wakebudget.Meant)
	}
	h.falseOnes(1)
	if h.threshold() <= at {
		t.Error("the threshold stays where it is although few are missed")
	}
}

// If the author's threshold itself misses too many, the word becomes easier to hear than
// that, by just as much as is needed; but not if a user has set the threshold, and not
// while the false wakes are far over their budget.
func TestEasierThanItsAuthorSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fixed   []string
		falsely int
		want    float64
	}{
		"few false wakes":  {nil, 0, 0.9589},
		"set by a person":  {[]string{word}, 0, 0.97},
		"many false wakes": {nil, 12, 0.97},
	} {
		h := &house{wakebudget.New(1, []string{word}, map[string]float64{word: 0.97}, tt.fixed, nil), start}
		for _, score := range []float64{0.965, 0.968, 0.959, 0.953} { // of sixty tries
			h.falseOnes(tt.falsely / 4)
			for range 14 {
				h.woke(time.Minute, wakebudget.Meant)
			}
			h.now = h.now.Add(time.Minute)
			h.Near(word, score, h.now.Add(-3*time.Second))
			h.woke(0, wakebudget.Meant)
		}
		if got := h.threshold(); got != tt.want {
			t.Errorf("%s: the threshold is %v, expected %v", name, got, tt.want)
		}
		if tt.want < 0.97 {
			if h.falseOnes(12); h.threshold() < 0.97 {
				t.Errorf("%s: it stays at %v whatever wakes it", name, h.threshold())
			}
		}
	}
}

// Speech that is not a command counts as a user's if it is followed by another try, else
// as a false wake.
func TestDoubtfulWakes(t *testing.T) {
	t.Parallel()
	h := newHouse(1)
	h.woke(time.Minute, wakebudget.Doubtful)
	h.woke(5*time.Second, wakebudget.Meant)
	h.Pass(h.now.Add(time.Hour))
	if c := h.counts(); c.False != 0 || c.Meant != 2 {
		t.Errorf("tried again: %+v", c)
	}
	h.woke(2*time.Hour, wakebudget.Doubtful)
	if c := h.counts(); c.False != 0 {
		t.Errorf("judged at once: %+v", c)
	}
	h.Pass(h.now.Add(time.Minute))
	if c := h.counts(); c.False != 1 {
		t.Errorf("not tried again: %+v", c)
	}
}

// A complaint is about the wake before, or about the wake whose open ear hears it.
func TestComplaints(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(h *house)
		want wakebudget.Day
	}{
		"of the wake before":              {func(h *house) { h.woke(0, wakebudget.Meant); h.woke(20*time.Second, wakebudget.Complained) }, wakebudget.Day{Meant: 1, False: 1}},
		"of this one":                     {func(h *house) { h.woke(0, wakebudget.Complained) }, wakebudget.Day{False: 1}},
		"of this one, after a false one":  {func(h *house) { h.woke(0, wakebudget.False); h.woke(20*time.Second, wakebudget.Complained) }, wakebudget.Day{False: 2}},
		"of this one, long after another": {func(h *house) { h.woke(0, wakebudget.Meant); h.woke(time.Hour, wakebudget.Complained) }, wakebudget.Day{Meant: 1, False: 1}},
		"in writing":                      {func(h *house) { h.woke(0, wakebudget.Meant); h.Told(h.now.Add(time.Minute)) }, wakebudget.Day{False: 1}},
		"in writing, twice":               {func(h *house) { h.woke(0, wakebudget.Meant); h.Told(h.now); h.Told(h.now) }, wakebudget.Day{False: 1}},
		"in writing, of a doubtful one":   {func(h *house) { h.woke(0, wakebudget.Doubtful); h.Told(h.now); h.Pass(h.now.Add(time.Hour)) }, wakebudget.Day{False: 1}},
		"in writing, of none":             {func(h *house) { h.Told(h.now) }, wakebudget.Day{}},
		"in writing, too late":            {func(h *house) { h.woke(0, wakebudget.Meant); h.Told(h.now.Add(time.Hour)) }, wakebudget.Day{Meant: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(1)
			tt.do(h)
			if c := h.counts(); c != tt.want {
				t.Errorf("counted %+v, want %+v", c, tt.want)
			}
		})
	}
}

// A calm week moves the threshold back by one step.
func TestACalmWeek(t *testing.T) {
	t.Parallel()
	h := newHouse(1)
	h.falseOnes(8)
	h.Moves()
	most := h.threshold()
	h.Pass(h.now.Add(6 * 24 * time.Hour))
	if h.threshold() != most {
		t.Fatal("moved before the week was over")
	}
	h.Pass(h.now.Add(8 * 24 * time.Hour))
	h.Pass(h.now.Add(8*24*time.Hour + time.Minute))
	if m := h.Moves(); len(m) != 1 || m[0].Why != wakebudget.CalmWeek || h.threshold() >= most {
		t.Errorf("moves after a calm week: %+v", m)
	}
}

// The kept values are used again, unless the configured threshold has changed.
func TestKept(t *testing.T) {
	t.Parallel()
	h := newHouse(1)
	h.falseOnes(4)
	written, err := json.Marshal(h.Words())
	if err != nil {
		t.Fatal(err)
	}
	var kept []wakebudget.Word
	if err := json.Unmarshal(written, &kept); err != nil {
		t.Fatal(err)
	}
	again := wakebudget.New(1, []string{word}, map[string]float64{word: 0.97}, []string{word}, kept)
	if got := again.Thresholds()[word]; got != h.threshold() || again.FalseOfDay(h.now) != 4 {
		t.Errorf("threshold %v, was %v; %d false", got, h.threshold(), again.FalseOfDay(h.now))
	}
	other := wakebudget.New(1, []string{word}, map[string]float64{word: 0.9}, []string{word}, kept)
	if got := other.Thresholds()[word]; got != 0.9 {
		t.Errorf("the configured threshold is 0.9, and %v is used", got)
	}
}

// Whatever is kept and whatever happens, a threshold stays within its bounds.
func FuzzBook(f *testing.F) {
	f.Add([]byte(`[{"word":"hey jarvis","threshold":0.98,"least":0.97,"most":5}]`), []byte{1, 2, 3, 4, 250, 7})
	f.Add([]byte(`[{"word":"hey jarvis","threshold":-1,"least":0.97,"days":[{"meant":-5}],"false":["2026-01-01T00:00:00Z"]}]`), []byte{0})
	f.Fuzz(func(t *testing.T, state, events []byte) {
		var kept []wakebudget.Word
		_ = json.Unmarshal(state, &kept)
		b := wakebudget.New(1, []string{word}, map[string]float64{word: 0.97}, nil, kept)
		now := start
		for _, e := range events {
			now = now.Add(time.Duration(e) * time.Minute / 8)
			switch e % 7 {
			case 5:
				b.Near(word, float64(e)/256, now)
			case 6:
				b.Told(now)
			default:
				b.Woke(wakebudget.Wake{Word: word, At: now, Ended: now, Verdict: wakebudget.Verdict(e % 7)})
			}
			at := b.Thresholds()[word]
			if math.IsNaN(at) || at < 0.95 || at > 0.985 {
				t.Fatalf("threshold %v", at)
			}
		}
		if w := b.Words()[0]; len(w.Days) > 14 || len(w.False) > 100 {
			t.Fatalf("%d days, %d times are kept", len(w.Days), len(w.False))
		}
	})
}

func ExampleBook() {
	b := wakebudget.New(1, []string{"alexa"}, map[string]float64{"alexa": 0.9}, nil, nil)
	evening := time.Date(2026, 3, 2, 20, 0, 0, 0, time.UTC)
	for _, at := range []time.Duration{0, time.Hour} {
		b.Woke(wakebudget.Wake{Word: "alexa", At: evening.Add(at), Ended: evening.Add(at), Verdict: wakebudget.False})
	}
	for _, m := range b.Moves() {
		fmt.Printf("%s: %.4f to %.4f, %s\n", m.Word, m.From, m.To, m.Why)
	}
	// Output: alexa: 0.9000 to 0.9125, over_budget
}
