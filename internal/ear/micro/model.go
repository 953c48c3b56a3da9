package micro

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Bounds of a model file. Real ones have 35 to 85 KB, some 60 operators and need
// about 300,000 multiplications an inference.
const (
	maxFile    = 4 << 20
	maxTensor  = 1 << 20  // bytes of one tensor
	maxMemory  = 8 << 20  // bytes of all of them
	maxWork    = 50 << 20 // multiplications and bytes moved, of one inference
	maxTensors = 4096
	maxStride  = 16 // rows of features one inference takes
)

// Types of tensors.
const (
	typeI32      = 2
	typeU8       = 3
	typeI8       = 9
	typeResource = 13
)

// tensor is a block of numbers. data is the file's own for constants.
type tensor struct {
	kind      int
	shape     []int
	scale     []float64
	zero      int32
	data      []int8
	constant  bool
	perTensor bool // one scale and a zero point
}

func (t *tensor) size() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

// kernel is one operator, ready to be run.
type kernel func()

// Model is a network and its state. It belongs to one goroutine.
type Model struct {
	input, output *tensor
	steps, reset  []kernel
	states        map[string][]int8 // by shared name
	stride, row   int
	quantised     [1024]int8 // by feature value, up to where it saturates
	work          int64
}

// Stride is how many rows of features one inference takes.
func (m *Model) Stride() int { return m.stride }

// Parse reads a microWakeWord model. The file may come from anywhere, so anything
// that these models do not have is an error that names it.
func Parse(file []byte) (*Model, error) {
	if len(file) > maxFile {
		return nil, fmt.Errorf("micro: the model has %d bytes; at most %d are expected", len(file), maxFile)
	}
	if len(file) < 16 || string(file[4:8]) != "TFL3" {
		return nil, errors.New("micro: this is not a TensorFlow Lite model: the mark TFL3 is missing")
	}
	m, err := parse(&flat{data: file})
	if err != nil {
		return nil, fmt.Errorf("micro: reading the model: %w", err)
	}
	return m, nil
}

func parse(f *flat) (*Model, error) {
	root := table(f.follow(0))
	if v := f.int32(root, 0, 0); v != 3 {
		f.fail(fmt.Errorf("the schema has version %d; expected 3", v))
	}
	graphs := f.tables(root, 2)
	if f.err != nil {
		return nil, f.err
	}
	if len(graphs) != 2 {
		return nil, fmt.Errorf("it has %d subgraphs; expected the network and its initialiser", len(graphs))
	}
	m := &Model{states: map[string][]int8{}}
	codes := operatorCodes(f, root)
	buffers := f.tables(root, 4)
	memory := 0
	main, err := m.graph(f, graphs[0], codes, buffers, &memory)
	if err != nil {
		return nil, err
	}
	m.steps = main.steps
	if m.input, m.output, err = ends(main); err != nil {
		return nil, err
	}
	first, err := m.graph(f, graphs[1], codes, buffers, &memory)
	if err != nil {
		return nil, fmt.Errorf("the initialiser: %w", err)
	}
	m.reset = first.steps
	if m.work > maxWork {
		return nil, fmt.Errorf("an inference takes %d steps; at most %d are expected", m.work, maxWork)
	}
	m.quantise()
	m.Reset()
	return m, nil
}

func operatorCodes(f *flat, root table) []int {
	var codes []int
	for _, c := range f.tables(root, 1) {
		codes = append(codes, max(f.int8(c, 0), f.int32(c, 3, 0)))
	}
	return codes
}

// graph is one subgraph while it is built.
type graph struct {
	f       *flat
	m       *Model
	tensors []*tensor
	inputs  []int
	outputs []int
	names   map[int]string // of the variable behind a resource tensor
	steps   []kernel
}

func (m *Model) graph(f *flat, t table, codes []int, buffers []table, memory *int) (*graph, error) {
	g := &graph{f: f, m: m, inputs: f.ints(t, 1), outputs: f.ints(t, 2), names: map[int]string{}}
	list := f.tables(t, 0)
	if len(list) > maxTensors {
		return nil, fmt.Errorf("it has %d tensors; at most %d are expected", len(list), maxTensors)
	}
	for i, at := range list {
		x, err := readTensor(f, at, buffers)
		if f.err != nil {
			return nil, f.err
		}
		if err != nil {
			return nil, fmt.Errorf("tensor %d: %w", i, err)
		}
		if *memory += len(x.data); *memory > maxMemory {
			return nil, fmt.Errorf("its tensors take over %d bytes", maxMemory)
		}
		g.tensors = append(g.tensors, x)
	}
	for i, at := range f.tables(t, 3) {
		code := f.int32(at, 0, 0)
		if f.err != nil {
			return nil, f.err
		}
		if code < 0 || code >= len(codes) {
			return nil, fmt.Errorf("operator %d has the code index %d of %d", i, code, len(codes))
		}
		step, err := g.build(codes[code], at)
		if f.err != nil {
			return nil, f.err
		}
		if err != nil {
			return nil, fmt.Errorf("operator %d: %w", i, err)
		}
		if step != nil {
			g.steps = append(g.steps, step)
		}
	}
	return g, f.err
}

