package broker

import (
	"errors"
	"sync"
	"time"
)

// Bounds of the large packets that clients send at the same time. The library takes
// memory for a packet as soon as it is announced, and copies it once it is there.
const (
	maxPacket   = 16 << 20 // the largest answer seen from zwave-js-ui is 10 MB
	largePacket = 256 << 10
	maxIntake   = maxPacket + maxPacket/2
	intakeTime  = 20 * time.Second // for a large packet to find room, and then to come in
)

var errNoRoom = errors.New("too many large packets come in at once")

// intake bounds the room for large things, such as incoming packets, of which there must
// not be too many at once. It is safe for concurrent use.
type intake struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	freed chan struct{} // closed when room was given back
	ended chan struct{} // closed when waiting ends
	end   func()        // closes it
}

func newIntake(most int) *intake {
	i := &intake{most: most, freed: make(chan struct{}), ended: make(chan struct{})}
	i.end = sync.OnceFunc(func() { close(i.ended) })
	return i
}

// waitForRoom waits for room, and reports whether there was any in time.
func (i *intake) waitForRoom(size int) bool {
	late := time.NewTimer(intakeTime)
	defer late.Stop()
	for {
		i.mu.Lock()
		if i.bytes+size <= i.most {
			i.bytes += size
			i.mu.Unlock()
			return true
		}
		freed := i.freed
		i.mu.Unlock()
		select {
		case <-freed:
		case <-i.ended:
			return false
		case <-late.C:
			return false
		}
	}
}

// give gives room back.
func (i *intake) give(size int) {
	if size == 0 {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.bytes -= size
	close(i.freed)
	i.freed = make(chan struct{})
}

// framing follows where the packets of one connection begin and end. The zero value
// stands before the first packet.
type framing struct {
	kind     byte // of the packet
	inLength bool // the bytes that tell how long the packet is are being read
	length   int  // what they told so far
	shift    int
	left     int // bytes of the packet that are still to come
}

// next reads up to the end of the next packet's header, or of p. It returns what is
// left of p, and the length of the packet if its header was complete.
func (f *framing) next(p []byte) (rest []byte, length int, begun bool) {
	if skip := min(f.left, len(p)); skip > 0 {
		f.left -= skip
		p = p[skip:]
	}
	for len(p) > 0 {
		b := p[0]
		p = p[1:]
		if !f.inLength { // the type of the packet
			f.kind, f.inLength, f.length, f.shift = b>>4, true, 0, 0
			continue
		}
		f.length |= int(b&0x7f) << f.shift
		f.shift += 7
		if b&0x80 == 0 || f.shift > 28 { // the library refuses a longer length
			f.inLength, f.left = false, f.length
			return p, f.length, true
		}
	}
	return nil, 0, false
}
