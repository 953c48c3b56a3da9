package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/tools"
)

// The bounds of the calls in one completion. A model that asks for more calls, or
// writes pages of arguments, is out of control. One more than that is passed on, so
// that the excess is seen.
const (
	MaxCalls = 32       // a model that is asked about a whole house names every lamp
	MaxArgs  = 16 << 10 // bytes of one call's arguments
	// mostSent is how many bytes of one call's arguments are read before the answer is
	// given up. Up to there a call is refused alone, and the model can do better.
	mostSent = 4 * MaxArgs
)

// ErrEndless says that a call's arguments did not end.
var ErrEndless = fmt.Errorf("the arguments of a call go on after %d bytes; at most %d are taken", mostSent, MaxArgs)

// Calls puts tool calls together from their pieces.
type Calls struct {
	calls []*forming
}

type forming struct {
	index    int // -1 if the server gives none
	id, name string
	args     *arguments
	sent     int // bytes of arguments that came, also of those that are not kept
}

// Add takes the next piece. The error is ErrEndless.
func (a *Calls) Add(part openai.ToolCall) error {
	f := a.find(part)
	if f == nil {
		if len(a.calls) > MaxCalls {
			return nil
		}
		f = &forming{index: -1, args: &arguments{}}
		if part.Index != nil {
			f.index = *part.Index
		}
		a.calls = append(a.calls, f)
	}
	f.id = cmp.Or(f.id, part.ID)
	f.name = cmp.Or(f.name, part.Function.Name)
	piece := part.Function.Arguments
	if kept := min(max(0, MaxArgs+1-f.sent), len(piece)); kept > 0 {
		f.args = f.args.add(piece[:kept])
	}
	if f.sent += len(piece); f.sent > mostSent {
		return ErrEndless
	}
	return nil
}

// find returns the call that a piece belongs to, nil for a new call. Pieces with
// the same index or id belong together; but some servers give every call the index
// 0, and some give no index, no id or neither.
func (a *Calls) find(part openai.ToolCall) *forming {
	for _, f := range slices.Backward(a.calls) {
		switch {
		case part.Index != nil && f.index != *part.Index:
		case part.ID != "" && f.id != "":
			if part.ID == f.id {
				return f
			}
		case f.goesOn(part):
			return f
		case part.Index == nil:
			return nil // only the last call can continue
		}
	}
	return nil
}

// goesOn reports whether a piece without an id belongs to the call, and does not
// begin another.
func (f *forming) goesOn(part openai.ToolCall) bool {
	name, args := part.Function.Name, part.Function.Arguments
	if name == "" || f.name == "" {
		return true
	}
	own, isWhole := f.args.read()
	switch {
	case name != f.name:
		return own != "" && !isWhole
	case own == "" || !isWhole || own == "{}":
		return args != "" || own != ""
	}
	return args == own // the same once more
}

// whole reports whether arguments are a JSON object, with nothing missing.
func whole(args string) bool {
	trimmed := bytes.TrimSpace([]byte(args))
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// arguments are those of a call, put together while their pieces come. Whether they
// are whole is known after every piece without another look at those before it: a
// server may send each byte alone, and each may begin another call.
type arguments struct {
	joined strings.Builder // all pieces
	pieces int
	object object // what joined holds

	longest  string // the longest piece
	nested   bool   // every piece is the beginning of the longest
	repeated bool   // the last piece is whole and begins with every other, so that it stands for all

	rest *arguments // the pieces after the first, if that one may stand for nothing
}

// add takes the next piece, which is not empty, and returns the arguments that the next
// piece belongs to. They are others if the first piece was only a placeholder such as {}.
func (a *arguments) add(piece string) *arguments {
	a.joined.WriteString(piece)
	if before := a.object.ended; a.object.follow(piece) && !before {
		a.object.invalid = a.object.invalid || !whole(a.joined.String())
	}
	a.nest(piece)
	a.pieces++
	switch {
	case a.rest != nil:
		a.rest = a.rest.add(piece)
	case a.pieces == 1 && (piece == "{}" || piece == "null"):
		a.rest = &arguments{}
	}
	if a.rest != nil && a.pieces > 1 && !a.object.whole() {
		return a.rest // nothing that comes makes an object of all pieces
	}
	return a
}

// nest compares the next piece with those before it.
func (a *arguments) nest(piece string) {
	short, long := piece, a.longest
	if len(piece) >= len(a.longest) {
		short, long, a.longest = a.longest, piece, piece
	}
	a.nested = (a.nested || a.pieces == 0) && strings.HasPrefix(long, short)
	a.repeated = a.nested && len(piece) == len(a.longest) && whole(piece)
}

// read returns the arguments, and whether they are whole. Some servers send with each
// piece all that came before it, or an empty object first.
func (a *arguments) read() (args string, isWhole bool) {
	if a.repeated && !a.object.whole() {
		return a.longest, true
	}
	return a.joined.String(), a.object.whole()
}

// object follows a text byte by byte to the end of the JSON object that it may be.
type object struct {
	depth           int // brackets that are open
	quoted, escaped bool
	ended           bool // its last bracket is closed
	invalid         bool // it is no object, or something follows it
}

// follow takes the next bytes and reports whether the object has ended.
func (o *object) follow(piece string) bool {
	for i := 0; i < len(piece) && !o.invalid; i++ {
		o.readByte(piece[i])
	}
	return o.ended
}

func (o *object) readByte(c byte) {
	switch {
	case o.escaped:
		o.escaped = false
	case o.quoted:
		o.escaped, o.quoted = c == '\\', c != '"'
	case o.depth == 0:
		blank := c == ' ' || c == '\t' || c == '\n' || c == '\r'
		opens := c == '{' && !o.ended
		if o.invalid = !blank && !opens; opens {
			o.depth = 1
		}
	case c == '"':
		o.quoted = true
	case c == '{' || c == '[':
		o.depth++
	case c == '}' || c == ']':
		o.depth--
		o.ended = o.depth == 0
	}
}

// whole reports whether there is an object, and nothing but spaces after it.
func (o *object) whole() bool { return o.ended && !o.invalid }

// List returns the calls in their order.
func (a *Calls) List() []tools.Call {
	list := make([]tools.Call, 0, len(a.calls))
	for _, f := range a.calls {
		args, _ := f.args.read()
		list = append(list, tools.Call{ID: f.id, Tool: f.name, Args: json.RawMessage(args)})
	}
	return list
}
