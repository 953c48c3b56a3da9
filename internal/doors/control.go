package doors

import (
	"context"
	"strings"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// ControlRequest is an act on one thing of the house, ordered without words.
type ControlRequest struct {
	Thing string `json:"thing"`           // the id of a thing, or its name where only one thing has it
	Do    string `json:"do"`              // a word of record.Control
	Value any    `json:"value,omitempty"` // in percent, or in the degrees of the house; nil: none
	// Group is a word of the caller's own that is shared by acts ordered at once, such as all
	// lights off: an undo takes back all of them. "": the act stands alone.
	Group string `json:"group,omitempty"`
	// Confirmed says that a person was asked about this very act and agreed: what is costly, such
	// as a script, is not started without.
	Confirmed bool `json:"confirmed,omitempty"`
	// Source is page for our own page, and empty for everything else.
	Source record.Source `json:"source,omitempty"`

	ID      string    `json:"-"` // of the turn that it becomes; "": a new one
	At      time.Time `json:"-"` // when it came; zero: now
	Waiting func()    `json:"-"` // to be called when the turn begins to wait for something slow; nil: nobody waits for that
}

// Came says which turn it becomes.
func (r *ControlRequest) Came(id string, at time.Time, waiting func()) {
	r.ID, r.At, r.Waiting = id, at, waiting
}

// Controlled is what came of such an act: the proof, and how the thing is by it.
type Controlled struct {
	Turn    string          `json:"turn"`    // the id of the turn that it became
	Thing   string          `json:"thing"`   // the id of the thing
	Outcome record.Outcome  `json:"outcome"` // how the turn ended
	Receipt *record.Receipt `json:"receipt"` // of the thing; nil where nothing was sent to it
	State   any             `json:"state"`   // the value of the receipt's property, as the thing reports it; nil: not known
	Level   any             `json:"level"`   // percent, beside a property that is no level itself; nil: none, or not known
	Said    string          `json:"said"`    // the sentence about it, in the language of the family
	Error   string          `json:"error"`   // why nothing was done, for programs; "": it was done
}

// maxGroup is how long the word for a group may be, in bytes.
const maxGroup = 64

func hasControl(p *Parts) bool { return p.Controller != nil }

// fitControl says what no door takes.
func fitControl(in *ControlRequest) error {
	in.Thing, in.Do = strings.TrimSpace(in.Thing), strings.ToLower(strings.TrimSpace(in.Do))
	switch {
	case in.Thing == "":
		return Refuse(ErrMisasked, `"thing" is missing or empty; it is the id of a thing, as GET /api/home lists them`)
	case in.Do == "":
		return Refuse(ErrMisasked, `"do" is missing or empty; it is what the thing can do, such as on or level; a word that it does not know is answered with those that it does`)
	case len(in.Thing) > MaxText || len(in.Do) > MaxText:
		return Refuse(ErrMisasked, `"thing" and "do" have at most %d bytes`, MaxText)
	case len(in.Group) > maxGroup:
		return Refuse(ErrMisasked, `"group" has at most %d bytes`, maxGroup)
	case in.Source != "" && in.Source != record.FromPage:
		return Refuse(ErrMisasked, `"source" is page, or not there`)
	}
	return nil
}

// control acts on one thing.
func control(ctx context.Context, p *Parts, in ControlRequest) (Controlled, error) {
	rec, err := p.Controller.Control(ctx, in)
	if err != nil {
		return Controlled{}, err
	}
	out := Controlled{Turn: rec.ID, Outcome: rec.Outcome, Said: rec.Reply, Error: rec.Error}
	if rec.Control != nil {
		out.Thing = rec.Control.Thing
	}
	for _, c := range rec.Calls { // the last one is the act, before it stands at most what makes it show
		if c.Receipt != nil {
			out.Receipt = c.Receipt
		}
	}
	if r := out.Receipt; r != nil && r.Outcome != tools.NoAnswer && r.Outcome != tools.Refused {
		out.State, out.Level = r.Value, r.ValueLevel
	}
	return out, nil
}

// controlFlaw is why an act was not done.
func controlFlaw(out Controlled) string {
	if out.Outcome != record.Failed {
		return ""
	}
	return out.Said
}
