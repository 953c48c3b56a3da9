package broker

import (
	"errors"
	"log/slog"
	"sync"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// maxBacklog bounds the bytes of all messages that wait for clients which do not
// take them. Retained messages do not count: the shelf bounds them.
const maxBacklog = 64 << 20

var errTooSlow = errors.New("it does not take its messages, and others need the room")

// backlog is the hook that bounds what waits for slow clients. When there is too
// much, the client for which most waits loses its connection and its messages.
type backlog struct {
	mochi.HookBase
	server *mochi.Server
	log    *slog.Logger
	most   int // bytes that may wait in all

	mu    sync.Mutex
	loads map[*mochi.Client]*load
	bytes int
}

// load is what waits for one client.
type load struct {
	counted int            // what of it is in the sum of all clients
	plain   int            // bytes of messages that are sent once
	sure    int            // bytes of messages that the client has to acknowledge
	sizes   map[uint16]int // of these messages, by their number
}

// acknowledge sets what a message that the client has to acknowledge still takes.
func (l *load) acknowledge(number uint16, size int) {
	l.sure += size - l.sizes[number]
	if l.sizes[number] = size; size == 0 {
		delete(l.sizes, number)
	}
}

func newBacklog(server *mochi.Server, log *slog.Logger, most int) *backlog {
	return &backlog{server: server, log: log, most: most, loads: map[*mochi.Client]*load{}}
}

// ID names the hook.
func (*backlog) ID() string { return "backlog" }

// Provides tells the library which of the hook's methods to call.
func (*backlog) Provides(b byte) bool {
	switch b {
	case mochi.OnPublish, mochi.OnPacketSent, mochi.OnQosPublish, mochi.OnQosComplete, mochi.OnQosDropped, mochi.OnDisconnect, mochi.OnClientExpired:
		return true
	}
	return false
}

// OnPublish counts a message for every client that gets it without acknowledging.
func (b *backlog) OnPublish(_ *mochi.Client, p packets.Packet) (packets.Packet, error) {
	for id, sub := range b.server.Topics.Subscribers(p.TopicName).Subscriptions {
		if cl, ok := b.server.Clients.Get(id); ok && !cl.Closed() && min(p.FixedHeader.Qos, sub.Qos) == 0 {
			b.change(cl, func(l *load) { l.plain += sizeOf(p) })
		}
	}
	return p, nil
}

// OnPacketSent takes off a message that is sent once.
func (b *backlog) OnPacketSent(cl *mochi.Client, p packets.Packet, _ []byte) {
	if p.FixedHeader.Type == packets.Publish && p.FixedHeader.Qos == 0 && !p.FixedHeader.Retain {
		b.change(cl, func(l *load) { l.plain = max(0, l.plain-sizeOf(p)) })
	}
}

// OnQosPublish counts a message that the client has to acknowledge.
func (b *backlog) OnQosPublish(cl *mochi.Client, p packets.Packet, _ int64, _ int) {
	if p.FixedHeader.Type == packets.Publish && !p.FixedHeader.Retain {
		b.change(cl, func(l *load) { l.acknowledge(p.PacketID, sizeOf(p)) })
	}
}

// OnQosComplete takes off a message that was acknowledged.
func (b *backlog) OnQosComplete(cl *mochi.Client, p packets.Packet) {
	b.change(cl, func(l *load) { l.acknowledge(p.PacketID, 0) })
}

// OnQosDropped takes off a message that was given up.
func (b *backlog) OnQosDropped(cl *mochi.Client, p packets.Packet) { b.OnQosComplete(cl, p) }

// OnDisconnect takes off what was about to be sent, and all of a client that does
// not come back for it.
func (b *backlog) OnDisconnect(cl *mochi.Client, _ error, gone bool) {
	if gone {
		b.OnClientExpired(cl)
		return
	}
	b.change(cl, func(l *load) { l.plain = 0 })
}

// OnClientExpired forgets a client.
func (b *backlog) OnClientExpired(cl *mochi.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.loads[cl]; l != nil {
		b.bytes -= l.counted
		delete(b.loads, cl)
	}
}

// change changes what waits for a client, and parts with the slowest one when too
// much waits in all.
func (b *backlog) change(cl *mochi.Client, change func(*load)) {
	if slow := b.count(cl, change); slow != nil {
		b.log.Warn("a client of the embedded broker was disconnected: its messages waited too long", "client", slow.ID, "bytes", b.most)
		slow.Stop(errTooSlow)
		slow.ClearInflights()
	}
}

// count changes what waits for a client, and returns the client for which most
// waits if that is too much in all.
func (b *backlog) count(cl *mochi.Client, change func(*load)) (slowest *mochi.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.loads[cl]
	if l == nil {
		l = &load{sizes: map[uint16]int{}}
		b.loads[cl] = l
	}
	change(l)
	b.settle(cl, l)
	if b.bytes <= b.most {
		return nil
	}
	most := 0
	for other, l := range b.loads {
		if l.counted > most {
			slowest, most = other, l.counted
		}
	}
	b.bytes -= most
	delete(b.loads, slowest)
	return slowest
}

// settle sums up what waits for a client, and forgets one that waits for nothing.
func (b *backlog) settle(cl *mochi.Client, l *load) {
	if cl.Closed() {
		l.plain = 0 // the library throws away what was about to be sent
	}
	b.bytes -= l.counted
	l.counted = l.plain + l.sure
	b.bytes += l.counted
	if l.counted == 0 {
		delete(b.loads, cl)
	}
}
