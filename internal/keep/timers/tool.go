package timers

import (
	"context"
	"encoding/json"
	"fmt"

	"voicegateway/internal/tools"
)

// Keeper keeps timers, alarms, reminders and commands for later.
type Keeper interface {
	Start(ctx context.Context, o Wish) Result
	Change(c Change) Result
	List(w Which, area string) Result
}

// The schemas of the timers' tools.
const (
	kindSchema = `{"type": "string", "enum": ["timer", "alarm", "reminder", "command"]}`
	anySchema  = `{"type": "string", "enum": ["timer", "alarm", "reminder", "command", "end"], "description": "end: an act with an end, which puts its things back as they were."}`
	areaSchema = `{"type": "string", "maxLength": 64, "description": "The room that asks."}`
	timeSchema = `{"type": "string", "pattern": "^([0-2][0-9]:[0-5][0-9]|(sunrise|sunset|dawn|dusk)([+-][0-9]{1,3})?)$", "description": "A time of day: HH:MM, local, or sunrise, sunset, dawn, dusk, perhaps with minutes after or before it: sunset-30."}`

	whichSchema = `{"type": "object", "additionalProperties": false, "description": "Which timers are meant; everything given must fit. Leave it out if there is only one.", "properties": {
		"id": {"type": "string"},
		"name": {"type": "string", "maxLength": 64},
		"kind": ` + anySchema + `,
		"seconds": {"type": "integer", "minimum": 1, "description": "The length it was started with."},
		"nth": {"type": "integer", "minimum": -100, "maximum": 100, "description": "Of those that fit, in the order in which they were set: 1 is the first, -1 the last."},
		"at": ` + timeSchema + `,
		"day": {"type": "string", "maxLength": 16, "description": "When it is due: today, tomorrow, a weekday in English, weekday, weekend, or YYYY-MM-DD."},
		"part": {"type": "string", "enum": ["morning", "afternoon", "evening", "night"]},
		"next": {"type": "boolean", "description": "The one that is due first."},
		"area": {"type": "string", "maxLength": 64}
	}}`
	timersOutput = `{"type": "object", "required": ["outcome", "reason", "timers", "now"], "properties": {
		"outcome": {"type": "string"}, "reason": {"type": "string"}, "now": {"type": "string"},
		"timers": {"type": "array", "items": {"type": "object", "required": ["id", "kind", "state", "left"], "properties": {
			"id": {"type": "string"}, "kind": {"type": "string"}, "name": {"type": "string"}, "text": {"type": "string"}, "command": {"type": "string"},
			"area": {"type": "string"}, "state": {"type": "string"}, "due": {"type": "string"}, "left": {"type": "integer"}, "length": {"type": "integer"},
			"every": {"type": "string"}, "at": {"type": "string"}, "things": {"type": "array", "items": {"type": "string"}}
		}}}
	}}`
)

// Tools makes the tools that start, change and list timers.
func Tools(k Keeper) []tools.Tool {
	return []tools.Tool{
		tools.New(tools.Spec{
			Name: "start_timer", Title: "Start a timer", Risk: tools.Reversible, Output: json.RawMessage(timersOutput),
			Description: "Starts a timer, an alarm, a reminder, or a command that is carried out later. Give seconds for a length, or at for a time of day.",
			Withheld:    []string{"confirmed"}, // that the question about many devices was answered
			Input: json.RawMessage(`{"type": "object", "required": ["kind"], "properties": {
				"kind": ` + kindSchema + `,
				"seconds": {"type": "integer", "minimum": 0, "maximum": 31622400, "description": "How long, in seconds."},
				"at": ` + timeSchema + `,
				"twelve": {"type": "boolean", "description": "at may be in the morning or in the evening: the next of both is meant."},
				"day": {"type": "string", "description": "With at: today, tomorrow, a weekday in English, or YYYY-MM-DD; the next time if not given."},
				"every": {"type": "string", "enum": ["day", "weekday", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], "description": "With at: it repeats."},
				"name": {"type": "string", "maxLength": 64, "description": "What it is called: pasta."},
				"text": {"type": "string", "maxLength": 300, "description": "What to remind of."},
				"command": {"type": "string", "maxLength": 300, "description": "Of a command: the sentence to carry out, as the user would say it for now: turn off the lamp."},
				"area": ` + areaSchema + `
			}}`),
		}, func(ctx context.Context, o Wish) (tools.Result, error) { return timerResult(k.Start(ctx, o)) }),
		ChangeTool(k),
		ListTool(k),
	}
}

// Changer changes timers.
type Changer interface {
	Change(c Change) Result
}

// ChangeTool makes the tool that stops, snoozes and changes timers, which other MCP
// hosts get as well.
func ChangeTool(k Changer) tools.Tool {
	return tools.New(tools.Spec{
		Name: "change_timer", Title: "Change a timer", Risk: tools.Reversible, Output: json.RawMessage(timersOutput),
		Description: "Cancels, pauses, resumes, lengthens (add), shortens (subtract) a timer, an alarm or a reminder; or snoozes or stops what rings.",
		Input: json.RawMessage(`{"type": "object", "additionalProperties": false, "required": ["action"], "properties": {
			"action": {"type": "string", "enum": ["cancel", "cancel_all", "pause", "resume", "add", "subtract", "snooze", "stop"]},
			"which": ` + whichSchema + `,
			"seconds": {"type": "integer", "minimum": 1, "maximum": 31622400, "description": "To add or subtract; how long to snooze, ten minutes if not given."},
			"area": ` + areaSchema + `
		}}`),
	}, func(_ context.Context, c Change) (tools.Result, error) { return timerResult(k.Change(c)) })
}

// listArgs are the arguments of list_timers.
type listArgs struct {
	Which Which  `json:"which"`
	Area  string `json:"area"`
}

// ListTool makes the tool that lists timers, which other MCP hosts get as well.
func ListTool(k Keeper) tools.Tool {
	return tools.New(tools.Spec{
		Name: "list_timers", Title: "List the timers", Risk: tools.Read, Idempotent: true, Output: json.RawMessage(timersOutput),
		Description: "The timers, alarms, reminders and commands for later, with the time that is left.",
		Input:       json.RawMessage(`{"type": "object", "additionalProperties": false, "properties": {"which": ` + whichSchema + `, "area": ` + areaSchema + `}}`),
	}, func(_ context.Context, a listArgs) (tools.Result, error) { return timerResult(k.List(a.Which, a.Area)) })
}

// timerResult turns a result of the book into a tool's result. A refusal is a failure
// that a model can report to the user, or correct.
func timerResult(r Result) (tools.Result, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return tools.Result{}, fmt.Errorf("timers: %w", err)
	}
	return tools.Result{Text: r.Text(), Data: data, Failed: r.Outcome == Refused}, nil
}
