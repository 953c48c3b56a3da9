package record

import (
	"encoding/json"
	"fmt"
	"time"
)

// Choice is what becomes of a task whose server is lost in the middle of it
// (REQUIREMENTS M10).
type Choice string

// The choices.
const (
	Continue        Choice = "continue"         // go on with what is left; the lost call stays lost
	RetryConnection Choice = "retry_connection" // connect anew, then make the calls that were never sent
	StopTask        Choice = "stop_task"        // end the turn and keep what is open for later
)

// Judgement is the record's account of a choice.
type Judgement struct {
	Server string `json:"server"`
	Choice Choice `json:"choice"`
	By     string `json:"by"` // model or rule
	Reason string `json:"reason"`
}

// Text is the step for people and models: the device, or the tool, and what was
// to be done.
func (s TaskStep) Text() string {
	var args map[string]any
	_ = json.Unmarshal(s.Args, &args) // arguments of a call are valid
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

// Task is a turn that was stopped in the middle: what was asked, what is done and
// what is not. It is kept until it is resumed.
type Task struct {
	ID     string     `json:"id"` // of the turn
	Asked  string     `json:"asked"`
	Server string     `json:"server"` // the one that was lost
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
	Device string          `json:"device,omitempty"` // the entity it acts on, where that is known
	Sent   bool            `json:"sent,omitempty"`   // open, and nobody knows whether it was carried out
	Once   bool            `json:"once,omitempty"`   // doing it twice is not the same as doing it once
}
