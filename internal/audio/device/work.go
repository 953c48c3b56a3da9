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

	"voicegateway/internal/worker"
)

// Work is the child's side: `voice-gateway worker audio`. It returns when the
// parent closes the pipe, and with an error when the sound library hangs; the
// process has to end then.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &soundWorker{
		out: worker.NewOutlet(out), epoch: time.Now(), guard: &watchdog{},
		jobs: make(chan playJob, 8),
	}
	ended := make(chan error, 2)
	go func() { ended <- worker.Serve(ctx, in, w.out, w.handle) }()
	go func() { ended <- w.guard.run(ctx) }()
	err := <-ended
	cancel()
	w.rest()
	return err
}

// soundWorker is the child.
type soundWorker struct {
	out   *worker.Outlet
	epoch time.Time
	guard *watchdog

	opened  bool
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
			return r.Fail(errors.New("the speaker is busy"))
		}
	case kindStop:
		if len(r.Payload) != 4 || w.speaker == nil {
			return r.Fail(errors.New("stopping a clip: which one?"))
		}
		w.speaker.stop(ctx, binary.LittleEndian.Uint32(r.Payload))
		return r.Reply(nil)
	}
	return r.Fail(fmt.Errorf("request %d is unknown", r.Kind))
}

func (w *soundWorker) open(ctx context.Context, payload []byte) error {
	var q openRequest
	if err := json.Unmarshal(payload, &q); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	if w.opened {
		return errors.New("the devices are open already")
	}
	w.opened = true
	lib := &library{guard: w.guard}
	mic := &microphone{name: q.Input, lib: lib, out: w.out, epoch: w.epoch}
	w.speaker = &speaker{name: q.Output, lib: lib}
	w.parts.Go(func() { mic.run(ctx) })
	w.parts.Go(func() { w.speaker.run(ctx, w.jobs) })
	return nil
}
