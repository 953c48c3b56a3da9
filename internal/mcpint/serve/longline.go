package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// longLineError says that a line is longer than a message may be. The line has been
// read to its end.
type longLineError struct {
	limit int             // bytes that a line may have
	id    json.RawMessage // the id of its message, "null" where it has none that can be read
}

func (e *longLineError) Error() string {
	return fmt.Sprintf("the message is longer than %d bytes; send less at once", e.limit)
}

// longestID bounds the id of a message that is too long, in bytes.
const longestID = 256

// idReader finds the id of a JSON-RPC message in its bytes, without keeping them:
// the value of "id" at the top of the object, wherever it stands.
type idReader struct {
	depth           int // brackets that are open; 1 is the top of the object
	quoted, escaped bool
	over            bool   // the object has ended, or there is none
	isKey           bool   // text is a key
	key             string // the last key at the top
	text            []byte // the key or value at the top so far, one byte more than longestID at most
	found           json.RawMessage
}

// push takes the next bytes of the message.
func (r *idReader) push(part []byte) {
	for _, c := range part {
		if r.over {
			return
		}
		r.readByte(c)
	}
}

func (r *idReader) readByte(c byte) {
	switch {
	case r.escaped:
		r.escaped = false
	case r.quoted:
		r.escaped, r.quoted = c == '\\', c != '"'
	case c == '"':
		r.quoted = true
	case r.mark(c):
		return
	}
	if r.depth == 0 {
		r.over = c != ' ' && c != '\t' && c != '\r'
	} else if r.depth == 1 && len(r.text) <= longestID {
		r.text = append(r.text, c)
	}
}

// mark takes a byte outside of quotes. It returns false for one that is part of a key
// or a value.
func (r *idReader) mark(c byte) bool {
	switch {
	case r.depth == 0 && c == '{':
		r.depth, r.isKey = 1, true
	case r.depth == 1 && c == ':' && r.isKey:
		_ = json.Unmarshal(r.text, &r.key)
		r.isKey, r.text = false, r.text[:0]
	case r.depth == 1 && (c == ',' || c == '}'):
		r.endValue()
		r.over, r.isKey = c == '}', true
	default:
		return r.depth > 0 && r.nest(c)
	}
	return true
}

// nest takes a bracket inside the object. It returns false for any other byte.
func (r *idReader) nest(c byte) bool {
	switch c {
	case '{', '[':
		if r.depth++; r.depth == 2 {
			r.text = append(r.text, c) // so that the value is no id
		}
	case '}', ']':
		r.depth = max(1, r.depth-1)
	default:
		return false
	}
	return true
}

// endValue ends a value at the top. An id is a text or a number.
func (r *idReader) endValue() {
	value := bytes.TrimSpace(r.text)
	if !r.isKey && r.key == "id" && len(r.text) <= longestID && len(value) > 0 && strings.ContainsRune(`"-0123456789`, rune(value[0])) && json.Valid(value) {
		r.found = bytes.Clone(value)
	}
	r.text = r.text[:0]
}

// id is the id of the message, "null" where none was found.
func (r *idReader) id() json.RawMessage {
	if r.found == nil {
		return json.RawMessage("null")
	}
	return r.found
}