func readTensor(f *flat, at table, buffers []table) (*tensor, error) {
	t := &tensor{kind: f.int8(at, 1), shape: f.ints(at, 0)}
	if err := t.readScale(f, f.child(at, 4)); err != nil {
		return nil, err
	}
	if t.kind == typeResource {
		return t, nil
	}
	size, err := t.bytes()
	if err != nil {
		return nil, err
	}
	buffer := f.int32(at, 2, 0)
	if buffer < 0 || buffer >= len(buffers) {
		return nil, fmt.Errorf("buffer %d of %d", buffer, len(buffers))
	}
	t.data = make([]int8, size)
	raw := f.raw(buffers[buffer], 0)
	if raw == nil {
		return t, nil
	}
	if len(raw) != size {
		return nil, fmt.Errorf("%d bytes of data for the shape %v", len(raw), t.shape)
	}
	t.constant = true
	for i, b := range raw {
		t.data[i] = int8(b)
	}
	return t, nil
}

// readScale reads what the numbers of a tensor are worth.
func (t *tensor) readScale(f *flat, quant table) error {
	zeros := f.longs(quant, 3)
	t.scale = f.floats(quant, 2)
	for _, s := range t.scale {
		if !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("the scale %v is not a positive number", s)
		}
	}
	t.perTensor = len(t.scale) == 1
	if len(zeros) == 0 || !t.perTensor {
		return nil
	}
	if zeros[0] < -128 || zeros[0] > 255 {
		return fmt.Errorf("the zero point %d is not within a byte", zeros[0])
	}
	t.zero = int32(zeros[0])
	return nil
}

// bytes is how large the tensor's data are.
func (t *tensor) bytes() (int, error) {
	size := 1
	switch t.kind {
	case typeI8, typeU8:
	case typeI32:
		size = 4
	default:
		return 0, fmt.Errorf("the element type %d is not supported; expected int8, uint8 or int32", t.kind)
	}
	for _, d := range t.shape {
		// A tensor of nothing could have a million rows to go through.
		if d < 1 || d > maxTensor || int64(size)*int64(d) > maxTensor {
			return 0, fmt.Errorf("the shape %v is not one of a small tensor", t.shape)
		}
		size *= d
	}
	return size, nil
}

// ints are the numbers of an int32 constant.
func (t *tensor) ints() []int {
	list := make([]int, len(t.data)/4)
	for i := range list {
		b := t.data[4*i : 4*i+4]
		list[i] = int(int32(uint32(uint8(b[0])) | uint32(uint8(b[1]))<<8 | uint32(uint8(b[2]))<<16 | uint32(uint8(b[3]))<<24))
	}
	return list
}

// ends finds the input and the output and checks that they are what the front
// end gives and a detector takes.
func ends(g *graph) (in, out *tensor, err error) {
	if len(g.inputs) != 1 || len(g.outputs) != 1 {
		return nil, nil, fmt.Errorf("it has %d inputs and %d outputs; expected one of each", len(g.inputs), len(g.outputs))
	}
	if in, err = g.at(g.inputs[0]); err != nil {
		return nil, nil, err
	}
	if out, err = g.at(g.outputs[0]); err != nil {
		return nil, nil, err
	}
	rows := 0
	if len(in.shape) == 3 {
		rows = in.shape[1]
	}
	if in.kind != typeI8 || !in.perTensor || rows < 1 || rows > maxStride || !slices.Equal(in.shape, []int{1, rows, Channels}) {
		return nil, nil, fmt.Errorf("its input is %v of type %d; expected int8 rows of %d features", in.shape, in.kind, Channels)
	}
	if out.kind != typeU8 || out.size() != 1 {
		return nil, nil, fmt.Errorf("its output is %v of type %d; expected one probability as uint8", out.shape, out.kind)
	}
	return in, out, nil
}

// quantise prepares the model's own byte for every value of a feature.
func (m *Model) quantise() {
	m.stride = m.input.shape[1]
	for v := range m.quantised {
		q := math.RoundToEven(float64(float32(v)*featureScale)/m.input.scale[0]) + float64(m.input.zero)
		m.quantised[v] = int8(max(-128, min(127, q)))
	}
}

// Push takes a row of features. With every Stride rows there is a probability,
// in 1/256.
func (m *Model) Push(f *Features) (probability uint8, ready bool) {
	row := m.input.data[m.row*Channels : (m.row+1)*Channels]
	for i, v := range f {
		row[i] = m.quantised[min(int(v), len(m.quantised)-1)]
	}
	if m.row++; m.row < m.stride {
		return 0, false
	}
	m.row = 0
	for _, step := range m.steps {
		step()
	}
	return uint8(m.output.data[0]), true
}

// Reset forgets what was heard.
func (m *Model) Reset() {
	m.row = 0
	for _, step := range m.reset {
		step()
	}
}
