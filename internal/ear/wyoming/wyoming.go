// Package wyoming speaks the Wyoming protocol, with which programs reach speech services
// for homes over a socket: recognisers, wake words and voices. It exists so that the
// engines of three packages share one codec that trusts no peer and one connection that
// never hangs.
//
// An event is one line of JSON, optionally followed by more JSON and by raw bytes
// (docs/facts/engines.md, Wyoming). Conn carries events; services.go holds the events
// each kind of service wants. To use another kind of service, add its events there:
// events that are not asked for are ignored.
package wyoming

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
)

// Limits of one event in bytes. The protocol has none; events in use are far
// smaller: a chunk of sound has some kilobytes, the longest list of voices some
// hundred.
const (
	maxLine    = 64 << 10
	maxData    = 1 << 20
	maxPayload = 1 << 20
)

// Event is one message in either direction.
type Event struct {
	Type    string
	Data    json.RawMessage // a JSON object, nil where there is nothing in it
	Payload []byte          // raw bytes, such as sound
}

// header is the line an event begins with. A key that is absent and one that is
// null mean the same.
type header struct {
	Type          string          `json:"type"`
	Data          json.RawMessage `json:"data,omitempty"`
	DataLength    int64           `json:"data_length,omitempty"`
	PayloadLength int64           `json:"payload_length,omitempty"`
}

// New makes an event without payload; data becomes a JSON object.
func New(kind string, data any) (Event, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return Event{}, fmt.Errorf("making a %s event: %w", kind, err)
	}
	return Event{Type: kind, Data: raw}, nil
}

// Decode reads the event's data into dst, a pointer to a struct or map.
func (e Event) Decode(dst any) error {
	if len(e.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Data, dst); err != nil {
		return fmt.Errorf("reading the data of a %s event: %w", e.Type, err)
	}
	return nil
}

// ReadEvent reads the next event. io.EOF means that the stream ended between two
// events; after any other error nothing more can be read from it.
func ReadEvent(r *bufio.Reader) (Event, error) {
	line, err := readLine(r)
	if err != nil {
		return Event{}, err
	}
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return Event{}, fmt.Errorf("reading an event: its first line is not the JSON of one: %w", err)
	}
	switch {
	case h.Type == "":
		return Event{}, errors.New("reading an event: it has no type")
	case h.DataLength < 0 || h.DataLength > maxData:
		return Event{}, fmt.Errorf("reading an event: %d bytes of data; 0 to %d can be", h.DataLength, maxData)
	case h.PayloadLength < 0 || h.PayloadLength > maxPayload:
		return Event{}, fmt.Errorf("reading an event: %d bytes of payload; 0 to %d can be", h.PayloadLength, maxPayload)
	}
	more, err := readPart(r, h.DataLength)
	if err != nil {
		return Event{}, fmt.Errorf("reading the data of an event: %w", err)
	}
	e := Event{Type: h.Type}
	if e.Data, err = merge(h.Data, more); err != nil {
		return Event{}, err
	}
	if e.Payload, err = readPart(r, h.PayloadLength); err != nil {
		return Event{}, fmt.Errorf("reading the payload of an event: %w", err)
	}
	return e, nil
}

// readLine reads up to the end of the line.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fmt.Errorf("reading an event: its first line is over %d bytes; is this a Wyoming service?", maxLine)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("reading an event: %w", io.ErrUnexpectedEOF)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("reading an event: %w", err)
		}
	}
}

// readPart reads n bytes; memory grows with what really comes.
func readPart(r io.Reader, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, n); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// merge puts the second object over the first, key by key.
func merge(parts ...json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for _, part := range parts {
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		var one map[string]json.RawMessage
		if err := json.Unmarshal(part, &one); err != nil {
			return nil, fmt.Errorf("reading an event: its data is no JSON object: %w", err)
		}
		maps.Copy(all, one)
	}
	if len(all) == 0 {
		return nil, nil
	}
	merged, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("reading an event: its data: %w", err)
	}
	if len(merged) > maxData {
		return nil, fmt.Errorf("reading an event: over %d bytes of data", maxData)
	}
	return merged, nil
}

// WriteEvent writes an event in one piece, its data in the second part, where
// every reader looks for it.
func WriteEvent(w io.Writer, e Event) error {
	if e.Type == "" {
		return errors.New("writing an event: it has no type")
	}
	if len(e.Data) > maxData || len(e.Payload) > maxPayload {
		return fmt.Errorf("writing a %s event: %d bytes of data and %d of payload; at most %d and %d can be", e.Type, len(e.Data), len(e.Payload), maxData, maxPayload)
	}
	line, err := json.Marshal(header{Type: e.Type, DataLength: int64(len(e.Data)), PayloadLength: int64(len(e.Payload))})
	if err != nil {
		return fmt.Errorf("writing a %s event: %w", e.Type, err)
	}
	if len(line) >= maxLine {
		return errors.New("writing an event: its type is too long")
	}
	b := make([]byte, 0, len(line)+1+len(e.Data)+len(e.Payload))
	b = append(append(b, line...), '\n')
	b = append(append(b, e.Data...), e.Payload...)
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("writing a %s event: %w", e.Type, err)
	}
	return nil
}
