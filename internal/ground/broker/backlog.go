package broker

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

const (
	// maxBacklog bounds the bytes of all messages that wait for clients which do not
	// take them.
	maxBacklog = 64 << 20
	// pending is how many messages may be on their way to one client. The library reserves
	// room for this number with each connection.
	pending = 8 << 10
	// burst is how many bytes of retained messages may be on their way to a client that
	// has just asked for them. It gets the next ones when it has taken these.
	burst = 256 << 10
	// burstPause is how often a client is looked at that takes nothing.
	burstPause = time.Second
	// maxListed bounds the bytes of the lists that the library makes of the retained
	// messages for all clients which are being sent them.
	maxListed = 32 << 20
	// listedBytes is what it takes for each of these messages, measured.
	listedBytes = 800
)

var errTooSlow = errors.New("it does not take its messages, and others need the room")

// backlog is the hook that bounds what waits for slow clients. When there is too
// much, the client for which most waits loses its connection. The
// library copies a message for every client that gets it.
type backlog struct {
	mochi.HookBase
	server *mochi.Server
	log    *slog.Logger
	most   int // bytes that may wait in all

	lists *intake
	tree  *sync.RWMutex // see retaining

	mu     sync.Mutex
	loads  map[*mochi.Client]*load
	bytes  int
	listed map[*mochi.Client]int // bytes of the lists that are in use
}

// load is what waits for one client.
type load struct {
	counted int            // what of it is in the sum of all clients
	plain   int            // bytes of messages that are sent once
	marked  int            // bytes of messages on their way that are marked as retained; below zero when one was sent before it is counted
	sure    int            // bytes of messages that have to be acknowledged
	sizes   map[uint16]int // of these messages, by their number
	sent    chan struct{}  // capacity one: a message that is marked as retained was sent
}

func newLoad() *load { return &load{sizes: map[uint16]int{}, sent: make(chan struct{}, 1)} }

// took takes off a message that is marked as retained.
func (l *load) took(size int) {
	l.marked = max(l.marked-size, -size)
	select {
	case l.sent <- struct{}{}:
	default:
	}
}

// acknowledge sets what a message that the client has to acknowledge still takes.
func (l *load) acknowledge(number uint16, size int) {
	l.sure += size - l.sizes[number]
	if l.sizes[number] = size; size == 0 {
		delete(l.sizes, number)
	}
}

func newBacklog(server *mochi.Server, tree *sync.RWMutex, log *slog.Logger, most int) *backlog {
	return &backlog{
		server: server, log: log, most: most, lists: newIntake(maxListed), tree: tree,
		loads: map[*mochi.Client]*load{}, listed: map[*mochi.Client]int{},
	}
}

// ID names the hook.
func (*backlog) ID() string { return "backlog" }

// Provides tells the library which of the hook's methods to call.
func (*backlog) Provides(b byte) bool {
	switch b {
	case mochi.OnPublish, mochi.OnPublishDropped, mochi.OnRetainPublished, mochi.OnPacketSent, mochi.OnSubscribed, mochi.OnPacketProcessed,
		mochi.OnQosPublish, mochi.OnQosComplete, mochi.OnQosDropped, mochi.OnDisconnect:
		return true
	}
	return false
}

// OnPublish counts a message for every client that gets it without acknowledging.
func (b *backlog) OnPublish(from *mochi.Client, p packets.Packet) (packets.Packet, error) {
	for id, sub := range b.server.Topics.Subscribers(p.TopicName).Subscriptions {
		if cl, ok := b.server.Clients.Get(id); ok && !cl.Closed() && min(p.FixedHeader.Qos, sub.Qos) == 0 && (!sub.NoLocal || id != from.ID) {
			b.change(cl, plainly(cl, sub, p, sizeOf(p)))
		}
	}
	return p, nil
}

// OnPublishDropped subtracts a message for which the client's queue had no room.
func (b *backlog) OnPublishDropped(cl *mochi.Client, p packets.Packet) {
	sub, ok := b.server.Topics.Subscribers(p.TopicName).Subscriptions[cl.ID]
	if ok && min(p.FixedHeader.Qos, sub.Qos) == 0 {
		b.change(cl, plainly(cl, sub, p, -sizeOf(p)))
	}
}

// plainly changes what waits for a client by a message that it does not acknowledge.
// The library marks a retained one for those who want to know.
func plainly(cl *mochi.Client, sub packets.Subscription, p packets.Packet, size int) func(*load) {
	if p.FixedHeader.Retain && sub.RetainAsPublished && cl.Properties.ProtocolVersion == 5 {
		return func(l *load) { l.marked += size }
	}
	return func(l *load) { l.plain = max(0, l.plain+size) }
}

// OnRetainPublished counts a retained message for a client that has asked for it, and
// holds up the client until it has taken those before. It runs in the goroutine that
// reads from this client. The message may have been sent already.
func (b *backlog) OnRetainPublished(cl *mochi.Client, p packets.Packet) {
	b.change(cl, func(l *load) { l.marked += sizeOf(p) })
	if b.bursting(cl) == nil {
		return
	}
	b.tree.RUnlock() // otherwise no client could publish a retained message while this one is slow
	defer b.tree.RLock()
	for {
		sent := b.bursting(cl)
		switch {
		case sent == nil || cl.Closed():
			return
		case broken(cl):
			b.expel(cl)
			return
		}
		select {
		case <-sent:
		case <-time.After(burstPause):
		}
	}
}

