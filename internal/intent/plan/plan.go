// Package plan turns a matched sentence into tool calls. It goes by what an
// entity can do and which tool reaches it, never by the name of a server, so a
// new kind of server needs no line here. A new intent is a line in the catalogue,
// and one in own where a tool of the gateway answers it.
package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// Step is one thing to do for an action.
type Step struct {
	Action intent.Action
	Entity *home.Entity // nil when the act is not about a device
	Call   tools.Call   // Tool is "" when there is nothing to call, as for "never mind"
	Risk   tools.Risk
	Err    error  // why this step cannot be done, a sentence for people
	Again  bool   // it takes back an earlier change
	Joint  bool   // it is reported together with its joint neighbours, whatever they do
	Ahead  bool   // it makes the next step show: a lamp is switched on before it gets a colour
	Once   bool   // it must not be repeated if its result is not known
	About  About  // what a question reads
	Later  []Step // of a command for later: what will be done
	Until  *Until // when it is put back; nil: it is not

	// next makes the call that acts from the answer to Call, for acts that start
	// from the present state ("warmer").
	next  func(tools.Result) (tools.Call, error)
	final *tools.Call // the call that acts, if it is known before the step is done
}

// PlannedCall returns the call that acts, as far as it is known before the step runs.
func (s *Step) PlannedCall() tools.Call {
	if s.final != nil {
		return *s.final
	}
	return s.Call
}

// Error is a plan that cannot be made.
type Error struct {
	Intent string
	Text   string       // for logs and records; English
	Key    string       // the phrase that says it to people
	Entity *home.Entity // the entity it is about; nil when it is not about a device
	What   home.Ability // the ability that cannot be changed, if only that is the trouble
}

func (e *Error) Error() string { return e.Text }

// Caller makes one tool call.
type Caller func(ctx context.Context, c tools.Call) (tools.Result, error)

// Do makes the calls of the step and leaves the call that acts in s.Call. A step
// without a tool succeeds with an empty result.
func (s *Step) Do(ctx context.Context, call Caller) (tools.Result, error) {
	switch {
	case s.Err != nil:
		return tools.Result{}, s.Err
	case s.Call.Tool == "":
		return tools.Result{}, nil
	}
	res, err := call(ctx, s.Call)
	if err != nil || s.next == nil || res.Failed {
		return res, err
	}
	made, err := s.next(res)
	if err != nil {
		return tools.Result{}, err
	}
	s.Call, s.next = made, nil // if the step is done again, only this call is made
	if made.Tool == "" {
		return tools.Result{}, nil // the present state is as it should be
	}
	return call(ctx, s.Call)
}

