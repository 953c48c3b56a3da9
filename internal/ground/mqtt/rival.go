package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// How long a client waits while another client uses its id. The broker may have kept a
// message that says the other is online although it is gone, so the id is tried again
// after a while, each time a longer one.
const (
	rivalPatience    = time.Minute
	longestRivalWait = 10 * time.Minute
	retainedWait     = 500 * time.Millisecond // for what the broker keeps under a topic
)

// errRival means that another client has our id. A broker lets only the one in that
// came last, so two of them would throw each other out for ever.
var errRival = errors.New("another client is connected under the same id")

// rivalry is what a client knows of another one with its id. Only Run uses it.
type rivalry struct {
	suspected bool          // the last connection was lost right after it began
	wait      time.Duration // how long the id is left to the other one
	until     time.Time     // when that ends; zero: it has not begun
}

// noteEnd notes how long a connection lasted that was made with our id.
func (r *rivalry) noteEnd(lasted time.Duration) {
	if lasted >= stable {
		*r = rivalry{}
		return
	}
	r.suspected, r.until = true, time.Time{}
}

// yield returns errRival while another client that is online uses our id. Only a client
// with a will asks, because the will's topic says whether a client is online.
func (c *Client) yield(ctx context.Context) error {
	r := &c.rivalry
	if !r.suspected || c.cfg.Will == nil {
		return nil
	}
	there, err := c.somebodyIsThere(ctx)
	switch {
	case err != nil:
		return err
	case !there:
		*r = rivalry{}
		return nil
	case r.until.IsZero():
		r.wait = min(max(2*r.wait, rivalPatience), longestRivalWait)
		r.until = time.Now().Add(r.wait)
	case time.Now().After(r.until):
		return nil
	}
	return fmt.Errorf("broker %s: %w, %q; two gateways with one gateway.id throw each other out, so give each an id of its own", c.broker, errRival, c.cfg.ClientID)
}

// somebodyIsThere reports whether the topic of our will says something else than the
// will, which only a client with our id says.
func (c *Client) somebodyIsThere(ctx context.Context) (bool, error) {
	s := &session{done: make(chan struct{})}
	word := make(chan []byte, 1)
	opts := c.options(s)
	opts.SetClientID(fmt.Sprintf("voice-%016x", rand.Uint64()))
	opts.SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) {
		select {
		case word <- m.Payload():
		default:
		}
	})
	if err := c.dial(ctx, s, opts); err != nil {
		return false, err
	}
	defer s.close(nil)
	if err := s.subscribe(ctx, c.cfg.Will.Topic); err != nil {
		return false, fmt.Errorf("broker %s: asking who is there: %w", c.broker, err)
	}
	timeout := time.NewTimer(retainedWait)
	defer timeout.Stop()
	select {
	case said := <-word:
		return len(said) > 0 && !bytes.Equal(said, c.cfg.Will.Payload), nil
	case <-timeout.C:
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
