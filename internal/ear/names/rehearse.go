package names

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/harness"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
)

// Voice speaks.
type Voice interface {
	Synthesize(ctx context.Context, sentence string) (audio.Clip, error)
}

// Config is what a rehearsal is made of.
type Config struct {
	Pack       *intent.Pack
	Voice      Voice
	Speaks     string     // stands for what the voice is made of
	Recogniser stt.Config // with a command of its own worker
	// Idle reports whether the machine is free; a rehearsal runs only then. Nil: always.
	Idle func() bool
	// Quiet returns since when there has been neither speech nor a question; nil: a rehearsal
	// never begins without a request.
	Quiet func() time.Time
	Dir   string // where the last report is kept; "": nowhere
	// Progress is called with how many of the names were heard; it may be nil.
	Progress func(done, of int)
	Log      *slog.Logger
}

// Bounds of a rehearsal.
const (
	mostNames  = 400                    // of a house; more would take an hour on a small machine
	mostRounds = 8                      // of other names that are tried for a thing
	mostClear  = 3                      // new names of a thing that sound like nothing else
	lookAgain  = 200 * time.Millisecond // whether the machine is idle
	lead, rest = 500 * time.Millisecond, 900 * time.Millisecond
)

// stage is a recogniser that has learnt a house.
type stage struct {
	Config
	*harness.Ear
	// likeness is what is known without a sound; nil where that is nothing.
	likeness *Likeness
}

// line is a name, and the sentence in which it is spoken.
type line struct {
	entity home.Entity
	name   string
	said   string
}

// Rehearse compares the names of a house, speaks them and hears them. A voice that the
// recogniser does not understand tells nothing of names: then they are only compared.
func Rehearse(ctx context.Context, cfg Config, h *home.House) (Report, error) {
	r := Report{Time: time.Now(), Confused: []Confusion{}, Unknown: []Word{}, Growing: []string{}}
	likeness, unknown, err := compare(ctx, cfg.Recogniser, h)
	if err != nil {
		return r, err
	}
	r.Unknown = unknown
	ear := harness.New(cfg.Pack, slog.New(slog.DiscardHandler))
	end, err := ear.Open(ctx, cfg.Recogniser, h)
	if err != nil {
		return r, err
	}
	defer func() { _ = end() }() // what it heard is heard
	s := &stage{cfg, ear, likeness}
	lines := s.lines(h, &r)
	heard, err := s.hearAll(ctx, lines, &r)
	if err != nil {
		return r, err
	}
	var alike []Confusion
	if likeness != nil {
		r.Left = likeness.Left
		if alike, err = likeness.FindConfusions(ctx); err != nil {
			return r, err
		}
	}
	if r.Voice = notUnderstood(heard, len(lines), likeness != nil); r.Voice != "" {
		r.Confused = append(r.Confused, alike...)
		return r, nil
	}
	for _, c := range alike {
		if !slices.ContainsFunc(heard, func(x Confusion) bool { return x.ID == c.ID && x.Name == c.Name }) {
			heard = append(heard, c)
		}
	}
	r.Confused = append(r.Confused, heard...)
	return r, s.propose(ctx, h, r.Confused)
}

// notUnderstood says why the hearing does not count, because more than half of the names
// were lost; "" if it counts.
func notUnderstood(wrong []Confusion, of int, compared bool) string {
	lost := 0
	for _, c := range wrong {
		if c.Heard == "" {
			lost++
		}
	}
	if lost*2 <= of {
		return ""
	}
	only := "so nothing is known of them"
	if compared {
		only = "so names were only compared"
	}
	return fmt.Sprintf("the recogniser does not understand the gateway's voice: %d of %d names came to nothing, %s; another voice may do (tts.engines: [flite])", lost, of, only)
}

// lines are the sentences that are spoken, one for each thing. The report learns how many
// things have none, and which sentences do not end early.
func (s *stage) lines(h *home.House, r *Report) (lines []line) {
	for _, e := range h.Entities {
		if e.Control == nil {
			continue
		}
		l, ok := s.line(e, e.Name)
		switch {
		case !ok:
			r.Skipped++
		case len(lines) < mostNames:
			lines = append(lines, l)
			if s.Rooms.Judge(l.said) == speech.Growable {
				r.Growing = append(r.Growing, l.said)
			}
		}
	}
	r.Names = len(lines)
	return lines
}

// hearAll speaks the lines, and returns what was not heard right.
func (s *stage) hearAll(ctx context.Context, lines []line, r *Report) (wrong []Confusion, err error) {
	for i, l := range lines {
		c, right, err := s.hear(ctx, l)
		if err != nil {
			return wrong, err
		}
		if !right {
			wrong = append(wrong, c)
		}
		if s.Progress != nil {
			s.Progress(i+1, r.Names)
		}
	}
	return wrong, nil
}

// line finds a sentence about a thing, by one of its names, that means this thing alone.
func (s *stage) line(e home.Entity, name string) (line, bool) {
	for _, said := range Sentences(s.Pack.Language, name) {
		if s.means(said, e) == e.ID {
			return line{e, name, said}, true
		}
	}
	return line{}, false
}

// means is the id of the only thing that a text is about in a thing's room; "" for none
// or several.
func (s *stage) means(text string, e home.Entity) string {
	d := s.Rooms.Match(text, e.Area)
	if len(d.Actions) == 1 && len(d.Actions[0].Devices) == 1 {
		return d.Actions[0].Devices[0]
	}
	return ""
}

