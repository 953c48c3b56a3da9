package micro

import (
	"math"
	"math/bits"
)

// The front end's framing: 30 ms of sound at 16 kHz every 10 ms.
const (
	frameSamples = 480
	stepSamples  = 160
	fftSize      = 512
	firstBin     = 5   // 125 Hz and above ...
	lastBin      = 240 // ... up to 7.5 kHz
	binWidth     = 31.25
)

// tables are what the front end computes with; they are never changed.
type tables struct {
	window     [frameSamples]int32
	fft        fftTables
	filters    [Channels + 1]filter
	weights    [lastBin + 1]uint64
	unweights  [lastBin + 1]uint64
	gain       gainTable
	logarithms [129]uint32
}

// filter is one channel's bins, the last one excluded.
type filter struct{ from, to int }

// FrontEnd turns sound into features. It belongs to one goroutine.
type FrontEnd struct {
	tables *tables
	sound  [frameSamples]int16
	filled int
	noise  [Channels]uint32
	fft    fftBuffers
	sums   [Channels + 1]uint64
	out    Features
}

// NewFrontEnd computes its tables, which takes about a millisecond.
func NewFrontEnd() *FrontEnd { return &FrontEnd{tables: newTables()} }

func newTables() *tables {
	t := &tables{fft: newFFTTables(), gain: newGainTable()}
	for i := range t.window {
		angle := float32(math.Pi*2/frameSamples) * (float32(i) + 0.5)
		t.window[i] = int32(math.Floor(float64((0.5-0.5*float32(math.Cos(float64(angle))))*4096) + 0.5))
	}
	t.filterbank()
	for i := range 128 {
		x := float64(i) / 128
		t.logarithms[i] = uint32(math.Round(65536 * (math.Log2(1+x) - x)))
	}
	return t
}

// mel is a frequency in hertz on the mel scale. Conversions keep a processor that
// multiplies and adds in one step from rounding differently.
func mel(f float32) float32 { return float32(1127 * float32(math.Log1p(float64(f/700)))) }

// filterbank computes 41 triangles that are equally wide on the mel scale. Only
// the falling half of each is kept: what a bin does not give to its own channel
// it gives to the next.
func (t *tables) filterbank() {
	low := mel(125)
	spacing := (mel(7500) - low) / (Channels + 1)
	bin, previous := firstBin, low
	for c := range t.filters {
		centre := low + float32(spacing*float32(c+1))
		t.filters[c].from = bin
		for bin <= lastBin && mel(binWidth*float32(bin)) <= centre {
			w := (centre - mel(binWidth*float32(bin))) / (centre - previous)
			t.weights[bin] = uint64(math.Floor(float64(w)*4096 + 0.5))
			t.unweights[bin] = uint64(math.Floor((1-float64(w))*4096 + 0.5))
			bin++
		}
		t.filters[c].to = bin
		previous = centre
	}
	// Two weights lie on the edge of rounding. The C library of the reference, with
	// which the models were trained, rounds them the other way.
	t.weights[149], t.unweights[149] = 2471, 1625
	t.weights[221], t.unweights[221] = 1401, 2695
}

// Reset forgets the sound and the noise. The first second after it is less
// reliable, so it is for gaps, not for pauses between commands.
func (f *FrontEnd) Reset() {
	f.filled = 0
	f.noise = [Channels]uint32{}
}

// Push takes sound, 16 kHz mono, in pieces of any size, and calls take with each
// frame of features that is complete. The frame is valid during the call only.
func (f *FrontEnd) Push(samples []int16, take func(*Features)) {
	for len(samples) > 0 {
		n := copy(f.sound[f.filled:], samples)
		samples = samples[n:]
		if f.filled += n; f.filled < frameSamples {
			return
		}
		f.frame(&f.out)
		take(&f.out)
		copy(f.sound[:], f.sound[stepSamples:])
		f.filled = frameSamples - stepSamples
	}
}

