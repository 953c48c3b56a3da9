package sim

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// ask runs do in the simulator's goroutine and waits for it.
func (s *Sim) ask(ctx context.Context, do func()) error {
	done := make(chan struct{})
	s.hand(func() {
		defer close(done)
		do()
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("asking the simulated house: %w", ctx.Err())
	}
}

// withNode runs do with the node of a name; Run must be running.
func (s *Sim) withNode(ctx context.Context, name string, do func(*node) error) error {
	err := fmt.Errorf("the simulated house has no device %q", name)
	if asked := s.ask(ctx, func() {
		for _, id := range s.order {
			if strings.EqualFold(s.nodes[id].spec.Name, name) {
				err = do(s.nodes[id])
				return
			}
		}
	}); asked != nil {
		return asked
	}
	return err
}

// Fact returns what a device really is now, whatever the gateway claims. The key
// is a value id without node: "37-0-currentValue".
func (s *Sim) Fact(ctx context.Context, device, key string) (any, error) {
	var fact any
	err := s.withNode(ctx, device, func(n *node) error {
		v := n.byText(key)
		if v == nil {
			return fmt.Errorf("%s has no value %q", device, key)
		}
		s.settle(n, v)
		fact = v.fact
		return nil
	})
	return fact, err
}

// Facts returns everything a device really is, by value id without node.
func (s *Sim) Facts(ctx context.Context, device string) (map[string]any, error) {
	facts := map[string]any{}
	err := s.withNode(ctx, device, func(n *node) error {
		for _, v := range n.values {
			s.settle(n, v)
			facts[v.id.String()] = v.fact
		}
		return nil
	})
	return facts, err
}

// Change makes something happen at the device, which then reports it: a hand at
// a switch, a sensor with news.
func (s *Sim) Change(ctx context.Context, device, key string, to any) error {
	return s.withNode(ctx, device, func(n *node) error {
		v := n.byText(key)
		if v == nil {
			return fmt.Errorf("%s has no value %q", device, key)
		}
		v.fact = plain(to)
		s.stop(n, v)
		s.alive(n)
		s.traffic(n)
		if target := n.target(v); target != nil {
			target.fact = v.fact
			s.reportAll(n, []*value{n.find(v.id.With("duration", v.id.Key)), target})
		}
		s.report(n, v)
		return nil
	})
}

// Kill makes a device silent; nobody knows until somebody talks to it.
func (s *Sim) Kill(ctx context.Context, device string) error {
	return s.withNode(ctx, device, func(n *node) error { n.spec.Dead = true; return nil })
}

// Revive ends what Kill began; the next report or ping tells.
func (s *Sim) Revive(ctx context.Context, device string) error {
	return s.withNode(ctx, device, func(n *node) error { n.spec.Dead = false; return nil })
}

// Deafen makes a device acknowledge commands and do nothing, the case in which
// the gateway's claim is wrong.
func (s *Sim) Deafen(ctx context.Context, device string, deaf bool) error {
	return s.withNode(ctx, device, func(n *node) error { n.spec.Deaf = deaf; return nil })
}

// Wake wakes a sleeping device: it gets what waits for it and sleeps again 2.5 s
// later, as recorded.
func (s *Sim) Wake(ctx context.Context, device string) error {
	return s.withNode(ctx, device, func(n *node) error {
		n.awake = true
		s.publishStatus(n, n.status())
		waiting := n.waiting
		n.waiting = nil
		for _, do := range waiting {
			do()
		}
		s.after(2500*time.Millisecond, func() {
			n.awake = false
			s.publishStatus(n, n.status())
		})
		return nil
	})
}
