package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/mcpint/client"
)

// requests are how others reach the goroutine that owns the state. They are read
// wherever that goroutine waits, so that nobody waits long for it.
type requests struct {
	connect chan request  // calls that want a connection
	retry   chan request  // of size one: a fresh start is wanted
	wake    chan struct{} // of size one: something is back
	check   chan struct{} // of size one: somebody got no answer
}

// wakeUp says that something is back. It does not block.
func (r requests) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default: // one is waiting already
	}
}

// request asks the goroutine that owns the state for a connection or a retry.
type request struct {
	renew bool         // retries only: also where there is a connection
	reply chan outcome // buffered; of a retry it says only that the request was read
}

// outcome is a connection, or why there is none.
type outcome struct {
	session    client.Session
	generation int
	err        error
}

// requestConnection asks the owner for a connection and waits for it.
func (s *supervisor) requestConnection(ctx context.Context) (outcome, error) {
	reply := make(chan outcome, 1)
	select {
	case s.requests.connect <- request{reply: reply}:
	case <-s.stopped:
		return outcome{}, errStopping
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
	select {
	case o := <-reply:
		return o, o.err
	case <-s.stopped:
		return outcome{}, errStopping
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

var errStopping = errors.New("the gateway is stopping")

// retryGrace is how long a retry waits to be read: long enough for the status
// after it to show it, and short enough for an HTTP answer within 100 ms, whatever
// the owner is at.
const retryGrace = 50 * time.Millisecond

// requestRetry asks for a fresh start and does not wait for its success.
func (s *supervisor) requestRetry(ctx context.Context, renew bool) error {
	reply := make(chan outcome, 1)
	select {
	case s.requests.retry <- request{renew: renew, reply: reply}:
	case <-s.stopped:
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, errStopping)
	default:
		return nil // one is asked for already
	}
	grace := time.NewTimer(retryGrace)
	defer grace.Stop()
	select {
	case o := <-reply:
		if o.err != nil {
			return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, o.err)
		}
		return nil
	case <-grace.C:
		return nil
	case <-s.stopped:
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, errStopping)
	case <-ctx.Done():
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, ctx.Err())
	}
}
