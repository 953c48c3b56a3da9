package sim

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// nowhere is a bus that only counts messages.
type nowhere struct {
	mu    sync.Mutex
	count int
	bytes int
}

func (b *nowhere) Publish(_ context.Context, _ string, payload []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	b.bytes += len(payload)
	return nil
}

func (b *nowhere) PublishRetained(ctx context.Context, topic string, payload []byte) error {
	return b.Publish(ctx, topic, payload)
}

func (b *nowhere) Subscribe(context.Context, string, func(string, []byte, bool)) error { return nil }

// largest returns a house of the largest size: 231 nodes and the controller, 60 values
// each.
func largest() House {
	h := House{HomeID: 1}
	for id := 2; id <= maxNode; id++ {
		spec := NodeSpec{ID: id, Name: fmt.Sprintf("Device %d", id), Location: fmt.Sprintf("Room %d", id%20), Kind: "meter_switch"}
		for i := range 60 - 15 {
			spec.Extra = append(spec.Extra, ValueSpec{ID: fmt.Sprintf("112-0-%d", i+1), Type: "number", Label: fmt.Sprintf("Parameter %d", i+1), Writeable: true, Value: i})
		}
		h.Nodes = append(h.Nodes, spec)
	}
	return h
}

func TestLargestHouse(t *testing.T) {
	cfg := Config{House: largest(), Prefix: "zwave", Gateway: "G", Scale: 1}
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		values := 0
		must(t, s.ask(t.Context(), func() {
			for _, n := range s.net.nodes {
				values += len(n.values)
			}
		}))
		if values != 231*60 {
			t.Errorf("%d values", values)
		}
		if got := len(b.taken()); got < values {
			t.Errorf("the start published %d messages for %d values", got, values)
		}
		for range eventsKept { // what makes a real answer big
			must(t, s.ask(t.Context(), func() {
				for _, id := range s.net.order {
					must(t, s.apply(Fault{Op: "report", Node: id, Key: "50-0-value-66049", Value: 1}))
				}
			}))
		}
		wait(time.Second)
		b.taken()
		b.handle("zwave/_CLIENTS/ZWAVE_GATEWAY-G/api/getNodes/set", []byte(`{"args":[]}`), false)
		wait(time.Second)
		for _, m := range b.taken() {
			if m.topic == "zwave/_CLIENTS/ZWAVE_GATEWAY-G/api/getNodes" {
				if len(m.payload) < 10e6 {
					t.Errorf("getNodes has %d bytes", len(m.payload))
				}
				return
			}
		}
		t.Error("getNodes was not answered")
	})
}

func BenchmarkStart(b *testing.B) {
	cfg := Config{House: largest(), Prefix: "zwave", Gateway: "G", Scale: 1}
	for b.Loop() {
		s, err := New(cfg, &nowhere{}, quiet())
		if err != nil {
			b.Fatal(err)
		}
		s.greet()
		b.ReportMetric(float64(len(s.mqtt.out.list)), "messages")
	}
}

func BenchmarkGetNodes(b *testing.B) {
	s, err := New(Config{House: largest(), Prefix: "zwave", Gateway: "G", Scale: 1}, &nowhere{}, quiet())
	if err != nil {
		b.Fatal(err)
	}
	s.greet()
	size := 0
	for b.Loop() {
		s.mqtt.out.list = nil
		s.apiMessage("getNodes", nil)
		s.clock.timers.run(time.Now().Add(time.Second))
		size = len(s.mqtt.out.list[0].payload)
	}
	b.ReportMetric(float64(size)/1e6, "MB")
}

// BenchmarkReports measures state messages from the device to the bus.
func BenchmarkReports(b *testing.B) {
	bus := &nowhere{}
	s, err := New(Config{House: largest(), Prefix: "zwave", Gateway: "G", Scale: 1}, bus, quiet())
	if err != nil {
		b.Fatal(err)
	}
	s.greet()
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() { publish(ctx, s.mqtt.out, bus, quiet()) })
	drain(ctx, s.mqtt.out)
	i := 0
	for b.Loop() {
		n := s.net.nodes[2+i%231]
		s.mqtt.report(n, n.values[i%len(n.values)])
		i++
	}
	drain(ctx, s.mqtt.out)
	b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "messages/s")
	cancel()
	wg.Wait()
}
