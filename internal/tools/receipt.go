package tools

import (
	"encoding/json"
	"time"
)

// Outcome says what became of a call that acts on a device (Z4).
type Outcome string

// A call is confirmed by the device's own report only, never by a publish or by
// the gateway's optimistic claim.
const (
	Confirmed Outcome = "confirmed"
	Accepted  Outcome = "accepted" // the device took it and has not (yet) reported it done
	Queued    Outcome = "queued"   // the device sleeps; it gets it when it wakes up
	Refused   Outcome = "refused"
	NoAnswer  Outcome = "no_answer"
)

// Reason is a code from a closed list that says why a call had its outcome; empty
// where nobody has said why.
type Reason string

// Receipt is the account of what a call did to a device, the same from the tool
// that acts to the sentence that is spoken. A tool sends it as its structured
// result; whoever reads results from another process does so with ReadReceipt,
// once.
type Receipt struct {
	Device      string    `json:"device"`
	Property    string    `json:"property"` // the ability that changed: on_off, brightness …
	Outcome     Outcome   `json:"outcome"`
	Reason      Reason    `json:"reason,omitempty"`
	Before      any       `json:"before"`                 // nil: not known
	BeforeLevel any       `json:"before_level,omitempty"` // percent, where the device has one
	Value       any       `json:"value"`                  // as the device reports it
	MS          float64   `json:"ms"`                     // from the publish to the outcome
	Message     string    `json:"message"`                // an English sentence for people
	Suggestions []string  `json:"suggestions,omitempty"`  // names that may have been meant
	Devices     []Receipt `json:"devices,omitempty"`      // of a group: one for each member
	PublishedAt time.Time `json:"-"`                      // zero if nothing was sent
}

// Done reports whether the device itself says that it is so. A call without a
// receipt is not done.
func (r *Receipt) Done() bool { return r != nil && r.Outcome == Confirmed }

// Sent reports whether the device has the command or will get it, so that there
// is something to take back.
func (r *Receipt) Sent() bool {
	return r != nil && (r.Outcome == Confirmed || r.Outcome == Accepted || r.Outcome == Queued)
}

// ReadReceipt reads the structured result of a tool that acts on a device; nil
// where it is something else.
func ReadReceipt(data json.RawMessage) *Receipt {
	var r Receipt
	if len(data) == 0 || json.Unmarshal(data, &r) != nil || r.Device == "" || r.Outcome == "" {
		return nil
	}
	return &r
}
