package broker

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	paho "github.com/eclipse/paho.mqtt.golang/packets"
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"

	_ "voicegateway/internal/fake/bubble"
)

// library is a server of the library that listens nowhere.
func library() *mochi.Server {
	return mochi.New(&mochi.Options{Capabilities: capabilities(), Logger: slog.New(slog.DiscardHandler)})
}

// subscriber is a client with a subscription.
func subscriber(s *mochi.Server, id string) *mochi.Client {
	cl := s.NewClient(nil, "test", id, false)
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

// A client's session ends with its connection, whatever it asks for: nothing waits for
// it, and it is told so. A program that waits for what it missed subscribes again.
func TestSessionsEndWithTheirConnections(t *testing.T) {
	t.Parallel()
	for version, asked := range map[byte]packets.Properties{
		4: {}, 5: {SessionExpiryInterval: 3600, SessionExpiryIntervalFlag: true, TopicAliasMaximum: 100},
	} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			b, _ := logging(t)
			hello := packets.Packet{
				FixedHeader: packets.FixedHeader{Type: packets.Connect}, ProtocolVersion: version, Properties: asked,
				Connect: packets.ConnectParams{ProtocolName: []byte("MQTT"), ClientIdentifier: "lamp", Keepalive: 60},
			}
			sender := greeted(t, b, "sender")
			for range 3 {
				c := dial(t, b)
				ack := said(t, c, hello.ConnectEncode, version)
				if err := ack.ConnackDecode(ack.Payload); err != nil {
					t.Fatal(err)
				}
				if ack.SessionPresent || version == 5 && (!ack.Properties.SessionExpiryIntervalFlag || ack.Properties.SessionExpiryInterval != 0) {
					t.Fatalf("it is told of a session: present %v, for %d s", ack.SessionPresent, ack.Properties.SessionExpiryInterval)
				}
				sub := packets.Packet{
					FixedHeader: packets.FixedHeader{Type: packets.Subscribe, Qos: 1}, ProtocolVersion: version, PacketID: 1,
					Filters: packets.Subscriptions{{Filter: "house/lamp", Qos: 1}},
				}
				if ack := said(t, c, sub.SubscribeEncode, version); ack.FixedHeader.Type != packets.Suback {
					t.Fatalf("a message waited for it: a packet of type %d", ack.FixedHeader.Type)
				}
				_ = c.Close()
				p, _ := paho.NewControlPacket(paho.Publish).(*paho.PublishPacket)
				p.TopicName, p.Payload, p.Qos, p.MessageID = "house/lamp", []byte("on"), 1, 1
				exchange(t, sender, p)
			}
		})
	}
}

// said sends a packet and returns the head of the answer, with its body as the payload.
func said(t *testing.T, c net.Conn, encode func(*bytes.Buffer) error, version byte) packets.Packet {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 2) // the answers are shorter than 128 bytes
	if _, err := io.ReadFull(c, head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, head[1])
	if _, err := io.ReadFull(c, body); err != nil {
		t.Fatal(err)
	}
	return packets.Packet{FixedHeader: packets.FixedHeader{Type: head[0] >> 4, Remaining: len(body)}, ProtocolVersion: version, Payload: body}
}

// Of a client that is parted with nothing is left at once, and what is counted for a
// connection that was replaced does not cost others theirs.
func TestNothingIsLeftOfASlowClient(t *testing.T) {
	t.Parallel()
	s := library()
	b := newBacklog(s, &sync.RWMutex{}, slog.New(slog.DiscardHandler), 4<<20)
	slow := subscriber(s, "slow")
	large := packets.Packet{PacketID: 7, Payload: make([]byte, 5<<20)}
	slow.State.Inflight.Set(large)
	b.OnQosPublish(slow, large, 0, 0)
	if !slow.Closed() || subscribers(s, "slow") != 0 || slow.State.Inflight.Len() != 0 || len(b.loads) != 0 || b.bytes != 0 {
		t.Errorf("%d messages and %d bytes are left of it", slow.State.Inflight.Len(), b.bytes)
	}
	before := subscriber(s, "lamp")
	before.Stop(nil)
	after := subscriber(s, "lamp")
	b.OnQosPublish(before, packets.Packet{PacketID: 7, Payload: make([]byte, 2<<20)}, 0, 0) // it was on its way
	b.OnQosPublish(after, packets.Packet{PacketID: 7, Payload: make([]byte, 5<<19)}, 0, 0)
	if after.Closed() || b.loads[before] != nil || b.bytes > 4<<20 {
		t.Errorf("a client lost its connection for what is counted of the one before: %d bytes", b.bytes)
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