// frame computes the features of the sound in the buffer.
func (f *FrontEnd) frame(out *Features) {
	shift := f.applyWindow()
	f.tables.fft.real(&f.fft)
	f.sum()
	for c := range Channels {
		s := uint32(root(f.sums[c+1]) >> shift)
		s = f.quieter(c, s)
		out[c] = f.tables.logarithm(f.level(c, s))
	}
}

// applyWindow puts the sound, weighted and as loud as 16 bits allow, into the FFT's
// input and returns by how many bits it was made louder.
func (f *FrontEnd) applyWindow() (shift int) {
	var loudest int16
	for i, s := range f.sound {
		v := int16(int32(s) * f.tables.window[i] >> 12)
		f.fft.in[i] = v
		if v < 0 {
			v = -v
		}
		loudest = max(loudest, v)
	}
	shift = 15 - bits.Len16(uint16(loudest))
	for i := range frameSamples {
		f.fft.in[i] = int16(uint16(f.fft.in[i]) << shift)
	}
	clear(f.fft.in[frameSamples:])
	return shift
}

// sum adds the energy of the bins up into the channels.
func (f *FrontEnd) sum() {
	t := f.tables
	var rest uint64
	for c, band := range t.filters {
		own := rest
		rest = 0
		for bin := band.from; bin < band.to; bin++ {
			re, im := int32(f.fft.out[bin].re), int32(f.fft.out[bin].im)
			energy := uint64(uint32(re*re) + uint32(im*im))
			own += t.weights[bin] * energy
			rest += t.unweights[bin] * energy
		}
		f.sums[c] = own
	}
}

// quieter subtracts the noise of channel c, which is followed slowly, from its
// sum s.
func (f *FrontEnd) quieter(c int, s uint32) uint32 {
	const one = 1 << 14
	k := uint64(409) // 0.025, for every other channel 0.06
	if c%2 == 1 {
		k = 983
	}
	up := s << 10
	estimate := uint32((uint64(up)*k + uint64(f.noise[c])*(one-k)) >> 14)
	f.noise[c] = estimate
	clean := (up - min(estimate, up)) >> 10
	floor := uint32(uint64(s) * 819 >> 14) // a twentieth is always left
	return max(clean, floor)
}

// level makes loud and soft rooms alike: the louder the noise, the smaller the
// gain.
func (f *FrontEnd) level(c int, s uint32) uint32 {
	gain := f.tables.gain.at(f.noise[c])
	snr := uint32(uint64(s) * uint64(int64(gain)) >> 6)
	if snr < 8192 {
		return snr * snr >> 20
	}
	return snr>>6 - 64
}

// root is the square root, rounded, and no more than its width allows.
func root(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	limit := uint64(math.MaxUint32)
	if v <= math.MaxUint32 {
		limit = math.MaxUint16
	}
	r := uint64(math.Sqrt(float64(v)))
	for r*r > v || r > math.MaxUint32 {
		r--
	}
	for (r+1)*(r+1) <= v && r < math.MaxUint32 {
		r++
	}
	if v-r*r > r {
		r++
	}
	return min(r, limit)
}

// logarithm returns the natural logarithm in steps of 1/64.
func (t *tables) logarithm(s uint32) uint16 {
	v := s << 3
	if v <= 1 {
		return 0
	}
	n := bits.Len32(v) - 1
	frac := v - 1<<n
	if n < 16 {
		frac <<= 16 - n
	} else {
		frac >>= n - 16
	}
	i := frac >> 9
	low, high := t.logarithms[i], t.logarithms[i+1]
	between := int32(high-low) * int32(frac-512*i) >> 16
	log2 := uint32(n)<<16 + frac + low + uint32(between)
	ln := uint32((45426*uint64(log2) + 1<<15) >> 16)
	return uint16(min((ln<<6+1<<15)>>16, math.MaxUint16))
}
