package worker

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// frame is one message on the pipe, little-endian: type (1 byte), kind (1 byte,
// the handler's own), sequence (4 bytes), length (4 bytes), payload. Requests
// count 1, 2, 3, …; a reply or failure carries its request's number; events have
// their own count. A number out of turn means that something else wrote to the
// pipe, and ends the child.
type frame struct {
	typ     frameType
	kind    byte
	seq     uint32
	payload []byte
}

type frameType byte

const (
	typeRequest frameType = 'Q'
	typeReply   frameType = 'R'
	typeFailure frameType = 'F' // the payload is the reason, as text
	typeEvent   frameType = 'E'
)

const headerSize = 10

// MaxPayload bounds one frame: four minutes of 16 kHz sound.
const MaxPayload = 8 << 20

func readFrame(r *bufio.Reader) (frame, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{typ: frameType(head[0]), kind: head[1], seq: binary.LittleEndian.Uint32(head[2:])}
	size := binary.LittleEndian.Uint32(head[6:])
	switch f.typ {
	case typeRequest, typeReply, typeFailure, typeEvent:
	default:
		return frame{}, fmt.Errorf("reading the worker's pipe: %q is no frame; something else wrote to it", head[:])
	}
	if size > MaxPayload {
		return frame{}, fmt.Errorf("reading the worker's pipe: a frame of %d bytes; the limit is %d", size, MaxPayload)
	}
	f.payload = make([]byte, size)
	if _, err := io.ReadFull(r, f.payload); err != nil {
		return frame{}, fmt.Errorf("reading the worker's pipe: a frame is cut off: %w", err)
	}
	return f, nil
}

// frameWriter writes whole frames, from several goroutines, each with one
// system call.
type frameWriter struct {
	mu     sync.Mutex
	w      io.Writer
	buf    []byte
	events uint32
}

func (w *frameWriter) write(f frame) error {
	if len(f.payload) > MaxPayload {
		return fmt.Errorf("writing to the worker's pipe: %d bytes; the limit is %d", len(f.payload), MaxPayload)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.typ == typeEvent {
		w.events++
		f.seq = w.events
	}
	w.buf = append(w.buf[:0], byte(f.typ), f.kind)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, f.seq)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(f.payload)))
	w.buf = append(w.buf, f.payload...)
	_, err := w.w.Write(w.buf)
	if cap(w.buf) > 1<<20 {
		w.buf = nil // do not keep the memory of a long clip
	}
	return err
}
