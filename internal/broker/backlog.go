package broker

import (
	"errors"
	"log/slog"
	"sync"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// maxBacklog bounds the bytes of all messages that wait for clients which do not
// take them. It is twice what the shelf keeps, so that a client that has just asked
// for all retained messages is not the slowest one by that alone.
const maxBacklog = 64 << 20

var errTooSlow = errors.New("it does not take its messages, and others need the room")

// backlog is the hook that bounds what waits for slow clients. When there is too
// much, the client for which most waits loses its connection and its session. The
// library copies a message for every client that gets it.
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
	kept    bool           // the last retained message is one that it has to acknowledge
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
	case mochi.OnPublish, mochi.OnRetainPublished, mochi.OnPacketSent, mochi.OnQosPublish, mochi.OnQosComplete, mochi.OnQosDropped,
		mochi.OnSessionEstablished, mochi.OnDisconnect, mochi.OnClientExpired:
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

// OnRetainPublished counts a retained message for a client that has asked for it,
// unless that has to acknowledge it: then OnQosPublish has counted it before.
func (b *backlog) OnRetainPublished(cl *mochi.Client, p packets.Packet) {
	b.change(cl, func(l *load) {
		if !l.kept {
			l.plain += sizeOf(p)
		}
		l.kept = false
	})
}

// OnPacketSent takes off a message that is sent once.
func (b *backlog) OnPacketSent(cl *mochi.Client, p packets.Packet, _ []byte) {
	if p.FixedHeader.Type == packets.Publish && p.FixedHeader.Qos == 0 {
		b.change(cl, func(l *load) { l.plain = max(0, l.plain-sizeOf(p)) })
	}
}

// OnQosPublish counts a message that the client has to acknowledge.
func (b *backlog) OnQosPublish(cl *mochi.Client, p packets.Packet, _ int64, _ int) {
	if p.FixedHeader.Type == packets.Publish {
		b.change(cl, func(l *load) {
			l.acknowledge(p.PacketID, sizeOf(p))
			l.kept = p.FixedHeader.Retain
		})
	}
}

// OnQosComplete takes off a message that was acknowledged.
func (b *backlog) OnQosComplete(cl *mochi.Client, p packets.Packet) {
	b.change(cl, func(l *load) { l.acknowledge(p.PacketID, 0) })
}

// OnQosDropped takes off a message that was given up.
func (b *backlog) OnQosDropped(cl *mochi.Client, p packets.Packet) { b.OnQosComplete(cl, p) }

// OnSessionEstablished forgets the connection whose session a client has taken over.
func (b *backlog) OnSessionEstablished(cl *mochi.Client, _ packets.Packet) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for other := range b.loads {
		if other != cl && other.ID == cl.ID {
			b.forget(other)
		}
	}
}

// OnDisconnect forgets a client that does not come back for its messages, and parts
// with one that was too slow. What was about to be sent to another one stays in
// memory as long as its session.
func (b *backlog) OnDisconnect(cl *mochi.Client, _ error, gone bool) {
	switch {
	case gone:
		b.OnClientExpired(cl)
	case errors.Is(cl.StopCause(), errTooSlow):
		b.part(cl)
	}
}

// OnClientExpired forgets a client.
func (b *backlog) OnClientExpired(cl *mochi.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(cl)
}

// forget takes off all that waits for a client. The caller holds the lock.
func (b *backlog) forget(cl *mochi.Client) {
	if l := b.loads[cl]; l != nil {
		b.bytes -= l.counted
		delete(b.loads, cl)
	}
}

// change changes what waits for a client, and parts with the slowest one when too
// much waits in all.
func (b *backlog) change(cl *mochi.Client, change func(*load)) {
	if slow := b.count(cl, change); slow != nil {
		slow.Stop(errTooSlow)
		b.part(slow)
		b.log.Warn("a client of the embedded broker was disconnected: its messages waited too long", "client", slow.ID, "bytes", b.most)
	}
}

// part ends the session of a client that was disconnected, as the library does when
// it expires: what was about to be sent to it can be reached in no other way.
func (b *backlog) part(cl *mochi.Client) {
	if cl.IsTakenOver() {
		return
	}
	cl.ClearInflights()
	b.server.UnsubscribeClient(cl)
	if now, ok := b.server.Clients.Get(cl.ID); ok && now == cl {
		b.server.Clients.Delete(cl.ID)
	}
	b.OnClientExpired(cl)
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
	b.forget(slowest)
	return slowest
}

// settle sums up what waits for a client, and forgets one that waits for nothing.
func (b *backlog) settle(cl *mochi.Client, l *load) {
	b.bytes -= l.counted
	l.counted = l.plain + l.sure
	b.bytes += l.counted
	if l.counted == 0 {
		delete(b.loads, cl)
	}
}
