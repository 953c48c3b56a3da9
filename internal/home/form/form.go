// Package form is the one form in which every house server offers its house to MCP hosts:
// the tools with their names, schemas, annotations and texts, the reading of their
// arguments, receipts, refusals, and the look-up of what people call things. It exists so
// that an assistant needs to know one house only, whatever stands behind it, and so that
// no server has a copy of it. docs/house.md says the same for writers of servers, and Check
// compares a server with it. It is pure.
//
// A server of another kind of house implements House and hands it to Tools. A new tool of
// all houses is a method of House and a line in Tools.
package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// House is a house as its server knows it. Its methods may be called from several
// goroutines. Errors made by Refuse are told to people; others mean that the call did not
// happen. The texts are English sentences for people and models.
type House interface {
	// Home is the structure of the house, without states.
	Home() home.House
	// Loaded is closed when the house is known for the first time.
	Loaded() <-chan struct{}
	// Changed receives after the structure has changed, at most once a second. It has one
	// reader.
	Changed() <-chan struct{}
	// Events are the newest of what the house told by itself.
	Events() Events
	// Told receives after there is a new event, and after the house has become reachable or has
	// ceased to be. It has one reader.
	Told() <-chan struct{}

	// List returns all things that pass the filters, in the order in which they are listed.
	List(ctx context.Context, a ListArgs) ([]Listed, error)
	// Verify says whether there is a thing of a name.
	Verify(ctx context.Context, name string) (text string, found Verified, err error)
	// Control carries out a command and ends with a receipt. Without mayBeDangerous it
	// refuses what Dangerous reports.
	Control(ctx context.Context, c Command, mayBeDangerous bool) (tools.Receipt, error)
	// State is what a thing last reported.
	State(ctx context.Context, name string) (text string, s State, err error)
	// Sensor is one measured value; sensor may be empty where a thing has only one.
	Sensor(ctx context.Context, name, sensor string) (text string, r Reading, err error)
	// Health says whether the house can be reached. The answer is a struct in which Health
	// is embedded.
	Health(ctx context.Context, a HealthArgs) (text string, answer any, err error)
	// Refresh makes a thing report all its values now.
	Refresh(ctx context.Context, name string) (text string, r Refreshed, err error)
}

// Offer is how a kind of house calls its tools, and what is its own in them.
type Offer struct {
	Kind           string   // of the house, in descriptions: Z-Wave
	Prefix         string   // of the house, in the names of tools: zwave
	Network        string   // what its things are in, in descriptions: Z-Wave network
	Domains        []string // of its things, as a list is filtered by them
	Actions        []string // that it knows beside Actions
	AllowDangerous bool     // offer the tool for dangerous acts
	HasCostly      bool     // some of its things may be costly

	HealthText   string          // the description of the tool for its health
	Waiting      []string        // what the house may wait for, in the words of Health.WaitingFor
	HealthOutput json.RawMessage // the schema of an answer that has more in it than Health; nil: it has not

	More []tools.Tool // that only this kind of house has
}

// The names of the tools that are the same for every house.
const (
	ToolList      = "list_devices"
	ToolVerify    = "verify_device"
	ToolDangerous = "operate_dangerous_device"
	ToolState     = "get_device_state"
	ToolSensor    = "get_device_sensor_data"
	ToolRefresh   = "refresh_device"
)

// ControlTool is the name of the tool that acts on the things of a house.
func ControlTool(prefix string) string { return "control_" + prefix + "_device" }

// HealthTool is the name of the tool that says whether a house can be reached.
func HealthTool(prefix string) string { return "check_" + prefix + "_health" }

// Patience is how long a call for a thing may take, all in all. It is within what a spoken
// turn waits for a call, which is 5 s and which a server does not know. The rest is for the
// way there and back on a busy machine: what a person hears must be the server's answer,
// never a time-out.
const Patience = 4 * time.Second

// wayBack is kept back from the caller's deadline.
const wayBack = 200 * time.Millisecond

// Bound bounds a call by the caller's deadline and the server's own patience.
func Bound(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	until := time.Now().Add(patience)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-wayBack).Before(until) {
		until = deadline.Add(-wayBack)
	}
	return context.WithDeadline(ctx, until)
}

// Version is the version of the form. It grows when a server of the one before it would no
// longer be understood.
const Version = 1

