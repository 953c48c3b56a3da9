package mqtt

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTwoGatewaysOfOneID: of two clients with the same id one stays connected; the other
// reports the conflict and does not connect until the first is gone.
func TestTwoGatewaysOfOneID(t *testing.T) {
	m := newMosquitto(t, "")
	m.start(t)
	gateway := func() (c *Client, stop func(), connections *atomic.Int32) {
		connections = new(atomic.Int32)
		c, stop = running(t, Config{URL: m.url(), ClientID: "gw", Will: &Message{Topic: "gw/availability", Payload: []byte("offline"), Retained: true}})
		c.OnConnection(func(up bool) {
			if up {
				connections.Add(1)
				_ = c.PublishRetained(context.Background(), "gw/availability", []byte("online"))
			}
		})
		return c, stop, connections
	}
	one, stopOne, first := gateway()
	if err := one.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	two, stopTwo, second := gateway()
	yields := func(c *Client) bool { return errors.Is(c.Trouble(), errRival) && !c.Connected() }
	settled := func() bool { return yields(one) && two.Connected() || yields(two) && one.Connected() }
	ctx := bounded(t)
	for !settled() {
		if ctx.Err() != nil {
			t.Fatalf("one: %v, %v; two: %v, %v", one.Connected(), one.Trouble(), two.Connected(), two.Trouble())
		}
		pause(ctx)
	}
	left, stop := one, stopTwo
	if yields(two) {
		left, stop = two, stopOne
	}
	if said := left.Trouble().Error(); !strings.Contains(said, `"gw"`) || !strings.Contains(said, "gateway.id") {
		t.Errorf("it says %q", said)
	}
	if n := first.Load() + second.Load(); n > 6 {
		t.Errorf("%d connections until one of them gave way", n)
	}
	stop()
	if err := left.AwaitConnected(bounded(t)); err != nil {
		t.Errorf("after the other one has gone: %v", err)
	}
}
