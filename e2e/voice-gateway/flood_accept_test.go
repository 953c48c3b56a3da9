//go:build accept

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/mqtt"
)

// floodTime is how long the flood lasts; the environment may ask for more:
//
//	VOICE_GATEWAY_FLOOD=20m go test -tags accept -run TestAcceptAFlood -v -timeout 30m ./e2e/voice-gateway
const floodTime = 12 * time.Second

// floodLeast is what the broker must have taken, in bytes, for the flood to show
// anything: more than it may keep and let wait.
const floodLeast = 128 << 20

// Bounds of the flooded gateway: half of what its service may use beside the
// simulated house, and what the doors of HTTP and of the broker let in.
const (
	floodMemory      = 448 << 20
	floodDescriptors = 700
	floodGoroutines  = 1600
)

// TestAcceptAFlood: 2,000 connections that say nothing or never finish, to the HTTP
// server and to the embedded broker, and a broker flooded with retained messages, with
// messages for clients that take none or never come back, and with large packets that
// never end. The gateway answers all the while, and its
// memory, descriptors and goroutines stay bounded. It runs alone, because it takes all
// of a small machine.
func TestAcceptAFlood(t *testing.T) {
	lasts := floodTime
	if asked := os.Getenv("VOICE_GATEWAY_FLOOD"); asked != "" {
		var err error
		if lasts, err = time.ParseDuration(asked); err != nil {
			t.Fatal(err)
		}
	}
	addr := fake.FreeAddr(t)
	_, web, _ := daemon(t, "", "VOICE_GATEWAY_MQTT_EMBEDDED_LISTEN="+addr, "GOGC=")
	eventually(t, "the broker listens", func() bool { return reachable(t, addr) })
	family := listen(t, "mqtt://"+addr, "voice/#")
	eventually(t, "it is online", func() bool { return family.has("voice/test/availability", "online") })
	meter := newMeter(t, web)
	before := meter.read(t)

	ctx, cancel := context.WithTimeout(t.Context(), lasts+patience)
	defer cancel()
	var flood sync.WaitGroup
	var poured atomic.Int64
	for i := range 2000 {
		flood.Go(func() { hang(ctx, i, web, addr) })
	}
	for i := range 4 {
		flood.Go(func() { deafen(ctx, i, addr) })
		flood.Go(func() { pour(ctx, i, "mqtt://"+addr, &poured) })
	}
	flood.Go(func() { comeAndGo(ctx, addr) })
	most, asked := before, 0
	for begun := time.Now(); ctx.Err() == nil && (time.Since(begun) < lasts || poured.Load() < floodLeast); { // a busy machine takes longer to be flooded
		asked++
		family.say(t, "ask", fmt.Sprintf(`{"id":"f%d","text":"what time is it"}`, asked))
		eventually(t, "it answers in the flood", func() bool { return family.has("voice/test/turn", fmt.Sprintf(`"f%d"`, asked), `"outcome":"done"`) })
		most = most.max(meter.read(t))
		rest(ctx)
	}
	cancel()
	flood.Wait()
	t.Logf("flood of %v, %d MB poured, %d asks answered", lasts, poured.Load()>>20, asked)
	if poured.Load() < floodLeast {
		t.Errorf("that was no flood: %d MB", poured.Load()>>20)
	}
	t.Logf("before: %v", before)
	t.Logf("most:   %v", most)
	if most.memory > floodMemory || most.descriptors > floodDescriptors || most.goroutines > floodGoroutines {
		t.Errorf("it is not bounded: %v", most)
	}
	eventually(t, "goroutines and descriptors come back", func() bool {
		after := meter.read(t)
		return after.goroutines < before.goroutines+20 && after.descriptors < before.descriptors+20
	})
	t.Logf("after:  %v", meter.read(t))
}

