package broker

import (
	"log/slog"
	"strings"
	"sync"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// Bounds of what the broker keeps for others. A house of 232 nodes has about 15,000
// retained values of a few hundred bytes each; the service may use 512 MB in all.
const (
	maxRetained      = 30_000
	maxRetainedBytes = 32 << 20
	warnEvery        = time.Minute
)

// shelf is the hook that bounds retained messages. One that does not fit is still
// delivered, but not kept.
type shelf struct {
	mochi.HookBase
	log    *slog.Logger
	topics *mochi.TopicsIndex // of the server
	tree   *sync.RWMutex      // see retaining

	mu     sync.Mutex
	sizes  map[string]int // of the retained messages, by topic
	bytes  int
	warned time.Time
}

// ID names the hook.
func (*shelf) ID() string { return "shelf" }

// Provides tells the library which of the hook's methods to call.
func (*shelf) Provides(b byte) bool {
	switch b {
	case mochi.OnPublish, mochi.OnWill, mochi.OnRetainMessage, mochi.OnRetainedExpired:
		return true
	}
	return false
}

// OnPublish removes the retain flag from a message for which there is no room.
func (s *shelf) OnPublish(cl *mochi.Client, p packets.Packet) (packets.Packet, error) {
	if p.FixedHeader.Retain && len(p.Payload) > 0 && !s.fits(cl, p) {
		p.FixedHeader.Retain = false
	}
	return p, nil
}

// OnWill does the same for a last will.
func (s *shelf) OnWill(cl *mochi.Client, w mochi.Will) (mochi.Will, error) {
	p := packets.Packet{TopicName: w.TopicName, Payload: w.Payload, Properties: packets.Properties{User: w.User}}
	w.Retain = w.Retain && (len(w.Payload) == 0 || s.fits(cl, p))
	return w, nil
}

// fits reports whether there is room for a retained message, and logs from time to time
// that there is none.
func (s *shelf) fits(cl *mochi.Client, p packets.Packet) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	former, known := s.sizes[p.TopicName]
	if reasonable(p.TopicName) && s.bytes-former+retainedSize(p) <= maxRetainedBytes && (known || len(s.sizes) < maxRetained) {
		return true
	}
	if now := time.Now(); now.Sub(s.warned) >= warnEvery {
		s.warned = now
		s.log.Warn("a retained message was not kept: the embedded broker keeps 30,000 of them, 32 MB in all, of topics of at most 1 KiB and 32 levels; a house that needs more wants a broker of its own (mqtt.broker)",
			"client", cl.ID, "topic", p.TopicName, "kept", len(s.sizes), "bytes", s.bytes)
	}
	return false
}

// OnRetainMessage counts what is kept.
func (s *shelf) OnRetainMessage(_ *mochi.Client, p packets.Packet, _ int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(p.TopicName)
	if len(p.Payload) > 0 {
		s.sizes[p.TopicName] = retainedSize(p)
		s.bytes += retainedSize(p)
	}
}

// OnRetainedExpired takes off a message that its sender wanted to be kept for a time
// only. The library would keep its topic for ever.
func (s *shelf) OnRetainedExpired(topic string) {
	s.tree.Lock()
	defer s.tree.Unlock()
	if _, again := s.topics.Retained.Get(topic); again {
		return
	}
	s.topics.RetainMessage(packets.Packet{TopicName: topic})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(topic)
}

// forget takes a topic off. The caller holds the lock.
func (s *shelf) forget(topic string) {
	s.bytes -= s.sizes[topic]
	delete(s.sizes, topic)
}

// What the library takes beside the bytes of a message, measured.
const (
	overhead     = 1 << 10 // for the message
	pairOverhead = 64      // for a property that its sender added
	levelBytes   = 640     // for each level of a retained message's topic over levelsShared
	levelsShared = 6       // the topics of a house have so many levels, and their number is bounded already
)

// retainedSize is what a retained message takes in memory, roughly.
func retainedSize(p packets.Packet) int {
	return sizeOf(p) + levelBytes*max(0, strings.Count(p.TopicName, "/")+1-levelsShared)
}

// sizeOf is what a message takes in memory, roughly.
func sizeOf(p packets.Packet) int {
	size := overhead + len(p.TopicName) + len(p.Payload) + len(p.Properties.CorrelationData) + len(p.Properties.ContentType) + len(p.Properties.ResponseTopic)
	for _, u := range p.Properties.User {
		size += pairOverhead + len(u.Key) + len(u.Val)
	}
	return size
}
