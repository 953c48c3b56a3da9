// Package mqtt is the part that talks to the MQTT broker. It exists so that the
// rest of the project can rely on four things that the client library does not
// give: subscriptions come back by themselves after every reconnect, a publish
// while the broker is away is an error at once and never a command replayed late,
// handlers may block or publish without losing the connection, and Run leaves
// nothing running behind.
//
// Every connection is a fresh client of the library with no store, so there is
// nothing it could resend. To support another transport, add a line to schemes
// and a case to (*session).dial.
package mqtt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"voicegateway/internal/ground/reconnect"
)

// ErrNotConnected is what a publish returns, wrapped, while the broker is away.
var ErrNotConnected = errors.New("not connected to the MQTT broker")

// Handler receives a message. Handlers of one client run one after the other, in
// the order of arrival; a slow one delays the others and nothing else. The
// payload belongs to the handler.
type Handler = func(topic string, payload []byte, retained bool)

// Client is a connection to a broker that reconnects by itself. Its methods may
// be called from any goroutine, also from handlers.
type Client struct {
	cfg    Config
	broker endpoint
	log    *slog.Logger
	events *queue

	mu       sync.Mutex
	subs     []*subscription
	watchers []func(up bool)
	session  *session      // the current connection, also while it is being set up
	up       chan struct{} // closed while connected and subscribed
	lastErr  error         // why there is no connection; nil once there is one
	lost     time.Time     // when the connection was lost; zero while there is one
	started  bool
	rivalry  rivalry
	dropped  int // messages that did not fit into events
}

// dropNews is how many dropped messages lie between two warnings in the log.
const dropNews = 1000

type subscription struct {
	filter string
	handle Handler
}

// New checks cfg; it does no I/O. Run connects.
func New(cfg Config, log *slog.Logger) (*Client, error) {
	broker, err := cfg.parse()
	if err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	// Every broker accepts an id of up to 23 characters.
	cfg.ClientID = cmp.Or(cfg.ClientID, fmt.Sprintf("voice-%016x", rand.Uint64()))
	return &Client{
		cfg:    cfg,
		broker: broker,
		log:    log,
		events: newQueue(),
		up:     make(chan struct{}),
	}, nil
}

// Broker is the broker's address without credentials.
func (c *Client) Broker() string { return c.broker.String() }

// Publish sends payload with QoS 1 and returns when the broker has it. Without a
// connection it fails at once with ErrNotConnected; while one is being set up it waits
// for that, because the first messages of a connection come before all subscriptions are
// renewed, and an answer to them must not be lost. After an error caused by a
// lost connection it is unknown whether the broker got the message.
func (c *Client) Publish(ctx context.Context, topic string, payload []byte) error {
	return c.publish(ctx, Message{Topic: topic, Payload: payload})
}

// PublishRetained does what Publish does, and the broker keeps the message for
// later subscribers. An empty payload removes the kept message.
func (c *Client) PublishRetained(ctx context.Context, topic string, payload []byte) error {
	return c.publish(ctx, Message{Topic: topic, Payload: payload, Retained: true})
}

func (c *Client) publish(ctx context.Context, m Message) error {
	if err := checkTopic(m.Topic); err != nil {
		return fmt.Errorf("publishing: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("publishing to %s: %w", m.Topic, err)
	}
	sent, err := c.send(ctx, m)
	if err != nil {
		return fmt.Errorf("publishing to %s: %w", m.Topic, err)
	}
	select {
	case err := <-sent:
		if err != nil {
			return fmt.Errorf("publishing to %s: %w", m.Topic, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("publishing to %s: no answer from the broker: %w", m.Topic, ctx.Err())
	}
}

// settingUp is how long a publish waits for a connection that is being set up.
const settingUp = time.Second

// send begins to send m, once a connection that is being set up is there.
func (c *Client) send(ctx context.Context, m Message) (<-chan error, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, up := c.session, c.up; s != nil && !c.isUp() {
		c.mu.Unlock()
		timeout := time.NewTimer(settingUp)
		select {
		case <-up:
		case <-s.done:
		case <-timeout.C:
		case <-ctx.Done():
		}
		timeout.Stop()
		c.mu.Lock()
	}
	if !c.isUp() {
		return nil, c.away()
	}
	return c.session.send(m), nil // under the lock: closing the session waits for every send that began
}

// Subscribe calls handle for every message that filter matches, at once and after
// every reconnect. It may be called before Run and without a connection: then it
// stores the subscription and returns at once. With a connection it returns when
// the broker has agreed; after an error the subscription is not stored. Filters
// that overlap may bring a message more than once, as brokers differ in this.
func (c *Client) Subscribe(ctx context.Context, filter string, handle Handler) error {
	if err := checkFilter(filter); err != nil {
		return fmt.Errorf("subscribing: %w", err)
	}
	sub := &subscription{filter, handle}
	c.mu.Lock()
	c.subs = append(c.subs, sub)
	s := c.session
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	err := s.subscribe(ctx, filter)
	if err == nil || s.ended() {
		return nil // a connection that broke meanwhile subscribes when it is back
	}
	c.forget(sub)
	return fmt.Errorf("subscribing to %s: %w", filter, err)
}

func (c *Client) forget(sub *subscription) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.subs, sub); i >= 0 {
		c.subs = slices.Concat(c.subs[:i], c.subs[i+1:]) // a copy, because resubscribe may be reading the old slice
	}
}

// Connected reports whether messages flow: connected, and every subscription
// renewed.
func (c *Client) Connected() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isUp()
}

