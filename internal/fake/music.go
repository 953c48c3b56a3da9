package fake

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"voicegateway/internal/audio"
)

// Sound is a clip without speech.
type Sound struct {
	Name string // what it is, and which of its kind: "melody-03"
	Clip audio.Clip
}

// music says how much of each kind of sound there is.
var music = []struct { //nolint:gochecknoglobals // never written
	kind  string
	count int
	play  func(c *stage, seconds float64)
}{
	{"melody", 14, (*stage).melody},
	{"chords", 10, (*stage).chords},
	{"band", 8, (*stage).band},
	{"drone", 5, (*stage).drone},
	{"drums", 5, (*stage).drums},
	{"siren", 5, (*stage).siren},
	{"strings", 5, (*stage).strings},
	{"kettle", 4, (*stage).kettle},
	{"applause", 4, (*stage).applause},
}

// Music returns sixty clips of other sounds in a home than speech: plucked strings in
// melodies and chords, a band, drones, drums, sirens, bowed strings, a kettle, applause.
// They last one to five seconds, in a quiet room with half a second before and a second
// and a half after them, and are the same every time.
func Music() (all []Sound) {
	for k, m := range music {
		for n := range m.count {
			s := &stage{r: rand.New(rand.NewPCG(uint64(k+1), uint64(n+1)))} //nolint:gosec // the same sounds every time
			seconds := 1 + 4*s.r.Float64()
			s.sound = make([]float64, int(seconds*rate))
			m.play(s, seconds)
			level := -14 - 16*s.r.Float64()
			all = append(all, Sound{fmt.Sprintf("%s-%02d", m.kind, n), s.clip(level)})
		}
	}
	return all
}

const (
	rate       = float64(audio.SpeechRate)
	before     = 500 * time.Millisecond
	after      = 1500 * time.Millisecond
	roomLevel  = -66.0 // dBFS
	concertA   = 440.0 // Hz
	loudestOut = 30000
)

// stage is a sound while it is made.
type stage struct {
	r     *rand.Rand
	sound []float64
}

// clip returns the sound in its room, its mean power at a level in dBFS.
func (s *stage) clip(level float64) audio.Clip {
	var power, most float64
	for _, v := range s.sound {
		power += v * v
		most = max(most, math.Abs(v))
	}
	factor := 32768 * math.Pow(10, level/20) / math.Sqrt(power/float64(len(s.sound)))
	factor = min(factor, loudestOut/most)
	lead, tail := samplesIn(before), samplesIn(after)
	out := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, lead+len(s.sound)+tail)}
	room := 32768 * math.Pow(10, roomLevel/20)
	for i := range out.Samples {
		v := room * s.r.NormFloat64()
		if n := i - lead; n >= 0 && n < len(s.sound) {
			v += factor * s.sound[n]
		}
		out.Samples[i] = int16(math.Round(v))
	}
	return out
}

func samplesIn(d time.Duration) int { return int(d * time.Duration(audio.SpeechRate) / time.Second) }

// add mixes samples in from a time in seconds on.
func (s *stage) add(at float64, samples []float64) {
	from := int(at * rate)
	for i, v := range samples {
		if n := from + i; n < len(s.sound) {
			s.sound[n] += v
		}
	}
}

// plucked is one string of the pitch hz, plucked (Karplus and Strong's): noise goes
// round in a delay line that averages neighbours. Bright strings keep more of it.
func (s *stage) plucked(hz, seconds, bright float64) []float64 {
	line := make([]float64, max(2, int(rate/hz)))
	for i := range line {
		line[i] = 2*s.r.Float64() - 1
	}
	out := make([]float64, int(seconds*rate))
	for i := range out {
		at, next := i%len(line), (i+1)%len(line)
		out[i] = line[at]
		line[at] = 0.996 * (bright*line[at] + (1-bright)*line[next])
	}
	return out
}

// scale is the pentatonic one, in semitones over its root.
var scale = []int{0, 2, 4, 7, 9, 12, 14, 16} //nolint:gochecknoglobals // never written

// pitch is so many semitones over a root in Hz.
func pitch(root float64, semitones int) float64 { return root * math.Pow(2, float64(semitones)/12) }

// root is a pitch from 82 Hz, a guitar's lowest string, to 330 Hz.
func (s *stage) root() float64 { return pitch(concertA/4, s.r.IntN(25)-5) }

// melody is single plucked notes of 80 to 400 ms.
func (s *stage) melody(seconds float64) {
	root, beat, bright := s.root(), 0.08+0.32*s.r.Float64(), 0.5+0.4*s.r.Float64()
	step := s.r.IntN(len(scale))
	for at := 0.0; at < seconds; at += beat * float64(1+s.r.IntN(2)) {
		step = max(0, min(len(scale)-1, step+s.r.IntN(5)-2))
		s.add(at, s.plucked(pitch(root, scale[step]), 3*beat, bright))
	}
}