// hear speaks a line and compares what is heard with it.
func (s *stage) hear(ctx context.Context, l line) (c Confusion, right bool, err error) {
	if err := s.wait(ctx); err != nil {
		return c, false, err
	}
	clip, err := s.Voice.Synthesize(ctx, l.said)
	if err != nil {
		return c, false, fmt.Errorf("speaking %q: %w", l.said, err)
	}
	for _, above := range rooms {
		if c, right, err = s.hearIn(ctx, l, clip, above); err != nil || !right {
			break
		}
	}
	return c, right, err
}

// rooms are how far speech stands above the noise, in dB: a quiet room, and one with a
// kettle. A name may be lost in noise; there it counts only if it is taken for another.
var rooms = []float64{quietRoom, 8}

const quietRoom = 60.0

// hearIn is hear with noise.
func (s *stage) hearIn(ctx context.Context, l line, clip audio.Clip, above float64) (c Confusion, right bool, err error) {
	t, err := s.listen(ctx, clip, above)
	if err != nil {
		return c, false, fmt.Errorf("hearing %q: %w", l.said, err)
	}
	c = Confusion{ID: l.entity.ID, Name: l.entity.Name, Said: l.said, Heard: t.Text, With: []string{}}
	right = above < quietRoom || !t.Unfinished && s.means(t.Text, l.entity) == l.entity.ID
	for _, text := range append([]string{t.Text}, t.Others...) {
		if text == "" {
			continue
		}
		for _, a := range s.Rooms.Match(text, l.entity.Area).Actions {
			for _, id := range a.Devices {
				if name := s.name(id); id != l.entity.ID && !slices.Contains(c.With, name) {
					c.With = append(c.With, name)
				}
			}
		}
	}
	return c, right && len(c.With) == 0, nil
}

func (s *stage) name(id string) string {
	all := s.Rooms.House().Entities
	if i := slices.IndexFunc(all, func(e home.Entity) bool { return e.ID == id }); i >= 0 {
		return all[i].Name
	}
	return id
}

// wait waits until the machine is idle.
func (s *stage) wait(ctx context.Context) error {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for s.Idle != nil && !s.Idle() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for a quiet moment: %w", ctx.Err())
		case <-tick.C:
		}
	}
	return ctx.Err()
}

// listen gives a clip to the recogniser.
func (s *stage) listen(ctx context.Context, clip audio.Clip, above float64) (speech.Transcript, error) {
	clip, err := audio.Resample(clip, audio.SpeechRate)
	if err != nil {
		return speech.Transcript{}, err
	}
	samples := noisy(slices.Concat(make([]int16, samplesOf(lead)), clip.Samples, make([]int16, samplesOf(rest))), audio.Level(clip.Samples)-above)
	whole := len(samples) / audio.FrameSamples * audio.FrameSamples
	return s.Hear(ctx, audio.Clip{Rate: audio.SpeechRate, Samples: samples[:whole]})
}

func samplesOf(d time.Duration) int { return int(d.Seconds() * float64(audio.SpeechRate)) }

// noisy adds noise of a level in dBFS to sound; the same every time.
func noisy(samples []int16, level float64) []int16 {
	most := math.Sqrt(3) * 32768 * math.Pow(10, level/20) // of evenly spread values
	seed := uint32(1)
	for i, x := range samples {
		seed = seed*1664525 + 1013904223
		y := float64(x) + most*(float64(seed>>8)/float64(1<<23)-1)
		samples[i] = int16(min(max(y, math.MinInt16), math.MaxInt16))
	}
	return samples
}

// propose looks for another name of each thing that was not heard right, and tries it by
// ear: first the names that the house knows, then new ones, one for each thing in a round.
// A name that only sounds like another keeps the proposal that it already has.
func (s *stage) propose(ctx context.Context, h *home.House, found []Confusion) error {
	open, known := map[int][]string{}, map[int]int{} // by index: names to try, and how many of them the house has
	things := map[int]int{}                          // by index: the place in the house
	for i, c := range found {
		at := slices.IndexFunc(h.Entities, func(e home.Entity) bool { return e.ID == c.ID })
		if at < 0 || c.Alike && c.Known {
			continue
		}
		has, more := s.candidates(h, h.Entities[at])
		open[i], known[i], things[i] = append(has, more...), len(has), at
		found[i].Alias, found[i].Known = "", false
	}
	for round := range mostRounds {
		with := *h
		with.Entities = slices.Clone(h.Entities)
		maps.DeleteFunc(open, func(_ int, names []string) bool { return round >= len(names) })
		if len(open) == 0 {
			return nil
		}
		for i, names := range open {
			e := &with.Entities[things[i]]
			e.Aliases = append(slices.Clone(e.Aliases), names[round])
		}
		if err := s.Learn(ctx, &with); err != nil {
			return err
		}
		for _, i := range slices.Sorted(maps.Keys(open)) {
			name := open[i][round]
			l, ok := s.line(h.Entities[things[i]], name)
			if !ok {
				continue
			}
			_, right, err := s.hear(ctx, l)
			if err != nil {
				return err
			}
			if right {
				found[i].Alias, found[i].Known = name, round < known[i]
				delete(open, i)
			}
		}
	}
	return nil
}

// candidates returns other names for a thing: those that the house knows, and new ones,
// which sound like no other name as far as pronunciations are known.
func (s *stage) candidates(h *home.House, e home.Entity) (known, proposed []string) {
	known, proposed = Candidates(h, e, s.Pack.Language)
	if s.likeness != nil {
		proposed = s.likeness.Clear(e, mostClear)
	}
	return known, proposed
}
