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

	"voicegateway/internal/mqtt"
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
	c := dial(t, b)
	hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession = "MQTT", 4, true
	hello.ClientIdentifier = fmt.Sprintf("deaf-%d", qos)
	sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	sub.MessageID, sub.Topics, sub.Qoss = 1, []string{"flood/#"}, []byte{qos}
	for _, p := range []packets.ControlPacket{hello, sub} {
		if err := p.Write(c); err != nil {
			t.Fatal(err)
		}
		if _, err := packets.ReadPacket(c); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A client that does not take its messages loses them before the machine loses its
// memory; the one who sends them and everybody else go on.
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

// Connections without a client are closed when there are too many, and one that
// sends a lot before it is let in is closed as well.
func TestStrangersAreBounded(t *testing.T) {
	t.Parallel()
	b, log := logging(t)
	talker := dial(t, b)
	_, _ = talker.Write([]byte{0x10, 0xff, 0xff, 0xff, 0x0f}) // an introduction of 32 MB
	_, _ = talker.Write(make([]byte, 2*greetingBytes))        // an error means that it was cut already
	if _, err := io.Copy(io.Discard, talker); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the talker: %v", err)
	}
	for range maxConnections {
		dial(t, b)
	}
	last := dial(t, b)
	if n, err := last.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("one connection too many stays open: %d, %v", n, err)
	}
	if !strings.Contains(log.String(), "too many connections") {
		t.Errorf("the log says nothing:\n%s", log)
	}
}
