//go:build cgo

package device

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"voicegateway/internal/ground/worker"
)

// Work is the child's side: `voice-gateway worker audio`. It returns when the
// parent closes the pipe, and with an error when the sound library hangs; the
// process has to end then.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &soundWorker{
		out: worker.NewOutlet(out), epoch: time.Now(), lib: &library{guard: &watchdog{}},
		jobs: make(chan playJob, 8),
	}
	ended := make(chan error, 2)
	go func() { ended <- worker.Serve(ctx, in, w.out, w.handle) }()
	go func() { ended <- w.lib.guard.run(ctx) }()
	err := <-ended
	cancel()
	w.rest()
	return err
}

// soundWorker is the child.
type soundWorker struct {
	out   *worker.Outlet
	epoch time.Time
	lib   *library

	mic     *microphone // nil before kindOpen
	speaker *speaker
	jobs    chan playJob
	parts   sync.WaitGroup
}

// closeWithin is how long the devices get to close in order. The library may
// hang, so the process ends anyway.
const closeWithin = 100 * time.Millisecond

func (w *soundWorker) rest() {
	closed := make(chan struct{})
	go func() {
		w.parts.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeWithin):
	}
}

// handle answers at once, or hands the request on, so that a clip can always be
// stopped.
func (w *soundWorker) handle(ctx context.Context, r worker.Request) error {
	switch r.Kind {
	case kindClock:
		return r.Reply(binary.LittleEndian.AppendUint64(nil, uint64(time.Since(w.epoch))))
	case kindOpen:
		if err := w.open(ctx, r.Payload); err != nil {
			return r.Fail(err)
		}
		return r.Reply(nil)
	case kindPlay:
		id, clip, err := decodePlay(r.Payload)
		if err != nil {
			return r.Fail(err)
		}
		select {
		case w.jobs <- playJob{id: id, clip: clip, request: r}:
			return nil
		default:
			return r.Fail(errors.New("too many clips wait for the speaker"))
		}
	case kindStop:
		if len(r.Payload) != 4 || w.speaker == nil {
			return r.Fail(errors.New("stopping a clip: which one?"))
		}
		w.speaker.stop(ctx, binary.LittleEndian.Uint32(r.Payload))
		return r.Reply(nil)
	}
	return w.ask(r)
}

// ask hands on a request that may take long.
func (w *soundWorker) ask(r worker.Request) error {
	var answer func(payload []byte) ([]byte, error)
	switch r.Kind {
	case kindMute:
		answer = w.mute
	case kindList:
		answer = w.list
	default:
		return r.Fail(fmt.Errorf("request %d is unknown", r.Kind))
	}
	w.parts.Go(func() { // a broken pipe ends the worker elsewhere
		if reply, err := answer(r.Payload); err != nil {
			_ = r.Fail(err)
		} else {
			_ = r.Reply(reply)
		}
	})
	return nil
}

func (w *soundWorker) mute(payload []byte) ([]byte, error) {
	if len(payload) != 1 || w.mic == nil {
		return nil, errors.New("muting: on or off, and of what?")
	}
	w.mic.mute(payload[0] != 0)
	return nil, nil
}

func (w *soundWorker) open(ctx context.Context, payload []byte) error {
	var q openRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if w.mic != nil {
		return errors.New("the devices are open already")
	}
	tell := &status{out: w.out}
	w.mic = &microphone{
		name: q.Input, channel: q.Channel, muted: q.Muted, lib: w.lib, status: tell, epoch: w.epoch,
		changed: make(chan struct{}, 1),
	}
	w.speaker = &speaker{name: q.Output, lib: w.lib, status: tell, refresh: func() { w.mic.reopen() }}
	w.parts.Go(func() { w.mic.run(ctx) })
	w.parts.Go(func() { w.speaker.run(ctx, w.jobs) })
	return nil
}

// list returns the library's list, which is refreshed only when nothing is open.
func (w *soundWorker) list(payload []byte) ([]byte, error) {
	var q openRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	if err := w.lib.acquire(); err != nil {
		return nil, err
	}
	defer w.lib.release()
	_, all, err := w.lib.devices()
	if err != nil {
		return nil, err
	}
	return json.Marshal(describe(all, q))
}
