package micro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Activations.
const (
	activationNone = 0
	activationRelu = 1
)

// factor multiplies by a real number below one in whole numbers: q/2^31, then
// shift to the right.
type factor struct {
	q     int64
	shift int
}

func newFactor(m float64) (factor, error) {
	if !(m > 0 && m < 1) {
		return factor{}, fmt.Errorf("the factor %v between the scales is not below one", m)
	}
	frac, exp := math.Frexp(m)
	q := int64(math.Round(frac * (1 << 31)))
	if q == 1<<31 {
		q, exp = q/2, exp+1
	}
	if exp > 0 || exp < -30 {
		return factor{}, fmt.Errorf("the factor %v between the scales is out of range", m)
	}
	return factor{q, -exp}, nil
}

// twice multiplies and rounds after the product and again after the shift, ties
// upwards, as the reference does for convolutions.
func (f factor) twice(acc int32) int32 {
	h := (int64(acc)*f.q + 1<<30) >> 31
	if f.shift > 0 {
		h = (h + 1<<(f.shift-1)) >> f.shift
	}
	return int32(h)
}

// once multiplies and rounds only at the end, as the reference does for full
// connections.
func (f factor) once(acc int32) int32 {
	return int32((int64(acc)*f.q + 1<<(30+f.shift)) >> (31 + f.shift))
}

// layer is what the three kinds of weighted sums have in common.
type layer struct {
	in, out *tensor
	weights []int8
	bias    []int32
	factors []factor
	low     int32 // of the activation
}

// layer checks the operands; outputs is how many sums there are.
func (g *graph) layer(list []*tensor, outputs, activation int) (*layer, error) {
	in, w, b, out := list[0], list[1], list[2], list[3]
	if err := weighable(in, w, b, out, outputs); err != nil {
		return nil, err
	}
	l := &layer{in: in, out: out, weights: w.data, low: -128}
	switch activation {
	case activationNone:
	case activationRelu:
		l.low = max(-128, out.zero)
	default:
		return nil, fmt.Errorf("the activation %d is not supported", activation)
	}
	for i := range outputs {
		f, err := newFactor(in.scale[0] * w.scale[min(i, len(w.scale)-1)] / out.scale[0])
		if err != nil {
			return nil, err
		}
		l.factors = append(l.factors, f)
	}
	for _, v := range b.ints() {
		l.bias = append(l.bias, int32(v))
	}
	return l, nil
}

// weighable checks what all weighted sums need.
func weighable(in, w, b, out *tensor, outputs int) error {
	if err := int8s(in, w, out); err != nil {
		return err
	}
	if !w.constant || !b.constant || b.kind != typeI32 || len(b.data) != 4*outputs {
		return fmt.Errorf("weights and a bias of %d numbers must be constants", outputs)
	}
	if !in.perTensor || !out.perTensor || len(w.scale) != 1 && len(w.scale) != outputs || w.zero != 0 {
		return errors.New("a weighted sum without the scales it needs")
	}
	return nil
}

func (l *layer) finish(v int32) int8 {
	return int8(max(l.low, min(127, v+l.out.zero)))
}

// window checks that a kernel slides over rows only, without padding, and returns
// how many rows it makes.
func window(in, out *tensor, height, width, stride int) (rows int, err error) {
	if len(in.shape) != 4 || len(out.shape) != 4 || in.shape[0] != 1 || width != 1 || stride < 1 ||
		height < 1 || height > in.shape[1] || in.shape[2] != out.shape[2] {
		return 0, fmt.Errorf("a kernel of %d rows and %d columns over %v is not supported", height, width, in.shape)
	}
	rows = (in.shape[1]-height)/stride + 1
	if out.shape[0] != 1 || out.shape[1] != rows {
		return 0, fmt.Errorf("%v does not become %v without padding", in.shape, out.shape)
	}
	return rows, nil
}

// checkOptions checks the options that must be 1: strides across columns and dilations
// are not supported.
func (g *graph) checkOptions(n node, dilation int) error {
	if g.f.int32(n.options, 1, 0) != 1 || g.f.int32(n.options, dilation, 1) != 1 || g.f.int32(n.options, dilation+1, 1) != 1 {
		return errors.New("strides across columns and dilations are not supported")
	}
	return nil
}

