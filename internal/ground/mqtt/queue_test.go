package mqtt

import (
	"context"
	"slices"
	"testing"
)

func TestQueueIsBoundedAndInOrder(t *testing.T) {
	q := newQueue()
	var done []string
	do := func(name string) func() { return func() { done = append(done, name) } }
	ctx, cancel := context.WithCancel(t.Context())
	if !q.push(maxQueued+1, do("one too large message")) {
		t.Error("a message over the bound must pass alone, or it would never")
	}
	if q.push(1, do("dropped")) {
		t.Error("over the bound")
	}
	if !q.push(0, do("down")) {
		t.Error("a change of the connection was dropped")
	}
	q.push(0, cancel)
	q.run(ctx)
	if want := []string{"one too large message", "down"}; !slices.Equal(done, want) {
		t.Errorf("done %q, want %q", done, want)
	}
	if q.bytes != 0 {
		t.Errorf("%d bytes remain", q.bytes)
	}
}