// Calls plans a local decision. Area is the microphone's. An error means that no
// step at all is possible; a single device that cannot be reached is a step with
// Err.
func Calls(d intent.Decision, h *home.House, area string) ([]Step, error) {
	if d.Route != intent.Local {
		return nil, fmt.Errorf("planning: the decision is %q, expected %q", d.Route, intent.Local)
	}
	var steps []Step
	for _, a := range d.Actions {
		more, err := action(a, h, area, d.Confirmed)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

func action(a intent.Action, h *home.House, area string, confirmed bool) ([]Step, error) {
	in := catalogue.Of(a.Intent)
	if steps, ok, err := timer(a, h, area, confirmed); ok {
		return steps, err
	}
	switch in.Plan {
	case catalogue.Before:
		return nil, &Error{Intent: a.Intent, Text: "There is nothing to undo.", Key: in.Reply}
	case catalogue.List:
		return listSteps(a, h, area), nil
	case catalogue.Words:
		return []Step{{Action: a, Risk: in.Risk}}, nil
	case catalogue.Tool:
		made, err := own[a.Intent](a)
		if err != nil {
			return nil, err
		}
		steps := []Step{{Action: a, Call: made, Risk: in.Risk}}
		if then, ends := a.Slots["then"].(string); ends {
			end, err := endLater(a, then, area)
			return append(steps, end), err
		}
		return steps, nil
	default:
		return devices(a, h)
	}
}

// devices plans an act on things of the house, a step for each.
func devices(a intent.Action, h *home.House) ([]Step, error) {
	if len(a.Devices) == 0 {
		return nil, &Error{Intent: a.Intent, Text: "I understood you, but I have no way to do that yet.", Key: "cannot_yet"}
	}
	steps := make([]Step, 0, len(a.Devices))
	for _, id := range a.Devices {
		e := h.Entity(id)
		if e == nil {
			steps = append(steps, Step{Action: a, Risk: tools.Read, Err: &Error{Intent: a.Intent, Text: "That device is gone.", Key: "cannot_gone"}})
			continue
		}
		if a.Elsewhere {
			there := *e
			there.Namesakes = true // the reply names its room
			e = &there
		}
		if catalogue.Of(a.Intent).Plan == catalogue.Question {
			steps = append(steps, question(a, e, h)...)
			continue
		}
		steps = append(append(steps, lit(a, e)...), device(a, e))
	}
	for _, id := range a.Besides {
		if e := h.Entity(id); e != nil {
			steps = append(steps, question(a, e, h)...)
		}
	}
	if a.Slots["state"] == "right" {
		steps = append(steps, servers(a))
	}
	return steps, nil
}

// own are the calls of the intents that the gateway's own tools answer.
var own = map[string]func(intent.Action) (tools.Call, error){
	catalogue.GetCurrentTime:    clock,
	catalogue.GetCurrentDate:    date,
	catalogue.Houses:            fixedCall("list_houses", map[string]any{}),
	catalogue.GetVolume:         fixedCall("set_volume", map[string]any{"action": "get"}),
	catalogue.MediaPlayerMute:   fixedCall("set_volume", map[string]any{"action": "mute"}),
	catalogue.MediaPlayerUnmute: fixedCall("set_volume", map[string]any{"action": "unmute"}),
	catalogue.SetVolume:         setVolume,
	catalogue.SetVolumeRelative: stepVolume,
}

func fixedCall(tool string, args map[string]any) func(intent.Action) (tools.Call, error) {
	return func(intent.Action) (tools.Call, error) { return call("", tool, args) }
}

func setVolume(a intent.Action) (tools.Call, error) {
	return call("", "set_volume", map[string]any{"action": "set", "level": a.Slots["volume_level"]})
}

func stepVolume(a intent.Action) (tools.Call, error) {
	way := a.Slots["volume_step"]
	if by, ok := number(way); ok { // by so many percent, in the packs of others
		way = "up"
		if by < 0 {
			way = "down"
		}
	}
	args := map[string]any{"action": way}
	if by, said := number(a.Slots["volume_by"]); said {
		args["level"] = int(by)
	}
	return call("", "set_volume", args)
}

func call(server, tool string, args map[string]any) (tools.Call, error) {
	body, err := json.Marshal(args)
	if err != nil {
		return tools.Call{}, fmt.Errorf("planning %s: %w", tool, err)
	}
	return tools.Call{Server: server, Tool: tool, Args: body}, nil
}

// listSteps gives a step without a call for everything in an area, or for the things that
// the action names.
func listSteps(a intent.Action, h *home.House, area string) []Step {
	if named, ok := a.Slots["area"].(string); ok {
		area = named
	}
	steps := []Step{{Action: a, Risk: tools.Read}}
	for i := range h.Entities {
		e := &h.Entities[i]
		if len(a.Devices) > 0 && slices.Contains(a.Devices, e.ID) || len(a.Devices) == 0 && e.In(area) {
			steps = append(steps, Step{Action: a, Entity: e, Risk: tools.Read})
		}
	}
	return steps
}

// cannot makes a step for an entity that cannot do the act.
func cannot(a intent.Action, e *home.Entity, key, format string, args ...any) Step {
	err := &Error{Intent: a.Intent, Text: fmt.Sprintf(format, args...), Key: key, Entity: e}
	return Step{Action: a, Entity: e, Risk: tools.Read, Err: err}
}

// nameOf is an entity's name inside an English error: "the kitchen light".
func nameOf(e *home.Entity) string {
	name := strings.ToLower(e.Name)
	if strings.HasPrefix(name, "the ") || strings.HasPrefix(name, "my ") || possessive(name) {
		return name
	}
	return "the " + name
}

// possessive names ("dad's lamp") take no article.
func possessive(name string) bool {
	first, _, more := strings.Cut(name, " ")
	return more && (strings.HasSuffix(first, "'s") || strings.HasSuffix(first, "’s"))
}
