//go:build cgo

package moonshine

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	ort "github.com/yalue/onnxruntime_go"
)

// model is the two networks and the vocabulary, loaded.
type model struct {
	encoder, decoder *ort.DynamicAdvancedSession
	in, out          []string // names of the decoder's inputs and outputs
	texts            []string // of the tokens
	heads, width     int64    // of the decoder's memory
}

// The decoder's inputs other than its memory ("past_key_values.LAYER.PART.KIND").
const (
	inMask    = "encoder_attention_mask"
	inTokens  = "input_ids"
	inSound   = "encoder_hidden_states"
	inCached  = "use_cache_branch"
	inPast    = "past_key_values."
	outScores = "logits"
	outPast   = "present."
)

// newModel loads the library and the files of a directory.
func newModel(library, dir string) (*model, error) {
	data, err := os.ReadFile(filepath.Join(dir, fileTokens))
	if err != nil {
		return nil, fmt.Errorf("reading the vocabulary: %w", err)
	}
	m := &model{}
	if m.texts, err = readVocabulary(data); err != nil {
		return nil, fmt.Errorf("reading %s: %w", fileTokens, err)
	}
	if !ort.IsInitialized() {
		ort.SetSharedLibraryPath(library)
		if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
			return nil, fmt.Errorf("loading ONNX Runtime from %s: %w", library, err)
		}
	}
	if m.encoder, err = session(filepath.Join(dir, fileEncoder), []string{"input_values", "attention_mask"}, []string{"last_hidden_state"}); err != nil {
		return nil, err
	}
	giveBack()
	file := filepath.Join(dir, fileDecoder)
	if err := m.describe(file); err != nil {
		return nil, err
	}
	giveBack() // what was read to describe it is read again
	m.decoder, err = session(file, m.in, m.out)
	return m, err
}

// describe reads the inputs and outputs of the decoder.
func (m *model) describe(file string) error {
	inputs, outputs, err := ort.GetInputOutputInfo(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", fileDecoder, err)
	}
	for _, i := range inputs {
		m.in = append(m.in, i.Name)
		if d := i.Dimensions; strings.HasPrefix(i.Name, inPast) && len(d) == 4 {
			m.heads, m.width = d[1], d[3]
		}
	}
	for _, o := range outputs {
		m.out = append(m.out, o.Name)
	}
	for _, name := range []string{inMask, inTokens, inSound, inCached} {
		if !slices.Contains(m.in, name) {
			return fmt.Errorf("%s has no input %s: it is no Moonshine decoder", fileDecoder, name)
		}
	}
	if m.heads <= 0 || m.width <= 0 || !slices.Contains(m.out, outScores) {
		return fmt.Errorf("%s has no memory or no %s: it is no Moonshine decoder", fileDecoder, outScores)
	}
	return nil
}

// session opens a network. Memory is given back after each run, because an utterance now
// and then needs no arena.
func session(file string, inputs, outputs []string) (*ort.DynamicAdvancedSession, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", filepath.Base(file), err)
	}
	defer func() { _ = o.Destroy() }()
	for _, set := range []error{
		o.SetIntraOpNumThreads(threads()), o.SetInterOpNumThreads(1), o.SetCpuMemArena(false), o.SetMemPattern(false),
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
	} {
		if set != nil {
			return nil, fmt.Errorf("opening %s: %w", filepath.Base(file), set)
		}
	}
	s, err := ort.NewDynamicAdvancedSession(file, inputs, outputs, o)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", filepath.Base(file), err)
	}
	return s, nil
}

// threads is how many threads a network has: on half of the processors, at most four. The other
// half follows the speaker meanwhile. On two processors, one thread read a sentence in 119 ms
// beside PocketSphinx, two read it in 131; more than four gain nothing for a network of this size.
func threads() int { return max(1, min(4, runtime.NumCPU()/2)) }

// hearing is one sound in the decoder: the network of a search.
type hearing struct {
	model *model
	sound *ort.Tensor[float32] // encoded
	mask  *ort.Tensor[int64]
	// fixed is the memory of the sound, by input name: the same for all rows. said is
	// the memory of the tokens so far, which has a row for each text.
	fixed, said map[string]*ort.Tensor[float32]
	scores      *ort.Tensor[float32] // of the last step
}

// hear encodes a sound of samples in -1 … 1 at 16 kHz.
func (m *model) hear(samples []float32) (*hearing, error) {
	n := int64(len(samples))
	h := &hearing{model: m}
	ones := make([]int64, n)
	for i := range ones {
		ones[i] = 1
	}
	var err error
	if h.mask, err = ort.NewTensor(ort.NewShape(1, n), ones); err != nil {
		return nil, err
	}
	in, err := ort.NewTensor(ort.NewShape(1, n), samples)
	if err != nil {
		h.free()
		return nil, err
	}
	defer func() { _ = in.Destroy() }()
	out := []ort.Value{nil}
	if err := m.encoder.Run([]ort.Value{in, h.mask}, out); err != nil {
		h.free()
		return nil, fmt.Errorf("encoding %d samples: %w", n, err)
	}
	encoded, ok := out[0].(*ort.Tensor[float32])
	if !ok {
		_ = out[0].Destroy()
		h.free()
		return nil, fmt.Errorf("encoding %d samples: the result is no float tensor", n)
	}
	h.sound = encoded
	return h, nil
}

