package endpoint_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/language/speech"
)

// piece is a stretch of sound at one level with what the recogniser believes.
type piece struct {
	length time.Duration
	level  float64 // dBFS
	text   string  // "" keeps the one before
	c      speech.Completeness
	lag    time.Duration // by how much the recogniser's tail is shorter than the quiet
}

const ms = time.Millisecond

// script plays pieces and returns the endpoint and when it came, from the start.
func script(e *endpoint.Endpointer, room float64, pieces []piece) (speech.Endpoint, time.Duration) {
	r := rand.New(rand.NewPCG(1, 2))
	begin := time.Unix(1_700_000_000, 0)
	at := begin
	frame := func(level float64) audio.Frame {
		scale := 32768 * math.Pow(10, level/20)
		f := audio.Frame{Samples: make([]int16, audio.FrameSamples)}
		for i := range f.Samples {
			f.Samples[i] = int16(max(-32768, min(32767, math.Round(r.NormFloat64()*scale))))
		}
		at = at.Add(audio.FrameLength)
		f.At = at
		return f
	}
	for range 100 {
		e.Observe(frame(room))
	}
	begin = at
	e.Reset(speech.Detection{})
	p := speech.Partial{}
	for _, s := range pieces {
		if s.text != "" && s.text != p.Text {
			p = speech.Partial{Text: s.text}
		}
		for range s.length / audio.FrameLength {
			p.Stable++
			p.Tail = 0
			if s.level <= -30 {
				p.Tail = max(0, 100*ms-s.lag)
			}
			if got := e.Push(frame(s.level), p, s.c); got.Done {
				return got, at.Sub(begin)
			}
		}
	}
	return speech.Endpoint{}, at.Sub(begin)
}

