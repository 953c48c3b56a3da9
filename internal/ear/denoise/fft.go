package denoise

import (
	"math"
	"math/bits"
)

const (
	size = 512 // of the real transform; a window is padded with zeros
	half = size / 2
)

// fft transforms real sound by a complex transform of half the size: the even
// samples are its real parts, the odd ones its imaginary parts.
type fft struct {
	turn  [half / 2]complex128 // factors of the half-size transform
	split [half + 1]complex128 // factors that separate the even samples from the odd ones
	work  [half]complex128
}

func newFFT() *fft {
	f := &fft{}
	for i := range f.turn {
		f.turn[i] = unit(-2 * math.Pi * float64(i) / half)
	}
	for i := range f.split {
		f.split[i] = unit(-2 * math.Pi * float64(i) / size)
	}
	return f
}

func unit(angle float64) complex128 {
	sin, cos := math.Sincos(angle)
	return complex(cos, sin)
}

// forward computes the spectrum of the sound times its window.
func (f *fft) forward(sound, shape *[window]float64, out *[bands]complex128) {
	clear(f.work[:])
	for i := 0; i < window; i += 2 {
		f.work[i/2] = complex(sound[i]*shape[i], sound[i+1]*shape[i+1])
	}
	f.run()
	for k := range out {
		a := f.work[k%half]
		b := conj(f.work[(half-k)%half])
		even, odd := (a+b)/2, (a-b)/2
		out[k] = even + f.split[k]*complex(imag(odd), -real(odd))
	}
}

// inverse adds the sound of a spectrum, times the window, to sum.
func (f *fft) inverse(spectrum *[bands]complex128, shape, sum *[window]float64) {
	// The inverse transform is the forward one of the conjugate, conjugated.
	for k := range f.work {
		a, b := spectrum[k], conj(spectrum[half-k])
		even, odd := (a+b)/2, (a-b)/2*conj(f.split[k])
		f.work[k] = conj(even + complex(-imag(odd), real(odd)))
	}
	f.run()
	for i := 0; i < window; i += 2 {
		v := f.work[i/2] / half
		sum[i] += real(v) * shape[i]
		sum[i+1] -= imag(v) * shape[i+1]
	}
}

// run transforms work in place, radix 2.
func (f *fft) run() {
	x := &f.work
	shift := bits.LeadingZeros64(half) + 1
	for i := range x {
		if j := int(bits.Reverse64(uint64(i)) >> shift); i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	for length := 2; length <= half; length *= 2 {
		step := half / length
		for at := 0; at < half; at += length {
			for k := range length / 2 {
				u, v := x[at+k], x[at+k+length/2]*f.turn[k*step]
				x[at+k], x[at+k+length/2] = u+v, u-v
			}
		}
	}
}

func conj(c complex128) complex128 { return complex(real(c), -imag(c)) }
