package endpoint_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/language/speech"
)

// room makes the sound of one room, frame by frame, and tells the endpointer's model
// whether there is a voice in it.
type room struct {
	r      *rand.Rand
	at     time.Time
	speaks bool
	blind  bool // there is no model
}

func newRoom() *room {
	return &room{r: rand.New(rand.NewPCG(1, 2)), at: time.Unix(1_700_000_000, 0)}
}

func (r *room) Push(audio.Frame) (speaks, known bool) { return r.speaks, !r.blind }

func (r *room) frame(level float64) audio.Frame {
	scale := 32768 * math.Pow(10, level/20)
	r.at = r.at.Add(audio.FrameLength)
	f := audio.Frame{At: r.at, Samples: make([]int16, audio.FrameSamples)}
	for i := range f.Samples {
		f.Samples[i] = int16(max(-32768, min(32767, math.Round(r.r.NormFloat64()*scale))))
	}
	return f
}

// talk is speech at a level: three frames of every four, and a pause between
// words.
func talk(n int, level float64) float64 {
	if n%4 == 3 {
		return level - 15
	}
	return level
}

const (
	hush = -70.0 // of the room, dBFS
	mine = -25.0 // of the speaker
)

// woken plays four seconds of the sound that is there before, and the wake word
// over it.
func (r *room) woken(e *endpoint.Endpointer, before func(n int) (level float64, speech bool), d speech.Detection) {
	for n := range 200 {
		level, speech := before(n)
		r.speaks = speech
		e.Observe(r.frame(level))
	}
	for n := range 40 {
		r.speaks = true
		e.Observe(r.frame(talk(n, mine)))
	}
	d.At = r.at
	e.Reset(d)
}

func steady(level float64, speech bool) func(int) (float64, bool) {
	return func(int) (float64, bool) { return level, speech }
}

func talking(level float64) func(int) (float64, bool) {
	return func(n int) (float64, bool) { return talk(n, level), true }
}

func TestGateIsForSpeechBehindTheSpeaker(t *testing.T) {
	jarvis := speech.Detection{Word: "hey jarvis"}
	tests := map[string]struct {
		before func(int) (float64, bool)
		word   speech.Detection
		blind  bool
		late   int     // frames held back while the gate is shut; 0: there is no gate
		behind float64 // level of the sound behind the speaker
	}{
		"a quiet room":            {steady(hush, false), jarvis, false, 0, hush},
		"a fan":                   {steady(mine-15, false), jarvis, false, 0, mine - 15},
		"a television":            {talking(mine - 20), jarvis, false, 6, mine - 20},
		"a conversation near by":  {talking(mine - 10), jarvis, false, 8, mine - 10},
		"a conversation with us":  {talking(mine - 3), jarvis, false, 0, mine - 3},
		"nobody said a wake word": {talking(mine - 20), speech.Detection{}, false, 0, mine - 20},
		"no model, a television":  {talking(mine - 20), jarvis, true, 6, mine - 20},
		"no model, a fan":         {steady(mine-15, false), jarvis, true, 0, mine - 15},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRoom()
			r.blind = tc.blind
			cfg := endpoint.Default()
			cfg.Voice = r
			e := endpoint.New(cfg)
			r.woken(e, tc.before, tc.word)
			var in, out []audio.Frame
			push := func(level float64) {
				f := r.frame(level)
				in = append(in, f)
				out = append(out, e.Admit(f)...)
				e.Push(f, speech.Partial{}, speech.Incomplete)
			}
			for n := range 30 {
				push(talk(n, tc.behind))
			}
			if late := len(in) - len(out); late != tc.late {
				t.Fatalf("%d frames are held back, want %d", late, tc.late)
			}
			for range 20 {
				push(mine)
			}
			if len(out) != len(in) {
				t.Fatalf("%d of %d frames came while the speaker speaks", len(out), len(in))
			}
			for i, f := range out {
				down := audio.Level(in[i].Samples) - audio.Level(f.Samples)
				soft, loud := i < 24-tc.late/2, i >= 30-tc.late+2
				switch {
				case !f.At.Equal(in[i].At):
					t.Fatalf("frame %d is out of order", i)
				case tc.late == 0 && &f.Samples[0] != &in[i].Samples[0]:
					t.Fatalf("frame %d was copied", i)
				case tc.late > 0 && soft && (down < 24 || down > 30) && audio.Level(in[i].Samples) > -60:
					t.Errorf("frame %d, of the background, is %.0f dB down, want 26", i, down)
				case loud && down != 0:
					t.Errorf("frame %d, of the command, is %.0f dB down", i, down)
				}
			}
		})
	}
}

