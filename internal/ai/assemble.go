package ai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/tools"
)

// The bounds of the calls in one completion. A model that asks for more calls, or
// writes pages of arguments, is out of control.
const (
	maxCalls = 8
	maxArgs  = 16 << 10 // bytes of one call's arguments
)

// assembler puts tool calls together from their pieces.
type assembler struct {
	calls []*forming
}

type forming struct {
	index    int // -1 if the server gives none
	id, name string
	args     strings.Builder
}

// add takes the next piece.
func (a *assembler) add(part openai.ToolCall) {
	f := a.find(part)
	if f == nil {
		if len(a.calls) > maxCalls {
			return // one more than allowed is kept, so that the excess is seen
		}
		f = &forming{index: -1, id: part.ID}
		if part.Index != nil {
			f.index = *part.Index
		}
		a.calls = append(a.calls, f)
	}
	f.id = cmp.Or(f.id, part.ID)
	f.name = cmp.Or(f.name, part.Function.Name)
	// One byte over the limit is kept, so that a later check sees the excess.
	room := maxArgs + 1 - f.args.Len()
	f.args.WriteString(part.Function.Arguments[:min(room, len(part.Function.Arguments))])
}

// find returns the call that a piece belongs to, nil for a new call. Pieces with
// the same index belong together; but some servers give every call the index 0 and
// an id of its own, and some give no index at all.
func (a *assembler) find(part openai.ToolCall) *forming {
	if part.Index == nil {
		if len(a.calls) == 0 {
			return nil
		}
		last := a.calls[len(a.calls)-1]
		if (part.ID == "" && part.Function.Name == "") || (part.ID != "" && part.ID == last.id) {
			return last
		}
		return nil
	}
	for _, f := range slices.Backward(a.calls) {
		if f.index != *part.Index {
			continue
		}
		if part.ID != "" && f.id != "" && part.ID != f.id {
			return nil
		}
		return f
	}
	return nil
}

// done returns the calls in their order.
func (a *assembler) done() []tools.Call {
	calls := make([]tools.Call, 0, len(a.calls))
	for _, f := range a.calls {
		calls = append(calls, tools.Call{ID: f.id, Tool: f.name, Args: json.RawMessage(f.args.String())})
	}
	return calls
}
