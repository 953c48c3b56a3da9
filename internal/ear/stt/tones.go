package stt

import (
	"math"
	"math/cmplx"
	"slices"

	"voicegateway/internal/audio"
)

// Plucked strings, organs and beeps are sums of tones that stand still: each peak
// of their spectrum is where it was a tenth of a second ago. The pitch of a voice
// always moves, and its overtones move by as many times more. Of sixty sounds of
// music the steady share (tones.steady) was 0.21 to 0.97 where there were tones,
// and below 0.04 for drums, sirens and noise; of 12 commands of a man at most 0.06,
// of 150 orders of many people 0.06, of 121 synthetic commands 0.18.
const (
	toneWindow = 1024 // samples, 64 ms: bins of 16 Hz
	toneHop    = audio.FrameSamples
	toneLow    = 12  // bins: 190 Hz
	toneHigh   = 256 // bins: 4 kHz
	toneDepth  = 3.5 // a peak is at most this much lower than the highest, in nepers: 30 dB
	toneMoves  = 0.3 // bins, 5 Hz: a peak that has moved less stands still
	// A peak has to have been there these hops ago, 60 and 120 ms.
	toneBefore, toneLongBefore = 3, 6
	toneLoud                   = 15.0 // dB under the loudest window: quieter ones are the room
)

// peak is a tone in one window.
type peak struct{ bin, height float64 }

// tones follows the tones of an utterance.
type tones struct {
	shape  [toneWindow]float64
	turn   [toneWindow / 2]complex128
	left   []int16 // samples that wait for the next window
	past   [toneLongBefore + 1][]peak
	steady []float64 // share of each window's peaks that stand still
	levels []float64 // of each window, dBFS
}

func newTones() *tones {
	t := &tones{}
	for i := range t.shape {
		t.shape[i] = 0.5 - 0.5*math.Cos(2*math.Pi*(float64(i)+0.5)/toneWindow)
	}
	for i := range t.turn {
		t.turn[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/toneWindow)
	}
	return t
}

// reset begins an utterance.
func (t *tones) reset() {
	t.left, t.steady, t.levels = t.left[:0], t.steady[:0], t.levels[:0]
	for i := range t.past {
		t.past[i] = t.past[i][:0]
	}
}

// push takes the next samples.
func (t *tones) push(samples []int16) {
	t.left = append(t.left, samples...)
	done := 0
	for ; done+toneWindow <= len(t.left); done += toneHop {
		t.window(t.left[done : done+toneWindow])
	}
	t.left = slices.Delete(t.left, 0, done)
}

// share is how much of the sound stands still, 0 to 1: the mean over the loud
// windows of the utterance.
func (t *tones) share() float64 {
	if len(t.levels) == 0 {
		return 0
	}
	loud := slices.Max(t.levels) - toneLoud
	sum, n := 0.0, 0
	for i := toneLongBefore; i < len(t.levels); i++ {
		if t.levels[i] >= loud {
			sum += t.steady[i]
			n++
		}
	}
	return sum / float64(max(1, n))
}

// window measures one window.
func (t *tones) window(samples []int16) {
	n := len(t.levels)
	at := func(hops int) *[]peak { return &t.past[(n+len(t.past)-hops)%len(t.past)] }
	now := at(0)
	*now = t.peaks((*now)[:0], samples)
	var all, still float64
	for _, p := range *now {
		all += p.height
		if stood(*at(toneBefore), p) && stood(*at(toneLongBefore), p) {
			still += p.height
		}
	}
	if all > 0 {
		still /= all
	}
	t.steady, t.levels = append(t.steady, still), append(t.levels, audio.Level(samples))
}

// stood reports whether a tone was there already.
func stood(before []peak, p peak) bool {
	return slices.ContainsFunc(before, func(b peak) bool { return math.Abs(b.bin-p.bin) < toneMoves })
}

// peaks appends the tones of a window to found.
func (t *tones) peaks(found []peak, samples []int16) []peak {
	var work [toneWindow]complex128
	for i, v := range samples {
		work[i] = complex(float64(v)*t.shape[i], 0)
	}
	t.transform(&work)
	var level [toneHigh + 3]float64 // nepers
	most := 0.0
	for i := range level {
		level[i] = math.Log(cmplx.Abs(work[i]) + 1)
		if i >= toneLow {
			most = max(most, level[i])
		}
	}
	for i := toneLow; i < toneHigh; i++ {
		below, here, above := level[i-1], level[i], level[i+1]
		if here > most-toneDepth && here > max(below, level[i-2], level[i+2]) && here >= above {
			found = append(found, peak{float64(i) + 0.5*(below-above)/(below-2*here+above), math.Exp(here - most)})
		}
	}
	return found
}

// transform is the discrete Fourier transform of a window, in place.
func (t *tones) transform(a *[toneWindow]complex128) {
	for i, j := 1, 0; i < toneWindow; i++ {
		bit := toneWindow >> 1
		for ; j&bit != 0; bit >>= 1 {
			j ^= bit
		}
		if j ^= bit; i < j {
			a[i], a[j] = a[j], a[i]
		}
	}
	for size := 2; size <= toneWindow; size *= 2 {
		for from := 0; from < toneWindow; from += size {
			for k := range size / 2 {
				u, v := from+k, from+k+size/2
				turned := a[v] * t.turn[k*toneWindow/size]
				a[u], a[v] = a[u]+turned, a[u]-turned
			}
		}
	}
}
