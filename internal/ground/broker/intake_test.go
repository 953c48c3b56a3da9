package broker

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// packetOf is the bytes of a message with a payload of a size.
func packetOf(t *testing.T, size int) []byte {
	t.Helper()
	p, _ := packets.NewControlPacket(packets.Publish).(*packets.PublishPacket)
	p.TopicName, p.Payload = "flood/intake", make([]byte, size)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The beginning of every packet is found, however the bytes are cut.
func TestPacketsAreFound(t *testing.T) {
	t.Parallel()
	var all []byte
	var lengths []int
	for _, size := range []int{0, 1, 100, 127, 128, 200, 16_383, 20_000, 300_000, 0, 5} {
		p := packetOf(t, size)
		all = append(all, p...)
		lengths = append(lengths, size+len("flood/intake")+2)
	}
	all = append(all, 0xc0, 0) // a sign of life
	lengths = append(lengths, 0)
	for _, most := range []int{1, 2, 3, 7, 2048, 1 << 20} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			dice := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // nothing secret
			var f framing
			var found []int
			for rest := all; len(rest) > 0; {
				n := min(len(rest), 1+dice.IntN(most))
				piece := rest[:n]
				rest = rest[n:]
				for more, length, begun := f.next(piece); begun; more, length, begun = f.next(more) {
					found = append(found, length)
				}
			}
			if !slices.Equal(found, lengths) {
				t.Errorf("found %v, expected %v", found, lengths)
			}
		})
	}
}

func FuzzFraming(f *testing.F) {
	f.Add([]byte{0x30, 0x02, 1, 2, 0xc0, 0}, 1)
	f.Add([]byte{0x30, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, 3)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = min(max(at, 0), len(data))
		lengths := func(pieces ...[]byte) (all []int) {
			var f framing
			for _, p := range pieces {
				for rest, length, begun := f.next(p); begun; rest, length, begun = f.next(rest) {
					all = append(all, length)
				}
			}
			return all
		}
		if whole, cut := lengths(data), lengths(data[:at], data[at:]); !slices.Equal(whole, cut) {
			t.Errorf("whole %v, cut %v", whole, cut)
		}
	})
}

// Large packets find room one after the other; one that finds none in time is given up.
func TestTheIntakeIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		i := newIntake(maxIntake)
		if !i.waitForRoom(maxPacket) {
			t.Fatal("the first finds no room")
		}
		var second, third bool
		var wg sync.WaitGroup
		wg.Go(func() { second = i.waitForRoom(maxPacket) })
		synctest.Wait()
		i.give(maxPacket)
		wg.Wait()
		wg.Go(func() { third = i.waitForRoom(maxPacket) })
		wg.Wait()
		if !second || third || i.bytes != maxPacket {
			t.Errorf("second %v, third %v, %d bytes taken", second, third, i.bytes)
		}
	})
}

// Clients that announce much and send nothing do not keep others from sending, and
// what they took is given back when they are gone.
func TestAnnouncedPacketsAreBounded(t *testing.T) {
	t.Parallel()
	b, _ := logging(t)
	whole := packetOf(t, 2<<20)
	for i := range 8 {
		mute := greeted(t, b, fmt.Sprint("announces-", i))
		if _, err := mute.Write([]byte{0x30, 0x80, 0x80, 0x80, 0x07}); err != nil { // 14 MB
			t.Fatal(err)
		}
	}
	receiver := deaf(t, b, 0)
	sender := greeted(t, b, "sends")
	if _, err := sender.Write(whole); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(receiver, make([]byte, len(whole))); err != nil {
		t.Errorf("the message of the other client does not arrive: %v", err)
	}
}