// bursting returns what tells that a retained message was sent to a client; nil if no
// more are on their way than may be.
func (b *backlog) bursting(cl *mochi.Client) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.loads[cl]; l != nil && l.marked > burst {
		return l.sent
	}
	return nil
}

// broken reports whether nothing more can be sent to a client. The library learns of a
// broken connection only when it reads from it.
func broken(cl *mochi.Client) bool {
	conn, ok := cl.Net.Conn.(*trackedConn)
	return ok && conn.closed.Load()
}

// OnSubscribed waits until there is room for the list of retained messages that the
// library makes for a client whose filter has wildcards. If there is no room, the client
// is disconnected and gets no messages.
func (b *backlog) OnSubscribed(cl *mochi.Client, p packets.Packet, codes []byte) {
	if !slices.ContainsFunc(p.Filters, func(s packets.Subscription) bool { return strings.ContainsAny(s.Filter, "+#") }) {
		return
	}
	size := b.server.Topics.Retained.Len() * listedBytes
	if !b.lists.waitForRoom(size) {
		for i := range codes {
			codes[i] = packets.ErrQuotaExceeded.Code
		}
		b.expel(cl)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listed[cl] = size
}

// OnPacketProcessed gives back the room of the list of retained messages: they have
// been sent.
func (b *backlog) OnPacketProcessed(cl *mochi.Client, p packets.Packet, _ error) {
	if p.FixedHeader.Type != packets.Subscribe {
		return
	}
	b.mu.Lock()
	size := b.listed[cl]
	delete(b.listed, cl)
	b.mu.Unlock()
	b.lists.give(size)
}

// OnPacketSent takes off a message that was sent.
func (b *backlog) OnPacketSent(cl *mochi.Client, p packets.Packet, _ []byte) {
	switch size := sizeOf(p); {
	case p.FixedHeader.Type != packets.Publish:
	case p.FixedHeader.Retain:
		b.change(cl, func(l *load) { l.took(size) })
	case p.FixedHeader.Qos == 0:
		b.change(cl, func(l *load) { l.plain = max(0, l.plain-size) })
	}
}

// OnQosPublish counts a message that has to be acknowledged, and what we keep to
// acknowledge one in two steps. The library has a message once to be sent and once to be
// repeated.
func (b *backlog) OnQosPublish(cl *mochi.Client, p packets.Packet, _ int64, _ int) {
	b.change(cl, func(l *load) { l.acknowledge(p.PacketID, overhead+sizeOf(p)) })
}

// OnQosComplete takes off a message that was acknowledged.
func (b *backlog) OnQosComplete(cl *mochi.Client, p packets.Packet) {
	b.change(cl, func(l *load) { l.acknowledge(p.PacketID, 0) })
}

// OnQosDropped takes off a message that was given up.
func (b *backlog) OnQosDropped(cl *mochi.Client, p packets.Packet) { b.OnQosComplete(cl, p) }

// OnDisconnect forgets a client: its session ends with its connection.
func (b *backlog) OnDisconnect(cl *mochi.Client, _ error, _ bool) {
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
		b.expel(slow)
	}
}

// expel parts with a client that takes nothing, and at once with what was about to be
// sent to it. The library ends its session when it has noticed.
func (b *backlog) expel(cl *mochi.Client) {
	cl.Stop(errTooSlow)
	b.server.UnsubscribeClient(cl)
	cl.ClearInflights()
	b.OnDisconnect(cl, nil, true)
	b.log.Warn("a client of the embedded broker was disconnected: its messages waited too long", "client", cl.ID, "bytes", b.most)
}

// count changes the load of a client. If the total is then too large, it returns the
// client with the most waiting.
func (b *backlog) count(cl *mochi.Client, change func(*load)) (slowest *mochi.Client) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.loads[cl]
	if l == nil {
		l = newLoad()
		b.loads[cl] = l
	}
	change(l)
	b.settle(cl, l)
	if b.bytes > b.most {
		b.forgetReplaced()
	}
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

// forgetReplaced forgets connections that another one of the same name has replaced, or
// that the library has forgotten: something may have been counted for them since they
// ended. The caller holds the lock.
func (b *backlog) forgetReplaced() {
	for cl := range b.loads {
		if now, ok := b.server.Clients.Get(cl.ID); !ok || now != cl {
			b.forget(cl)
		}
	}
}

// settle sums up what waits for a client, and forgets one that waits for nothing.
func (b *backlog) settle(cl *mochi.Client, l *load) {
	b.bytes -= l.counted
	l.counted = l.plain + max(l.marked, 0) + l.sure
	b.bytes += l.counted
	if l.counted == 0 && l.marked == 0 {
		delete(b.loads, cl)
	}
}
