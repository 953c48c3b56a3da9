// Package reader reads what no sentence of ours fits. It exists because people speak in more
// ways than anybody can write sentences for. A small linear model that was learned from a
// crowd's sentences tells the kind of order, or that it is none (model.go); the things, rooms,
// numbers, colours and times of the text are found (find.go), and a sentence of ours is
// written that says the same (rewrite.go), which then goes the way of every sentence. What
// the sentence does not explain decides whether it is done, asked about or left (reader.go).
//
// The weights are made by scripts/learn (make learn); NOTICE says from whose sentences. A new
// wording is a word in the file of a language, internal/language/sentences/<code>_reader.yaml,
// whose head says how it is made. A new kind is a line in each table of kinds.go and a block
// in that file.
package reader

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"sync"
)

//go:embed *.weights
var shipped embed.FS

// ErrNone says that nothing was learned for a language.
var ErrNone = errors.New("no weights")

// Marks are the shares from which on a guess of one kind is relied on.
type Marks struct {
	Sure   float64 // at most one in a hundred is wrong
	Nearly float64 // worth a question
}

// Guess is the likeliest kind of a text with its probability; None is possible.
type Guess struct {
	Kind  Kind
	Share float64
}

// Model tells the kinds of texts of one language. It is never changed after it is read and
// may be used by many goroutines.
type Model struct {
	hasher  Hasher
	kinds   []Kind
	marks   []Marks
	bias    []float32
	scale   float32 // of a weight of one
	weights []int8  // by bucket, then by kind
}

var (
	mu     sync.Mutex
	loaded = map[string]func() (*Model, error){}
)

// Load returns the model of a language, which is read when it is first needed; ErrNone if
// the program has none.
func Load(language string) (*Model, error) {
	mu.Lock()
	load, ok := loaded[language]
	if !ok {
		load = sync.OnceValues(func() (*Model, error) {
			data, err := shipped.ReadFile(language + ".weights")
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("reading the weights for %q: %w", language, ErrNone)
			}
			if err != nil {
				return nil, fmt.Errorf("reading the weights for %q: %w", language, err)
			}
			return Read(language, data)
		})
		loaded[language] = load
	}
	mu.Unlock()
	return load()
}

// Kind returns the likeliest kind of a text, of those about the things that it is likeliest
// about.
func (m *Model) Kind(text string) Guess {
	shares := m.Shares(m.hasher.Features(text))
	best, _ := Best(shares)
	return Guess{m.kinds[best], shares[best]}
}

// Best returns the likeliest kind about the likeliest things, by its place in Kinds, and the
// share of all kinds about these things.
func Best(shares []float64) (kind int, things float64) {
	kinds := Kinds()
	for k := range kinds {
		sum := 0.0
		for other := range kinds {
			if kinds[other].Things() == kinds[k].Things() {
				sum += shares[other]
			}
		}
		if sum > things || sum == things && shares[k] > shares[kind] {
			kind, things = k, sum
		}
	}
	return kind, things
}

// Shares returns the probability of each kind for features, in the order of Kinds.
func (m *Model) Shares(features []Feature) []float64 {
	sums := make([]float64, len(m.kinds))
	for _, f := range features {
		value := float64(f.Value * m.scale)
		at := int(f.Bucket) * len(m.kinds)
		for k, w := range m.weights[at : at+len(m.kinds)] {
			sums[k] += value * float64(w)
		}
	}
	for k, b := range m.bias {
		sums[k] += float64(b)
	}
	Softmax(sums)
	return sums
}

// Softmax makes probabilities of sums, in place.
func Softmax(sums []float64) {
	top, all := slices.Max(sums), 0.0
	for k, s := range sums {
		sums[k] = math.Exp(s - top)
		all += sums[k]
	}
	for k := range sums {
		sums[k] /= all
	}
}

// Marks returns the marks of a kind; those of a kind that is not known are never reached.
func (m *Model) Marks(kind Kind) Marks {
	if i := slices.Index(m.kinds, kind); i >= 0 {
		return m.marks[i]
	}
	return Marks{Sure: never, Nearly: never}
}

const never = 2 // no share is as large

// head is the first line of a file of weights. Behind it are, for each kind, its bias and its
// two marks, the size of a weight of one, and then the weights that are not zero, in the
// order of buckets and kinds: how far behind the one before, and a signed byte. Numbers are
// little-endian.
func head() string { return fmt.Sprintf("reader 1 %d %q\n", Buckets, Kinds()) }

// Parameters are what a file of weights holds.
type Parameters struct {
	Marks   []Marks
	Bias    []float32
	Scale   float32
	Weights []int8 // by bucket, then by kind
}

// Encode writes a file of weights.
func (p Parameters) Encode() []byte {
	out := []byte(head())
	float := func(v float32) { out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v)) }
	for k, b := range p.Bias {
		float(b)
		float(float32(p.Marks[k].Sure))
		float(float32(p.Marks[k].Nearly))
	}
	float(p.Scale)
	last := -1
	for i, w := range p.Weights {
		if w != 0 {
			out = binary.AppendUvarint(out, uint64(i-last))
			out = append(out, byte(w))
			last = i
		}
	}
	return out
}

var errDamaged = errors.New("the file of weights is damaged; make it again: make learn")

// Read makes a model of a language of a file of weights. It fails if the file is not one that Encode
// wrote.
func Read(language string, data []byte) (*Model, error) {
	in, ok := bytes.CutPrefix(data, []byte(head()))
	if !ok {
		return nil, errDamaged
	}
	kinds := Kinds()
	figures := make([]float32, 3*len(kinds)+1)
	n, err := binary.Decode(in, binary.LittleEndian, figures)
	if err != nil {
		return nil, errDamaged
	}
	in = in[n:]
	if slices.ContainsFunc(figures, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
		return nil, errDamaged
	}
	m := &Model{hasher: HasherFor(language), kinds: kinds, scale: figures[len(figures)-1], weights: make([]int8, Buckets*len(kinds))}
	for i := range kinds {
		m.bias = append(m.bias, figures[3*i])
		m.marks = append(m.marks, Marks{float64(figures[3*i+1]), float64(figures[3*i+2])})
	}
	for at := -1; len(in) > 0; {
		step, n := binary.Uvarint(in)
		if n <= 0 || n == len(in) || step == 0 || step >= uint64(len(m.weights)-at) {
			return nil, errDamaged
		}
		at += int(step)
		m.weights[at] = int8(in[n])
		in = in[n+1:]
	}
	return m, nil
}
