// Package tools holds the types for what the assistant can do: specs, calls,
// results and the registry that offers local and discovered tools through one path.
// It is pure. To add a local tool, write a file in tools/local and a line in its
// list; discovered tools arrive through Registry.Expect and Replace.
package tools

import (
	"context"
	"encoding/json"
	"time"
)

// Risk says how much harm a call can do (REQUIREMENTS T6).
type Risk string

// Risks from harmless to worst. The zero value is unknown and counts as Dangerous.
const (
	Read       Risk = "read"
	Reversible Risk = "reversible"
	Costly     Risk = "costly"
	Dangerous  Risk = "dangerous"
)

// Spec describes a tool to people, models and MCP hosts.
type Spec struct {
	Name        string          // the name for calling it
	Title       string          // for people
	Description string          // for models
	Input       json.RawMessage // JSON Schema of the arguments, an object schema
	Output      json.RawMessage // JSON Schema of Result.Data; nil for a tool without data
	Withheld    []string        // arguments that only our own plans give, and no model; they are not in Input
	Risk        Risk
	Idempotent  bool   // calling twice does no more than calling once
	OpenWorld   bool   // reaches beyond the house (the web)
	Believed    bool   // its server is trusted fully (REQUIREMENTS M16): what it answers does not taint
	Server      string // MCP server it was discovered on; "" for a local tool
	Remote      string // its name on that server
}

// Call asks for one tool. With Server set, Tool is the name on that server and
// the registry finds the name it is offered under.
type Call struct {
	ID     string // the model's id of this call, if it gave one
	Server string
	Tool   string
	Args   json.RawMessage // a JSON object; empty means {}
}

// Result is the answer of a tool. A failure the user or the model should hear
// about is a Result with Failed set; a Go error means the call did not happen.
type Result struct {
	Text        string          // for people and models
	Data        json.RawMessage // structured content, nil when there is none
	Receipt     *Receipt        // what it did to a device; nil for everything else
	Failed      bool
	Untrusted   bool      // text from outside the house (S2)
	PublishedAt time.Time // when the first command left for the device; zero if none did
}

// PublishedKey is the key of PublishedAt in the _meta of a result of MCP: RFC 3339 with a
// fraction (REQUIREMENTS 2.4).
const PublishedKey = "published_at"

// Tool is one thing the assistant can do.
type Tool interface {
	Spec() Spec
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}
