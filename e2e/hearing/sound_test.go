package hearing

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"voicegateway/internal/audio"
)

// roomLevel is the noise of a quiet room, in dBFS.
const roomLevel = -70.0

// canvas is a piece of sound while it is made, in samples of full scale 32768.
type canvas []float64

func lengthOf(d time.Duration) int {
	return int(int64(d) * int64(audio.SpeechRate) / int64(time.Second))
}

// speech puts a recording on a canvas, with time for the ear before and after it.
func speech(samples []int16, lead, tail time.Duration) canvas {
	c := make(canvas, lengthOf(lead)+len(samples)+lengthOf(tail))
	for i, v := range samples {
		c[lengthOf(lead)+i] = float64(v)
	}
	return c
}

// begun is a recording without the silence before its speech: some of the people waited
// for up to five seconds, which users do not do after a wake word.
func begun(samples []int16) []int16 {
	const frame, quiet = 320, 35 // samples of 20 ms; dB below the loudest frame
	levels := make([]float64, 0, len(samples)/frame)
	for i := 0; i+frame <= len(samples); i += frame {
		levels = append(levels, audio.Level(samples[i:i+frame]))
	}
	least := slices.Max(levels) - quiet
	return samples[frame*slices.IndexFunc(levels, func(l float64) bool { return l >= least }):]
}

// attenuated makes the sound quieter, by as many dB.
func (c canvas) attenuated(by float64) canvas {
	for i := range c {
		c[i] *= math.Pow(10, -by/20)
	}
	return c
}

// room adds the noise of a quiet room, the same for the same seed.
func (c canvas) room(seed int) canvas {
	r := rand.New(rand.NewPCG(uint64(seed), 70)) //nolint:gosec // the same every time
	for i := range c {
		c[i] += 32768 * math.Pow(10, roomLevel/20) * r.NormFloat64()
	}
	return c
}

// noisy adds noise, from a place that the seed chooses, at so many dB below the sound.
// The sound's power is the mean of the loudest third of its samples' powers, because the
// rest of a recording is silence.
func (c canvas) noisy(noise []int16, below float64, seed int) canvas {
	powers := make([]float64, len(c))
	for i, v := range c {
		powers[i] = v * v
	}
	slices.Sort(powers)
	signal := mean(powers[len(powers)*2/3:])
	r := rand.New(rand.NewPCG(uint64(seed), 6)) //nolint:gosec // the same every time
	from := r.IntN(len(noise))
	under := make(canvas, len(c))
	for i := range under {
		under[i] = float64(noise[(from+i)%len(noise)])
		powers[i] = under[i] * under[i]
	}
	gain := math.Sqrt(signal / mean(powers) / math.Pow(10, below/10))
	for i := range c {
		c[i] += gain * under[i]
	}
	return c
}

func mean(of []float64) float64 {
	sum := 0.0
	for _, v := range of {
		sum += v
	}
	return sum / float64(max(1, len(of)))
}

// clip is the sound as it is played.
func (c canvas) clip() audio.Clip {
	out := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, len(c))}
	for i, v := range c {
		out.Samples[i] = int16(min(math.MaxInt16, max(math.MinInt16, math.Round(v))))
	}
	return out
}

// trimmed is the part of a recording that is spoken: from the first to the last 10 ms
// that are less than 40 dB below the loudest.
func trimmed(samples []int16) []int16 {
	const piece = 160
	most := audio.Silence
	for p := range slices.Chunk(samples, piece) {
		most = max(most, audio.Level(p))
	}
	first, last, n := -1, 0, 0
	for p := range slices.Chunk(samples, piece) {
		if audio.Level(p) > most-40 {
			if first < 0 {
				first = n
			}
			last = n + len(p)
		}
		n += len(p)
	}
	return samples[max(0, first):last]
}

// pieces are the parts of a music set: kinds of sound without speech. Each makes four
// seconds, the same for the same random numbers.
var pieces = []struct {
	name string
	make func(r *rand.Rand) canvas
}{
	{"plucked strings", plucked},
	{"plucked chords", chords},
	{"a drone", drone},
	{"drums", drums},
	{"white noise", func(r *rand.Rand) canvas { return steady(r, false) }},
	{"pink noise", func(r *rand.Rand) canvas { return steady(r, true) }},
	{"a hummed glide", hummed},
	{"bursts of noise", bursts},
}