// TestBackgroundDoesNotHoldTheTurnOpen: another person keeps speaking for ten seconds,
// and those words turn the text into half a sentence.
func TestBackgroundDoesNotHoldTheTurnOpen(t *testing.T) {
	tests := map[string]struct {
		before func(int) (float64, bool)
		after  float64
		text   speech.Completeness // what the text is at the end of the command
		absorb bool                // the text then goes on
		most   time.Duration
	}{
		"television":                           {talking(mine - 20), mine - 20, speech.Closed, false, 200 * ms},
		"television, may grow":                 {talking(mine - 20), mine - 20, speech.Growable, false, 500 * ms},
		"television, absorbed":                 {talking(mine - 20), mine - 20, speech.Growable, true, 600 * ms},
		"conversation":                         {talking(mine - 10), mine - 10, speech.Closed, false, 400 * ms},
		"conversation, absorbed":               {talking(mine - 10), mine - 10, speech.Growable, true, 600 * ms},
		"begins after, television":             {steady(hush, false), mine - 20, speech.Growable, true, 600 * ms},
		"begins after, conversation":           {steady(hush, false), mine - 10, speech.Closed, false, 600 * ms},
		"begins after, conversation, absorbed": {steady(hush, false), mine - 10, speech.Growable, true, time.Second},
		"half a sentence":                      {talking(mine - 20), mine - 20, speech.Incomplete, false, time.Second},
		"begins after, half a sentence":        {steady(hush, false), mine - 10, speech.Incomplete, false, 1200 * ms},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRoom()
			cfg := endpoint.Default()
			cfg.Voice = r
			e := endpoint.New(cfg)
			r.woken(e, tc.before, speech.Detection{Word: "hey jarvis"})
			p := speech.Partial{Text: "open the curtains", Tail: 100 * ms}
			judged := speech.Incomplete
			push := func(level float64) speech.Endpoint {
				f := r.frame(level)
				e.Admit(f)
				p.Stable++
				return e.Push(f, p, judged)
			}
			for n := range 60 {
				if n == 50 {
					judged, p.Stable = tc.text, 0
				}
				if got := push(talk(n, mine)); got.Done {
					t.Fatalf("ended with %q in the command, at frame %d", got.Reason, n)
				}
			}
			ended := r.at
			for n := range 500 {
				if n > 10 && tc.absorb {
					judged, p.Text, p.Stable = speech.Incomplete, "open the curtains in", 0
				}
				got := push(talk(n, tc.after))
				if !got.Done {
					continue
				}
				if late := r.at.Sub(ended); late > tc.most {
					t.Errorf("ended with %q %v after the command, want %v", got.Reason, late, tc.most)
				}
				if off := got.SpeechEnd.Sub(ended).Abs(); off > 300*ms {
					t.Errorf("the speech is said to end %v from where it did", got.SpeechEnd.Sub(ended))
				}
				return
			}
			t.Error("never ended")
		})
	}
}

// TestWhoSpeaks: loud sound is not always a person, and a model does not hear
// every person.
func TestWhoSpeaks(t *testing.T) {
	type part struct {
		frames int
		level  float64
		speech bool
	}
	tests := map[string]struct {
		parts  []part
		blind  bool
		reason string
		spoke  bool
	}{
		"a slammed door":        {parts: []part{{50, hush, false}, {25, -15, false}, {400, hush, false}}, reason: endpoint.NoSpeech},
		"music":                 {parts: []part{{20, hush, false}, {600, mine, false}}, reason: endpoint.NoSpeech},
		"music, no model":       {parts: []part{{20, hush, false}, {600, mine, false}}, blind: true, reason: endpoint.TooLong, spoke: true},
		"the wake word's end":   {parts: []part{{5, mine, true}, {300, hush, false}}, reason: endpoint.NoSpeech},
		"speech":                {parts: []part{{20, hush, false}, {50, mine, true}, {300, hush, false}}, reason: endpoint.Silence, spoke: true},
		"echoing, slow speech":  {parts: []part{{30, mine, true}, {70, mine, false}, {30, mine, true}, {300, hush, false}}, reason: endpoint.Silence, spoke: true},
		"speech after the door": {parts: []part{{25, -15, false}, {100, hush, false}, {50, mine, true}, {300, hush, false}}, reason: endpoint.Silence, spoke: true},
		"speech near the limit": {parts: []part{{245, hush, false}, {50, mine, true}, {300, hush, false}}, reason: endpoint.Silence, spoke: true},
	}
	for name, tc := range tests {
		for _, grammar := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				r := newRoom()
				r.blind = tc.blind
				cfg := endpoint.Default()
				cfg.Voice, cfg.Grammar = r, grammar
				e := endpoint.New(cfg)
				for range 100 {
					e.Observe(r.frame(hush))
				}
				e.Reset(speech.Detection{})
				for _, p := range tc.parts {
					for n := range p.frames {
						r.speaks = p.speech
						level := p.level
						if level == mine {
							level = talk(n, mine)
						}
						got := e.Push(r.frame(level), speech.Partial{}, speech.Incomplete)
						if !got.Done {
							continue
						}
						if got.Reason != tc.reason || got.SpeechStart.IsZero() == tc.spoke {
							t.Errorf("ended with %q, speech at %v; want %q, %v", got.Reason, got.SpeechStart, tc.reason, tc.spoke)
						}
						return
					}
				}
				t.Error("never ended")
			})
		}
	}
}