// chords are three to six strings, one shortly after the other.
func (s *stage) chords(seconds float64) {
	root, beat, bright := s.root(), 0.25+0.5*s.r.Float64(), 0.5+0.3*s.r.Float64()
	for at := 0.0; at < seconds; at += beat {
		base := pitch(root, []int{0, 5, 7, -3}[s.r.IntN(4)])
		for n, semitones := range []int{0, 4, 7, 12, 16, 19}[:3+s.r.IntN(4)] {
			s.add(at+0.012*float64(n), s.plucked(pitch(base, semitones), 2*beat, bright))
		}
	}
}

// band is a melody over chords and drums.
func (s *stage) band(seconds float64) {
	s.chords(seconds)
	s.melody(seconds)
	for i := range s.sound {
		s.sound[i] *= 0.5
	}
	s.drums(seconds)
}

// drums are a falling thud, a rattle and a hiss, by turns.
func (s *stage) drums(seconds float64) {
	beat := 0.12 + 0.15*s.r.Float64()
	for n, at := 0, 0.0; at < seconds; n, at = n+1, at+beat {
		hit := make([]float64, int(0.2*rate))
		before := 0.0
		for i := range hit {
			t, noise := float64(i)/rate, s.r.NormFloat64()
			switch n % 4 {
			case 0:
				hit[i] = 1.5 * math.Exp(-t/0.08) * math.Sin(2*math.Pi*(60*t+2*(1-math.Exp(-t/0.03))))
			case 2:
				hit[i] = math.Exp(-t/0.06) * (0.5*noise + 0.5*math.Sin(2*math.Pi*190*t))
			default:
				hit[i] = 0.3 * math.Exp(-t/0.03) * (noise - before)
			}
			before = noise
		}
		s.add(at, hit)
	}
}

// drone is a chord of an organ whose loudness slowly rises and falls.
func (s *stage) drone(seconds float64) {
	root, slow := s.root(), 0.2+2*s.r.Float64()
	for i := range s.sound {
		t := float64(i) / rate
		for _, semitones := range []int{0, 7, 12} {
			for h := 1.0; h <= 8; h++ {
				s.sound[i] += (0.7 + 0.3*math.Sin(2*math.Pi*slow*t)) / h * math.Sin(2*math.Pi*pitch(root, semitones)*h*t)
			}
		}
		s.sound[i] *= min(1, t/0.05, (seconds-t)/0.1)
	}
}

// siren is a rich tone whose pitch glides up and down.
func (s *stage) siren(float64) {
	low, wide, slow := 200+400*s.r.Float64(), 1.3+s.r.Float64(), 0.3+3*s.r.Float64()
	phase := 0.0
	for i := range s.sound {
		t := float64(i) / rate
		phase += low * math.Pow(wide, math.Sin(2*math.Pi*slow*t)) / rate
		for h := 1.0; h <= 5; h++ {
			s.sound[i] += math.Sin(2*math.Pi*h*phase) / h
		}
	}
}

// strings are bowed notes with vibrato, each rising softly: like singing without a
// word.
func (s *stage) strings(seconds float64) {
	root, beat := 2*s.root(), 0.2+0.4*s.r.Float64()
	for at := 0.0; at < seconds; at += beat {
		hz, note := pitch(root, scale[s.r.IntN(len(scale))]), make([]float64, int(beat*rate))
		phase := 0.0
		for i := range note {
			t := float64(i) / rate
			phase += hz * (1 + 0.008*math.Sin(2*math.Pi*5.5*t)) / rate
			for h := 1.0; h <= 10; h++ {
				note[i] += math.Sin(2*math.Pi*h*phase) / h
			}
			note[i] *= min(1, t/0.06, (beat-t)/0.04)
		}
		s.add(at, note)
	}
}

// kettle is a hiss that grows, with a whistle at its end.
func (s *stage) kettle(seconds float64) {
	whistle, hiss, phase := 1800+1500*s.r.Float64(), 0.0, 0.0
	for i := range s.sound {
		t := float64(i) / rate
		hiss = 0.6*hiss + s.r.NormFloat64()
		phase += whistle * (1 + 0.02*t) / rate
		s.sound[i] = (0.2+t/seconds)*hiss + 2*max(0, t/seconds-0.5)*math.Sin(2*math.Pi*phase)
	}
}

// applause is many claps of some milliseconds, in waves.
func (s *stage) applause(seconds float64) {
	people := 10 + s.r.IntN(60)
	for range people {
		every := 0.2 + 0.15*s.r.Float64()
		for at := every * s.r.Float64(); at < seconds; at += every * (0.9 + 0.2*s.r.Float64()) {
			clap, low, tone := make([]float64, int(0.02*rate)), 0.0, 0.3+0.5*s.r.Float64()
			for i := range clap {
				low = tone*low + s.r.NormFloat64()
				clap[i] = low * math.Exp(-float64(i)/rate/0.004)
			}
			s.add(at, clap)
		}
	}
}
