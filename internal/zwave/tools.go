package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"voicegateway/internal/tools"
)

// The names of the tools (REQUIREMENTS Z1).
const (
	toolList      = "list_devices"
	toolVerify    = "verify_device"
	toolControl   = "control_zwave_device"
	toolDangerous = "operate_dangerous_device"
	toolState     = "get_device_state"
	toolSensor    = "get_device_sensor_data"
	toolHealth    = "check_zwave_health"
	toolRefresh   = "refresh_device"
)

// inspector reads the state of the house for the tools that change nothing.
type inspector struct {
	link      *link
	ledger    *ledger
	directory *directory
	devices   *devices
	readBacks *readBacks
}

// Tools returns the tools of the house, in the order of the list.
func (h *House) Tools() []tools.Tool {
	all := []tools.Tool{
		h.inspector.listTool(), h.inspector.verifyTool(), h.commander.controlTool(), h.inspector.stateTool(), h.inspector.sensorTool(), h.inspector.healthTool(), h.commander.refreshTool(),
	}
	if h.cfg.AllowDangerous {
		all = append(all, h.commander.dangerousTool())
	}
	return all
}

// tool is a tool made from a function that takes its decoded arguments.
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
	if no, ok := errors.AsType[refusal](err); ok {
		return tools.Result{Text: no.Error(), Failed: true}, nil
	}
	return r, err
}

// result is a successful answer: a text for people, data for programs.
func result(text string, data any) (tools.Result, error) {
	body, err := json.Marshal(data)
	if err != nil {
		return tools.Result{}, fmt.Errorf("writing a tool result: %w", err)
	}
	return tools.Result{Text: text, Data: body}, nil
}

// Parts of the schemas that several tools share.
const (
	nameArg    = `"device_name":{"type":"string","minLength":1,"description":"Name of the device as people say it, such as Kitchen Light, or its id"}`
	anyScalar  = `{"type":["string","number","boolean","null"]}`
	noArgs     = `{"type":"object","properties":{},"additionalProperties":false}`
	nameOnly   = `{"type":"object","properties":{` + nameArg + `},"required":["device_name"],"additionalProperties":false}`
	trustProps = `"stale":{"type":"boolean","description":"its age has to be told with it"},"reachable":{"type":"boolean"},
"reason":{"type":"string","description":"why it may not be so; empty: nothing speaks against it"}`
	trustRequired = `"stale","reachable","reason"`
	receiptProps  = `"device":{"type":"string"},"property":{"type":"string"},
"outcome":{"enum":["confirmed","accepted","queued","refused","no_answer"],"description":"confirmed: the device reports it done; accepted: taken, not reported done; queued: sleeping device"},
"reason":{"type":"string","description":"why, as a code such as on_its_way or dead; absent where the outcome says it all"},
"before":` + anyScalar + `,"before_level":{"type":"number","description":"brightness or position before, in percent"},"value":` + anyScalar + `,
"value_level":{"type":"number","description":"brightness or position now, in percent"},"ms":{"type":"integer","description":"milliseconds from the publish"},
"limits":{"type":"array","items":{"type":"number"},"description":"of a refused number: the least and the most it may be"},
"message":{"type":"string"},"suggestions":{"type":"array","items":{"type":"string"}}`
	receiptRequired = `"required":["device","property","outcome","before","value","ms","message"]`
	receiptOut      = `{"type":"object","properties":{` + receiptProps + `,
"devices":{"type":"array","description":"where several were meant: one receipt for each","items":{"type":"object","properties":{` +
		receiptProps + `},` + receiptRequired + `}}},` + receiptRequired + `}`
)
