package micro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// node is an operator in the file.
type node struct {
	inputs, outputs []int
	options         table
}

// operators make the kernels, by the codes of TensorFlow Lite; a nil kernel does
// nothing at run time.
var operators = map[int]func(*graph, node) (kernel, error){
	2:   (*graph).concat,
	3:   (*graph).conv,
	4:   (*graph).depthwise,
	9:   (*graph).fullyConnected,
	14:  (*graph).logistic,
	22:  (*graph).reshape,
	45:  (*graph).slice,
	102: (*graph).split,
	114: (*graph).requantize,
	129: func(*graph, node) (kernel, error) { return nil, nil }, // CALL_ONCE: Reset runs the initialiser
	142: (*graph).handle,
	143: (*graph).read,
	144: (*graph).assign,
}

// build makes the kernel of an operator.
func (g *graph) build(code int, at table) (kernel, error) {
	operator, ok := operators[code]
	if !ok {
		return nil, fmt.Errorf("the operator %d is not supported", code)
	}
	return operator(g, node{inputs: g.f.ints(at, 1), outputs: g.f.ints(at, 2), options: g.f.child(at, 4)})
}

func (g *graph) at(i int) (*tensor, error) {
	if i < 0 || i >= len(g.tensors) {
		return nil, fmt.Errorf("there is no tensor %d", i)
	}
	return g.tensors[i], nil
}

// operands returns the inputs and outputs of a node that has just so many.
func (g *graph) operands(n node, inputs, outputs int) ([]*tensor, error) {
	if len(n.inputs) != inputs || len(n.outputs) != outputs {
		return nil, fmt.Errorf("%d inputs and %d outputs; expected %d and %d", len(n.inputs), len(n.outputs), inputs, outputs)
	}
	var list []*tensor
	for _, i := range append(slices.Clone(n.inputs), n.outputs...) {
		t, err := g.at(i)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		g.m.work += int64(len(t.data))
	}
	for _, t := range list[inputs:] {
		if t.constant {
			return nil, errors.New("an output is a constant")
		}
	}
	return list, nil
}

var errKind = errors.New("an operand is not int8")

func int8s(list ...*tensor) error {
	if slices.ContainsFunc(list, func(t *tensor) bool { return t.kind != typeI8 }) {
		return errKind
	}
	return nil
}

// handle names the variable behind a resource tensor.
func (g *graph) handle(n node) (kernel, error) {
	if len(n.outputs) != 1 {
		return nil, errors.New("a variable needs one output")
	}
	g.names[n.outputs[0]] = string(g.f.raw(n.options, 1))
	return nil, nil
}

// variable is the state behind a resource tensor, which all subgraphs share.
func (g *graph) variable(resource, size int) ([]int8, error) {
	name, ok := g.names[resource]
	if !ok {
		return nil, errors.New("the variable has no handle")
	}
	state, ok := g.m.states[name]
	if !ok {
		state = make([]int8, size)
		g.m.states[name] = state
	}
	if len(state) != size {
		return nil, fmt.Errorf("the variable %q has %d bytes and is used with %d", name, len(state), size)
	}
	return state, nil
}

func (g *graph) read(n node) (kernel, error) {
	list, err := g.operands(n, 1, 1)
	if err != nil {
		return nil, err
	}
	state, err := g.variable(n.inputs[0], len(list[1].data))
	if err != nil {
		return nil, err
	}
	out := list[1].data
	return func() { copy(out, state) }, int8s(list[1])
}

func (g *graph) assign(n node) (kernel, error) {
	list, err := g.operands(n, 2, 0)
	if err != nil {
		return nil, err
	}
	state, err := g.variable(n.inputs[0], len(list[1].data))
	if err != nil {
		return nil, err
	}
	in := list[1].data
	return func() { copy(state, in) }, int8s(list[1])
}

func (g *graph) reshape(n node) (kernel, error) {
	if len(n.inputs) > 1 {
		n.inputs = n.inputs[:1] // the shape is in the output as well
	}
	list, err := g.operands(n, 1, 1)
	if err != nil {
		return nil, err
	}
	in, out := list[0], list[1]
	if len(in.data) != len(out.data) {
		return nil, fmt.Errorf("%v cannot become %v", in.shape, out.shape)
	}
	return func() { copy(out.data, in.data) }, int8s(in, out)
}

// around splits a shape at an axis: how many blocks there are before it, and how
// many numbers one step along it has.
func around(shape []int, axis int) (blocks, step int, err error) {
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis >= len(shape) {
		return 0, 0, fmt.Errorf("there is no axis %d in %v", axis, shape)
	}
	blocks, step = 1, 1
	for _, d := range shape[:axis] {
		blocks *= d
	}
	for _, d := range shape[axis+1:] {
		step *= d
	}
	return blocks, step, nil
}