func TestFixedSilence(t *testing.T) {
	cfg := endpoint.Default()
	cfg.Grammar, cfg.Fixed, cfg.Open = false, true, 700*ms
	pieces := []piece{{time.Second, mine, "", 0, 0}, {600 * ms, -65, "", 0, 0}, {time.Second, mine, "", 0, 0}, {3 * time.Second, -65, "", 0, 0}}
	if got, at := script(endpoint.New(cfg), -65, pieces); got.Reason != endpoint.Silence || at != 2600*ms+700*ms {
		t.Errorf("ended with %q after %v", got.Reason, at)
	}
}

func TestNothingIsAllocatedPerFrame(t *testing.T) {
	r := newRoom()
	cfg := endpoint.Default()
	cfg.Voice = r
	e := endpoint.New(cfg)
	for name, word := range map[string]string{"without the gate": "", "with the gate": "hey jarvis"} {
		r.woken(e, talking(mine-20), speech.Detection{Word: word})
		f := r.frame(mine - 20)
		frames := testing.AllocsPerRun(1000, func() {
			f.At = f.At.Add(audio.FrameLength)
			e.Admit(f)
			e.Push(f, speech.Partial{}, speech.Incomplete)
			e.Observe(f)
		})
		if frames > 0 { // one block of memory a second is less than one for each frame
			t.Errorf("%s: %v allocations per frame", name, frames)
		}
	}
}

// TestSoftWordsAreTheSpeakers: only the speaker is there, and the end of the
// command is softer than its beginning. It is neither cut off nor turned down.
func TestSoftWordsAreTheSpeakers(t *testing.T) {
	type part struct {
		frames int
		level  float64
		text   string // "" stands for the text before
		judged speech.Completeness
		tail   time.Duration
	}
	loud, soft := mine, mine-7
	tests := map[string]struct {
		room  float64
		parts []part // and after them the empty room
	}{
		"text grows": {hush, []part{
			{45, loud, "dim the bedroom", speech.Incomplete, 0},
			{10, soft, "dim the bedroom lamp", speech.Incomplete, 0},
			{10, soft, "dim the bedroom lamp to", speech.Incomplete, 0},
			{20, soft, "dim the bedroom lamp to forty", speech.Incomplete, 0},
		}},
		"text was a sentence": {hush, []part{
			{45, loud, "dim the living room light", speech.Growable, 0},
			{12, soft, "dim the living room lights", speech.Growable, 0},
			{10, soft, "dim the living room lights to", speech.Incomplete, 0},
			{14, soft, "dim the living room lights to half", speech.Growable, 0},
		}},
		"pause that is not quiet": {hush, []part{
			{45, loud, "dim the living room light", speech.Growable, 0},
			{10, mine - 22, "", speech.Growable, 0},
			{3, loud - 2, "dim the living room lights to", speech.Incomplete, 0},
			{10, mine - 22, "", speech.Incomplete, 0},
			{16, soft, "dim the living room lights to twenty", speech.Incomplete, 0},
		}},
		"pause, noise": {mine - 20, []part{
			{25, loud, "turn the", speech.Incomplete, 0},
			{6, mine - 20, "fan off", speech.Closed, 0},
			{2, mine - 13, "", speech.Closed, 0},
			{3, loud, "turn off the", speech.Incomplete, 0},
			{6, mine - 20, "", speech.Incomplete, 0},
			{30, soft, "turn off the kitchen", speech.Incomplete, 0},
		}},
		"soft consonant, noise": {mine - 24, []part{
			{30, loud, "fan on", speech.Closed, 0},
			{5, mine - 15, "", speech.Closed, 0},
			{2, mine - 21, "", speech.Closed, 60 * ms},
			{20, loud, "turn on the", speech.Incomplete, 0},
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRoom()
			cfg := endpoint.Default()
			cfg.Voice = r
			e := endpoint.New(cfg)
			r.woken(e, steady(tc.room, false), speech.Detection{Word: "hey jarvis"})
			var p speech.Partial
			for i, part := range tc.parts {
				if part.text != "" {
					p = speech.Partial{Text: part.text}
				}
				p.Tail = part.tail
				for n := range part.frames {
					f := r.frame(part.level)
					p.Stable++
					admitted := e.Admit(f)
					if len(admitted) != 1 || &admitted[0].Samples[0] != &f.Samples[0] {
						t.Fatalf("frame %d of part %d was held back or turned down", n, i)
					}
					if got := e.Push(f, p, part.judged); got.Done {
						t.Fatalf("ended with %q in the command, at frame %d of part %d", got.Reason, n, i)
					}
				}
			}
			for range 60 {
				if e.Push(r.frame(tc.room), p, speech.Incomplete).Done {
					return
				}
			}
			t.Error("never ended")
		})
	}
}
