package broker

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// shelved publishes a retained message as the library does, and reports whether it
// is kept.
func shelved(t *testing.T, s *shelf, topic string, size int) bool {
	t.Helper()
	p := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Publish, Retain: true}, TopicName: topic, Payload: make([]byte, size)}
	p, err := s.OnPublish(&mochi.Client{ID: "flood"}, p)
	if err != nil {
		t.Fatal(err)
	}
	if p.FixedHeader.Retain {
		s.OnRetainMessage(nil, p, 1)
	}
	return p.FixedHeader.Retain
}

func newShelf() *shelf {
	return &shelf{log: slog.New(slog.DiscardHandler), topics: mochi.NewTopicsIndex(), tree: &sync.RWMutex{}, sizes: map[string]int{}}
}

// A client that floods the broker does not fill the machine's memory; what is
// cleared or becomes smaller makes room.
func TestRetainedBytesAreBounded(t *testing.T) {
	t.Parallel()
	s := newShelf()
	const size = 4 << 20
	for i := range 12 {
		if kept, room := shelved(t, s, fmt.Sprintf("flood/%02d", i), size), i < 7; kept != room {
			t.Errorf("message %d is kept: %v, expected %v", i, kept, room)
		}
	}
	if !shelved(t, s, "flood/00", size) {
		t.Error("a message that replaces one of its size is not kept")
	}
	shelved(t, s, "flood/00", 0)
	if !shelved(t, s, "flood/11", size) {
		t.Error("a cleared message made no room")
	}
	if shelved(t, s, "flood/12", size) {
		t.Error("a message over the bound is kept")
	}
}

// Many small messages are bounded by their number.
func TestRetainedTopicsAreBounded(t *testing.T) {
	t.Parallel()
	s := newShelf()
	for i := range maxRetained {
		if !shelved(t, s, fmt.Sprint(i), 1) {
			t.Fatalf("message %d is not kept", i)
		}
	}
	if shelved(t, s, "one more", 1) || !shelved(t, s, "7", 2) || len(s.sizes) != maxRetained {
		t.Errorf("%d messages are kept, expected %d with the newest value of each", len(s.sizes), maxRetained)
	}
}

// Topics that are too long or too deep are not kept, and neither are last wills without
// room. A message that expires makes room, and its topic is not kept either.
func TestWhatElseIsNotKept(t *testing.T) {
	t.Parallel()
	s := newShelf()
	for name, topic := range map[string]string{"long": strings.Repeat("x", maxFilter+1), "deep": strings.Repeat("a/", maxLevels)} {
		if shelved(t, s, topic, 1) {
			t.Errorf("a %s topic is kept", name)
		}
	}
	will := mochi.Will{TopicName: "will", Payload: make([]byte, 1<<20), Retain: true}
	for i := range 31 {
		shelved(t, s, fmt.Sprint(i), 1<<20)
	}
	if w, err := s.OnWill(&mochi.Client{}, will); err != nil || w.Retain {
		t.Errorf("a will over the bound is kept, %v", err)
	}
	p := packets.Packet{TopicName: "0", Payload: []byte("x"), FixedHeader: packets.FixedHeader{Retain: true}}
	s.topics.RetainMessage(p)
	s.topics.Retained.Delete("0") // as the library does it
	s.OnRetainedExpired("0")
	if w, err := s.OnWill(&mochi.Client{}, will); err != nil || !w.Retain {
		t.Errorf("a will that fits is not kept, %v", err)
	}
	if len(s.sizes) != 30 || len(s.topics.Messages("#")) != 0 {
		t.Errorf("%d messages are kept", len(s.sizes))
	}
}
