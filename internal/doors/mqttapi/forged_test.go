package mqttapi

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/doors"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/ground/order"
)

// exchange is a broker between several gateways: what one publishes comes to all who
// asked for the topic, itself too.
type exchange struct {
	mu      sync.Mutex
	handles map[string][]func(topic string, payload []byte, retained bool)
	sent    map[string][]string
}

func newExchange() *exchange {
	return &exchange{handles: map[string][]func(topic string, payload []byte, retained bool){}, sent: map[string][]string{}}
}

func (x *exchange) Publish(ctx context.Context, topic string, payload []byte) error {
	return x.PublishRetained(ctx, topic, payload)
}

func (x *exchange) PublishRetained(_ context.Context, topic string, payload []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sent[topic] = append(x.sent[topic], string(payload))
	for _, handle := range x.handles[topic] {
		handle(topic, payload, false)
	}
	return nil
}

func (x *exchange) Subscribe(_ context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.handles[filter] = append(x.handles[filter], handle)
	return nil
}

func (x *exchange) on(topic string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.sent[topic])
}

// join runs a gateway at the exchange until the test ends.
func (x *exchange) join(t *testing.T) *API {
	t.Helper()
	a, err := New("kitchen", x, &order.Lines{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Run(ctx, doors.Parts{}) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	a.Connected()
	synctest.Wait()
	return a
}

// TestForgedWordsArePutRight: a forged message is replaced at once, then at most every
// ten seconds. Our own messages that come back are not forgeries, however quickly they
// follow each other.
func TestForgedWordsArePutRight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newExchange()
		a := x.join(t)
		for _, state := range []string{"listening", "thinking", "listening", "idle"} {
			a.State(state)
		}
		synctest.Wait()
		if got := x.on("voice/kitchen/state"); !slices.Equal(got, []string{"idle", "listening", "thinking", "listening", "idle"}) {
			t.Errorf("our own words: %q", got)
		}
		for range 3 {
			for topic, word := range map[string]string{"/availability": "offline", "/state": "", "/volume": "11"} {
				_ = x.PublishRetained(t.Context(), "voice/kitchen"+topic, []byte(word))
			}
			synctest.Wait()
		}
		if got := x.on("voice/kitchen/availability"); !slices.Equal(got, []string{"online", "offline", "online", "offline", "offline"}) {
			t.Errorf("at once: %q", got)
		}
		<-time.After(mendPause)
		synctest.Wait()
		if got := x.on("voice/kitchen/availability"); len(got) != 6 || got[5] != "online" {
			t.Errorf("after the pause: %q", got)
		}
		if got := x.on("voice/kitchen/state"); got[len(got)-1] != "idle" {
			t.Errorf("states: %q", got)
		}
		if got := x.on("voice/kitchen/volume"); len(got) != 3 {
			t.Errorf("a volume that nobody knows was put right: %q", got)
		}
	})
}

// TestTwoGatewaysWithTheSameTopicsDoNotFlood bounds what they publish against each
// other.
func TestTwoGatewaysWithTheSameTopicsDoNotFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		x := newExchange()
		x.join(t).Muted(true)
		x.join(t).Muted(false)
		<-time.After(time.Minute)
		synctest.Wait()
		if got := x.on("voice/kitchen/muted"); len(got) < 4 || len(got) > 20 {
			t.Errorf("%d words within a minute: %q", len(got), got)
		}
	})
}
