package audio

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// The filter: a sinc of 16 zero crossings a side under a Kaiser window, cut off
// at 92 % of the lower Nyquist frequency. Images and aliases stay below -70 dB,
// and it is linear in phase, so nothing moves in time.
const (
	zeroCrossings = 16
	cutoff        = 0.92
	kaiserBeta    = 8.0
)

// Resample converts a whole clip (a file, a synthesised sentence) to another
// rate.
func Resample(c Clip, to Rate) (Clip, error) {
	if c.Rate == to && to > 0 {
		return c, nil
	}
	r, err := NewResampler(c.Rate, to)
	if err != nil {
		return Clip{}, err
	}
	out := make([]int16, 0, r.outputs(len(c.Samples))+1)
	for part := range slices.Chunk(c.Samples, resampleChunk) {
		out = r.Push(out, part)
	}
	return Clip{Rate: to, Samples: r.Flush(out)}, nil
}

// resampleChunk bounds the memory for a long clip.
const resampleChunk = 4096

// Resampler converts live sound to another rate, in pieces of any size; cutting
// it differently changes nothing. One filter serves every pair of rates: the
// output sample at time t is the input under a window centred on t, so sound
// comes out as late as the window is long beyond its centre (Behind). It does
// not allocate once it has run for a second.
type Resampler struct {
	from     Rate
	up, down int // out = in * up / down
	half     int // input samples on either side of an output sample
	scale    float64
	phases   [][]float32 // by output sample modulo up; made when first needed

	// Positions are relative: input sample 0 and output sample 0 fall together.
	// Both move on before they outgrow 32 bits.
	kept  []int16 // the input that is still under a window
	first int     // number of kept[0]
	next  int     // number of the next output sample
}

// NewResampler returns one for sound of rate from. Both rates must be positive.
func NewResampler(from, to Rate) (*Resampler, error) {
	if from <= 0 || to <= 0 {
		return nil, fmt.Errorf("resampling from %d to %d Hz: both rates must be positive", from, to)
	}
	g := gcd(int(from), int(to))
	r := &Resampler{from: from, up: int(to) / g, down: int(from) / g}
	r.scale = min(1, float64(to)/float64(from)) * cutoff
	r.half = int(math.Ceil(zeroCrossings / r.scale))
	r.phases = make([][]float32, r.up)
	r.reset()
	return r, nil
}

// reset begins with silence before the first sample.
func (r *Resampler) reset() {
	r.kept = append(r.kept[:0], make([]int16, r.half-1)...)
	r.first, r.next = 1-r.half, 0
}

// Push takes sound in and appends to out what is finished.
func (r *Resampler) Push(out, in []int16) []int16 {
	r.kept = append(r.kept, in...)
	return r.convert(out, math.MaxInt)
}

// Flush appends what is left, as if silence followed, and resets the resampler.
func (r *Resampler) Flush(out []int16) []int16 {
	total := r.outputs(r.first + len(r.kept))
	r.kept = append(r.kept, make([]int16, r.half)...)
	out = r.convert(out, total)
	r.reset()
	return out
}

// Behind returns how much later the newest pushed sample was captured than the
// newest sample that came out.
func (r *Resampler) Behind() time.Duration {
	// In units of 1/up of an input sample.
	ahead := (r.first+len(r.kept)-1)*r.up - (r.next-1)*r.down
	return time.Duration(ahead) * time.Second / (time.Duration(r.from) * time.Duration(r.up))
}

// outputs returns how many samples a clip of that many becomes.
func (r *Resampler) outputs(inputs int) int {
	return int((int64(inputs)*int64(r.up) + int64(r.down) - 1) / int64(r.down))
}

// convert makes all output samples before number end whose window is filled, and
// forgets the input that no later window reaches.
func (r *Resampler) convert(out []int16, end int) []int16 {
	var start int
	for ; ; r.next++ {
		at := r.next * r.down
		centre, phase := at/r.up, at%r.up
		start = centre - r.half + 1 - r.first
		if start+2*r.half > len(r.kept) || r.next >= end {
			break
		}
		if r.phases[phase] == nil {
			r.phases[phase] = taps(float64(phase)/float64(r.up), r.scale, r.half)
		}
		out = append(out, convolve(r.kept[start:], r.phases[phase]))
	}
	// A window may begin after all the input there is so far.
	if start = min(start, len(r.kept)); start > 0 {
		r.kept = r.kept[:copy(r.kept, r.kept[start:])]
		r.first += start
	}
	turns := r.next / r.up
	r.next -= turns * r.up
	r.first -= turns * r.down
	return out
}

// taps is the filter for an output sample that lies frac of an input sample
// after the centre; it spans the 2*half input samples around it and sums to 1.
func taps(frac, scale float64, half int) []float32 {
	t := make([]float64, 2*half)
	var sum float64
	for i := range t {
		x := float64(i-half+1) - frac
		t[i] = sinc(x*scale) * kaiser(x/float64(half))
		sum += t[i]
	}
	out := make([]float32, len(t))
	for i, v := range t {
		out[i] = float32(v / sum)
	}
	return out
}

// convolve adds in four lanes, which modern processors do at once. There is an
// even number of taps.
func convolve(x []int16, taps []float32) int16 {
	x = x[:len(taps)]
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(taps); i += 4 {
		a += float32(x[i]) * taps[i]
		b += float32(x[i+1]) * taps[i+1]
		c += float32(x[i+2]) * taps[i+2]
		d += float32(x[i+3]) * taps[i+3]
	}
	for ; i < len(taps); i++ {
		a += float32(x[i]) * taps[i]
	}
	return clamp(float64(a + b + c + d))
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

func kaiser(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(kaiserBeta*math.Sqrt(1-x*x)) / bessel(kaiserBeta)
}

// bessel is the modified Bessel function of the first kind, order 0.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
