package micro

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// fields are those of a table in a FlatBuffer, in the order of the schema: nil where
// a field has its default.
type fields []any

// flatten appends a value to a FlatBuffer, with all it refers to behind it, and
// returns where it stands.
func flatten(file []byte, value any) (longer []byte, at int) {
	at = len(file)
	count := func(n int) { file = binary.LittleEndian.AppendUint32(file, uint32(n)) }
	switch v := value.(type) {
	case []byte:
		count(len(v))
		return append(file, v...), at
	case []int:
		count(len(v))
		for _, n := range v {
			count(n)
		}
	case []int64:
		count(len(v))
		for _, n := range v {
			file = binary.LittleEndian.AppendUint64(file, uint64(n))
		}
	case []float32:
		count(len(v))
		for _, n := range v {
			count(int(math.Float32bits(n)))
		}
	case []fields:
		count(len(v))
		file = append(file, make([]byte, 4*len(v))...)
		for i, one := range v {
			file = refer(file, at+4+4*i, one)
		}
	case fields:
		file = binary.LittleEndian.AppendUint16(file, uint16(4+2*len(v)))
		file = binary.LittleEndian.AppendUint16(file, uint16(4+4*len(v)))
		for i, field := range v {
			place := 0
			if field != nil {
				place = 4 + 4*i
			}
			file = binary.LittleEndian.AppendUint16(file, uint16(place))
		}
		at = len(file)
		count(4 + 2*len(v)) // the list of places stands before the table
		file = append(file, make([]byte, 4*len(v))...)
		for i, field := range v {
			if number, ok := field.(int); ok {
				binary.LittleEndian.PutUint32(file[at+4+4*i:], uint32(number))
			} else if field != nil {
				file = refer(file, at+4+4*i, field)
			}
		}
	}
	return file, at
}

// refer appends a value and writes its distance at a place before it.
func refer(file []byte, place int, value any) []byte {
	file, at := flatten(file, value)
	binary.LittleEndian.PutUint32(file[place:], uint32(at-place))
	return file
}

