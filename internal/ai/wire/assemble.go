package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
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
)

// Calls puts tool calls together from their pieces.
type Calls struct {
	calls []*forming
}

type forming struct {
	index    int // -1 if the server gives none
	id, name string
	pieces   []string // of the arguments
	length   int      // of the pieces, in bytes
}

// Add takes the next piece.
func (a *Calls) Add(part openai.ToolCall) {
	f := a.find(part)
	if f == nil {
		if len(a.calls) > MaxCalls {
			return
		}
		f = &forming{index: -1}
		if part.Index != nil {
			f.index = *part.Index
		}
		a.calls = append(a.calls, f)
	}
	f.id = cmp.Or(f.id, part.ID)
	f.name = cmp.Or(f.name, part.Function.Name)
	if piece := part.Function.Arguments; piece != "" && f.length <= MaxArgs {
		f.pieces = append(f.pieces, piece[:min(MaxArgs+1-f.length, len(piece))])
		f.length += len(f.pieces[len(f.pieces)-1])
	}
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
			return nil // it can only be the last call that goes on
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
	own := f.args()
	switch {
	case name != f.name:
		return own != "" && !whole(own)
	case own == "" || !whole(own) || own == "{}":
		return args != "" || own != ""
	}
	return args == own // the same once more
}

// whole reports whether arguments are a JSON object, with nothing missing.
func whole(args string) bool {
	trimmed := bytes.TrimSpace([]byte(args))
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// args puts the arguments together. Some servers send with each piece all that came
// before it, or an empty object first.
func (f *forming) args() string {
	joined := strings.Join(f.pieces, "")
	if len(f.pieces) < 2 || whole(joined) {
		return joined
	}
	if first := f.pieces[0]; first == "{}" || first == "null" {
		rest := forming{pieces: f.pieces[1:]}
		return rest.args()
	}
	last := f.pieces[len(f.pieces)-1]
	if whole(last) && !slices.ContainsFunc(f.pieces, func(piece string) bool { return !strings.HasPrefix(last, piece) }) {
		return last
	}
	return joined
}

// Done returns the calls in their order.
func (a *Calls) Done() []tools.Call {
	list := make([]tools.Call, 0, len(a.calls))
	for _, f := range a.calls {
		list = append(list, tools.Call{ID: f.id, Tool: f.name, Args: json.RawMessage(f.args())})
	}
	return list
}