func (g *graph) conv(n node) (kernel, error) {
	list, err := g.operands(n, 3, 1)
	if err != nil {
		return nil, err
	}
	in, w, out := list[0], list[1], list[3]
	if err := g.checkOptions(n, 4); err != nil {
		return nil, err
	}
	if len(w.shape) != 4 {
		return nil, fmt.Errorf("weights of shape %v", w.shape)
	}
	stride := g.f.int32(n.options, 2, 0)
	rows, err := window(in, out, w.shape[1], w.shape[2], stride)
	if err != nil {
		return nil, err
	}
	outputs, depth, columns := w.shape[0], w.shape[3], in.shape[2]
	if depth != in.shape[3] || outputs != out.shape[3] || columns != 1 && w.shape[1] != 1 {
		return nil, fmt.Errorf("weights of shape %v between %v and %v", w.shape, in.shape, out.shape)
	}
	l, err := g.layer(list, outputs, g.f.int8(n.options, 3))
	if err != nil {
		return nil, err
	}
	// Rows of one column lie side by side, so a kernel is one stretch of memory;
	// with several columns it has one row.
	size := w.shape[1] * depth
	step := stride * columns * depth
	if columns > 1 {
		step = depth
		rows *= columns
		if stride != 1 {
			return nil, errors.New("a stride over several columns is not supported")
		}
	}
	g.m.work += int64(rows) * int64(outputs*size)
	return func() { l.slide(rows, step, size, outputs) }, nil
}

// slide computes every sum of a stretch of the input with each kernel.
func (l *layer) slide(rows, step, size, outputs int) {
	zero := l.in.zero
	for r := range rows {
		x := l.in.data[r*step : r*step+size]
		for o := range outputs {
			w := l.weights[o*size : (o+1)*size]
			acc := l.bias[o]
			for i, v := range x {
				acc += int32(w[i]) * (int32(v) - zero)
			}
			l.out.data[r*outputs+o] = l.finish(l.factors[o].twice(acc))
		}
	}
}

func (g *graph) depthwise(n node) (kernel, error) {
	list, err := g.operands(n, 3, 1)
	if err != nil {
		return nil, err
	}
	in, w, out := list[0], list[1], list[3]
	if err := g.checkOptions(n, 5); err != nil {
		return nil, err
	}
	if len(w.shape) != 4 || w.shape[0] != 1 || g.f.int32(n.options, 3, 0) != 1 {
		return nil, fmt.Errorf("weights of shape %v, or a depth multiplier that is not 1", w.shape)
	}
	stride := g.f.int32(n.options, 2, 0)
	rows, err := window(in, out, w.shape[1], w.shape[2], stride)
	if err != nil {
		return nil, err
	}
	channels, height := w.shape[3], w.shape[1]
	if in.shape[2] != 1 || channels != in.shape[3] || channels != out.shape[3] {
		return nil, fmt.Errorf("weights of shape %v between %v and %v", w.shape, in.shape, out.shape)
	}
	l, err := g.layer(list, channels, g.f.int8(n.options, 4))
	if err != nil {
		return nil, err
	}
	g.m.work += int64(rows) * int64(channels*height)
	sums := make([]int32, channels)
	return func() { l.each(sums, rows, stride, height) }, nil
}

// each computes the sum of every channel over its own column.
func (l *layer) each(sums []int32, rows, stride, height int) {
	channels, zero := len(sums), l.in.zero
	for r := range rows {
		copy(sums, l.bias)
		for h := range height {
			x := l.in.data[(r*stride+h)*channels : (r*stride+h+1)*channels]
			w := l.weights[h*channels : (h+1)*channels]
			for c, v := range x {
				sums[c] += int32(w[c]) * (int32(v) - zero)
			}
		}
		for c, acc := range sums {
			l.out.data[r*channels+c] = l.finish(l.factors[c].twice(acc))
		}
	}
}

func (g *graph) fullyConnected(n node) (kernel, error) {
	list, err := g.operands(n, 3, 1)
	if err != nil {
		return nil, err
	}
	in, w, out := list[0], list[1], list[3]
	if len(w.shape) != 2 || w.shape[1] != len(in.data) || w.shape[0] != len(out.data) || g.f.int8(n.options, 1) != 0 {
		return nil, fmt.Errorf("weights of shape %v between %v and %v", w.shape, in.shape, out.shape)
	}
	if in.kind != typeI8 || !slices.Contains([]int{activationNone, activationRelu}, g.f.int8(n.options, 0)) {
		return nil, errKind
	}
	l, err := g.layer(list, w.shape[0], g.f.int8(n.options, 0))
	if err != nil {
		return nil, err
	}
	size := w.shape[1]
	g.m.work += int64(len(w.data))
	return func() {
		for o := range l.bias {
			acc := l.bias[o]
			for i, v := range l.in.data {
				acc += int32(l.weights[o*size+i]) * (int32(v) - l.in.zero)
			}
			l.out.data[o] = l.finish(l.factors[o].once(acc))
		}
	}, nil
}
