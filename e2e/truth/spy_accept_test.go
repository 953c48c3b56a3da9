//go:build accept

package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/ground/mqtt"
)

// spy listens at the broker to everything that is sent to devices.
type spy struct {
	bus   *mqtt.Client
	mu    sync.Mutex
	sent  []written
	marks int
	mark  int // the last one that came back
}

// ownMark is the topic on which the spy hears its own messages.
const ownMark = "truth/mark"

// newSpy listens until the test ends.
func newSpy(tb testing.TB, broker string) *spy {
	tb.Helper()
	s := &spy{}
	s.bus = rig.Subscribe(tb, "mqtt://"+broker, s.hear, "zwave/#", ownMark)
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

// take returns what was sent since the last call, once the broker has delivered
// everything.
func (s *spy) take(ctx context.Context) []written {
	s.marks++
	want := s.marks
	_ = s.bus.Publish(ctx, ownMark, fmt.Append(nil, want))
	rig.Within(ctx, rig.Patience, func() bool {
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
