package denoise

import "math"

// The gain needs the exponential integral, whose argument spans many decades: a
// table by the leading bits of the number, its exponent and the first bits of its
// fraction, is exact to half a percent and needs no logarithm.
const (
	tableBits  = 6               // of the fraction
	tableFirst = 1<<10 - 1 - 17  // exponent as the number has it: 2 to the -17th
	tableSize  = 23 << tableBits // up to 2 to the 6th, above which the lift is 1
)

// gains holds exp(E1(v)/2) by v.
type gains struct{ lift [tableSize]float64 }

func newGains() *gains {
	g := &gains{}
	for i := range g.lift {
		middle := (float64(i%(1<<tableBits)) + 0.5) / (1 << tableBits)
		v := math.Ldexp(1+middle, i>>tableBits-17)
		g.lift[i] = math.Exp(integral(v) / 2)
	}
	return g
}

// of returns the gain of least log-spectral error. before is how far speech is
// believed to stand out of the noise, after is how far this hop stands out; both
// are ratios of power.
func (g *gains) of(before, after float64) float64 {
	wiener := before / (1 + before)
	v := wiener * after
	i := int(math.Float64bits(v)>>(52-tableBits)) - tableFirst<<tableBits
	if i >= tableSize {
		return wiener
	}
	return min(1, wiener*g.lift[max(0, i)])
}

// integral is E1(x), the exponential integral, by its series near zero and by a
// continued fraction elsewhere (Abramowitz and Stegun 5.1.11 and 5.1.22).
func integral(x float64) float64 {
	const euler = 0.5772156649015329
	if x < 1 {
		sum, term := -euler-math.Log(x), 1.0
		for k := 1.0; k < 30; k++ {
			term *= -x / k
			sum -= term / k
		}
		return sum
	}
	f := 0.0
	for k := 60.0; k >= 1; k-- {
		f = k / (1 + k/(x+f))
	}
	return math.Exp(-x) / (x + f)
}
