package broker

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"voicegateway/internal/ground/mqtt"
)

// words is a log that two goroutines may use.
type words struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// logging runs a broker and returns its log.
func logging(t *testing.T) (*Broker, *words) {
	t.Helper()
	log := &words{}
	b, err := New(Config{Listen: "127.0.0.1:0"}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	b.room = 4 << 20
	start(t, b)
	if err := b.Ready(bounded(t)); err != nil {
		t.Fatal(err)
	}
	return b, log
}

// dial opens a connection to a broker.
func dial(t *testing.T, b *Broker) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(bounded(t), "tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// deaf is a client that subscribes to flood/# and then reads nothing.
func deaf(t *testing.T, b *Broker, qos byte) net.Conn {
	t.Helper()
	c := greeted(t, b, fmt.Sprintf("deaf-%d", qos))
	subscribe(t, c, qos)
	return c
}

// greeted is a client that was let in.
func greeted(t *testing.T, b *Broker, id string) net.Conn {
	t.Helper()
	hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession, hello.ClientIdentifier = "MQTT", 4, true, id
	c := dial(t, b)
	exchange(t, c, hello)
	return c
}

// subscribe asks for all messages below flood.
func subscribe(t *testing.T, c net.Conn, qos byte) {
	t.Helper()
	sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	sub.MessageID, sub.Topics, sub.Qoss = 1, []string{"flood/#"}, []byte{qos}
	exchange(t, c, sub)
}

// exchange sends a packet and reads the answer.
func exchange(t *testing.T, c net.Conn, p packets.ControlPacket) {
	t.Helper()
	if err := p.Write(c); err != nil {
		t.Fatal(err)
	}
	if _, err := packets.ReadPacket(c); err != nil {
		t.Fatal(err)
	}
}

// A client that does not read its messages loses them before the machine runs out of
// memory; the sender and all other clients keep working.
func TestTheBacklogIsBounded(t *testing.T) {
	t.Parallel()
	for qos := range byte(2) {
		t.Run(fmt.Sprintf("quality %d", qos), func(t *testing.T) {
			t.Parallel()
			b, log := logging(t)
			slow := deaf(t, b, qos)
			if qos > 0 { // this one reads, but acknowledges nothing
				go func() { _, _ = io.Copy(io.Discard, slow) }()
			}
			c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
			payload := make([]byte, b.room/4)
			for i := range 24 {
				if err := c.AwaitConnected(bounded(t)); err != nil {
					t.Fatal(err)
				}
				if err := c.Publish(bounded(t), fmt.Sprintf("flood/%d", i), payload); err != nil {
					t.Fatal(err)
				}
			}
			if !strings.Contains(log.String(), fmt.Sprintf("client=deaf-%d", qos)) {
				t.Errorf("the deaf client keeps its messages:\n%s", log)
			}
		})
	}
}

// A client that asks for the retained messages and takes none of them is parted with
// as well.
func TestRetainedMessagesWaitToo(t *testing.T) {
	t.Parallel()
	for qos := range byte(2) {
		t.Run(fmt.Sprintf("quality %d", qos), func(t *testing.T) {
			t.Parallel()
			b, log := logging(t)
			c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
			if err := c.AwaitConnected(bounded(t)); err != nil {
				t.Fatal(err)
			}
			for i := range 24 {
				if err := c.PublishRetained(bounded(t), fmt.Sprintf("flood/%d", i), make([]byte, b.room/4)); err != nil {
					t.Fatal(err)
				}
			}
			id := fmt.Sprintf("lazy-%d", qos)
			lazy := greeted(t, b, id)
			subscribe(t, lazy, qos)
			for ctx := bounded(t); !strings.Contains(log.String(), "client="+id) && ctx.Err() == nil; {
				_, _ = lazy.Write([]byte{0xc0, 0}) // an error means that it was cut already
			}
			if !strings.Contains(log.String(), "client="+id) {
				t.Errorf("it keeps its messages:\n%s", log)
			}
		})
	}
}

// Connections without a client are bounded: the one that has said nothing for longest
// makes room for a new one, which may be a client. One that sends a lot before it is
// let in is closed as well.
func TestStrangersAreBounded(t *testing.T) {
	t.Parallel()
	b, log := logging(t)
	talker := dial(t, b)
	_, _ = talker.Write([]byte{0x10, 0xff, 0xff, 0xff, 0x0f}) // an introduction of 32 MB
	_, _ = talker.Write(make([]byte, 2*greetingBytes))        // an error means that it was cut already
	if _, err := io.Copy(io.Discard, talker); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the talker: %v", err)
	}
	known := greeted(t, b, "known")
	first := dial(t, b)
	for range maxConnections {
		dial(t, b)
	}
	if n, err := first.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("one connection too many stays open: %d, %v", n, err)
	}
	subscribe(t, greeted(t, b, "late"), 0)
	subscribe(t, known, 0)
	if !strings.Contains(log.String(), "too many connections") {
		t.Errorf("the log says nothing:\n%s", log)
	}
}

// A client that subscribes to far too much is disconnected.
func TestFiltersAreBounded(t *testing.T) {
	t.Parallel()
	tests := map[string]func(i int) string{
		"many": func(i int) string { return fmt.Sprintf("flood/%d", i) },
		"long": func(i int) string { return strings.Repeat("f", i*40) },
	}
	for name, filter := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, log := logging(t)
			greedy := greeted(t, b, "greedy")
			cut := make(chan struct{})
			go func() {
				defer close(cut)
				_, _ = io.Copy(io.Discard, greedy)
			}()
			for i := range maxFilters + 1 {
				sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
				sub.MessageID, sub.Topics, sub.Qoss = uint16(i+1), []string{filter(i + 1)}, []byte{0} //nolint:gosec // far below the largest
				if sub.Write(greedy) != nil {
					break // it was cut already
				}
			}
			select {
			case <-cut:
			case <-bounded(t).Done():
			}
			subscribe(t, greeted(t, b, "modest"), 0)
			if !strings.Contains(log.String(), "client=greedy") {
				t.Errorf("the greedy client keeps what it subscribed to:\n%s", log)
			}
		})
	}
}

// What the gateways of a house subscribe to is let in: the deepest is for values with
// names of sixteen parts below a prefix.
func TestDeepFiltersOfAHouseAreLetIn(t *testing.T) {
	t.Parallel()
	b, log := logging(t)
	c := client(t, mqtt.Config{URL: "mqtt://" + b.Addr()})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.Subscribe(bounded(t), "house/one/zwave/"+strings.Repeat("+/", 16)+"set", func(string, []byte, bool) {}); err != nil {
		t.Errorf("%v:\n%s", err, log)
	}
}