func reachable(t *testing.T, addr string) bool {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// rest waits a moment between two questions.
func rest(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// hang keeps a connection that says nothing, or begins something and never ends it,
// and comes back a moment after it was thrown out.
func hang(ctx context.Context, i int, web, broker string) {
	to, words := web, ""
	switch i % 4 {
	case 1:
		words = "POST /api/ask HTTP/1.1\r\nHost: " + web + "\r\nContent-Type: application/json\r\nContent-Length: 15000\r\n\r\n{\"text\":"
	case 2:
		words = "GET /healthz HTTP/1.1\r\nHost: " + web
	case 3:
		to = broker
	}
	for ctx.Err() == nil {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", to); err == nil {
			end := context.AfterFunc(ctx, func() { _ = c.Close() })
			_, _ = io.WriteString(c, words)
			_, _ = io.Copy(io.Discard, c)
			end()
			_ = c.Close()
		}
		rest(ctx)
	}
}

// deafen makes a client of the broker that subscribes to the flood and reads nothing of
// it.
func deafen(ctx context.Context, i int, addr string) {
	for ctx.Err() == nil {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr); err == nil {
			end := context.AfterFunc(ctx, func() { _ = c.Close() })
			hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
			hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession, hello.ClientIdentifier = "MQTT", 4, i%2 == 0, fmt.Sprintf("deaf-%d", i)
			sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
			sub.MessageID, sub.Topics, sub.Qoss = 1, []string{"flood/#"}, []byte{byte(i / 2)}
			if hello.Write(c) == nil && sub.Write(c) == nil {
				<-ctx.Done()
			}
			end()
			_ = c.Close()
		}
		rest(ctx)
	}
}

// comeAndGo is one client after the other that wants its messages to wait and never
// comes back for them. Every second one announces a large packet before it goes.
func comeAndGo(ctx context.Context, addr string) {
	for n := 0; ctx.Err() == nil; n++ {
		if c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr); err == nil {
			end := context.AfterFunc(ctx, func() { _ = c.Close() })
			hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
			hello.ProtocolName, hello.ProtocolVersion, hello.ClientIdentifier = "MQTT", 4, fmt.Sprint("once-", n)
			sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
			sub.MessageID, sub.Topics, sub.Qoss = 1, []string{"flood/#"}, []byte{1}
			if hello.Write(c) == nil && sub.Write(c) == nil && n%2 == 0 {
				_, _ = c.Write([]byte{0x30, 0x80, 0x80, 0x80, 0x07}) // 14 MB
			}
			_ = c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
			_, _ = io.Copy(io.Discard, c)
			end()
			_ = c.Close()
		}
		rest(ctx)
	}
}

// pour publishes as fast as the broker takes it: every second message is retained, on
// a topic of its own.
func pour(ctx context.Context, i int, broker string, poured *atomic.Int64) {
	c, err := mqtt.New(mqtt.Config{URL: broker}, slog.New(slog.DiscardHandler))
	if err != nil {
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = c.Run(ctx) })
	payload := make([]byte, 100<<10)
	for n := 0; ctx.Err() == nil; n++ {
		publish := c.Publish
		if n%2 == 0 {
			publish = c.PublishRetained
		}
		if publish(ctx, fmt.Sprintf("flood/%d/%d", i, n), payload) != nil {
			rest(ctx)
			continue
		}
		poured.Add(int64(len(payload)))
	}
}

// meter reads what the gateway reports about itself, over one connection that it keeps.
type meter struct {
	client http.Client
	url    string
}

func newMeter(t *testing.T, web string) *meter {
	t.Helper()
	m := &meter{client: http.Client{Timeout: patience}, url: "http://" + web + "/metrics"}
	t.Cleanup(m.client.CloseIdleConnections)
	return m
}

// usage is what a process takes of the machine.
type usage struct{ memory, descriptors, goroutines float64 }

func (u usage) String() string {
	return fmt.Sprintf("%.0f MB, %.0f descriptors, %.0f goroutines", u.memory/(1<<20), u.descriptors, u.goroutines)
}

func (u usage) max(o usage) usage {
	return usage{max(u.memory, o.memory), max(u.descriptors, o.descriptors), max(u.goroutines, o.goroutines)}
}

// read reads the usage; it tries again while the door is full.
func (m *meter) read(t *testing.T) (u usage) {
	t.Helper()
	eventually(t, "the metrics answer", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := m.client.Do(r)
		if err != nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		found := []float64{0, 0, 0}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), " ")
			if at := slices.Index([]string{"process_resident_memory_bytes", "process_open_fds", "go_goroutines"}, name); at >= 0 {
				found[at], _ = strconv.ParseFloat(value, 64)
			}
		}
		u = usage{found[0], found[1], found[2]}
		return u.goroutines > 0
	})
	return u
}
