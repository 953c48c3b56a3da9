package form

import (
	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Command is the argument of the tools that act. Device is the identifier in a thing's
// control, or any name of the thing.
type Command struct {
	Device string `json:"device_name"`
	Action string `json:"action"` // one of Actions, or unlock
	Value  any    `json:"value"`  // a number, a word or nil
	// Confirmed says that a person was asked and agreed: what is costly is not started without.
	Confirmed bool `json:"confirmed"`
}

// ListArgs are the filters of a list; empty ones let everything pass.
type ListArgs struct {
	Area string `json:"area"`
	Type string `json:"type"`
	Page int    `json:"page"` // from 1
}

type nameArgs struct {
	Device string `json:"device_name"`
}

type sensorArgs struct {
	Device string `json:"device_name"`
	Sensor string `json:"sensor"`
}

// HealthArgs are those of the tool for the health.
type HealthArgs struct {
	// AskDevices is false where somebody asks all the time: then no device is asked for the
	// answer as long as it can be known without. Left out, it is true.
	AskDevices *bool `json:"ask_devices"`
}

// Listed is a thing in a list.
type Listed struct {
	Name      string         `json:"name"`
	ID        string         `json:"id"`
	Area      string         `json:"area"`
	Type      string         `json:"type"`
	Abilities []home.Ability `json:"abilities"`
	State     any            `json:"state"`
	Values    map[string]any `json:"values"`
	Age       int64          `json:"age_seconds"` // -1: unknown
	Stale     bool           `json:"stale"`
	Reachable bool           `json:"reachable"`
	Reason    tools.Reason   `json:"reason"`
}

// Verified is whether a thing of a name exists.
type Verified struct {
	Exists      bool     `json:"exists"`
	Name        string   `json:"name,omitempty"`
	ID          string   `json:"id,omitempty"`
	Area        string   `json:"area,omitempty"`
	Type        string   `json:"type,omitempty"`
	Suggestions []string `json:"suggestions"` // never nil
}

// State is what a thing last reported.
type State struct {
	Device    string         `json:"device"` // its name
	Entity    string         `json:"entity"` // the id
	Domain    string         `json:"domain"`
	Area      string         `json:"area"`
	State     any            `json:"state"`
	Values    map[string]any `json:"values"`
	Age       int64          `json:"age_seconds"` // since the device's last report; -1: unknown
	Stale     bool           `json:"stale"`       // its age has to be said with it
	Reachable bool           `json:"reachable"`
	Reason    tools.Reason   `json:"reason"` // why it may be wrong; empty if nothing suggests that
}

// Reading is one measured value.
type Reading struct {
	Device    string       `json:"device"`
	Sensor    string       `json:"sensor"`
	Value     any          `json:"value"`
	Unit      string       `json:"unit"`
	Age       int64        `json:"age_seconds"`
	Stale     bool         `json:"stale"`
	Source    string       `json:"source"`        // report, poll or list: where the value was last heard
	Low       bool         `json:"low,omitempty"` // it is a battery, and it is low
	Reachable bool         `json:"reachable"`
	Reason    tools.Reason `json:"reason"`
}

// Refreshed is what came of asking a thing again.
type Refreshed struct {
	Device  string        `json:"device"`
	Outcome tools.Outcome `json:"outcome"`
	Reason  tools.Reason  `json:"reason,omitempty"`
	State   any           `json:"state"` // nil for a device that does not answer
}

// Health is what every house says of its health. Lists are never nil.
type Health struct {
	Healthy    bool     `json:"healthy"`
	Answers    bool     `json:"answers"` // it was reached just now, the only proof
	Devices    int      `json:"devices"`
	Dead       []string `json:"dead"`
	Asleep     []string `json:"asleep"`
	LowBattery []string `json:"low_battery"`
	WaitingFor string   `json:"waiting_for"` // empty: for nothing
	Message    string   `json:"message"`
}

// Events is the newest of what a house told by itself, as JSON the body of its resource of
// events. A reader that knows Boot and the Seq of the last event it has had knows which
// ones are new; after another Boot the numbers begin anew.
type Events struct {
	Boot   string       `json:"boot"`   // random, another one after each start of the server
	Next   uint64       `json:"next"`   // Seq of the event to come
	Events []home.Event `json:"events"` // at most 256, in order; the oldest are dropped, alarms last
}
