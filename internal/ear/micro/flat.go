package micro

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// flat reads a FlatBuffer that may be hostile: every access is checked, the first
// violation is kept and everything read after it is zero.
type flat struct {
	data []byte
	err  error
}

// table is the place where a table begins; 0 stands for an absent table.
type table int

// vector is a list in the file; n is 0 for an absent one.
type vector struct{ at, n int }

// maxVector bounds a list of anything but bytes: real models have some hundred.
const maxVector = 1 << 14

var errOutside = errors.New("an offset leads out of the file")

func (f *flat) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *flat) bytes(at, n int) []byte {
	if f.err != nil || at < 0 || n < 0 || at > len(f.data)-n {
		f.fail(errOutside)
		return nil
	}
	return f.data[at : at+n]
}

func (f *flat) u16(at int) int {
	if b := f.bytes(at, 2); b != nil {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (f *flat) i32(at int) int {
	if b := f.bytes(at, 4); b != nil {
		return int(int32(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

// follow reads a forward offset and returns where it leads.
func (f *flat) follow(at int) int {
	b := f.bytes(at, 4)
	if b == nil {
		return 0
	}
	off := binary.LittleEndian.Uint32(b)
	if off == 0 || uint64(off) >= uint64(len(f.data)) {
		f.fail(errOutside)
		return 0
	}
	return at + int(off)
}

// field returns where a field of a table is; 0 when the field has its default.
func (f *flat) field(t table, index int) int {
	if t == 0 || f.err != nil {
		return 0
	}
	vtable := int(t) - f.i32(int(t))
	if 4+2*index+2 > f.u16(vtable) {
		return 0
	}
	off := f.u16(vtable + 4 + 2*index)
	if off == 0 {
		return 0
	}
	return int(t) + off
}

func (f *flat) int8(t table, index int) int {
	at := f.field(t, index)
	if at == 0 {
		return 0
	}
	if b := f.bytes(at, 1); b != nil {
		return int(int8(b[0]))
	}
	return 0
}

func (f *flat) int32(t table, index, otherwise int) int {
	if at := f.field(t, index); at != 0 {
		return f.i32(at)
	}
	return otherwise
}

func (f *flat) child(t table, index int) table {
	if at := f.field(t, index); at != 0 {
		return table(f.follow(at))
	}
	return 0
}

// list returns a field whose elements have size bytes.
func (f *flat) list(t table, index, size int) vector {
	at := f.field(t, index)
	if at == 0 {
		return vector{}
	}
	at = f.follow(at)
	n := f.i32(at)
	if n < 0 || size > 1 && n > maxVector || f.bytes(at+4, n*size) == nil && n > 0 {
		f.fail(fmt.Errorf("a list of %d elements does not fit", n))
		return vector{}
	}
	return vector{at + 4, n}
}

// elements reads a field whose elements have size bytes.
func elements[T any](f *flat, t table, index, size int, read func(at int) T) []T {
	v := f.list(t, index, size)
	list := make([]T, v.n)
	for i := range list {
		list[i] = read(v.at + size*i)
	}
	return list
}

func (f *flat) tables(t table, index int) []table {
	return elements(f, t, index, 4, func(at int) table { return table(f.follow(at)) })
}

func (f *flat) ints(t table, index int) []int { return elements(f, t, index, 4, f.i32) }

func (f *flat) longs(t table, index int) []int64 {
	return elements(f, t, index, 8, func(at int) int64 {
		if b := f.bytes(at, 8); b != nil {
			return int64(binary.LittleEndian.Uint64(b))
		}
		return 0
	})
}

func (f *flat) floats(t table, index int) []float64 {
	return elements(f, t, index, 4, func(at int) float64 { return float64(math.Float32frombits(uint32(f.i32(at)))) })
}

func (f *flat) raw(t table, index int) []byte {
	v := f.list(t, index, 1)
	if v.n == 0 {
		return nil
	}
	return f.bytes(v.at, v.n)
}
