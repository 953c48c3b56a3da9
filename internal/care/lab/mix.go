package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"voicegateway/internal/audio"
)

// Numbers of the mixes. A mix is made of recordings: a wake word, a short pause, a
// command as loud, and other speech through or after both (docs/facts/engines.md,
// Background speech).
const (
	mixLead   = 4 * time.Second  // before the wake word
	mixTail   = 10 * time.Second // after the command
	mixAfter  = 100 * time.Millisecond
	mixRoom   = 50.0 // dB of pink noise under the command
	activeFor = 160  // samples, 10 ms
	spokenTo  = 35.0 // dB under the loudest piece: quieter sound is not speech
	loudTo    = 20.0
	wordTo    = 25.0 // dB: the room of the wake words' recordings is 28 and more below
	wordPause = 20   // pieces (10 ms each): a wake word has no pause that long
)

// mixed is one mix.
type mixed struct {
	Recording
	level  float64       // level of the other speech, dB relative to the command
	placed string        // the other speech: "through" all of it, or "after" the command
	ends   time.Duration // the end of the command
	gated  bool
}

// trim returns the speech of a clip, from the first to the last piece that is
// less than under dB quieter than the loudest, and its loudness in dBFS.
func trim(c audio.Clip, under float64) ([]int16, float64) {
	most := audio.Silence
	var levels []float64
	for piece := range slices.Chunk(c.Samples, activeFor) {
		levels = append(levels, audio.Level(piece))
		most = max(most, levels[len(levels)-1])
	}
	var power float64
	loud, first, last := 0, -1, 0
	for i, l := range levels {
		if l > most-under {
			if first < 0 {
				first = i
			}
			last = i
		}
		if l > most-loudTo {
			power += math.Pow(10, l/10)
			loud++
		}
	}
	if first < 0 {
		return nil, audio.Silence
	}
	return c.Samples[first*activeFor : min(len(c.Samples), (last+1)*activeFor)], 10 * math.Log10(power/float64(loud))
}

// wakeWord returns only the wake word of a recording and its loudness. The
// recording has another room, and its speaker may have gone on speaking.
func wakeWord(c audio.Clip) ([]int16, float64) {
	most := audio.Silence
	for piece := range slices.Chunk(c.Samples, activeFor) {
		most = max(most, audio.Level(piece))
	}
	said, loud := trim(c, wordTo)
	soft := 0
	for i := 0; i+activeFor <= len(said); i += activeFor {
		if audio.Level(said[i:i+activeFor]) > most-wordTo {
			soft = 0
		} else if soft++; soft == wordPause {
			return said[:i+activeFor], loud
		}
	}
	return said, loud
}

// canvas is the sound of a mix while it is made.
type canvas []float64

func (c canvas) add(at time.Duration, samples []int16, gain float64) {
	from := int(at * time.Duration(audio.SpeechRate) / time.Second)
	factor := math.Pow(10, gain/20)
	for i, v := range samples {
		if n := from + i; n >= 0 && n < len(c) {
			c[n] += factor * float64(v)
		}
	}
}

// clip returns the sound as a clip, without changing its loudness.
func (c canvas) clip() audio.Clip {
	out := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, len(c))}
	for i, v := range c {
		out.Samples[i] = int16(min(math.MaxInt16, max(math.MinInt16, math.Round(v))))
	}
	return out
}

// pink adds noise with as much power in every octave, at a level in dBFS. The
// filter is Paul Kellet's, good to half a decibel above 10 Hz.
func (c canvas) pink(r *rand.Rand, level float64) {
	noise := make([]float64, len(c))
	var b [7]float64
	var power float64
	for i := range noise {
		w := r.NormFloat64()
		b[0] = 0.99886*b[0] + w*0.0555179
		b[1] = 0.99332*b[1] + w*0.0750759
		b[2] = 0.96900*b[2] + w*0.1538520
		b[3] = 0.86650*b[3] + w*0.3104856
		b[4] = 0.55000*b[4] + w*0.5329522
		b[5] = -0.7616*b[5] - w*0.0168980
		noise[i] = b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + w*0.5362
		b[6] = w * 0.115926
		power += noise[i] * noise[i]
	}
	factor := 32768 * math.Pow(10, level/20) / math.Sqrt(power/float64(len(c)))
	for i, v := range noise {
		c[i] += factor * v
	}
}

func lengthOf(samples []int16) time.Duration {
	return time.Duration(len(samples)) * time.Second / time.Duration(audio.SpeechRate)
}

// mix makes the n-th mix: a command in a room where others speak.
func mix(n int, wake, command Recording, others [][]int16, m mixed) mixed {
	r := rand.New(rand.NewPCG(uint64(n), 9)) //nolint:gosec // the same mixes every time
	word, wordLoud := wakeWord(wake.clip)
	said, loud := trim(command.clip, spokenTo)
	at := mixLead + lengthOf(word) + time.Duration(200+r.IntN(300))*time.Millisecond
	m.ends = at + lengthOf(said)
	sound := make(canvas, int((m.ends+mixTail)*time.Duration(audio.SpeechRate)/time.Second))
	sound.add(mixLead, word, loud-wordLoud+float64(2*(n/2%3)-2)) // people do not speak equally loud to the decibel
	sound.add(at, said, 0)
	from := time.Duration(0)
	if m.placed == "after" {
		from = m.ends + mixAfter
	}
	for next := n; from < m.ends+mixTail; next++ {
		other := others[next%len(others)]
		_, l := trim(audio.Clip{Rate: audio.SpeechRate, Samples: other}, spokenTo)
		sound.add(from, other, loud+m.level-l)
		from += lengthOf(other)
	}
	sound.pink(r, loud-mixRoom)
	m.Recording = command
	m.clip = sound.clip()
	return m
}
