package broker

import (
	"bytes"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	paho "github.com/eclipse/paho.mqtt.golang/packets"
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// library is a server of the library that listens nowhere.
func library() *mochi.Server {
	return mochi.New(&mochi.Options{Capabilities: capabilities(), Logger: slog.New(slog.DiscardHandler)})
}

// gone is a client that is away and has a subscription.
func gone(s *mochi.Server, id string) *mochi.Client {
	cl := s.NewClient(nil, "test", id, false)
	cl.Stop(nil)
	sub := packets.Subscription{Filter: "house/" + id}
	s.Topics.Subscribe(id, sub)
	cl.State.Subscriptions.Add(sub.Filter, sub)
	s.Clients.Add(cl)
	return cl
}

func subscribers(s *mochi.Server, id string) int {
	return len(s.Topics.Subscribers("house/" + id).Subscriptions)
}

// The broker keeps a copy of what it needs of a packet, so that the packet itself can be
// freed.
func TestPacketsAreNotKept(t *testing.T) {
	t.Parallel()
	p := packets.Packet{
		FixedHeader: packets.FixedHeader{Type: packets.Publish}, Mods: packets.Mods{AllowResponseInfo: true}, ProtocolVersion: 5, TopicName: "house/lamp", Payload: []byte("on"),
		Properties: packets.Properties{ContentType: "text", ResponseTopic: "answer", CorrelationData: []byte("1"), User: []packets.UserProperty{{Key: "k", Val: "v"}}},
	}
	var sent bytes.Buffer
	if err := p.PublishEncode(&sent); err != nil {
		t.Fatal(err)
	}
	body := sent.Bytes()[2:]
	got := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Publish, Remaining: len(body)}, ProtocolVersion: 5}
	if err := got.PublishDecode(body); err != nil {
		t.Fatal(err)
	}
	got, err := (&guests{}).OnPacketRead(nil, got)
	clear(body)
	props := got.Properties
	if err != nil || got.TopicName != p.TopicName || props.ContentType != "text" || props.ResponseTopic != "answer" ||
		string(props.CorrelationData) != "1" || props.User[0] != p.Properties.User[0] {
		t.Errorf("it changed with its packet: %q %+v, %v", got.TopicName, props, err)
	}
}

// However many clients come and go, only a bounded number of sessions is remembered, and
// nothing is left of the others.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	s := library()
	waiting := newBacklog(s, &sync.RWMutex{}, slog.New(slog.DiscardHandler), maxBacklog)
	g := &guests{server: s, part: waiting.part}
	for i := range 3 * maxAway {
		id := fmt.Sprint(i)
		g.OnSessionEstablish(s.NewClient(nil, "test", id, false), packets.Packet{})
		waiting.OnQosPublish(gone(s, id), packets.Packet{PacketID: 1, Payload: make([]byte, 100)}, 0, 0)
		if s.Clients.Len() > maxAway || len(waiting.loads) > maxAway {
			t.Fatalf("%d clients are remembered, and messages of %d", s.Clients.Len(), len(waiting.loads))
		}
	}
	left := 0
	for i := range 3 * maxAway {
		left += subscribers(s, fmt.Sprint(i))
	}
	if left != maxAway {
		t.Errorf("%d subscriptions are left of %d clients", left, s.Clients.Len())
	}
	expired := gone(s, "expired")
	g.OnClientExpired(expired)
	if subscribers(s, "expired") != 0 {
		t.Error("a client that expired is still subscribed")
	}
}

// The messages for a client that comes back still count, and messages counted for a
// replaced connection do not make other clients lose theirs.
func TestInheritedMessagesCount(t *testing.T) {
	t.Parallel()
	s := library()
	b := newBacklog(s, &sync.RWMutex{}, slog.New(slog.DiscardHandler), 4<<20)
	before := gone(s, "lamp")
	b.OnQosPublish(before, packets.Packet{PacketID: 7, Payload: make([]byte, 1<<20)}, 0, 0)
	after := s.NewClient(nil, "test", "lamp", false)
	b.OnSessionEstablish(after, packets.Packet{})
	if l := b.loads[after]; l == nil || l.counted < 1<<20 {
		t.Fatalf("of the new connection is counted %+v", l)
	}
	s.Clients.Add(after)
	b.OnPublishDropped(before, packets.Packet{TopicName: "house/lamp"})
	other := s.NewClient(nil, "test", "other", false)
	s.Clients.Add(other)
	b.OnQosPublish(other, packets.Packet{PacketID: 7, Payload: make([]byte, 5<<19)}, 0, 0)
	if other.Closed() || after.Closed() || b.loads[before] != nil || b.bytes > 4<<20 {
		t.Errorf("a client lost its connection for what is counted twice: %d bytes", b.bytes)
	}
}

// A shared subscription is refused, and so is a large packet that brings no message.
func TestWhatCannotBeCountedIsRefused(t *testing.T) {
	t.Parallel()
	b, _ := logging(t)
	c := greeted(t, b, "shares")
	sub, _ := paho.NewControlPacket(paho.Subscribe).(*paho.SubscribePacket)
	sub.MessageID, sub.Topics, sub.Qoss = 1, []string{"$share/all/flood/#", "flood/#"}, []byte{0, 0}
	if err := sub.Write(c); err != nil {
		t.Fatal(err)
	}
	answer, err := paho.ReadPacket(c)
	if ack, ok := answer.(*paho.SubackPacket); err != nil || !ok || !bytes.Equal(ack.ReturnCodes, []byte{0x80, 0}) {
		t.Errorf("the answer is %v, %v", answer, err)
	}
	if _, err := c.Write([]byte{0x82, 0x80, 0x80, 0x08}); err != nil { // 128 KiB of filters
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("it goes on with %d bytes", n)
	}
}

// The lists of retained messages for clients have bounded room, which is given back; a
// client without room is disconnected.
func TestListsOfRetainedMessagesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := library()
		b := newBacklog(s, &sync.RWMutex{}, slog.New(slog.DiscardHandler), maxBacklog)
		b.lists = newIntake(2 * listedBytes)
		s.Topics.RetainMessage(packets.Packet{TopicName: "house/lamp", Payload: []byte("on")})
		ask := func(id, filter string) (*mochi.Client, packets.Packet, []byte) {
			cl, codes := s.NewClient(nil, "test", id, false), []byte{0}
			s.Clients.Add(cl)
			p := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Subscribe}, Filters: packets.Subscriptions{{Filter: filter}}}
			b.OnSubscribed(cl, p, codes)
			return cl, p, codes
		}
		first, p, _ := ask("first", "#")
		ask("second", "house/+")
		if exact, _, codes := ask("exact", "house/lamp"); exact.Closed() || codes[0] != 0 {
			t.Error("a filter without wildcards had to wait")
		}
		if third, _, codes := ask("third", "#"); !third.Closed() || codes[0] < packets.ErrUnspecifiedError.Code {
			t.Errorf("one list too many is made: %v", codes)
		}
		b.OnPacketProcessed(first, p, nil)
		if fourth, _, codes := ask("fourth", "#"); fourth.Closed() || codes[0] != 0 {
			t.Errorf("the room was not given back: %v", codes)
		}
	})
}
