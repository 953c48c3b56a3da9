package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxWAV bounds how much of a file is read: half an hour of 16 kHz mono, or
// three minutes of 48 kHz stereo floats. A longer one is not a command.
const maxWAV = 64 << 20

// openEnded is the smallest data length that means "until the end of the
// stream": programs that write WAV to a pipe cannot know the length and put
// 0xFFFFFFFF, 0x7FFFFFFF or, as espeak-ng does, a little less.
const openEnded = 0x7FFF0000

const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xFFFE
)

type wavFormat struct {
	code     uint16
	channels int
	rate     Rate
	width    int // bytes of one sample of one channel
}

// ReadWAV reads a whole WAV file as mono: several channels are averaged, other
// sample widths (8, 16, 24, 32 bit, 32 bit float) become 16 bit, the rate stays
// as it is (see Resample). The errors name what was found and what can be read.
func ReadWAV(r io.Reader) (Clip, error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Clip{}, fmt.Errorf("reading wav: the file is shorter than a WAV header: %w", noEOF(err))
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "WAVE" {
		return Clip{}, fmt.Errorf("reading wav: not a WAV file: it starts with %q, not with a RIFF header", head[:4])
	}
	var f wavFormat
	for {
		var chunk [8]byte
		if _, err := io.ReadFull(r, chunk[:]); err != nil {
			return Clip{}, fmt.Errorf("reading wav: no sound in the file: %w", noEOF(err))
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			body, err := readBody(r, size)
			if err != nil {
				return Clip{}, err
			}
			if f, err = parseFormat(body); err != nil {
				return Clip{}, err
			}
		case "data":
			if f.rate == 0 {
				return Clip{}, errors.New("reading wav: the sound comes before its format")
			}
			return readSamples(r, size, f)
		default:
			if _, err := io.CopyN(io.Discard, r, size+size%2); err != nil {
				return Clip{}, fmt.Errorf("reading wav: no sound in the file: %w", noEOF(err))
			}
		}
	}
}

func readBody(r io.Reader, size int64) ([]byte, error) {
	if size < 16 || size > 4096 {
		return nil, fmt.Errorf("reading wav: a format of %d bytes; 16 to 40 are usual", size)
	}
	body := make([]byte, size+size%2)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("reading wav: the file ends in its format: %w", noEOF(err))
	}
	return body[:size], nil
}

func parseFormat(b []byte) (wavFormat, error) {
	f := wavFormat{
		code:     binary.LittleEndian.Uint16(b),
		channels: int(binary.LittleEndian.Uint16(b[2:])),
		rate:     Rate(binary.LittleEndian.Uint32(b[4:])),
		width:    int(binary.LittleEndian.Uint16(b[14:])) / 8,
	}
	if f.code == formatExtensible && len(b) >= 26 {
		f.code = binary.LittleEndian.Uint16(b[24:])
	}
	pcm := f.code == formatPCM && f.width >= 1 && f.width <= 4
	if float := f.code == formatFloat && f.width == 4; !pcm && !float {
		return f, fmt.Errorf("reading wav: format %d with %d bits; only uncompressed PCM and 32 bit float can be read", f.code, f.width*8)
	}
	if f.channels < 1 || f.channels > 32 {
		return f, fmt.Errorf("reading wav: %d channels; 1 to 32 can be read", f.channels)
	}
	if f.rate < 4000 || f.rate > 384000 {
		return f, fmt.Errorf("reading wav: a rate of %d Hz; 4000 to 384000 can be read", f.rate)
	}
	return f, nil
}

func readSamples(r io.Reader, size int64, f wavFormat) (Clip, error) {
	open := size == 0 || size >= openEnded
	if !open && size > maxWAV {
		return Clip{}, fmt.Errorf("reading wav: %d MB of sound; at most %d MB can be read", size>>20, maxWAV>>20)
	}
	limit := size
	if open {
		limit = maxWAV + 1
	}
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return Clip{}, fmt.Errorf("reading wav: %w", err)
	}
	if open && len(data) > maxWAV {
		return Clip{}, fmt.Errorf("reading wav: over %d MB of sound", maxWAV>>20)
	}
	if !open && int64(len(data)) < size {
		return Clip{}, fmt.Errorf("reading wav: the file is cut off: %d of %d bytes of sound", len(data), size)
	}
	step := f.width * f.channels
	samples := make([]int16, len(data)/step)
	for i := range samples {
		samples[i] = mix(data[i*step:(i+1)*step], f)
	}
	return Clip{Rate: f.rate, Samples: samples}, nil
}

// mix averages one sample of every channel.
func mix(b []byte, f wavFormat) int16 {
	var sum float64
	for c := range f.channels {
		sum += sampleAt(b[c*f.width:], f)
	}
	return clamp(sum / float64(f.channels))
}

// sampleAt is one sample in units of 16 bit.
func sampleAt(b []byte, f wavFormat) float64 {
	switch {
	case f.code == formatFloat:
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		if math.IsNaN(v) {
			return 0
		}
		return v * 32768
	case f.width == 1: // 8 bit is the unsigned one
		return (float64(b[0]) - 128) * 256
	case f.width == 2:
		return float64(int16(binary.LittleEndian.Uint16(b)))
	case f.width == 3:
		return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / 65536
	default:
		return float64(int32(binary.LittleEndian.Uint32(b))) / 65536
	}
}

func clamp(v float64) int16 {
	return int16(max(math.MinInt16, min(math.MaxInt16, math.Round(v))))
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// WriteWAV writes a clip as 16 bit mono PCM.
func WriteWAV(w io.Writer, c Clip) error {
	if c.Rate <= 0 {
		return fmt.Errorf("writing wav: the clip has a rate of %d Hz", c.Rate)
	}
	size := len(c.Samples) * 2
	if size > maxWAV {
		return fmt.Errorf("writing wav: %d MB of sound; at most %d MB are written", size>>20, maxWAV>>20)
	}
	b := make([]byte, 0, 44+size)
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(36+size))
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, formatPCM)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Rate)*2)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = AppendPCM(b, c.Samples)
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing wav: %w", err)
	}
	return nil
}

// AppendPCM appends samples as little-endian bytes, the form of every pipe,
// file and service the gateway talks to.
func AppendPCM(b []byte, samples []int16) []byte {
	for _, s := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	return b
}

// PCM undoes AppendPCM; an odd last byte is dropped.
func PCM(b []byte) []int16 {
	samples := make([]int16, len(b)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return samples
}