// begin gives the decoder its first token.
func (h *hearing) begin() ([]float32, error) {
	past := make(map[string]*ort.Tensor[float32])
	for _, name := range h.model.in {
		if !strings.HasPrefix(name, inPast) {
			continue
		}
		empty, err := ort.NewTensor(ort.NewShape(1, h.model.heads, 0, h.model.width), []float32{})
		if err != nil {
			destroy(past)
			return nil, err
		}
		past[name] = empty
	}
	defer destroy(past)
	present, err := h.run([]int64{tokenBegin}, past, false)
	if err != nil {
		return nil, err
	}
	h.fixed, h.said = make(map[string]*ort.Tensor[float32]), make(map[string]*ort.Tensor[float32])
	for name, t := range present {
		if strings.Contains(name, ".encoder.") {
			h.fixed[name] = t
		} else {
			h.said[name] = t
		}
	}
	return h.rows(1)[0], nil
}

// step appends tokens.
func (h *hearing) step(rows []row) ([][]float32, error) {
	tokens := make([]int64, len(rows))
	for i, r := range rows {
		tokens[i] = int64(r.token)
	}
	past := make(map[string]*ort.Tensor[float32])
	for name, t := range h.said {
		taken, err := selectRows(t, rows)
		if err != nil {
			destroy(past)
			return nil, err
		}
		past[name] = taken
	}
	destroy(h.said)
	h.said = nil
	defer destroy(past)
	all := maps.Clone(past)
	maps.Copy(all, h.fixed)
	present, err := h.run(tokens, all, true)
	if err != nil {
		return nil, err
	}
	h.said = make(map[string]*ort.Tensor[float32])
	for name, t := range present {
		if strings.Contains(name, ".encoder.") { // an empty one: the memory of the sound stays
			_ = t.Destroy()
			continue
		}
		h.said[name] = t
	}
	return h.rows(len(rows)), nil
}

// run runs the decoder for one more token in every row. What it remembers afterwards
// is returned by input name.
func (h *hearing) run(tokens []int64, past map[string]*ort.Tensor[float32], cached bool) (map[string]*ort.Tensor[float32], error) {
	ids, err := ort.NewTensor(ort.NewShape(int64(len(tokens)), 1), tokens)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ids.Destroy() }()
	flag, err := ort.NewTensor(ort.NewShape(1), []bool{cached})
	if err != nil {
		return nil, err
	}
	defer func() { _ = flag.Destroy() }()
	in := make([]ort.Value, len(h.model.in))
	for i, name := range h.model.in {
		switch name {
		case inMask:
			in[i] = h.mask
		case inTokens:
			in[i] = ids
		case inSound:
			in[i] = h.sound
		case inCached:
			in[i] = flag
		default:
			in[i] = past[name]
		}
	}
	out := make([]ort.Value, len(h.model.out))
	if err := h.model.decoder.Run(in, out); err != nil {
		return nil, fmt.Errorf("decoding %d rows: %w", len(tokens), err)
	}
	present := make(map[string]*ort.Tensor[float32])
	for i, name := range h.model.out {
		t, ok := out[i].(*ort.Tensor[float32])
		if !ok {
			destroy(present)
			return nil, fmt.Errorf("decoding: %s is no float tensor", name)
		}
		if name == outScores {
			if h.scores != nil {
				_ = h.scores.Destroy()
			}
			h.scores = t
			continue
		}
		present[inPast+strings.TrimPrefix(name, outPast)] = t
	}
	return present, nil
}

// rows are the scores of the last token of every row.
func (h *hearing) rows(n int) [][]float32 {
	data := h.scores.GetData()
	each := len(data) / n
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = data[i*each : (i+1)*each]
	}
	return rows
}

// selectRows returns the memory of the rows' parents.
func selectRows(t *ort.Tensor[float32], rows []row) (*ort.Tensor[float32], error) {
	shape, data := t.GetShape(), t.GetData()
	each := len(data) / int(shape[0])
	taken := make([]float32, 0, each*len(rows))
	for _, r := range rows {
		taken = append(taken, data[r.parent*each:(r.parent+1)*each]...)
	}
	shape = shape.Clone()
	shape[0] = int64(len(rows))
	return ort.NewTensor(shape, taken)
}

func destroy(tensors map[string]*ort.Tensor[float32]) {
	for _, t := range tensors {
		_ = t.Destroy()
	}
}

// free gives back what the hearing holds.
func (h *hearing) free() {
	destroy(h.fixed)
	destroy(h.said)
	for _, t := range []*ort.Tensor[float32]{h.sound, h.scores} {
		if t != nil {
			_ = t.Destroy()
		}
	}
	if h.mask != nil {
		_ = h.mask.Destroy()
	}
}

// free gives back the networks.
func (m *model) free() {
	for _, s := range []*ort.DynamicAdvancedSession{m.encoder, m.decoder} {
		if s != nil {
			_ = s.Destroy()
		}
	}
}
