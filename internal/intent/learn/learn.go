// Package learn computes the weights of the reader from sentences whose kinds are known. It
// exists apart from the reader because no program learns: make learn does, and the tests that
// report the reader, with weights that have not seen their sentences.
//
// It is plain multinomial logistic regression. The same sentences in the same order give the
// same bytes.
package learn

import (
	"math"
	"math/rand/v2"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reader"
)

// Example is a sentence whose kind is known.
type Example struct {
	Text string
	Kind reader.Kind
}

// How it learns. The figures were chosen on sentences of the crowd that were held out.
const (
	rounds = 15   // over all sentences
	rate   = 0.3  // of the first step
	decay  = 1e-4 // of a weight, at each step
	seed   = 33   // of the order of the sentences
	tiny   = 1e-6 // so that nothing is divided by zero
	least  = 4.5  // parts of the largest byte; smaller weights are left out
	folds  = 5    // for the marks
)

// Reader learns from what a crowd said, but not from the source without, and from the
// sentences of a pack in the same language. It returns a file of weights and the number of
// examples.
func Reader(pack *intent.Pack, crowd []Sentence, without string) (data []byte, examples int) {
	const forms = 1 // of each of our sentences; with more, the crowd is understood less
	all := append(Examples(crowd, without), Draw(pack, forms)...)
	return Weights(pack.Language, all), len(all)
}

// Weights learns from examples in a language and returns a file of weights with the marks.
func Weights(language string, examples []Example) []byte {
	all := points(language, examples)
	p := fit(all).parameters()
	p.Marks = marks(all)
	return p.Encode()
}

// point is an example as the model sees it.
type point struct {
	features []reader.Feature // the last one is in every text
	kind     int
}

// points prepares examples.
func points(language string, examples []Example) []point {
	at := map[reader.Kind]int{}
	for i, k := range reader.Kinds() {
		at[k] = i
	}
	hasher := reader.HasherFor(language)
	out := make([]point, len(examples))
	for i, e := range examples {
		out[i] = point{append(hasher.Features(e.Text), reader.Feature{Bucket: reader.Buckets, Value: 1}), at[e.Kind]}
	}
	return out
}

// weights are a model while it learns, by bucket and kind; the last bucket is the bias.
type weights struct {
	kinds int
	of    []float64
	seen  []float64 // the sum of the squares of all errors so far
}

// fit learns from points.
func fit(all []point) *weights {
	w := &weights{kinds: len(reader.Kinds())}
	w.of = make([]float64, (reader.Buckets+1)*w.kinds)
	w.seen = make([]float64, len(w.of))
	order := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the same order each time
	for range rounds {
		for _, i := range order.Perm(len(all)) {
			w.step(all[i])
		}
	}
	return w
}

// step moves the weights of a point's features by what they were wrong. Products are
// rounded before they are added, so that a processor that could do both at once gives the
// same result.
func (w *weights) step(p point) {
	wrong := w.shares(p)
	wrong[p.kind]--
	for _, f := range p.features {
		of, seen := w.row(w.of, f.Bucket), w.row(w.seen, f.Bucket)
		for k := range of {
			by := float64(wrong[k]*float64(f.Value)) + float64(decay*of[k])
			seen[k] += float64(by * by)
			of[k] -= float64(rate * by / (tiny + math.Sqrt(seen[k])))
		}
	}
}

// shares are the probabilities of the kinds of a point.
func (w *weights) shares(p point) []float64 {
	sums := make([]float64, w.kinds)
	for _, f := range p.features {
		for k, of := range w.row(w.of, f.Bucket) {
			sums[k] += float64(float64(f.Value) * of)
		}
	}
	reader.Softmax(sums)
	return sums
}

func (w *weights) row(of []float64, bucket uint32) []float64 {
	at := int(bucket) * w.kinds
	return of[at : at+w.kinds]
}

// parameters rounds the weights to bytes.
func (w *weights) parameters() reader.Parameters {
	of, bias := w.of[:reader.Buckets*w.kinds], w.row(w.of, reader.Buckets)
	top := tiny
	for _, v := range of {
		top = max(top, math.Abs(v))
	}
	p := reader.Parameters{Scale: float32(top / math.MaxInt8), Weights: make([]int8, len(of)), Marks: make([]reader.Marks, w.kinds)}
	for i, v := range of {
		if part := v / top * math.MaxInt8; math.Abs(part) >= least {
			p.Weights[i] = int8(math.Round(part))
		}
	}
	for _, v := range bias {
		p.Bias = append(p.Bias, float32(v))
	}
	return p
}