func TestRule(t *testing.T) {
	const room, voice = -65.0, -25.0
	open := endpoint.Default()
	open.Grammar = false
	tests := map[string]struct {
		cfg    endpoint.Config
		room   float64
		pieces []piece
		reason string
		quiet  time.Duration // from the end of the voice to the endpoint
		spoken time.Duration // when the voice ended
	}{
		"complete": {
			pieces: []piece{{200 * ms, room, "", 0, 0}, {time.Second, voice, "turn on the light", speech.Closed, 0}, {3 * time.Second, room, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: 1200 * ms,
		},
		"complete before the speaker is": { // the text is complete 300 ms before the voice ends
			pieces: []piece{{700 * ms, voice, "turn on", speech.Incomplete, 0}, {300 * ms, voice, "turn on the light", speech.Closed, 0}, {time.Second, room, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: time.Second,
		},
		"complete, the recogniser lags": {
			pieces: []piece{{time.Second, voice, "turn on the light", speech.Closed, 0}, {3 * time.Second, room, "", speech.Closed, 100 * ms}},
			reason: endpoint.Sentence, quiet: 300 * ms, spoken: time.Second,
		},
		"complete, somebody talks behind": { // 8 dB below: only quiet(6) comes
			pieces: []piece{{time.Second, voice, "turn on the light", speech.Closed, 0}, {3 * time.Second, voice - 8, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 220 * ms, spoken: time.Second,
		},
		"text changes in the silence": {
			pieces: []piece{{time.Second, voice, "turn on the lights", speech.Closed, 0}, {80 * ms, room, "", speech.Closed, 0}, {time.Second, room, "turn on the light", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 140 * ms, spoken: time.Second,
		},
		"may grow": {
			pieces: []piece{{time.Second, voice, "set it to twenty", speech.Growable, 0}, {3 * time.Second, room, "", speech.Growable, 0}},
			reason: endpoint.SentenceMayGrow, quiet: 360 * ms, spoken: time.Second,
		},
		"may grow, in noise": { // quiet(20) never comes: the noise is 14 dB below
			room:   -39,
			pieces: []piece{{time.Second, voice, "set it to twenty", speech.Growable, 0}, {3 * time.Second, -39, "", speech.Growable, 0}},
			reason: endpoint.SentenceMayGrow, quiet: 360 * ms, spoken: time.Second,
		},
		"grew": {
			pieces: []piece{{time.Second, voice, "set it to twenty", speech.Growable, 0}, {240 * ms, room, "", speech.Growable, 0}, {400 * ms, voice, "set it to twenty one", speech.Closed, 0}, {time.Second, room, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: 1640 * ms,
		},
		"fluent speech in digital silence": { // the floor must not be learnt from the speech itself
			room:   -200,
			pieces: []piece{{1200 * ms, -20, "dim the lights", speech.Growable, 0}, {400 * ms, -33, "", speech.Growable, 0}, {400 * ms, -20, "dim the lights to ten percent", speech.Closed, 0}, {time.Second, -200, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: 2 * time.Second,
		},
		"half a sentence": {
			pieces: []piece{{time.Second, voice, "turn on the", speech.Incomplete, 0}, {3 * time.Second, room, "", speech.Incomplete, 0}},
			reason: endpoint.Silence, quiet: 800 * ms, spoken: time.Second,
		},
		"a pause in the middle": {
			pieces: []piece{{time.Second, voice, "turn on the", speech.Incomplete, 0}, {600 * ms, room, "", speech.Incomplete, 0}, {400 * ms, voice, "turn on the light", speech.Closed, 0}, {time.Second, room, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: 2 * time.Second,
		},
		"nobody speaks": {
			pieces: []piece{{8 * time.Second, room, "the", speech.Incomplete, 0}},
			reason: endpoint.NoSpeech, quiet: 5 * time.Second,
		},
		"a click is nobody": {
			pieces: []piece{{time.Second, room, "", 0, 0}, {40 * ms, voice, "", 0, 0}, {8 * time.Second, room, "", 0, 0}},
			reason: endpoint.NoSpeech, quiet: 5 * time.Second,
		},
		"what can be put back does not wait for the recogniser": {
			pieces: []piece{{time.Second, voice, "turn on the light", speech.Revocable, 0}, {3 * time.Second, room, "", speech.Revocable, 100 * ms}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: time.Second,
		},
		"what cannot be put back does": {
			pieces: []piece{{time.Second, voice, "lock the door", speech.Closed, 0}, {3 * time.Second, room, "", speech.Closed, 100 * ms}},
			reason: endpoint.Sentence, quiet: 300 * ms, spoken: time.Second,
		},
		"what can be put back, after a pause inside": {
			pieces: []piece{{500 * ms, voice, "turn on", speech.Incomplete, 0}, {120 * ms, room, "", speech.Incomplete, 0}, {500 * ms, voice, "turn on the light", speech.Revocable, 0}, {3 * time.Second, room, "", speech.Revocable, 100 * ms}},
			reason: endpoint.Sentence, quiet: 160 * ms, spoken: 1120 * ms,
		},
		"what can be put back, with a soft last sound": {
			pieces: []piece{{time.Second, voice, "turn on the light", speech.Revocable, 0}, {100 * ms, voice - 25, "", speech.Revocable, 100 * ms}, {3 * time.Second, room, "", speech.Revocable, 100 * ms}},
			reason: endpoint.Sentence, quiet: 180 * ms, spoken: time.Second,
		},
		"what can be put back, in words that have just changed": {
			pieces: []piece{{time.Second, voice, "turn on the lights", speech.Revocable, 0}, {60 * ms, room, "", speech.Revocable, 0}, {3 * time.Second, room, "turn on the light", speech.Revocable, 100 * ms}},
			reason: endpoint.Sentence, quiet: 160 * ms, spoken: time.Second,
		},
		"what can be put back, in noise": {
			room:   -48,
			pieces: []piece{{time.Second, voice, "turn on the light", speech.Revocable, 0}, {3 * time.Second, -48, "", speech.Revocable, 100 * ms}},
			reason: endpoint.Sentence, quiet: 300 * ms, spoken: time.Second,
		},
		"the wake word's last sound is nobody": {
			pieces: []piece{{120 * ms, voice, "", 0, 0}, {8 * time.Second, room, "", 0, 0}},
			reason: endpoint.NoSpeech, quiet: 5 * time.Second,
		},
		"a cough, then the command": {
			pieces: []piece{{120 * ms, voice, "", 0, 0}, {2 * time.Second, room, "", 0, 0}, {time.Second, voice, "good night", speech.Closed, 0}, {time.Second, room, "", speech.Closed, 0}},
			reason: endpoint.Sentence, quiet: 100 * ms, spoken: 3120 * ms,
		},
		"endless": {
			pieces: slices.Repeat([]piece{{200 * ms, voice, "turn on the", speech.Incomplete, 0}, {60 * ms, -50, "", speech.Incomplete, 0}}, 60),
			reason: endpoint.TooLong,
		},
		"a machine starts": { // steady for seconds, so it is not a voice
			pieces: []piece{{20 * time.Second, voice, "turn on the", speech.Incomplete, 0}},
			reason: endpoint.Silence,
		},
		"without a grammar": {
			cfg:    open,
			pieces: []piece{{time.Second, voice, "", 0, 0}, {3 * time.Second, room, "", 0, 0}},
			reason: endpoint.Silence, quiet: 700 * ms, spoken: time.Second,
		},
		"without a grammar, a slow speaker": {
			cfg:    open,
			pieces: []piece{{time.Second, voice, "", 0, 0}, {600 * ms, room, "", 0, 0}, {time.Second, voice, "", 0, 0}, {3 * time.Second, room, "", 0, 0}},
			reason: endpoint.Silence, quiet: 900 * ms, spoken: 2600 * ms,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cfg := tc.cfg
			if cfg == (endpoint.Config{}) {
				cfg = endpoint.Default()
			}
			noise := tc.room
			if noise == 0 {
				noise = room
			}
			got, at := script(endpoint.New(cfg), noise, tc.pieces)
			if got.Reason != tc.reason {
				t.Fatalf("ended with %q after %v, want %q", got.Reason, at, tc.reason)
			}
			if tc.quiet > 0 && at != tc.spoken+tc.quiet {
				t.Errorf("ended %v after the voice, want %v", at-tc.spoken, tc.quiet)
			}
			if tc.spoken > 0 && got.SpeechEnd.Sub(got.SpeechStart) < 900*ms {
				t.Errorf("speech from %v to %v", got.SpeechStart, got.SpeechEnd)
			}
		})
	}
}

// TestANumberMayBeSaidWithAPause: "twenty … one degrees". A speaker who has paused inside
// the utterance before gets more time. The pause after a wake word or a cough does not
// count.
func TestANumberMayBeSaidWithAPause(t *testing.T) {
	const room, voice = -65.0, -25.0
	speech1 := func(earlier time.Duration) []piece {
		if earlier == 0 {
			return []piece{{1200 * ms, voice, "set the heating to twenty", speech.Growable, 0}}
		}
		return []piece{
			{600 * ms, voice, "set the", speech.Incomplete, 0},
			{earlier, room, "", speech.Incomplete, 0},
			{600 * ms, voice, "set the heating to twenty", speech.Growable, 0},
		}
	}
	tests := map[string]struct {
		before  []piece
		earlier time.Duration // a pause in what was said before the number
		room    float64
		pause   time.Duration // inside the number
		whole   bool          // the pause is bridged
		quiet   time.Duration // of what is not, until the end
	}{
		"250 ms, fluent":                   {pause: 250 * ms, whole: true},
		"400 ms, fluent":                   {pause: 400 * ms, quiet: 360 * ms},
		"550 ms, fluent":                   {pause: 550 * ms, quiet: 360 * ms},
		"250 ms, paused before":            {earlier: 300 * ms, pause: 250 * ms, whole: true},
		"400 ms, paused before":            {earlier: 300 * ms, pause: 400 * ms, whole: true},
		"550 ms, paused before":            {earlier: 300 * ms, pause: 550 * ms, whole: true},
		"700 ms, paused before":            {earlier: 300 * ms, pause: 700 * ms, quiet: 600 * ms},
		"550 ms, between words before":     {earlier: 160 * ms, pause: 550 * ms, quiet: 360 * ms},
		"550 ms, paused just enough":       {earlier: 200 * ms, pause: 550 * ms, whole: true},
		"550 ms, after a wake word's end":  {before: []piece{{120 * ms, voice, "", 0, 0}, {400 * ms, room, "", 0, 0}}, pause: 550 * ms, quiet: 360 * ms},
		"550 ms, after a quiet wait":       {before: []piece{{900 * ms, room, "", 0, 0}}, pause: 550 * ms, quiet: 360 * ms},
		"400 ms, paused before, in noise":  {earlier: 300 * ms, room: -39, pause: 400 * ms, whole: true},
		"550 ms, fluent, in a louder room": {room: -50, pause: 550 * ms, quiet: 360 * ms},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			level := room
			if tc.room != 0 {
				level = tc.room
			}
			var pieces []piece
			for _, p := range append(tc.before, speech1(tc.earlier)...) {
				if p.level == room {
					p.level = level
				}
				pieces = append(pieces, p)
			}
			var said time.Duration
			for _, p := range pieces {
				said += p.length
			}
			pieces = append(pieces, piece{tc.pause, level, "", speech.Growable, 0},
				piece{500 * ms, voice, "set the heating to twenty one degrees", speech.Closed, 0}, piece{2 * time.Second, level, "", speech.Closed, 0})
			got, at := script(endpoint.New(endpoint.Default()), level, pieces)
			if !tc.whole {
				if got.Reason != endpoint.SentenceMayGrow || at != said+tc.quiet {
					t.Errorf("ended with %q %v after the first word, expected %v", got.Reason, at-said, tc.quiet)
				}
				return
			}
			if got.Reason != endpoint.Sentence || at < said+tc.pause+500*ms {
				t.Errorf("ended with %q %v after the first word, expected the whole number", got.Reason, at-said)
			}
		})
	}
}

func TestTimesOfSpeech(t *testing.T) {
	e := endpoint.New(endpoint.Default())
	got, at := script(e, -65, []piece{{500 * ms, -65, "", 0, 0}, {time.Second, -25, "stop", speech.Closed, 0}, {time.Second, -65, "", speech.Closed, 0}})
	ended := at - 100*ms
	if start := ended - time.Second; start != 500*ms || got.SpeechEnd.Sub(got.SpeechStart) != time.Second {
		t.Errorf("speech lasted %v and ended %v before the endpoint", got.SpeechEnd.Sub(got.SpeechStart), at-ended)
	}
}

func TestResetForgetsTheUtteranceNotTheRoom(t *testing.T) {
	e := endpoint.New(endpoint.Default())
	pieces := []piece{{time.Second, -25, "stop", speech.Closed, 0}, {time.Second, -65, "", speech.Closed, 0}}
	first, after1 := script(e, -65, pieces)
	second, after2 := script(e, -65, pieces)
	if first.Reason != second.Reason || after1 != after2 || !second.Done {
		t.Errorf("%q after %v, then %q after %v", first.Reason, after1, second.Reason, after2)
	}
}

func TestFileWithoutLead(t *testing.T) {
	e := endpoint.New(endpoint.Default()) // nothing observed, speech from the first sample on
	e.Reset(speech.Detection{})
	at := time.Unix(1_700_000_000, 0)
	for n := range 200 {
		level := -200.0
		if n < 60 {
			level = 0.05 * float64(1+n%7) // loud and less loud syllables
		}
		f := audio.Frame{Samples: make([]int16, audio.FrameSamples)}
		for i := range f.Samples {
			if level > 0 {
				f.Samples[i] = int16(32000 * level * math.Sin(float64(i)/5))
			}
		}
		at = at.Add(audio.FrameLength)
		f.At = at
		got := e.Push(f, speech.Partial{Text: "stop", Stable: 5, Tail: time.Second}, speech.Growable)
		if got.Done {
			if got.Reason != endpoint.SentenceMayGrow || n < 60+16 || n > 60+30 {
				t.Errorf("ended with %q at frame %d", got.Reason, n)
			}
			return
		}
	}
	t.Error("never ended")
}

func BenchmarkPush(b *testing.B) {
	e := endpoint.New(endpoint.Default())
	f := audio.Frame{Samples: make([]int16, audio.FrameSamples)}
	for i := range f.Samples {
		f.Samples[i] = int16(3000 * math.Sin(float64(i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Push(f, speech.Partial{}, speech.Incomplete)
	}
}