// Trouble is why there is no connection; nil while there is one, and before the
// first attempt has ended.
func (c *Client) Trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastErr
}

// Lost is when the connection was lost; zero while there is one, and before the first one.
func (c *Client) Lost() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// AwaitConnected returns when Connected is true. When ctx ends first the error
// says why the last attempt did not succeed.
func (c *Client) AwaitConnected(ctx context.Context) error {
	for {
		c.mu.Lock()
		up := c.up
		c.mu.Unlock()
		select {
		case <-up:
			return nil
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			return fmt.Errorf("waiting for the broker: %w (%w)", c.away(), ctx.Err())
		}
	}
}

// OnConnection calls changed with every change of Connected, in line with the
// messages: false comes before any message of the next connection, true once the
// subscriptions are renewed, around the time their retained messages arrive. When
// a connection is already up, changed is called with true. It is not called when
// Run ends.
func (c *Client) OnConnection(changed func(up bool)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, changed)
	if c.isUp() {
		c.events.push(0, func() { changed(true) })
	}
}

// isUp reports whether the client is connected. The caller holds mu.
func (c *Client) isUp() bool {
	select {
	case <-c.up:
		return true
	default:
		return false
	}
}

// away returns the error for "no connection", with the reason if one is known.
// The caller holds mu.
func (c *Client) away() error {
	if c.lastErr != nil {
		return fmt.Errorf("%w: %w", ErrNotConnected, c.lastErr)
	}
	return fmt.Errorf("%w %s", ErrNotConnected, c.broker)
}

// setUp records a change and tells the watchers.
func (c *Client) setUp(up bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isUp() == up {
		return
	}
	if up {
		close(c.up)
		c.lastErr, c.lost = nil, time.Time{}
	} else {
		c.up, c.lost = make(chan struct{}), time.Now()
	}
	for _, changed := range c.watchers {
		c.events.push(0, func() { changed(up) })
	}
}

// received queues a message for the handlers whose filters match. It never
// blocks.
func (c *Client) received(topic string, payload []byte, retained bool) {
	c.mu.Lock()
	var handlers []Handler
	for _, s := range c.subs {
		if matches(s.filter, topic) {
			handlers = append(handlers, s.handle)
		}
	}
	c.mu.Unlock()
	if len(handlers) == 0 {
		return
	}
	fits := c.events.push(len(topic)+len(payload)+1, func() {
		for _, handle := range handlers {
			handle(topic, payload, retained)
		}
	})
	if fits {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped++; c.dropped%dropNews == 1 {
		c.log.Warn("messages from the broker are dropped: the handlers are too slow", "topic", topic, "dropped", c.dropped)
	}
}

// The pauses between attempts: short after a broker's restart, and never longer than the
// five seconds within which everything has to work again (REQUIREMENTS R).
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 5 * time.Second
	spread       = 0.25             // share of a pause, so that several clients do not come back together
	stable       = 10 * time.Second // a connection that lasted this long resets the pauses
)

// Run connects and stays connected until ctx ends; then it flushes, publishes
// the last will itself (a broker discards it on a clean goodbye), disconnects
// and returns nil. It waits for a handler that is running. A client runs once.
func (c *Client) Run(ctx context.Context) error {
	c.mu.Lock()
	started := c.started
	c.started = true
	c.mu.Unlock()
	if started {
		return errors.New("mqtt: Run was called twice")
	}
	var dispatch sync.WaitGroup
	defer dispatch.Wait()
	dispatch.Go(func() { c.events.run(ctx) })

	loop := reconnect.Loop{
		Pauses: reconnect.Pauses{First: firstPause, Longest: longestPause}, Spread: spread,
		Ended: func(err error, _ time.Duration) { c.note(err) },
	}
	loop.Run(ctx, func(ctx context.Context) (bool, error) {
		began := time.Now()
		err := c.connection(ctx)
		return time.Since(began) > stable, err
	})
	return nil
}

// note keeps the reason for Trouble, and logs it when it differs from the last
// one, so that a broker that is away for a night is one line.
func (c *Client) note(err error) {
	c.mu.Lock()
	changed := c.lastErr == nil || c.lastErr.Error() != err.Error()
	c.lastErr = err
	c.mu.Unlock()
	switch {
	case changed && errors.Is(err, errRival):
		c.log.Error("another gateway has this one's id", "id", c.cfg.ClientID, "err", err)
	case changed:
		c.log.Warn("the MQTT broker is away", "broker", c.broker.String(), "err", err)
	}
}
