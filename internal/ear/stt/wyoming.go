package stt

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/wyoming"
)

// connectTime bounds making a connection: a service in the house has it in
// milliseconds, and what was sent to one that hangs is better sent again.
const connectTime = 2 * time.Second

// service sends the sound to a Wyoming recogniser while it is spoken, so that the service
// has all of it when the utterance is over. Every utterance has its own connection;
// closing the connection tells the service to give up.
type service struct {
	uri, language string

	mu     sync.Mutex // guards closed against begin
	closed bool
	all    sync.WaitGroup
}

func newWyoming(cfg Config) (recogniser, error) {
	if err := wyoming.Check(cfg.Wyoming.URI); err != nil {
		return nil, fmt.Errorf("stt.wyoming.uri: %w", err)
	}
	return &service{uri: cfg.Wyoming.URI, language: cfg.Language}, nil
}

func (s *service) run(ctx context.Context) error {
	<-ctx.Done()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.all.Wait()
	return nil
}

func (s *service) begin() stream {
	ctx, cancel := context.WithCancel(context.Background())
	c := &call{service: s, cancel: cancel, moreToSend: make(chan struct{}, 1), done: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
	}
	s.all.Go(func() {
		defer close(c.done)
		c.text, c.err = c.talk(ctx)
	})
	return c
}

// call is one utterance on its connection.
type call struct {
	service    *service
	cancel     context.CancelFunc
	moreToSend chan struct{} // of size one: there is more to send
	done       chan struct{} // closed when text and err are set
	text       string
	err        error

	mu    sync.Mutex
	queue []int16 // not yet sent
	over  bool    // nothing will be added
	soFar string
}

func (c *call) push(samples []int16) { c.tell(samples, false) }

func (c *call) tell(samples []int16, over bool) {
	c.mu.Lock()
	c.queue, c.over = append(c.queue, samples...), over
	c.mu.Unlock()
	select {
	case c.moreToSend <- struct{}{}:
	default:
	}
}

func (c *call) partial() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.soFar
}

func (c *call) drop() { c.cancel() }

// finish waits for the text. If the connection was lost, it makes a new one and
// sends all of the sound again; a service that answers with an error is not asked
// again.
func (c *call) finish(ctx context.Context, u utterance) (answer, error) {
	c.tell(nil, true)
	select {
	case <-c.done:
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	_, refused := errors.AsType[*wyoming.ServiceError](c.err)
	if c.err == nil || refused {
		return answer{text: c.text}, c.err
	}
	again := &call{service: c.service, queue: u.sound, over: true, moreToSend: make(chan struct{}, 1)}
	again.moreToSend <- struct{}{}
	text, err := again.talk(ctx)
	return answer{text: text}, err
}

// talk is the whole conversation: it sends what is pushed and returns the text.
func (c *call) talk(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := wyoming.Dial(limited, c.service.uri)
	if err != nil {
		if ctx.Err() == nil && limited.Err() != nil {
			err = fmt.Errorf("the service did not accept a connection within %s", connectTime)
		}
		return "", err
	}
	defer func() { _ = conn.Close() }()
	sending, stop := context.WithCancel(ctx)
	var sender sync.WaitGroup
	sender.Go(func() { _ = c.send(sending, conn) }) // the reader hears why a service takes no more
	defer func() { stop(); sender.Wait() }()
	return c.listen(ctx, conn)
}

// send passes the sound on as it comes, in pieces of one event each.
func (c *call) send(ctx context.Context, conn *wyoming.Conn) error {
	for _, e := range []wyoming.Event{wyoming.Transcribe(c.service.language), wyoming.Start(0)} {
		if err := conn.Write(ctx, e); err != nil {
			return err
		}
	}
	const piece = 10 * audio.FrameSamples
	sent := 0
	at := func() int64 { return int64(sent) * 1000 / int64(audio.SpeechRate) }
	for {
		select {
		case <-c.moreToSend:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.mu.Lock()
		samples, over := c.queue, c.over
		c.queue = nil
		c.mu.Unlock()
		for len(samples) > 0 {
			n := min(piece, len(samples))
			if err := conn.Write(ctx, wyoming.Chunk(samples[:n], at())); err != nil {
				return err
			}
			samples, sent = samples[n:], sent+n
		}
		if over {
			return conn.Write(ctx, wyoming.Stop(at()))
		}
	}
}

// listen reads until the text is there. Texts that come earlier are kept for
// partial.
func (c *call) listen(ctx context.Context, conn *wyoming.Conn) (string, error) {
	for {
		e, err := conn.Await(ctx, wyoming.TypeTranscript, wyoming.TypeTranscriptStart, wyoming.TypeTranscriptChunk)
		if err != nil {
			return "", err
		}
		var t wyoming.Transcript
		if err := e.Decode(&t); err != nil {
			return "", err
		}
		if e.Type == wyoming.TypeTranscript {
			return t.Text, nil
		}
		c.mu.Lock()
		if e.Type == wyoming.TypeTranscriptStart {
			c.soFar = ""
		} else if len(c.soFar)+len(t.Text) <= maxText {
			c.soFar += t.Text
		}
		c.mu.Unlock()
	}
}