// Document is the body of a house's resource: its structure, and what its server says of
// itself. The calls for dangerous acts are in it only if these are allowed.
func (o Offer) Document(h home.House) home.House {
	h.Form, h.Kind, h.Health = Version, o.Kind, HealthTool(o.Prefix)
	if !o.AllowDangerous {
		return h
	}
	h.Entities = slices.Clone(h.Entities)
	for i, e := range h.Entities {
		if e.Control != nil {
			h.Entities[i].Dangerous = &home.Control{Tool: ToolDangerous, ID: e.Control.ID}
		}
	}
	return h
}

// Tools returns the tools of a house, in the order of the list.
func Tools(h House, o Offer) []tools.Tool {
	control := func(mayBeDangerous bool) func(context.Context, Command) (tools.Result, error) {
		return func(ctx context.Context, c Command) (tools.Result, error) {
			r, err := h.Control(ctx, c, mayBeDangerous)
			if err != nil {
				return tools.Result{}, err
			}
			return answerReceipt(r)
		}
	}
	all := []tools.Tool{
		tool[ListArgs]{o.listSpec(), func(ctx context.Context, a ListArgs) (tools.Result, error) {
			found, err := h.List(ctx, a)
			if err != nil {
				return tools.Result{}, err
			}
			return answerPage(found, a.Page)
		}},
		tool[nameArgs]{verifySpec(), func(ctx context.Context, a nameArgs) (tools.Result, error) {
			text, found, err := h.Verify(ctx, a.Device)
			return answer(text, found, err)
		}},
		tool[Command]{o.controlSpec(), control(false)},
		tool[nameArgs]{stateSpec(), func(ctx context.Context, a nameArgs) (tools.Result, error) {
			text, s, err := h.State(ctx, a.Device)
			return answer(text, s, err)
		}},
		tool[sensorArgs]{sensorSpec(), func(ctx context.Context, a sensorArgs) (tools.Result, error) {
			text, r, err := h.Sensor(ctx, a.Device, a.Sensor)
			return answer(text, r, err)
		}},
		tool[HealthArgs]{o.healthSpec(), func(ctx context.Context, a HealthArgs) (tools.Result, error) {
			text, found, err := h.Health(ctx, a)
			return answer(text, found, err)
		}},
		tool[nameArgs]{refreshSpec(), func(ctx context.Context, a nameArgs) (tools.Result, error) {
			text, r, err := h.Refresh(ctx, a.Device)
			res, err := answer(text, r, err)
			res.Failed = r.Outcome == tools.NoAnswer
			return res, err
		}},
	}
	all = append(all, o.More...)
	if o.AllowDangerous {
		all = append(all, tool[Command]{o.dangerousSpec(), control(true)})
	}
	return all
}

// tool is a tool made from a function that takes its decoded arguments. Arguments that it
// does not know are left to the schema.
type tool[A any] struct {
	spec tools.Spec
	do   func(ctx context.Context, args A) (tools.Result, error)
}

// Spec describes the tool.
func (t tool[A]) Spec() tools.Spec { return t.spec }

// Call runs the tool. An error that a family should hear is returned as a failed
// Result.
func (t tool[A]) Call(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	var args A
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return tools.Result{}, fmt.Errorf("reading the arguments of %s: %w", t.spec.Name, err)
		}
	}
	r, err := t.do(ctx, args)
	if no, ok := errors.AsType[Refusal](err); ok {
		return tools.Result{Text: no.Error(), Failed: true}, nil
	}
	return r, err
}

// answer is a successful answer: a text for people, data for programs.
func answer(text string, data any, err error) (tools.Result, error) {
	if err != nil {
		return tools.Result{}, err
	}
	body, err := json.Marshal(data)
	if err != nil {
		return tools.Result{}, fmt.Errorf("writing a tool result: %w", err)
	}
	return tools.Result{Text: text, Data: body}, nil
}

// answerReceipt is the answer of a tool that acts.
func answerReceipt(r tools.Receipt) (tools.Result, error) {
	out, err := answer(r.Message, r, nil)
	out.Failed = r.Outcome == tools.Refused || r.Outcome == tools.NoAnswer
	out.Receipt, out.PublishedAt = &r, r.PublishedAt
	return out, err
}