// tinyModel is the file of a model with one of each operator: its weights are ones,
// it keeps one row of features, and it takes a row for an inference. It has a tensor
// of the shape unused, if that is given, which nothing uses.
func tinyModel(unused ...int) []byte {
	var codes, buffers []fields
	for _, code := range []int{2, 3, 4, 9, 14, 22, 45, 102, 114, 129, 142, 143, 144} {
		codes = append(codes, fields{code, nil, nil, code})
	}
	buffers = append(buffers, fields{nil})
	var tensors, initial []fields
	// add makes a tensor with a scale of one half, or with data a constant.
	add := func(list *[]fields, kind int, zero int64, data []byte, shape ...int) int {
		buffer := 0
		if data != nil {
			buffer = len(buffers)
			buffers = append(buffers, fields{data})
		}
		*list = append(*list, fields{shape, kind, buffer, nil, fields{nil, nil, []float32{0.5}, []int64{zero}}})
		return len(*list) - 1
	}
	flowing := func(shape ...int) int { return add(&tensors, typeI8, 0, nil, shape...) }
	ones := func(shape ...int) int {
		size := 1
		for _, n := range shape {
			size *= n
		}
		return add(&tensors, typeI8, 0, slices.Repeat([]byte{1}, size), shape...)
	}
	whole := func(numbers ...int) int {
		var data []byte
		for _, n := range numbers {
			data = binary.LittleEndian.AppendUint32(data, uint32(n))
		}
		return add(&tensors, typeI32, 0, data, len(numbers))
	}
	var steps, first []fields
	do := func(list *[]fields, code int, inputs, outputs []int, options ...any) {
		index := slices.IndexFunc(codes, func(c fields) bool { return c[0] == code })
		*list = append(*list, fields{index, inputs, outputs, nil, fields(options)})
	}

	in, row, kept := flowing(1, 1, Channels), flowing(1, 1, 1, Channels), flowing(1, 1, 1, Channels)
	state := add(&tensors, typeResource, 0, nil, 1)
	both, newest := flowing(1, 2, 1, Channels), flowing(1, 1, 1, Channels)
	convolved, deep := flowing(1, 2, 1, 4), flowing(1, 1, 1, 4)
	left, right, joined := flowing(1, 1, 1, 2), flowing(1, 1, 1, 2), flowing(1, 1, 1, 4)
	flat, sum, likely := flowing(1, 4), flowing(1, 1), flowing(1, 1)
	out := add(&tensors, typeU8, 128, nil, 1, 1)
	if unused != nil {
		flowing(unused...)
	}
	do(&steps, 129, nil, nil)
	do(&steps, 142, nil, []int{state}, nil, []byte("row"))
	do(&steps, 22, []int{in}, []int{row})
	do(&steps, 143, []int{state}, []int{kept})
	do(&steps, 2, []int{kept, row}, []int{both}, 1)
	do(&steps, 45, []int{both, whole(0, 1, 0, 0), whole(1, 2, 1, Channels), whole(1, 1, 1, 1)}, []int{newest}, 13, 15)
	do(&steps, 144, []int{state, newest}, nil)
	do(&steps, 3, []int{both, ones(4, 1, 1, Channels), whole(0, 0, 0, 0)}, []int{convolved}, nil, 1, 1, activationRelu)
	do(&steps, 4, []int{convolved, ones(1, 2, 1, 4), whole(0, 0, 0, 0)}, []int{deep}, nil, 1, 1, 1)
	do(&steps, 102, []int{deep, whole(2, 2), whole(3)}, []int{left, right}, 2)
	do(&steps, 2, []int{left, right}, []int{joined}, 3)
	do(&steps, 22, []int{joined}, []int{flat})
	do(&steps, 9, []int{flat, ones(1, 4), whole(0)}, []int{sum})
	do(&steps, 14, []int{sum}, []int{likely})
	do(&steps, 114, []int{likely}, []int{out})

	resource := add(&initial, typeResource, 0, nil, 1)
	zeros := add(&initial, typeI8, 0, make([]byte, Channels), 1, 1, 1, Channels)
	do(&first, 142, nil, []int{resource}, nil, []byte("row"))
	do(&first, 144, []int{resource, zeros}, nil)

	file := append(make([]byte, 4), "TFL3"...)
	return refer(file, 0, fields{3, codes, []fields{
		{tensors, []int{in}, []int{out}, steps},
		{initial, []int{}, []int{}, first},
	}, nil, buffers})
}

// TestATinyModelRuns demands that the file made here is a model whose probability
// follows what it hears, so that fuzzing from it reaches every operator.
func TestATinyModelRuns(t *testing.T) {
	t.Parallel()
	m, err := Parse(tinyModel())
	if err != nil {
		t.Fatal(err)
	}
	var loud Features
	for i := range loud {
		loud[i] = math.MaxUint16
	}
	said := func(f *Features) uint8 {
		p, ready := m.Push(f)
		if !ready {
			t.Fatal("a row gives no probability")
		}
		return p
	}
	quiet, heard, once := said(&Features{}), said(&loud), said(&Features{})
	m.Reset()
	if after := said(&Features{}); quiet != 128 || heard <= quiet || once <= quiet || after != quiet {
		t.Errorf("probabilities of silence %d, sound %d, the row after it %d, silence after a reset %d", quiet, heard, once, after)
	}
}

// TestATensorOfNothingIsRefused: it has no bytes that could be counted, and up to a
// million rows to go through.
func TestATensorOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, shape := range [][]int{{maxTensor, 0}, {0, maxTensor}, {0}} {
		if _, err := Parse(tinyModel(shape...)); err == nil {
			t.Errorf("the shape %v was taken", shape)
		}
	}
	if _, err := Parse(tinyModel(1, 2)); err != nil {
		t.Error(err)
	}
}
