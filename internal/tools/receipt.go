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

// Reason is a code from a closed list that says why a call had its outcome; ""
// where the outcome says it all. Every reason has a sentence in every language
// file.
type Reason string

// The reasons, by the outcome they usually stand beside.
const (
	// Accepted: the device has the command.
	OnItsWay    Reason = "on_its_way"  // it moves, says how long it will take, or takes long for everything
	Unconfirmed Reason = "unconfirmed" // it has said nothing since
	Unchanged   Reason = "unchanged"   // it still reports what it reported before
	WhenOn      Reason = "when_on"     // it keeps the setting and shows it when it is switched on

	// Queued: the device sleeps.
	Asleep Reason = "queued"

	// No answer: it is unknown, or known not to have been done.
	Dead                  Reason = "dead"                    // the network holds the device for dead
	NotReady              Reason = "not_ready"               // the network has not finished asking the device what it is
	Silent                Reason = "silent"                  // the device did not answer
	Interrupted           Reason = "interrupted"             // the connection broke after the command was sent
	StickGone             Reason = "stick_gone"              // the radio stick is away
	ControllerNotReady    Reason = "controller_not_ready"    // the radio stick is there and does not work yet
	GatewayAway           Reason = "gateway_away"            // zwave-js-ui does not answer
	BrokerAway            Reason = "broker_away"             // the MQTT broker cannot be reached
	HomeAssistantAway     Reason = "home_assistant_away"     // Home Assistant does not answer
	HomeAssistantStarting Reason = "home_assistant_starting" // it has not finished starting
	HomeAssistantToken    Reason = "home_assistant_token"    // it does not take our token
	HouseUnknown          Reason = "house_unknown"           // no server has listed its devices yet

	// Refused: nothing was sent, or the device said no.
	RefusedValue     Reason = "refused_value"     // out of the device's range
	RefusedAction    Reason = "refused_action"    // the device cannot do that
	RefusedDangerous Reason = "refused_dangerous" // dangerous acts are switched off
	RefusedItem      Reason = "refused_item"      // it does not stand on the list
	RefusedByDevice  Reason = "refused_by_device" // the device said that it failed
	UnknownDevice    Reason = "unknown_device"    // no device has this name
	AmbiguousDevice  Reason = "ambiguous_device"  // several devices have this name

	// Any: a newer command for the same device took its place.
	Overtaken Reason = "overtaken"
)

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
	ValueLevel  any       `json:"value_level,omitempty"`  // percent, beside a property that is not a level itself
	MS          float64   `json:"ms"`                     // from the publish to the outcome
	Message     string    `json:"message"`                // an English sentence for people
	Suggestions []string  `json:"suggestions,omitempty"`  // names that may have been meant
	Limits      []float64 `json:"limits,omitempty"`       // of a refused number: the least and the most the device takes
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

// Pending reports whether the device has the command or will get it and the result is not
// known yet: it is under way, waits for a sleeping device, or has not been confirmed.
func (r *Receipt) Pending() bool {
	return r.Sent() && !r.Done() && r.Reason != Unchanged && r.Reason != Overtaken
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
