package form

import (
	"encoding/json"
	"slices"
	"strings"

	"voicegateway/internal/tools"
)

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

func (o Offer) listSpec() tools.Spec {
	last := len(o.Domains) - 1
	return tools.Spec{
		Name:        ToolList,
		Title:       "List the devices",
		Description: "The devices of the " + o.Kind + " house with area, type, abilities and last reported state, 50 a page.",
		Input: json.RawMessage(`{"type":"object","properties":{
"area":{"type":"string","description":"only this room, such as Kitchen"},
"type":{"type":"string","description":"only this type: ` + strings.Join(o.Domains[:last], ", ") + ` or ` + o.Domains[last] + `"},
"page":{"type":"integer","minimum":1,"description":"from 1"}},"additionalProperties":false}`),
		Output: json.RawMessage(`{"type":"object","properties":{"total":{"type":"integer"},"page":{"type":"integer"},"pages":{"type":"integer"},
"devices":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"id":{"type":"string"},"area":{"type":"string"},
"type":{"type":"string"},"abilities":{"type":["array","null"],"items":{"type":"string"}},"state":` + anyScalar + `,
"values":{"type":"object","description":"its values by ability, in percent and degrees"},"age_seconds":{"type":"integer"},` + trustProps + `},
"required":["name","id","area","type","state","values","age_seconds",` + trustRequired + `]}}},"required":["total","page","pages","devices"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
}

func verifySpec() tools.Spec {
	return tools.Spec{
		Name:        ToolVerify,
		Title:       "Check a device name",
		Description: "Says whether a device of that name exists and suggests the most similar ones if not.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"exists":{"type":"boolean"},"name":{"type":"string"},"id":{"type":"string"},
"area":{"type":"string"},"type":{"type":"string"},"suggestions":{"type":"array","items":{"type":"string"}}},"required":["exists","suggestions"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
}

func (o Offer) controlSpec() tools.Spec {
	return tools.Spec{
		Name:  ControlTool(o.Prefix),
		Title: "Control a " + o.Kind + " device",
		Description: "Switches, dims, moves, locks or sets one device and waits for its own report; only the outcome confirmed means that it is done. " +
			"level and position take 0 to 100 percent, setpoint degrees, mode a word such as heat, colour a name or #rrggbb; the others take no value. " +
			"device_name may also be a room with a type, such as kitchen lights; then each device reports. " +
			"It never unlocks and opens no garage, door or valve." + o.more(),
		Input:      o.controlSchema(o.actions()),
		Output:     json.RawMessage(receiptOut),
		Risk:       tools.Reversible,
		Idempotent: false, // toggle is not
	}
}

func (o Offer) dangerousSpec() tools.Spec {
	return tools.Spec{
		Name:        ToolDangerous,
		Title:       "Unlock or open",
		Description: "Unlocks doors and opens garages, gates and valves, or starts a siren. Only on an explicit and confirmed wish.",
		Input:       o.controlSchema(append(o.actions(), "unlock")),
		Output:      json.RawMessage(receiptOut),
		Risk:        tools.Dangerous,
	}
}

// more describes the actions that only some houses have; "" where this one has none.
func (o Offer) more() string {
	if !slices.Contains(o.Actions, "source") {
		return ""
	}
	return " Players also play, pause, skip, mute and take level for their volume; source, preset and mode take one of the thing's own words, " +
		"humidity percent; robots start, pause and dock; add, complete and remove take what stands on a list."
}

func (o Offer) controlSchema(actions []string) json.RawMessage {
	confirmed := ""
	if o.HasCostly {
		confirmed = `,
"confirmed":{"type":"boolean","description":"only true where a person was asked about this very command and said yes; a costly thing is not started without"}`
	}
	about := "only for level and position (percent), setpoint (degrees of the device's own scale; heat 20 or cool 24 where two count), mode (a word) and colour (a name or #rrggbb)"
	if slices.Contains(actions, "source") {
		about = "only for level, position and humidity (percent), setpoint (degrees of the device's own scale; heat 20 or cool 24 where two count), " +
			"mode, preset and source (a word), colour (a name or #rrggbb), and add, complete and remove (the item of a list)"
	}
	return json.RawMessage(`{"type":"object","properties":{` + nameArg + `,
"action":{"type":"string","enum":["` + strings.Join(actions, `","`) + `"]},
"value":{"type":["number","string"],"description":"` + about + `"}` + confirmed + `},
"required":["device_name","action"],"additionalProperties":false}`)
}

func stateSpec() tools.Spec {
	return tools.Spec{
		Name:        ToolState,
		Title:       "State of a device",
		Description: "What a device last reported: its state, its values in percent and degrees, and how old that is.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"device":{"type":"string"},"entity":{"type":"string"},
"domain":{"type":"string"},"area":{"type":"string"},"state":` + anyScalar + `,"values":{"type":"object"},
"age_seconds":{"type":"integer","description":"since the last report; -1 is unknown"},` + trustProps + `},
"required":["device","entity","domain","area","state","values","age_seconds",` + trustRequired + `]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
}

func sensorSpec() tools.Spec {
	return tools.Spec{
		Name:        ToolSensor,
		Title:       "Read a sensor",
		Description: "One measured value with unit, age and source. sensor may be left out where the device has only one.",
		Input: json.RawMessage(`{"type":"object","properties":{` + nameArg + `,
"sensor":{"type":"string","description":"temperature, humidity, luminance, motion, contact, battery, power, energy …"}},
"required":["device_name"],"additionalProperties":false}`),
		Output: json.RawMessage(`{"type":"object","properties":{"device":{"type":"string"},"sensor":{"type":"string"},
"value":` + anyScalar + `,"unit":{"type":"string"},"age_seconds":{"type":"integer","description":"since the last report; -1 is unknown"},
"source":{"enum":["","report","poll","list"]},"low":{"type":"boolean","description":"a battery that is low, also one without a percentage"},` + trustProps + `},
"required":["device","sensor","value","unit","age_seconds","source",` + trustRequired + `]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
}

// AskDevices is the argument of the tool for the health that is false where somebody asks all
// the time.
const AskDevices = "ask_devices"

func (o Offer) healthSpec() tools.Spec {
	output := o.HealthOutput
	if output == nil {
		output = json.RawMessage(`{"type":"object","properties":{"healthy":{"type":"boolean"},
"answers":{"type":"boolean"},"devices":{"type":"integer"},"dead":{"type":"array","items":{"type":"string"}},
"asleep":{"type":"array","items":{"type":"string"}},"low_battery":{"type":"array","items":{"type":"string"}},
"waiting_for":{"type":"string","enum":["","` + strings.Join(o.Waiting, `","`) + `"]},"message":{"type":"string"}},
"required":["healthy","answers","devices","dead","asleep","low_battery","waiting_for","message"]}`)
	}
	return tools.Spec{
		Name:        HealthTool(o.Prefix),
		Title:       "Health of the " + o.Network,
		Description: o.HealthText,
		Input: json.RawMessage(`{"type":"object","properties":{
"` + AskDevices + `":{"type":"boolean","description":"false leaves the devices alone as long as the answer can be known without; for who asks all the time"}},"additionalProperties":false}`),
		Output:     output,
		Risk:       tools.Read,
		Idempotent: true,
	}
}

func refreshSpec() tools.Spec {
	return tools.Spec{
		Name:        ToolRefresh,
		Title:       "Ask a device again",
		Description: "Makes a device report all its values now. Takes up to some seconds; sleeping devices report when they wake up.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"device":{"type":"string"},
"outcome":{"enum":["confirmed","accepted","queued","no_answer"]},"reason":{"type":"string"},"state":` + anyScalar + `},"required":["device","outcome","state"]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
}