func (g *graph) concat(n node) (kernel, error) {
	list, err := g.operands(n, len(n.inputs), 1)
	if err != nil {
		return nil, err
	}
	if g.f.int8(n.options, 1) != 0 {
		return nil, errors.New("a concatenation with an activation is not supported")
	}
	parts, out := list[:len(list)-1], list[len(list)-1]
	blocks, _, err := around(out.shape, g.f.int32(n.options, 0, 0))
	if err != nil {
		return nil, err
	}
	if blocks == 0 {
		return nil, errors.New("a concatenation of nothing")
	}
	total := 0
	for _, p := range parts {
		if len(p.data)%blocks != 0 || !slices.Equal(p.scale, out.scale) || p.zero != out.zero {
			return nil, fmt.Errorf("%v does not fit into %v", p.shape, out.shape)
		}
		total += len(p.data)
	}
	if total != len(out.data) {
		return nil, fmt.Errorf("%d numbers for %v", total, out.shape)
	}
	return func() {
		at := 0
		for b := range blocks {
			for _, p := range parts {
				size := len(p.data) / blocks
				at += copy(out.data[at:], p.data[b*size:(b+1)*size])
			}
		}
	}, int8s(list...)
}

// slice drops rows at the beginning of axis 1, the only use of it there is.
func (g *graph) slice(n node) (kernel, error) {
	list, err := g.operands(n, 4, 1)
	if err != nil {
		return nil, err
	}
	in, out := list[0], list[4]
	begin, strides := list[1].ints(), list[3].ints()
	masks := []int{}
	for i := range 5 {
		masks = append(masks, g.f.int32(n.options, i, 0))
	}
	if !slices.Equal(masks, []int{13, 15, 0, 0, 0}) || len(begin) != len(in.shape) || len(begin) < 2 ||
		slices.ContainsFunc(strides, func(s int) bool { return s != 1 }) || !list[1].constant || !list[3].constant {
		return nil, errors.New("a slice of this kind is not supported; only rows at the beginning of axis 1 can be dropped")
	}
	blocks, step, err := around(in.shape, 1)
	if err != nil {
		return nil, err
	}
	from := begin[1]
	if from < 0 {
		from += in.shape[1]
	}
	if blocks != 1 || from < 0 || from > in.shape[1] || len(in.data)-from*step != len(out.data) {
		return nil, fmt.Errorf("%v without the first %d rows is not %v", in.shape, from, out.shape)
	}
	rest := in.data[from*step:]
	return func() { copy(out.data, rest) }, int8s(in, out)
}

func (g *graph) split(n node) (kernel, error) {
	list, err := g.operands(n, 3, len(n.outputs))
	if err != nil {
		return nil, err
	}
	in, parts := list[0], list[3:]
	axis := list[2].ints()
	if len(axis) != 1 || !list[2].constant {
		return nil, errors.New("a split needs a constant axis")
	}
	blocks, _, err := around(in.shape, axis[0])
	if err != nil {
		return nil, err
	}
	total := 0
	for _, p := range parts {
		if blocks == 0 || len(p.data)%blocks != 0 {
			return nil, fmt.Errorf("%v is no part of %v", p.shape, in.shape)
		}
		total += len(p.data)
	}
	if total != len(in.data) {
		return nil, fmt.Errorf("the parts have %d numbers, the whole %v", total, in.shape)
	}
	return func() {
		at := 0
		for b := range blocks {
			for _, p := range parts {
				size := len(p.data) / blocks
				at += copy(p.data[b*size:(b+1)*size], in.data[at:])
			}
		}
	}, int8s(append(slices.Clone(parts), in)...)
}

func (g *graph) logistic(n node) (kernel, error) {
	list, err := g.operands(n, 1, 1)
	if err != nil {
		return nil, err
	}
	in, out := list[0], list[1]
	if !in.perTensor || len(in.data) != len(out.data) {
		return nil, errors.New("a logistic function of different shapes")
	}
	var values [256]int8
	for v := range values {
		x := in.scale[0] * float64(int32(v)-128-in.zero)
		values[v] = int8(max(-128, min(127, math.Round(256/(1+math.Exp(-x)))-128)))
	}
	return func() {
		for i, v := range in.data {
			out.data[i] = values[int(v)+128]
		}
	}, int8s(in, out)
}

// requantize moves int8 to uint8 of the same scale.
func (g *graph) requantize(n node) (kernel, error) {
	list, err := g.operands(n, 1, 1)
	if err != nil {
		return nil, err
	}
	in, out := list[0], list[1]
	if in.kind != typeI8 || out.kind != typeU8 || len(in.data) != len(out.data) || !slices.Equal(in.scale, out.scale) || in.zero+128 != out.zero {
		return nil, errors.New("a quantisation of this kind is not supported; only int8 to uint8 of the same scale is")
	}
	return func() {
		for i, v := range in.data {
			out.data[i] = int8(uint8(int(v) + 128))
		}
	}, nil
}
