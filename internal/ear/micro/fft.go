package micro

import "math"

// point is a complex number of 16-bit fixed point.
type point struct{ re, im int16 }

const halfSize = fftSize / 2 // of the complex transform that carries the real one

// fftTables are the factors of the transform.
type fftTables struct {
	turns  [halfSize]point     // of the complex transform
	unpack [halfSize / 2]point // from it to the real one
	order  [halfSize]int       // digits of base four, reversed
}

// fftBuffers are what a transform works in.
type fftBuffers struct {
	in  [fftSize]int16
	mid [halfSize]point
	out [halfSize + 1]point
}

func newFFTTables() fftTables {
	var t fftTables
	turn := func(angle float64) point {
		return point{int16(math.Floor(0.5 + 32767*math.Cos(angle))), int16(math.Floor(0.5 + 32767*math.Sin(angle)))}
	}
	for i := range t.turns {
		t.turns[i] = turn(-2 * math.Pi * float64(i) / halfSize)
	}
	for i := range t.unpack {
		t.unpack[i] = turn(-math.Pi * (float64(i+1)/halfSize + 0.5))
	}
	for i := range t.order {
		r, x := 0, i
		for range 4 {
			r, x = r<<2|x&3, x>>2
		}
		t.order[i] = r
	}
	return t
}

// round turns a product of two numbers with 15 bits after the point into one
// such number.
func round(v int32) int16 { return int16((v + 1<<14) >> 15) }

func scale(p point, by int32) point {
	return point{round(int32(p.re) * by), round(int32(p.im) * by)}
}

func (p point) times(q point) point {
	return point{
		round(int32(p.re)*int32(q.re) - int32(p.im)*int32(q.im)),
		round(int32(p.re)*int32(q.im) + int32(p.im)*int32(q.re)),
	}
}

func (p point) plus(q point) point  { return point{p.re + q.re, p.im + q.im} }
func (p point) minus(q point) point { return point{p.re - q.re, p.im - q.im} }

// real transforms the 512 real numbers of in into the 257 bins of out, halved
// at every stage so that 16 bits suffice. Even samples are taken for real parts
// and odd ones for imaginary parts of a transform half as long.
func (t *fftTables) real(b *fftBuffers) {
	for i, from := range t.order {
		b.mid[i] = point{b.in[2*from], b.in[2*from+1]}
	}
	for quarter := 1; quarter < halfSize; quarter *= 4 {
		t.stage(&b.mid, quarter)
	}
	const half = 32767 / 2
	zero := scale(b.mid[0], half)
	b.out[0] = point{zero.re + zero.im, 0}
	b.out[halfSize] = point{zero.re - zero.im, 0}
	for k := 1; k <= halfSize/2; k++ {
		p := scale(b.mid[k], half)
		q := b.mid[halfSize-k]
		q = scale(point{q.re, -q.im}, half)
		even, odd := p.plus(q), p.minus(q).times(t.unpack[k-1])
		b.out[k] = point{int16((int32(even.re) + int32(odd.re)) >> 1), int16((int32(even.im) + int32(odd.im)) >> 1)}
		b.out[halfSize-k] = point{int16((int32(even.re) - int32(odd.re)) >> 1), int16((int32(odd.im) - int32(even.im)) >> 1)}
	}
}

// stage joins four transforms of a quarter's length each into one, everywhere.
func (t *fftTables) stage(mid *[halfSize]point, quarter int) {
	const fourth = 32767 / 4
	stride := halfSize / (4 * quarter)
	for start := 0; start < halfSize; start += 4 * quarter {
		for i := range quarter {
			at := start + i
			a := scale(mid[at], fourth)
			b := scale(mid[at+quarter], fourth).times(t.turns[i*stride])
			c := scale(mid[at+2*quarter], fourth).times(t.turns[2*i*stride])
			d := scale(mid[at+3*quarter], fourth).times(t.turns[3*i*stride])
			low, high := a.plus(c), a.minus(c)
			sum, diff := b.plus(d), b.minus(d)
			mid[at], mid[at+2*quarter] = low.plus(sum), low.minus(sum)
			mid[at+quarter] = point{high.re + diff.im, high.im - diff.re}
			mid[at+3*quarter] = point{high.re - diff.im, high.im + diff.re}
		}
	}
}
