package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/ground/broker"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/home"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// packet is one MQTT 3.1.1 packet. Messages are written by hand here so that the
// publisher costs next to nothing and the receiving side is what is measured.
func packet(kind byte, body []byte) []byte {
	out := []byte{kind}
	for n := len(body); ; {
		digit := byte(n % 128)
		if n /= 128; n == 0 {
			out = append(out, digit)
			break
		}
		out = append(out, digit|128)
	}
	return append(out, body...)
}

func text(s string) []byte { return append(binary.BigEndian.AppendUint16(nil, uint16(len(s))), s...) }

func message(topic, payload string) []byte { return packet(0x30, append(text(topic), payload...)) }

// intake is a house of the largest size behind a real broker: the simulated
// gateway, our client, the live model.
type intake struct {
	house     *zwave.House
	publisher net.Conn
	arrived   chan struct{} // receives when everything before a message to bench/mark has been handled
}

func newIntake(b *testing.B, nodes int) *intake {
	b.Helper()
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	b.Cleanup(func() { cancel(); wg.Wait() })
	log := slog.New(slog.DiscardHandler)
	hub, err := broker.New(broker.Config{Listen: "127.0.0.1:0"}, log)
	must(b, err)
	wg.Go(func() { _ = hub.Run(ctx) })
	must(b, hub.Ready(ctx))
	connect := func() *mqtt.Client {
		c, err := mqtt.New(mqtt.Config{URL: "mqtt://" + hub.Addr()}, log)
		must(b, err)
		wg.Go(func() { _ = c.Run(ctx) })
		must(b, c.AwaitConnected(ctx))
		return c
	}
	played := sim.DefaultConfig()
	var all home.House
	for i := range nodes {
		all.Entities = append(all.Entities, home.Entity{ID: fmt.Sprint(i), Name: fmt.Sprintf("Lamp %d", i), Area: "Room", Domain: "switch"})
	}
	played.House, _ = sim.FromHome(all)
	gateway, err := sim.New(played, connect(), log)
	must(b, err)
	wg.Go(func() { _ = gateway.Run(ctx) })

	receiver := connect()
	house, err := zwave.New(zwave.DefaultConfig(), receiver, log)
	must(b, err)
	in := &intake{house: house, arrived: make(chan struct{}, 1)}
	wg.Go(func() { _ = house.Run(ctx) })
	select {
	case <-house.Loaded():
	case <-time.After(time.Minute):
		b.Fatal("the house was not loaded")
	}
	if got := len(house.Home().Entities); got != nodes {
		b.Fatalf("%d entities of %d nodes", got, nodes)
	}
	must(b, receiver.Subscribe(ctx, "bench/mark", func(string, []byte, bool) { in.arrived <- struct{}{} }))
	in.publisher, err = (&net.Dialer{}).DialContext(ctx, "tcp", hub.Addr())
	must(b, err)
	b.Cleanup(func() { _ = in.publisher.Close() })
	_, err = in.publisher.Write(packet(0x10, append(append(text("MQTT"), 4, 2, 0, 0), text("publisher")...)))
	must(b, err)
	_, err = io.ReadFull(in.publisher, make([]byte, 4)) // CONNACK
	must(b, err)
	return in
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkIntake takes state messages from a broker's socket into the model of a house
// with 231 nodes and the controller.
func BenchmarkIntake(b *testing.B) {
	const nodes, batch = 231, 500 // fewer than a broker queues for one client
	in := newIntake(b, nodes)
	var bytes []byte
	for i := range batch {
		bytes = append(bytes, message(fmt.Sprintf("zwave/Room/Lamp_%d/switch_binary/endpoint_0/currentValue", i%nodes), `{"time":1795238308762,"value":true}`)...)
	}
	bytes = append(bytes, message("bench/mark", "")...)
	handled := 0
	for b.Loop() {
		if _, err := in.publisher.Write(bytes); err != nil {
			b.Fatal(err)
		}
		<-in.arrived
		handled += batch
	}
	for _, tool := range in.house.Tools() {
		if tool.Spec().Name != "list_devices" { // it tells the reports as they came
			continue
		}
		r, err := tool.Call(b.Context(), json.RawMessage(`{}`))
		if err != nil || !strings.Contains(string(r.Data), `"state":"on"`) || strings.Contains(string(r.Data), `"state":"off"`) {
			b.Fatalf("the messages did not arrive in the model: %s, %v", r.Data, err)
		}
	}
	b.ReportMetric(float64(handled)/b.Elapsed().Seconds(), "messages/s")
}
