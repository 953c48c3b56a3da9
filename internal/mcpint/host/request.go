package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/mcpint/client"
)

// requests are the channels to the goroutine that owns the state. It reads them wherever
// it waits, so that a request is never held up for long.
type requests struct {
	connect chan request  // calls that want a connection
	retry   chan request  // capacity one: a fresh start is wanted
	wake    chan struct{} // capacity one: something the server needs is back
	check   chan struct{} // capacity one: a call got no answer
}

// wakeUp tells the owner that something the server needs is back. It does not
// block.
func (r requests) wakeUp() {
	select {
	case r.wake <- struct{}{}:
	default: // a wake-up is waiting already
	}
}

// request asks the goroutine that owns the state for a connection or a retry.
type request struct {
	renew bool         // retries only: end an existing connection as well
	reply chan outcome // buffered; for a retry it says only that the request was read
}

// outcome is a connection, or the reason why there is none.
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

// retryGrace is how long a retry waits until the owner reads it: usually long
// enough for the status to show it, and short enough for an HTTP answer within
// 100 ms even when the owner is busy.
const retryGrace = 50 * time.Millisecond

// requestRetry asks for a fresh start and does not wait for its success.
func (s *supervisor) requestRetry(ctx context.Context, renew bool) error {
	reply := make(chan outcome, 1)
	select {
	case s.requests.retry <- request{renew: renew, reply: reply}:
	case <-s.stopped:
		return fmt.Errorf("retrying MCP server %q: %w", s.srv.ID, errStopping)
	default:
		return nil // a retry is waiting already
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
