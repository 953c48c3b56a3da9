// Package denoise makes speech stand out of steady noise before it is recognised: a fan,
// a fridge, a road. It exists because the recogniser, trained on clean speech, loses half
// of the commands at a signal only 10 dB above the noise, and because doing it here keeps
// C out of the daemon.
//
// Every 10 ms the sound becomes a spectrum. The noise in each band is followed by the
// minimum of the band's recent power, which is noise even during speech (Cohen and
// Berdugo, "Noise estimation by minima controlled recursive averaging", 2002); each band
// is then turned down by the gain that keeps the error of the log spectrum least (Ephraim
// and Malah, 1985). What is not steady (music, voices) passes. To change the trade
// between noise and distortion, see the constants; they were chosen by recognised
// commands, not by ear.
package denoise

import "math"

const (
	hop    = 160 // samples, 10 ms
	window = 2 * hop
	bands  = size/2 + 1
)

// The noise estimate.
const (
	smoothing  = 0.8  // of a band's power from hop to hop, before its minimum is taken
	minimaOver = 80   // hops: the minimum is that of the last 0.8 to 1.6 s
	speechOver = 5.0  // times the minimum: more is speech
	surelyOver = 50.0 // times the minimum: sound this loud never counts as noise
	presence   = 0.2  // how much of the last hop's belief in speech is kept
	adapting   = 0.95 // share of the noise estimate that is kept, without speech
	settling   = 20   // hops in which the first estimate is a plain mean
)

// The gain.
const (
	decided   = 0.96  // weight of the last hop in the belief of how far speech stands out
	leastSNR  = 0.003 // lower limit of that belief; a higher one distorts less and leaves more noise
	mostSNR   = 1e4
	leastGain = 0.178 // -15 dB: what is left of the noise hides what the gains do to it
	leastUnit = 1     // power below the smallest sample: digital silence
	// Sound that is quieter than this (-85 dBFS) is the padding of a recording or a
	// muted microphone, and says nothing about the noise of a room.
	deadPower = 3.4 // mean square of the samples
)

// Suppressor follows one microphone. It allocates nothing after New and belongs
// to one goroutine.
type Suppressor struct {
	shape [window]float64 // analysis and synthesis window
	sound [window]float64 // the last samples
	sum   [window]float64 // overlapping output
	fresh [hop]float64
	have  int // how many samples of fresh are filled

	spectrum [bands]complex128
	power    [bands]float64
	noise    noise
	clean    [bands]float64 // power of the last hop, cleaned
	fft      *fft
	table    *gains
}

// noise is the estimate for every band.
type noise struct {
	level, smooth, least, next, speech [bands]float64
	hops                               int
}

// New makes a suppressor that knows no room yet.
func New() *Suppressor {
	s := &Suppressor{fft: newFFT(), table: newGains()}
	for i := range s.shape {
		s.shape[i] = math.Sin(math.Pi * (float64(i) + 0.5) / window)
	}
	return s
}

// Learn follows the noise in sound that need not be cleaned, at half the cost of
// Clean.
func (s *Suppressor) Learn(samples []int16) {
	for _, v := range samples {
		if s.addSample(v) {
			s.analyse()
		}
	}
}

// Begin says that the next sound does not continue the last one. It comes from
// the same room, so the noise estimate is kept.
func (s *Suppressor) Begin() {
	s.have = 0
	clear(s.sound[:])
	clear(s.sum[:])
	clear(s.clean[:])
}

// Clean appends the cleaned sound to out. It comes in whole hops of 10 ms, and
// one hop late.
func (s *Suppressor) Clean(out, samples []int16) []int16 {
	for _, v := range samples {
		if !s.addSample(v) {
			continue
		}
		s.analyse()
		s.suppress()
		out = s.synthesise(out)
	}
	return out
}

// addSample adds a sample and says whether a hop is full.
func (s *Suppressor) addSample(v int16) bool {
	s.fresh[s.have] = float64(v)
	s.have++
	return s.have == hop
}

// analyse moves on by a hop and learns its noise.
func (s *Suppressor) analyse() {
	s.have = 0
	copy(s.sound[:], s.sound[hop:])
	copy(s.sound[window-hop:], s.fresh[:])
	s.fft.forward(&s.sound, &s.shape, &s.spectrum)
	for k, x := range s.spectrum {
		s.power[k] = real(x)*real(x) + imag(x)*imag(x) + leastUnit
	}
	if s.alive() {
		s.noise.learn(&s.power)
	}
}

func (s *Suppressor) alive() bool {
	var sum float64
	for _, v := range s.sound {
		sum += v * v
	}
	return sum > deadPower*window
}

func (n *noise) learn(power *[bands]float64) {
	n.hops++
	if n.hops == 1 {
		n.level, n.smooth, n.least, n.next = *power, *power, *power, *power
		return
	}
	keep := min(adapting, 1-1/float64(n.hops))
	if n.hops >= settling {
		keep = adapting
	}
	for k, p := range power {
		around := 0.5*p + 0.25*power[max(0, k-1)] + 0.25*power[min(bands-1, k+1)]
		n.smooth[k] = smoothing*n.smooth[k] + (1-smoothing)*around
		n.least[k] = min(n.least[k], n.smooth[k])
		n.next[k] = min(n.next[k], n.smooth[k])
		n.speech[k] *= presence
		switch {
		case n.smooth[k] > surelyOver*n.least[k]:
			n.speech[k] = 1
		case n.smooth[k] > speechOver*n.least[k]:
			n.speech[k] += 1 - presence
		}
		stay := keep + (1-keep)*n.speech[k]
		n.level[k] = stay*n.level[k] + (1-stay)*p
	}
	if n.hops%minimaOver == 0 {
		for k, p := range n.smooth {
			n.least[k], n.next[k] = min(n.next[k], p), p
		}
	}
}

// suppress turns every band down by how little speech stands out of it. The
// belief mixes the last hop's result with this hop's power, which keeps single
// bands from flickering ("decision-directed").
func (s *Suppressor) suppress() {
	for k := range s.spectrum {
		noise := max(leastUnit, s.noise.level[k])
		after := min(mostSNR, s.power[k]/noise)
		before := max(leastSNR, decided*s.clean[k]/noise+(1-decided)*max(0, after-1))
		g := s.table.of(before, after)
		s.clean[k] = g * g * s.power[k]
		s.spectrum[k] *= complex(max(g, leastGain), 0)
	}
}

func (s *Suppressor) synthesise(out []int16) []int16 {
	s.fft.inverse(&s.spectrum, &s.shape, &s.sum)
	for _, v := range s.sum[:hop] {
		out = append(out, int16(min(math.MaxInt16, max(math.MinInt16, math.Round(v)))))
	}
	copy(s.sum[:], s.sum[hop:])
	clear(s.sum[window-hop:])
	return out
}
