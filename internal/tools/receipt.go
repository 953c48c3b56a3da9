package tools

import (
	"encoding/json"
	"time"
)

// Outcome says how a call that acts on a device ended (Z4).
type Outcome string

// The outcomes. A call is confirmed only by the device's own report, never by a
// publish or by the gateway's optimistic claim.
const (
	Confirmed Outcome = "confirmed"
	Accepted  Outcome = "accepted" // the device took the command and has not (yet) reported it done
	Queued    Outcome = "queued"   // the device sleeps and gets the command when it wakes up
	Refused   Outcome = "refused"
	NoAnswer  Outcome = "no_answer"
)

// Reason is a code from a closed list that says why a call had its outcome; "" if
// no reason was given.
type Reason string

// Receipt says what a call did to a device. The same type goes from the tool that
// acts to the spoken sentence. A tool sends it as its structured result; code that
// gets results from another process reads it once, with ReadReceipt.
type Receipt struct {
	Device      string    `json:"device"`
	Property    string    `json:"property"` // the ability that changed: on_off, brightness …
	Outcome     Outcome   `json:"outcome"`
	Reason      Reason    `json:"reason,omitempty"`
	Before      any       `json:"before"`                 // nil: not known
	BeforeLevel any       `json:"before_level,omitempty"` // percent; nil for a device without a level
	Value       any       `json:"value"`                  // as the device reports it
	MS          float64   `json:"ms"`                     // from the publish to the outcome
	Message     string    `json:"message"`                // an English sentence for people
	Suggestions []string  `json:"suggestions,omitempty"`  // names that may have been meant
	Devices     []Receipt `json:"devices,omitempty"`      // of a group: one for each member
	PublishedAt time.Time `json:"-"`                      // zero if nothing was sent
}

// Done reports whether the device itself confirmed the change. A call without a
// receipt is not done.
func (r *Receipt) Done() bool { return r != nil && r.Outcome == Confirmed }

// Sent reports whether the device has the command or will get it, so that there
// is something to take back.
func (r *Receipt) Sent() bool {
	return r != nil && (r.Outcome == Confirmed || r.Outcome == Accepted || r.Outcome == Queued)
}

// ReadReceipt reads the structured result of a tool that acts on a device; nil if
// it is something else.
func ReadReceipt(data json.RawMessage) *Receipt {
	var r Receipt
	if len(data) == 0 || json.Unmarshal(data, &r) != nil || r.Device == "" || r.Outcome == "" {
		return nil
	}
	return &r
}
