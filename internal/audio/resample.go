package audio

import (
	"fmt"
	"math"
)

// The filter: a sinc of 16 zero crossings a side under a Kaiser window, cut off
// at 92 % of the lower Nyquist frequency. Images and aliases stay below -70 dB,
// and it is linear in phase, so nothing moves in time.
const (
	zeroCrossings = 16
	cutoff        = 0.92
	kaiserBeta    = 8.0
)

// Resample converts a clip to another rate. One filter for every pair of rates:
// the output sample at time t is the input under a window centred on t. It is
// for whole clips (files, synthesised sentences).
func Resample(c Clip, to Rate) (Clip, error) {
	if c.Rate == to && to > 0 {
		return c, nil
	}
	if c.Rate <= 0 || to <= 0 {
		return Clip{}, fmt.Errorf("resampling from %d to %d Hz: both rates must be positive", c.Rate, to)
	}
	g := gcd(int(c.Rate), int(to))
	up, down := int(to)/g, int(c.Rate)/g // out = in * up / down
	scale := min(1, float64(to)/float64(c.Rate)) * cutoff
	half := int(math.Ceil(zeroCrossings / scale))
	phases := make([][]float32, up)
	out := make([]int16, (len(c.Samples)*up+down-1)/down)
	for n := range out {
		at := n * down
		centre, phase := at/up, at%up
		if phases[phase] == nil {
			phases[phase] = taps(float64(phase)/float64(up), scale, half)
		}
		out[n] = convolve(c.Samples, phases[phase], centre-half+1)
	}
	return Clip{Rate: to, Samples: out}, nil
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

func convolve(x []int16, taps []float32, first int) int16 {
	from := max(0, -first)
	to := min(len(taps), len(x)-first)
	var sum float32
	for i := from; i < to; i++ {
		sum += float32(x[first+i]) * taps[i]
	}
	return clamp(float64(sum))
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