// pieceTime is how long a piece of music is.
const pieceTime = 4 * time.Second

// pluck adds a string of the Karplus-Strong kind.
func (c canvas) pluck(r *rand.Rand, at int, pitch, loud float64) {
	wave := make([]float64, int(float64(audio.SpeechRate)/pitch))
	for i := range wave {
		wave[i] = loud * (2*r.Float64() - 1)
	}
	for i := at; i < len(c); i++ {
		n := (i - at) % len(wave)
		c[i] += wave[n]
		wave[n] = 0.498 * (wave[n] + wave[(n+1)%len(wave)])
	}
}

func plucked(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	for at := 0; at < len(c)-4000; at += 2400 + 800*r.IntN(6) {
		c.pluck(r, at, 110*math.Pow(2, float64(r.IntN(25))/12), 9000)
	}
	return c
}

func chords(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	for at := 0; at < len(c)-4000; at += 8000 + 4000*r.IntN(3) {
		root := 98 * math.Pow(2, float64(r.IntN(13))/12)
		for i, step := range []float64{0, 4, 7, 12} {
			c.pluck(r, at+i*240, root*math.Pow(2, step/12), 5000)
		}
	}
	return c
}

func drone(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	pitch, swell := 60+120*r.Float64(), 0.3+r.Float64()
	for i := range c {
		at := float64(i) / float64(audio.SpeechRate)
		for harmonic := 1.0; harmonic < 9; harmonic++ {
			c[i] += 3500 / harmonic * (1 + 0.5*math.Sin(2*math.Pi*swell*harmonic/3*at)) * math.Sin(2*math.Pi*pitch*harmonic*at)
		}
	}
	return c
}

func drums(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	beat := lengthOf(time.Duration(180+r.IntN(200)) * time.Millisecond)
	for n := 0; n*beat < len(c); n++ {
		kick := n%2 == 0
		for i := 0; i < beat && n*beat+i < len(c); i++ {
			at := float64(i) / float64(audio.SpeechRate)
			if kick {
				c[n*beat+i] += 14000 * math.Exp(-at*18) * math.Sin(2*math.Pi*(50*at+10*(1-math.Exp(-at*30))))
			} else {
				c[n*beat+i] += 6000 * math.Exp(-at*30) * r.NormFloat64()
			}
		}
	}
	return c
}

// steady is noise that sets in after half a second.
func steady(r *rand.Rand, pink bool) canvas {
	c := make(canvas, lengthOf(pieceTime))
	slow, slower := 0.0, 0.0
	for i := range c {
		v := r.NormFloat64()
		if pink {
			slow, slower = 0.97*slow+v*0.2, 0.997*slower+v*0.08
			v = slow + slower + 0.1*v
		}
		if i > len(c)/8 && i < len(c)*3/4 {
			c[i] = 2500 * v
		}
	}
	return c
}

func hummed(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	from, to := 100+80*r.Float64(), 150+150*r.Float64()
	phase := 0.0
	for i := range c {
		part := float64(i) / float64(len(c))
		phase += (from + (to-from)*math.Sin(math.Pi*part) + 3*math.Sin(30*part)) / float64(audio.SpeechRate)
		loud := 7000 * math.Min(1, 8*math.Min(part, 1-part))
		for harmonic := 1.0; harmonic < 6; harmonic++ {
			c[i] += loud / (harmonic * harmonic) * math.Sin(2*math.Pi*harmonic*phase)
		}
	}
	return c
}

func bursts(r *rand.Rand) canvas {
	c := make(canvas, lengthOf(pieceTime))
	for at := 4000; at < len(c)-8000; at += 3000 + r.IntN(9000) {
		length := 800 + r.IntN(4000)
		for i := range length {
			c[at+i] = 5000 * math.Sin(math.Pi*float64(i)/float64(length)) * r.NormFloat64()
		}
	}
	return c
}
