package broker

import (
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/eclipse/paho.mqtt.golang/packets"
	mochi "github.com/mochi-mqtt/server/v2/packets"
)

// publishRetained sends a message to be retained; an empty payload clears the topic.
func publishRetained(t *testing.T, c net.Conn, topic, payload string) {
	t.Helper()
	p, _ := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
	p.TopicName, p.Payload, p.Retain = topic, []byte(payload), true
	if err := p.Write(c); err != nil {
		t.Error(err)
	}
}

// ask subscribes to filters, and returns the topics of what is sent up to the given one.
func ask(t *testing.T, c net.Conn, last string, filters ...string) (topics []string) {
	t.Helper()
	sub, _ := packets.NewControlPacket(packets.Subscribe).(*packets.SubscribePacket)
	sub.MessageID, sub.Topics, sub.Qoss = 1, filters, make([]byte, len(filters))
	if err := sub.Write(c); err != nil {
		t.Error(err)
		return nil
	}
	for {
		p, err := packets.ReadPacket(c)
		if err != nil {
			t.Error(err)
			return nil
		}
		if m, ok := p.(*packets.PublishPacket); ok && m.Retain {
			if topics = append(topics, m.TopicName); m.TopicName == last {
				return topics
			}
		}
	}
}

// Retained messages are kept and cleared, by clients and by their last wills, while others
// ask for them. The race detector finds the places where the library reads what it writes.
func TestRetainedMessagesMayComeAndGoWhileOthersAsk(t *testing.T) {
	t.Parallel()
	b, _ := running(t, Config{Listen: "127.0.0.1:0"})
	last := greeted(t, b, "last")
	publishRetained(t, last, "last", "x")
	ask(t, last, "last", "last")

	var all sync.WaitGroup
	for i := range 3 {
		c := greeted(t, b, fmt.Sprint("publishes-", i))
		all.Go(func() {
			for n := range 600 {
				topic := fmt.Sprintf("house/%d/%d", i, n%20)
				publishRetained(t, c, topic, "x")
				publishRetained(t, c, topic, "")
			}
		})
		asking := greeted(t, b, fmt.Sprint("asks-", i))
		all.Go(func() {
			for range 100 {
				ask(t, asking, "last", "house/#", "house/+/7", "last")
			}
		})
		all.Go(func() {
			for n := range 20 {
				leave(t, b, fmt.Sprintf("house/wills/%d", n))
			}
		})
	}
	all.Wait()
}

// leave is a client that is lost at once, and has left a last will.
func leave(t *testing.T, b *Broker, topic string) {
	t.Helper()
	hello, _ := packets.NewControlPacket(packets.Connect).(*packets.ConnectPacket)
	hello.ProtocolName, hello.ProtocolVersion, hello.CleanSession, hello.ClientIdentifier = "MQTT", 4, true, "leaves-"+topic
	hello.WillFlag, hello.WillRetain, hello.WillTopic, hello.WillMessage = true, true, topic, []byte("x")
	c := dial(t, b)
	exchange(t, c, hello)
	_ = c.Close()
}

// A client that takes its retained messages slowly does not keep others from publishing
// theirs.
func TestASlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, tree := library(), &sync.RWMutex{}
		b, hook := newBacklog(s, tree, slog.New(slog.DiscardHandler), maxBacklog), newRetaining(tree)
		slow := s.NewClient(nil, "test", "slow", false)
		s.Clients.Add(slow)
		var reading sync.WaitGroup
		reading.Go(func() {
			hook.OnPacketSent(slow, mochi.Packet{FixedHeader: mochi.FixedHeader{Type: mochi.Suback}}, nil)
			b.OnRetainPublished(slow, mochi.Packet{Payload: make([]byte, 2*burst)})
			hook.OnPacketProcessed(slow, mochi.Packet{FixedHeader: mochi.FixedHeader{Type: mochi.Subscribe}}, nil)
		})
		synctest.Wait()
		if !tree.TryLock() {
			t.Error("nobody can publish while it waits")
		} else {
			tree.Unlock()
		}
		slow.Stop(nil)
		reading.Wait()
		if !tree.TryLock() {
			t.Error("it holds up others after it has left")
		}
	})
}

// The library's own messages about the broker ($SYS) are off: it keeps them past all
// hooks, so that nothing can guard them.
func TestTheBrokerSaysNothingOfItself(t *testing.T) {
	t.Parallel()
	b, _ := running(t, Config{Listen: "127.0.0.1:0"})
	c := greeted(t, b, "curious")
	publishRetained(t, c, "last", "x")
	if topics := ask(t, c, "last", "$SYS/#", "last"); slices.ContainsFunc(topics, func(s string) bool { return strings.HasPrefix(s, "$SYS") }) {
		t.Errorf("it keeps %v", topics)
	}
}
