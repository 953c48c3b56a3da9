package broker

import (
	"log/slog"
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
	log *slog.Logger

	mu     sync.Mutex
	sizes  map[string]int // of the retained messages, by topic
	bytes  int
	warned time.Time
}

// ID names the hook.
func (*shelf) ID() string { return "shelf" }

// Provides tells the library which of the hook's methods to call.
func (*shelf) Provides(b byte) bool { return b == mochi.OnPublish || b == mochi.OnRetainMessage }

// OnPublish takes the retain flag from a message for which there is no room.
func (s *shelf) OnPublish(cl *mochi.Client, p packets.Packet) (packets.Packet, error) {
	if !p.FixedHeader.Retain || len(p.Payload) == 0 {
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	former, known := s.sizes[p.TopicName]
	if s.bytes-former+sizeOf(p) <= maxRetainedBytes && (known || len(s.sizes) < maxRetained) {
		return p, nil
	}
	p.FixedHeader.Retain = false
	if now := time.Now(); now.Sub(s.warned) >= warnEvery {
		s.warned = now
		s.log.Warn("a retained message was not kept: the embedded broker keeps 30,000 of them, 32 MB in all; a house that needs more wants a broker of its own (mqtt.broker)",
			"client", cl.ID, "topic", p.TopicName, "kept", len(s.sizes), "bytes", s.bytes)
	}
	return p, nil
}

// OnRetainMessage counts what is kept.
func (s *shelf) OnRetainMessage(_ *mochi.Client, p packets.Packet, _ int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= s.sizes[p.TopicName]
	delete(s.sizes, p.TopicName)
	if len(p.Payload) > 0 {
		s.sizes[p.TopicName] = sizeOf(p)
		s.bytes += sizeOf(p)
	}
}

// overhead is what the library's form of a message takes beside its bytes, roughly.
const overhead = 1 << 10

// sizeOf is what a message takes in memory, roughly.
func sizeOf(p packets.Packet) int { return overhead + len(p.TopicName) + len(p.Payload) }
