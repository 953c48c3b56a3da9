package demo

import (
	"fmt"
	"strings"

	"voicegateway/internal/keep/record"
)

// act is one command of the demonstration and what must be true afterwards.
type act struct {
	says string
	// device and value name what the witness reads from the house; want is what the
	// device itself must report. An empty device means that the command changes none.
	device, value string
	want          float64
	// outcome, route and tool are what the record must show.
	outcome record.Outcome
	route   record.Route
	tool    string
	reply   string // words the reply must contain
}

// acts are the demonstration's turns, one for each kind of thing it can do.
var acts = []act{
	{says: "turn on the kitchen light", device: "Kitchen Light", value: "37-0-currentValue", want: 1, outcome: record.Done, route: record.RouteLocal, tool: "control_zwave_device"},
	{says: "dim the bedroom lamp to twenty percent", device: "Bedroom Lamp", value: "38-0-currentValue", want: 20, outcome: record.Done, route: record.RouteLocal, tool: "control_zwave_device"},
	{says: "close the living room blinds", device: "Living Room Blinds", value: "106-0-currentValue-13", want: 0, outcome: record.Done, route: record.RouteLocal, tool: "control_zwave_device"},
	{says: "lock the front door", device: "Front Door", value: "98-0-currentMode", want: 255, outcome: record.Done, route: record.RouteLocal, tool: "control_zwave_device"},
	{says: "set the thermostat to nineteen degrees", device: "Thermostat", value: "67-0-setpoint-1", want: 19, outcome: record.Done, route: record.RouteLocal, tool: "control_zwave_device"},
	{says: "what is the temperature in the kitchen", outcome: record.Done, route: record.RouteLocal, tool: "get_device_sensor_data", reply: "21.2"},
	{says: "what time is it", outcome: record.Done, route: record.RouteLocal, tool: "get_datetime"},
	{says: "turn on the dishwasher", outcome: record.Failed, route: record.RouteRefused, reply: "dishwasher"},
}

// check compares a record with what must be in it.
func (x act) check(r record.Record) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if transcript(r) != x.says {
		say("heard %q instead", transcript(r))
	}
	if r.Outcome != x.outcome || r.Route != x.route {
		say("outcome %s by route %s, expected %s by %s", r.Outcome, r.Route, x.outcome, x.route)
	}
	if r.Reply == "" || !strings.Contains(r.Reply, x.reply) {
		say("the reply %q does not contain %q", r.Reply, x.reply)
	}
	if problem := x.checkCalls(r.Calls); problem != "" {
		say("%s", problem)
	}
	return wrong
}

// checkCalls says what is wrong with the calls of a turn, "" if nothing is.
func (x act) checkCalls(calls []record.CallMade) string {
	switch {
	case x.tool == "" && len(calls) > 0:
		return "tools were called where none was due"
	case x.tool == "":
		return ""
	case len(calls) != 1 || calls[0].Tool != x.tool || !calls[0].OK:
		return "expected one good call of " + x.tool
	case x.device != "" && !calls[0].Receipt.Done():
		return "the device has not confirmed it"
	default:
		return ""
	}
}

func transcript(r record.Record) string {
	if r.Transcript == nil {
		return ""
	}
	return r.Transcript.Text
}
