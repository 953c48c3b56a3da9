//go:build cgo

package sphinx

/*
#cgo pkg-config: pocketsphinx sphinxbase
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unsafe"
)

const hop = 10 * time.Millisecond // of the acoustic model

// decoder is one ps_decoder_t. One goroutine owns it.
type decoder struct {
	ps     *C.ps_decoder_t
	words  map[string]bool // pronunciations added so far
	names  int             // searches made so far; each gets a new name
	search string
	lent   string // the search used in its place for one utterance; "" for none
	open   bool
	fed    int     // samples of the utterance
	prior  cepstra // the mean sound that the model expects

	segments []segment // reused by best
}

// wide are beams that hear nearly twice as many commands in heavy noise as the
// defaults, at three times the (small) cost (docs/facts/engines.md,
// PocketSphinx). -remove_silence no keeps frames and sound in step, so that
// word ends can be turned into times.
var wide = []string{"-beam", "1e-80", "-wbeam", "1e-60", "-pbeam", "1e-80", "-remove_silence", "no", "-bestpath", "no"}

// newDecoder loads the acoustic model with an empty dictionary; words are added
// when a search needs them. The whole dictionary would take 25 MB.
func newDecoder(acoustic string, extra ...string) (*decoder, error) {
	if _, err := os.Stat(acoustic); err != nil {
		return nil, fmt.Errorf("the English speech model is not there; install pocketsphinx-en-us or set the model's directory: %w", err)
	}
	dictionary, remove, err := passFile("")
	if err != nil {
		return nil, fmt.Errorf("making an empty dictionary: %w", err)
	}
	defer remove()
	args := append([]string{"voice-gateway", "-hmm", acoustic, "-dict", dictionary}, extra...)
	argv := make([]*C.char, len(args))
	for i, a := range args {
		argv[i] = C.CString(a)
		defer C.free(unsafe.Pointer(argv[i]))
	}
	C.vg_errors()
	ps := C.vg_init(C.int(len(argv)), &argv[0])
	if ps == nil {
		return nil, fmt.Errorf("loading the speech model %s: %w", acoustic, lastError())
	}
	d := &decoder{ps: ps, words: map[string]bool{}}
	C.vg_prior(ps, &d.prior[0])
	return d, nil
}

// passFile writes text to a file, because the library takes some things in no
// other way. The file is to be removed when the library has read it.
func passFile(text string) (path string, remove func(), err error) {
	f, err := os.CreateTemp("", "voice-gateway-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.Remove(f.Name()) }
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return f.Name(), remove, nil
}

func (d *decoder) free() { C.ps_free(d.ps) }

func lastError() error {
	text := strings.TrimSpace(C.GoString(C.vg_last_error()))
	if text == "" {
		return errors.New("the library gave no reason")
	}
	return errors.New(text)
}

// addWords adds pronunciations; those that are known already are skipped.
func (d *decoder) addWords(words map[string][]string) error {
	// In a fixed order: the library breaks ties by it.
	for _, word := range slices.Sorted(maps.Keys(words)) {
		for i, p := range words[word] {
			name := word
			if i > 0 {
				name = fmt.Sprintf("%s(%d)", word, i+1)
			}
			if d.words[name] {
				continue
			}
			if err := d.addWord(name, p); err != nil {
				return err
			}
			d.words[name] = true
		}
	}
	return nil
}

func (d *decoder) addWord(word, phones string) error {
	w, p := C.CString(word), C.CString(phones)
	defer C.free(unsafe.Pointer(w))
	defer C.free(unsafe.Pointer(p))
	if C.ps_add_word(d.ps, w, p, 0) < 0 {
		return fmt.Errorf("adding the word %q as %q: %w", word, phones, lastError())
	}
	return nil
}

// use makes set's search the current one and frees the search it replaces. Each
// search gets a new name: the library keeps a pointer to the one it replaces.
func (d *decoder) use(what string, set func(name *C.char) C.int) error {
	if err := d.giveBack(); err != nil {
		return err
	}
	name, err := d.switchTo(what, set)
	if err != nil {
		return err
	}
	d.forget(d.search)
	d.search = name
	return nil
}

// switchTo makes set's search the current one.
func (d *decoder) switchTo(what string, set func(name *C.char) C.int) (name string, err error) {
	d.drop()
	d.names++
	name = fmt.Sprintf("s%d", d.names)
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	if set(n) < 0 || C.ps_set_search(d.ps, n) < 0 {
		return "", fmt.Errorf("%s: %w", what, lastError())
	}
	return name, nil
}

// forget frees a search that is not the current one.
func (d *decoder) forget(name string) {
	if name != "" {
		old := C.CString(name)
		defer C.free(unsafe.Pointer(old))
		C.ps_unset_search(d.ps, old)
	}
}

// borrow uses another grammar until giveBack.
func (d *decoder) borrow(jsgf string) error {
	if err := d.giveBack(); err != nil {
		return err
	}
	name, err := d.switchTo("setting the grammar", d.jsgf(jsgf))
	if err != nil {
		return err
	}
	d.lent = name
	return nil
}

// giveBack goes back to the search that was set.
func (d *decoder) giveBack() error {
	if d.lent == "" {
		return nil
	}
	d.drop()
	n := C.CString(d.search)
	defer C.free(unsafe.Pointer(n))
	if C.ps_set_search(d.ps, n) < 0 {
		return fmt.Errorf("going back to the grammar: %w", lastError())
	}
	d.forget(d.lent)
	d.lent = ""
	return nil
}

// jsgf makes a search of a grammar.
func (d *decoder) jsgf(grammar string) func(name *C.char) C.int {
	return func(name *C.char) C.int {
		text := C.CString(grammar)
		defer C.free(unsafe.Pointer(text))
		return C.ps_set_jsgf_string(d.ps, name, text)
	}
}

func (d *decoder) useGrammar(jsgf string) error { return d.use("setting the grammar", d.jsgf(jsgf)) }

// usePhrases goes through a file, the only form that takes several phrases with
// a threshold each.
func (d *decoder) usePhrases(phrases []Phrase) error {
	var lines strings.Builder
	for _, p := range phrases {
		fmt.Fprintf(&lines, "%s /%g/\n", p.Text, p.Threshold)
	}
	file, remove, err := passFile(lines.String())
	if err != nil {
		return fmt.Errorf("writing the wake phrases: %w", err)
	}
	defer remove()
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	return d.use("setting the wake phrases", func(name *C.char) C.int {
		return C.ps_set_kws(d.ps, name, path)
	})
}

// start begins an utterance. ps_start_stream makes the frames count from 0.
func (d *decoder) start() error {
	if d.search == "" {
		return errors.New("no grammar has been set")
	}
	d.drop()
	C.ps_start_stream(d.ps)
	if C.ps_start_utt(d.ps) < 0 {
		return fmt.Errorf("beginning an utterance: %w", lastError())
	}
	d.open, d.fed = true, 0
	return nil
}

// cepstra are the coefficients of a frame of sound. Their mean is what the channel,
// the room and the level add to every frame.
type cepstra [C.VG_CEPSTRA]C.mfcc_t

// mean returns the mean sound of the samples from frame first on, or what the
// model expects when they are silent.
func (d *decoder) mean(samples []int16, first int) (c cepstra, err error) {
	frames, err := d.cepstra(samples)
	if err != nil {
		return c, err
	}
	return d.meanOf(frames[min(first, len(frames)):]), nil
}

// meanOf is the mean of frames, as the model's own normalisation would have it.
func (d *decoder) meanOf(frames []cepstra) (c cepstra) {
	var sum [C.VG_CEPSTRA]float64
	count := 0.0
	for _, f := range frames {
		if f[0] < 0 { // what the library calls zero energy
			continue
		}
		for k, v := range f {
			sum[k] += float64(v)
		}
		count++
	}
	if count == 0 {
		return d.prior
	}
	for k, v := range sum {
		c[k] = C.mfcc_t(v / count)
	}
	return c
}

// cepstra are the coefficients of sound, frame by frame.
func (d *decoder) cepstra(samples []int16) ([]cepstra, error) {
	if len(samples) < hopSamples {
		return nil, nil
	}
	frames := make([]cepstra, len(samples)/hopSamples+2)
	n := C.vg_cepstra(d.ps, (*C.int16)(unsafe.Pointer(&samples[0])), C.size_t(len(samples)), &frames[0][0], C.int(len(frames)))
	if n < 0 {
		return nil, fmt.Errorf("measuring the sound: %w", lastError())
	}
	return frames[:n], nil
}

// along decodes sound from end to end along a rule of its own, which is the right
// side of a rule of a JSGF grammar.
func (d *decoder) along(rule string, frames []cepstra, mean cepstra) (path, error) {
	if len(frames) == 0 {
		return path{}, nil
	}
	if err := d.borrow("#JSGF V1.0;\ngrammar own;\npublic <own> = " + rule + " ;\n"); err != nil {
		return path{}, err
	}
	d.normalise(mean)
	if err := d.start(); err != nil {
		return path{}, err
	}
	frames = slices.Clone(frames) // the library changes them
	if C.vg_decode(d.ps, &frames[0][0], C.int(len(frames))) < 0 {
		return path{}, fmt.Errorf("decoding: %w", lastError())
	}
	whole, _, err := d.finish()
	return whole, err
}

// normalise sets the mean that is subtracted from all sound until it is set
// again.
func (d *decoder) normalise(c cepstra) { C.vg_normalise(d.ps, &c[0]) }

// drop ends an open utterance without a result.
func (d *decoder) drop() {
	if d.open {
		C.ps_end_utt(d.ps)
		d.open = false
	}
}

func (d *decoder) feed(samples []int16) error {
	if !d.open {
		return errors.New("no utterance is open")
	}
	if len(samples) == 0 {
		return nil
	}
	d.fed += len(samples)
	if C.ps_process_raw(d.ps, (*C.int16)(unsafe.Pointer(&samples[0])), C.size_t(len(samples)), 0, 0) < 0 {
		return fmt.Errorf("decoding: %w", lastError())
	}
	return nil
}

// path is the best path through the utterance so far.
type path struct {
	text     string // "" without a hypothesis
	total    int    // log score of the path, in the library's unit
	segments []segment
}

// segment is one word, silence or noise on the path.
type segment struct {
	from, to int  // frames; to is the one after the last
	word     bool // a real word
	score    int  // log likelihood of the sound, in the library's unit
}

func (d *decoder) best() path {
	var total C.int32
	text := C.ps_get_hyp(d.ps, &total)
	if text == nil {
		return path{}
	}
	p := path{text: C.GoString(text), total: int(total), segments: d.segments[:0]}
	for seg := C.ps_seg_iter(d.ps); seg != nil; seg = C.ps_seg_next(seg) {
		var from, to C.int
		var sound, language, back C.int32
		C.ps_seg_frames(seg, &from, &to)
		C.ps_seg_prob(seg, &sound, &language, &back)
		// Silence and noise are named in <>, [] or (); "" is an empty arc.
		first := byte('<')
		if w := C.ps_seg_word(seg); w != nil && *w != 0 {
			first = byte(*w)
		}
		p.segments = append(p.segments, segment{
			from: int(from), to: int(to) + 1, score: int(sound),
			word: first != '<' && first != '[' && first != '(',
		})
	}
	d.segments = p.segments
	return p
}

// tail is how many frames of the path come after its last word.
func (p path) tail() int {
	if len(p.segments) == 0 {
		return 0
	}
	end, word := p.segments[len(p.segments)-1].to, 0
	for _, s := range p.segments {
		if s.word {
			word = s.to
		}
	}
	return end - word
}

// span returns the frames from the first word to the last, and how many of them belong to
// words.
func (p path) span() (from, to, spoken int) {
	for _, s := range p.segments {
		if !s.word {
			continue
		}
		if spoken == 0 {
			from = s.from
		}
		to = s.to
		spoken += s.to - s.from
	}
	return from, to, spoken
}

// within is the score of the path between two frames; a segment that is only
// partly between them counts by its share.
func (p path) within(from, to int) int {
	var sum float64
	for _, s := range p.segments {
		share := min(to, s.to) - max(from, s.from)
		if share > 0 {
			sum += float64(s.score) * float64(share) / float64(s.to-s.from)
		}
	}
	return int(sum)
}

// finish ends the utterance. whole is the best path that is a sentence from end
// to end, sofar the best one that may end anywhere in it: the library follows the
// latter until the utterance is ended.
func (d *decoder) finish() (whole, sofar path, err error) {
	if !d.open {
		return path{}, path{}, errors.New("no utterance is open")
	}
	d.open = false
	sofar = d.best()
	sofar.segments = slices.Clone(sofar.segments)
	if C.ps_end_utt(d.ps) < 0 {
		return path{}, path{}, fmt.Errorf("ending the utterance: %w", lastError())
	}
	whole = d.best()
	whole.segments = slices.Clone(whole.segments) // the decoder may decode something else before they are read
	return whole, sofar, nil
}

// spot returns a phrase that has been found since start, and then starts again, because
// otherwise the library would report the same phrase for ever.
func (d *decoder) spot() (Hit, bool, error) {
	if C.ps_get_hyp(d.ps, nil) == nil {
		return Hit{}, false, nil
	}
	var h Hit
	for seg := C.ps_seg_iter(d.ps); seg != nil; seg = C.ps_seg_next(seg) {
		var from, to C.int
		C.ps_seg_frames(seg, &from, &to)
		h.Phrase = strings.TrimSpace(C.GoString(C.ps_seg_word(seg)))
		h.Ago = time.Duration(max(0, d.fed/hopSamples-int(to)-1)) * hop
		h.Score = float64(C.ps_seg_prob(seg, nil, nil, nil))
	}
	if h.Phrase == "" {
		return Hit{}, false, nil
	}
	return h, true, d.start()
}
