package micro

import (
	"math"
	"math/bits"
)

// gainTable approximates the gain for a noise level by a parabola per octave.
type gainTable struct {
	first  [2]int16 // for 0 and 1
	octave [33]parabola
}

type parabola struct{ y, slope, bend int16 }

// gainOf is the gain that the table approximates.
func gainOf(level uint32) int16 {
	x := float32(level)/128 + 80
	g := float32(1<<21) * float32(math.Pow(float64(x), -0.95))
	if g > math.MaxInt16 {
		return math.MaxInt16
	}
	return int16(g + 0.5)
}

func newGainTable() gainTable {
	t := gainTable{first: [2]int16{gainOf(0), gainOf(1)}}
	for n := 2; n <= 32; n++ {
		x0 := uint32(1) << (n - 1)
		x2 := uint32(math.MaxUint32)
		if n < 32 {
			x2 = x0 * 2
		}
		y0, y1, y2 := int32(gainOf(x0)), int32(gainOf(x0+x0/2)), int32(gainOf(x2))
		slope := 4*(y1-y0) - (y2 - y0)
		bend := (y2 - y0) - slope
		t.octave[n] = parabola{int16(y0), int16(slope), int16(bend)}
	}
	return t
}

func (t *gainTable) at(level uint32) int16 {
	if level < 2 {
		return t.first[level]
	}
	n := bits.Len32(level)
	p := t.octave[n]
	if level == 2 {
		return p.y
	}
	var frac int32
	if n < 11 {
		frac = int32(level<<(11-n)) & 0x3ff
	} else {
		frac = int32(level>>(n-11)) & 0x3ff
	}
	r := int32(p.bend)*frac>>5 + int32(p.slope)<<5
	r = (r*frac + 1<<14) >> 15
	return int16(r + int32(p.y))
}
