package socket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// How a connection is found to be dead although nobody has closed it.
const (
	pingEvery = 10 * time.Second
	deadAfter = 25 * time.Second // without any message
)

// Command is a message to Home Assistant; its number is added.
type Command map[string]any

// Reply is what Home Assistant answers to a command.
type Reply struct {
	Result json.RawMessage
	Err    error // an *Error, or that the connection has ended
}

// Conn is one connection. Its methods may be called from several goroutines.
type Conn struct {
	Version string // of Home Assistant
	// Ahead is how far its clock is ahead of ours, in whole seconds, if HasClock says that it
	// told the time.
	Ahead    time.Duration
	HasClock bool

	ws    *websocket.Conn
	order sync.Mutex // numbers must leave in their order

	mu      sync.Mutex
	last    int                  // number
	waiting map[int]chan<- Reply // each has room for its one reply
	events  map[int]func(json.RawMessage)
	ended   chan struct{}
	err     error // why it ended
}

func newConn(ws *websocket.Conn) *Conn {
	ws.SetReadLimit(mostBytes)
	return &Conn{ws: ws, waiting: map[int]chan<- Reply{}, events: map[int]func(json.RawMessage){}, ended: make(chan struct{})}
}

// Ended is closed when the connection has ended.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Run reads until the connection or ctx ends, and returns why. It returns within a moment
// of ctx, and all that wait for replies are answered.
func (c *Conn) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { c.ping(ctx) })
	stop := context.AfterFunc(ctx, func() { _ = c.ws.Close() })
	err := c.read()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	stop()
	cancel()
	_ = c.ws.Close()
	c.end(err)
	wg.Wait()
	return err
}

// Close ends a connection that Run is not called for.
func (c *Conn) Close() {
	_ = c.ws.Close()
	c.end(errClosed)
}

// errClosed is why a closed connection ended.
var errClosed = errors.New("the connection was closed")

// end answers all that wait, and everybody who will.
func (c *Conn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = fmt.Errorf("the connection to Home Assistant ended: %w", err)
	for _, w := range c.waiting {
		w <- Reply{Err: c.err}
	}
	clear(c.waiting)
	clear(c.events)
	close(c.ended)
}

// ping keeps messages coming, so that a side without any is dead.
func (c *Conn) ping(ctx context.Context) {
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if _, err := c.start(Command{"type": "ping"}, nil); err != nil {
				_ = c.ws.Close() // the reader says why
				return
			}
		}
	}
}

// read hands messages on until the connection ends.
func (c *Conn) read() error {
	for {
		_ = c.ws.SetReadDeadline(time.Now().Add(deadAfter))
		_, frame, err := c.ws.ReadMessage()
		if err != nil {
			return err
		}
		all, err := decode(frame)
		if err != nil {
			return err
		}
		for i := range all {
			c.handle(&all[i])
		}
	}
}

// handle gives a message to who waits for it. What nobody waits for is dropped.
func (c *Conn) handle(m *message) {
	switch m.Type {
	case "result", "pong":
		c.mu.Lock()
		waits := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		if waits == nil {
			return
		}
		r := Reply{Result: m.Result}
		switch {
		case m.Type == "pong" || m.Success:
		case m.Error != nil:
			r.Err = m.Error
		default:
			r.Err = &Error{Code: "unknown_error", Message: "it gives no reason"}
		}
		waits <- r
	case "event":
		c.mu.Lock()
		handle := c.events[m.ID]
		c.mu.Unlock()
		if handle != nil {
			handle(m.Event)
		}
	}
}

// send writes one message.
func (c *Conn) send(m any) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing a message to Home Assistant: %w", err)
	}
	_ = c.ws.SetWriteDeadline(time.Now().Add(writeLimit))
	if err := c.ws.WriteMessage(websocket.TextMessage, body); err != nil {
		return fmt.Errorf("writing to Home Assistant: %w", err)
	}
	return nil
}

// start sends a command with the next number. handle receives its events, in the
// goroutine that reads: it must return at once.
func (c *Conn) start(command Command, handle func(json.RawMessage)) (<-chan Reply, error) {
	c.order.Lock()
	defer c.order.Unlock()
	reply := make(chan Reply, 1)
	c.mu.Lock()
	if err := c.err; err != nil {
		c.mu.Unlock()
		return nil, err
	}
	c.last++
	id := c.last
	c.waiting[id] = reply
	if handle != nil {
		c.events[id] = handle
	}
	c.mu.Unlock()
	numbered := make(map[string]any, len(command)+1)
	maps.Copy(numbered, command)
	numbered["id"] = id
	if err := c.send(numbered); err != nil {
		c.mu.Lock()
		delete(c.waiting, id)
		delete(c.events, id)
		c.mu.Unlock()
		return nil, err
	}
	return reply, nil
}

// Start sends a command and returns where its reply will come; it need not be received.
// An error means that the command has not left whole.
func (c *Conn) Start(command Command) (<-chan Reply, error) { return c.start(command, nil) }

// Call sends a command and waits for its reply. An *Error means that it was refused.
func (c *Conn) Call(ctx context.Context, command Command) (json.RawMessage, error) {
	reply, err := c.start(command, nil)
	if err != nil {
		return nil, err
	}
	return await(ctx, reply)
}

// Subscribe sends a command whose events go to handle from now on, in their order. handle
// runs in the goroutine that reads and must return at once.
func (c *Conn) Subscribe(ctx context.Context, command Command, handle func(event json.RawMessage)) error {
	reply, err := c.start(command, handle)
	if err != nil {
		return err
	}
	_, err = await(ctx, reply)
	return err
}

func await(ctx context.Context, reply <-chan Reply) (json.RawMessage, error) {
	select {
	case r := <-reply:
		return r.Result, r.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for an answer of Home Assistant: %w", ctx.Err())
	}
}
