//go:build cgo

package moonshine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/worker"
	"voicegateway/internal/language/speech"
)

// Work is the child's side. It returns when the parent closes the pipe.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &child{}
	defer c.free()
	return worker.Serve(ctx, in, worker.NewOutlet(out), c.handle)
}

// child is the state of the worker process. Decoding runs beside the handling of
// requests, so that a later sound can end the decoding of an earlier one.
type child struct {
	model *model
	lat   *lattice
	tree  []branch

	stop    context.CancelCauseFunc // of the decoding that goes on
	running sync.WaitGroup
}

var errOvertaken = errors.New("a later sound is decoded instead")

// end stops the running decoding and waits until it has ended.
func (c *child) end() {
	if c.stop != nil {
		c.stop(errOvertaken)
	}
	c.running.Wait()
}

func (c *child) free() {
	c.end()
	if c.model != nil {
		c.model.free()
	}
}

func (c *child) handle(ctx context.Context, r worker.Request) error {
	c.end()
	var err error
	switch r.Kind {
	case kindLoad:
		err = c.load(r.Payload)
	case kindGrammar:
		err = c.grammar(r.Payload)
	case kindDecode:
		if c.lat == nil {
			err = errors.New("no model has been loaded, or no grammar been set")
			break
		}
		ctx, c.stop = context.WithCancelCause(ctx)
		c.running.Go(func() { c.decode(ctx, r) })
		return nil
	default:
		err = fmt.Errorf("request %d is unknown", r.Kind)
	}
	if err != nil {
		return r.Fail(err)
	}
	return r.Reply(nil)
}

func (c *child) load(payload []byte) error {
	var q loadRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if c.model != nil {
		return errors.New("a model is loaded already")
	}
	m, err := newModel(q.Library, q.Dir)
	if err != nil {
		return err
	}
	c.model, c.tree = m, newTree(m.texts)
	giveBack()
	return nil
}

func (c *child) grammar(payload []byte) error {
	var a speech.Automaton
	if err := json.Unmarshal(payload, &a); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if c.model == nil {
		return errors.New("no model has been loaded")
	}
	if err := check(a); err != nil {
		return err
	}
	c.lat = newLattice(a, c.tree)
	giveBack()
	return nil
}

// decode answers a request with what is heard in its sound.
func (c *child) decode(ctx context.Context, r worker.Request) {
	result, err := c.result(ctx, audio.PCM(r.Payload))
	var payload []byte
	if err == nil {
		payload, err = json.Marshal(result)
	}
	// An answer that cannot be written means that the parent is gone, which Serve
	// notices as well.
	if err != nil {
		_ = r.Fail(err)
		return
	}
	_ = r.Reply(payload)
}

func (c *child) result(ctx context.Context, samples []int16) (Result, error) {
	if len(samples) < leastSound {
		return Result{}, nil
	}
	if c.lat.ways > mostWays {
		c.lat.forget()
	}
	floats := make([]float32, len(samples)+silenceAfter)
	for i, s := range samples {
		floats[i] = float32(s) / (1 << 15)
	}
	h, err := c.model.hear(floats)
	if err != nil {
		return Result{}, err
	}
	defer h.free()
	s := search{net: h, lat: c.lat, texts: c.model.texts}
	return s.run(ctx, len(samples)*tokensEach/int(audio.SpeechRate)+tokensMore)
}
