package broker

import (
	"sync"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// neverSeconds is an interval longer than the broker runs: a hundred years.
const neverSeconds = 100 * 365 * 24 * 60 * 60

// retaining is the hook that keeps clients from reading the retained messages while one
// of them is kept or cleared. The library (2.7.9) changes its tree of topics under a
// lock, but reads it for a new subscription without one. So this hook holds a lock of
// ours around both. It must be the last hook, so that no other hook changes or refuses a
// message once the lock is held.
type retaining struct {
	mochi.HookBase
	// tree is held for writing from OnPublish or OnWill until OnRetainMessage, and for
	// reading from the acknowledgement of a subscription until it was processed.
	tree *sync.RWMutex

	mu      sync.Mutex
	readers map[*mochi.Client]bool // the clients that hold tree for reading
}

func newRetaining(tree *sync.RWMutex) *retaining {
	return &retaining{tree: tree, readers: map[*mochi.Client]bool{}}
}

// ID names the hook.
func (*retaining) ID() string { return "retaining" }

// Provides tells the library which of the hook's methods to call.
func (*retaining) Provides(b byte) bool {
	switch b {
	case mochi.OnPublish, mochi.OnWill, mochi.OnRetainMessage, mochi.OnPacketSent, mochi.OnPacketProcessed:
		return true
	}
	return false
}

// OnPublish takes the lock for a message that the library keeps next.
func (r *retaining) OnPublish(_ *mochi.Client, p packets.Packet) (packets.Packet, error) {
	if p.FixedHeader.Retain {
		r.tree.Lock()
	}
	return p, nil
}

// OnWill does the same for a last will. The library keeps a delayed one later, but no
// will is delayed here (see guests).
func (r *retaining) OnWill(_ *mochi.Client, w mochi.Will) (mochi.Will, error) {
	if w.Retain {
		r.tree.Lock()
	}
	return w, nil
}

// OnRetainMessage releases the lock: the message is kept.
func (r *retaining) OnRetainMessage(*mochi.Client, packets.Packet, int64) { r.tree.Unlock() }

// OnPacketSent takes the lock for a client whose subscription was acknowledged: the
// library looks up the retained messages for it next, in the same goroutine.
func (r *retaining) OnPacketSent(cl *mochi.Client, p packets.Packet, _ []byte) {
	if p.FixedHeader.Type != packets.Suback {
		return
	}
	r.tree.RLock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers[cl] = true
}

// OnPacketProcessed releases the lock: the retained messages were looked up. It was not
// taken if the acknowledgement could not be sent.
func (r *retaining) OnPacketProcessed(cl *mochi.Client, p packets.Packet, _ error) {
	if p.FixedHeader.Type != packets.Subscribe {
		return
	}
	r.mu.Lock()
	held := r.readers[cl]
	delete(r.readers, cl)
	r.mu.Unlock()
	if held {
		r.tree.RUnlock()
	}
}
