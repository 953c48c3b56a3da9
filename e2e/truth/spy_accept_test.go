//go:build accept

package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/mqtt"
)

// spy listens at the broker to everything that is sent to devices.
type spy struct {
	bus   *mqtt.Client
	mu    sync.Mutex
	sent  []written
	marks int
	mark  int // the last one that came back
}

// ownMark is the topic by which the spy hears itself.
const ownMark = "truth/mark"

// newSpy listens until the test ends.
func newSpy(tb testing.TB, broker string, log *slog.Logger) *spy {
	tb.Helper()
	bus, err := mqtt.New(mqtt.Config{URL: "mqtt://" + broker}, log)
	if err != nil {
		tb.Fatal(err)
	}
	s := &spy{bus: bus}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	var ran sync.WaitGroup
	ran.Go(func() { _ = bus.Run(ctx) })
	tb.Cleanup(func() { cancel(); ran.Wait() })
	if err := bus.AwaitConnected(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	for _, filter := range []string{"zwave/#", ownMark} {
		if err := bus.Subscribe(tb.Context(), filter, s.hear); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// hear notes what is sent to a device: by the gateway's API, or to a value's topic.
func (s *spy) hear(topic string, payload []byte, retained bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case topic == ownMark:
		_, _ = fmt.Sscan(string(payload), &s.mark)
	case retained, !strings.HasSuffix(topic, "/set"), strings.Contains(topic, "_SIM/"):
	case strings.HasSuffix(topic, "/api/writeValue/set"):
		s.sent = append(s.sent, wrote(payload))
	case strings.Contains(topic, "/api/") && !strings.Contains(topic, "/sendCommand/"):
		// It asks, or looks after the network.
	default:
		s.sent = append(s.sent, written{value: topic})
	}
}

// wrote reads the node and the value of a write.
func wrote(payload []byte) written {
	var in struct{ Args []json.RawMessage }
	var id struct{ NodeID int }
	out := written{value: string(payload)}
	if json.Unmarshal(payload, &in) != nil || len(in.Args) < 2 || json.Unmarshal(in.Args[0], &id) != nil {
		return out
	}
	out.node = id.NodeID
	_ = json.Unmarshal(in.Args[1], &out.value)
	return out
}

// take returns what was sent since it was last called, once the broker has brought
// everything.
func (s *spy) take(ctx context.Context) []written {
	s.marks++
	want := s.marks
	_ = s.bus.Publish(ctx, ownMark, fmt.Append(nil, want))
	eventually(ctx, patience, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.mark >= want
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}
