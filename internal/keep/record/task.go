package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// Choice says how a task continues whose server is lost in the middle of it (REQUIREMENTS
// M10).
type Choice string

// The choices.
const (
	Continue        Choice = "continue"         // continue with the rest; the lost call stays lost
	RetryConnection Choice = "retry_connection" // reconnect, then make the calls that were never sent
	StopTask        Choice = "stop_task"        // end the turn and keep what is open for later
)

// Judgement is the record's account of a choice.
type Judgement struct {
	Server string `json:"server"`
	Choice Choice `json:"choice"`
	By     string `json:"by"` // model or rule
	Reason string `json:"reason"`
}

// Text describes the step for people and models: the device or the tool, and what
// was to be done.
func (s TaskStep) Text() string {
	var args map[string]any
	_ = json.Unmarshal(s.Args, &args) // the arguments of a call are valid JSON
	action, _ := args["action"].(string)
	device, _ := args["device_name"].(string)
	switch {
	case device == "" || action == "":
		return fmt.Sprintf("%s %s", s.Tool, s.Args)
	case args["value"] != nil:
		return fmt.Sprintf("%s: %s %v", device, action, args["value"])
	default:
		return device + ": " + action
	}
}

// Announcement is what the gateway says of a device without being asked.
type Announcement struct {
	ID     string    `json:"id"` // of the turn that it is about; of an alarm, which has one while it lasts
	Kind   Kind      `json:"kind"`
	Device string    `json:"device"`
	Text   string    `json:"text"`
	Time   time.Time `json:"time"`
}

// Kind says what an announcement is about.
type Kind string

// The kinds (REQUIREMENTS T7).
const (
	Arrived Kind = "arrived" // a device that was moving or asleep now has the requested state
	Stuck   Kind = "stuck"   // what was under way did not come to its end
	Belied  Kind = "belied"  // an act that was reported as done turned out not to be

	Alarm   Kind = "alarm"   // smoke, water and the like; it rings until a person says stop
	Cleared Kind = "cleared" // it is over

	// By rule (announce.rules).
	LeftOpen   Kind = "open"
	BatteryLow Kind = "battery_low"
	Dead       Kind = "dead" // it does not answer any more
	Jammed     Kind = "jammed"
	InState    Kind = "state" // it is in the state that a rule names

	// Rang is a timer, an alarm or a reminder whose time has come. Those that did not
	// ring have the kind of their notice: missed, not_carried, interrupted.
	Rang Kind = "timer"
)

// Task is a turn that was stopped in the middle: what was asked, which steps are
// done and which are open. It is kept until it is resumed.
type Task struct {
	ID     string     `json:"id"` // the turn's id
	Asked  string     `json:"asked"`
	Server string     `json:"server"` // the server that was lost
	Done   []TaskStep `json:"done"`
	Open   []TaskStep `json:"open"`
	Reason string     `json:"reason"`
	Time   time.Time  `json:"time"`
}

// TaskStep is one call of a task.
type TaskStep struct {
	Tool   string          `json:"tool"`
	Server string          `json:"server"`
	Args   json.RawMessage `json:"args"`
	Device string          `json:"device,omitempty"` // id of the entity it acts on, if known
	Sent   bool            `json:"sent,omitempty"`   // sent without an answer: it may have been carried out
	Once   bool            `json:"once,omitempty"`   // making the call twice does more than making it once
}
