package zwave

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

type nameArgs struct {
	Device string `json:"device_name"`
}

type sensorArgs struct {
	Device string `json:"device_name"`
	Sensor string `json:"sensor"`
}

// stateAnswer is what get_device_state answers.
type stateAnswer struct {
	Device    string         `json:"device"` // the node's name
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

// sensorAnswer is what get_device_sensor_data answers.
type sensorAnswer struct {
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

func (i *inspector) stateTool() tools.Tool {
	return tool[nameArgs]{tools.Spec{
		Name:        toolState,
		Title:       "State of a device",
		Description: "What a device last reported: its state, its values in percent and degrees, and how old that is.",
		Input:       json.RawMessage(nameOnly),
		Output: json.RawMessage(`{"type":"object","properties":{"device":{"type":"string"},"entity":{"type":"string"},
"domain":{"type":"string"},"area":{"type":"string"},"state":` + anyScalar + `,"values":{"type":"object"},
"age_seconds":{"type":"integer","description":"since the last report; -1 is unknown"},` + trustProps + `},
"required":["device","entity","domain","area","state","values","age_seconds",` + trustRequired + `]}`),
		Risk:       tools.Read,
		Idempotent: true,
	}, i.state}
}

func (i *inspector) state(ctx context.Context, a nameArgs) (tools.Result, error) {
	m, e, _, err := i.directory.resolve(ctx, a.Device)
	if err != nil {
		return tools.Result{}, err
	}
	f := i.devices.ask(ctx, m, e, e.main)
	if e.Domain == "climate" && f.reason == "" {
		i.devices.ask(ctx, m, e, e.setpoint(f.value))
		if e.between(f.value) {
			i.devices.ask(ctx, m, e, e.parts[partCool])
		}
	}
	out := stateAnswer{
		Device: e.Name, Entity: e.ID, Domain: e.Domain, Area: e.node.area(), State: i.devices.state(m, e, f.value),
		Values: m.values(e, i.devices.told(f)), Age: age(f.reading), Stale: f.stale, Reachable: f.reachable, Reason: f.reason,
	}
	text := is(e.Name, sayState(out.State, m.value(e.main).Unit))
	if e.several() && f.reason != sharedTopics {
		out.State, text = nil, m.tellAll(e, i.devices.told(f))
	}
	return result(i.devices.qualify(m, e, e.main, f, text), out)
}

func (i *inspector) sensorTool() tools.Tool {
	return tool[sensorArgs]{tools.Spec{
		Name:        toolSensor,
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
	}, i.sensor}
}

func (i *inspector) sensor(ctx context.Context, a sensorArgs) (tools.Result, error) {
	m, e, _, err := i.directory.resolve(ctx, a.Device)
	if err != nil {
		return tools.Result{}, err
	}
	if e.unread {
		return tools.Result{}, refusal(e.unknown(i.devices.reachable(e.node)))
	}
	s, err := e.sensorFor(a.Sensor)
	if err != nil {
		return tools.Result{}, err
	}
	f := i.devices.ask(ctx, m, e, s.id)
	out := sensorAnswer{
		Device: e.Name, Sensor: string(s.kind), Value: m.sayReading(s, f.value, i.ledger.read), Unit: m.value(s.id).Unit,
		Age: age(f.reading), Stale: f.stale, Source: f.source, Reachable: f.reachable, Reason: f.reason,
	}
	out.Low = s.kind == home.Battery && isLow(out.Value, nil)
	if out.Value == lowCharge {
		out.Unit = ""
	}
	if !f.known && f.reason == "" { // a button that was never pressed: the device itself is in order
		return result(fmt.Sprintf("%s has not reported its %s yet.", e.Name, strings.ToLower(s.word)), out)
	}
	name := join(e.Name, s.word)
	if isSensor(e) && s.id == e.main && !e.several() {
		name = e.Name
	}
	return result(i.devices.qualify(m, e, s.id, f, is(name, sayState(out.Value, out.Unit))), out)
}

// qualify says with a sentence about a reading how far it can be relied on.
func (d *devices) qualify(m *model, e *entity, id wire.ValueID, f finding, text string) string {
	switch {
	case f.reason == sharedTopics:
		return d.cannotTellApart(m, e, id)
	case f.reason == tools.NotReady && !f.known:
		return e.unknown(f.reachable)
	case !f.reachable:
		text = e.Name + " cannot be reached now. Last reported: " + text
	case f.reason != "" && !f.known:
		return e.Name + " has not answered just now, and what it last reported may have changed since."
	case f.reason != "":
		text = e.Name + " has not answered just now. Last reported: " + text
	}
	if seconds := age(f.reading); f.stale && seconds >= 60 {
		text = fmt.Sprintf("%s That was %s ago.", text, longAgo(seconds))
	}
	return text
}

// cannotTellApart says that a device's topic is another one's as well.
func (d *devices) cannotTellApart(m *model, e *entity, id wire.ValueID) string {
	topic := m.topics.topic(id)
	var others []string
	for _, node := range m.topics.contested[topic] {
		if node != id.Node {
			others = append(others, m.nodes[node].display())
		}
	}
	if len(others) == 0 {
		others = []string{"a device of another gateway"}
	}
	return fmt.Sprintf("I cannot tell %s from %s: both publish on %s. Give one of them another name in zwave-js-ui.", e.Name, strings.Join(others, " and "), topic)
}

// several reports whether an entity is a sensor of several equally important
// things.
func (e *entity) several() bool {
	return isSensor(e) && len(e.sensors) > 1 && rank(e.sensors[1]) == 0
}

// tellAll says everything a sensor measures.
func (m *model) tellAll(e *entity, read func(wire.ValueID) reading) string {
	var parts []string
	for _, s := range e.sensors {
		parts = append(parts, strings.ToLower(s.word)+" "+sayState(m.sayReading(s, read(s.id).value, read), m.value(s.id).Unit))
	}
	return e.Name + ": " + strings.Join(parts, ", ") + "."
}

// called reports whether a folded word asks for a sensor: by its kind, by its word, or by
// what all temperatures are.
func (s sensor) called(key string) bool {
	names := []string{fold(string(s.kind)), fold(s.word), fold(s.class)}
	return slices.Contains(names, key) || key == string(home.Temperature) && strings.HasSuffix(fold(s.word), " "+key)
}

// sensorFor picks the requested sensor, by kind or by word; if what is empty, the only or
// the main one.
func (e *entity) sensorFor(what string) (sensor, error) {
	if len(e.sensors) == 0 {
		return sensor{}, refuse("%s has no sensors.", e.Name)
	}
	key := fold(strings.ReplaceAll(what, "_", " "))
	if key == "" && (isSensor(e) || len(e.sensors) == 1) {
		return e.sensors[0], nil
	}
	// What one device measures belongs together, whichever of its things is named.
	for _, s := range slices.Concat(e.sensors, e.node.sensors()) {
		if key != "" && s.called(key) {
			return s, nil
		}
	}
	have := strings.Join(kindsOf(e.sensors), ", ")
	if key == "" {
		return sensor{}, refuse("%s measures %s. Say which one.", e.Name, have)
	}
	return sensor{}, refuse("%s does not measure %s. It measures %s.", e.Name, key, have)
}

func age(r reading) int64 {
	if !r.known || r.at.IsZero() {
		return -1
	}
	return max(0, int64(time.Since(r.at).Seconds()))
}

func longAgo(seconds int64) string {
	switch hours := seconds / 3600; {
	case seconds < 120:
		return "a minute"
	case hours < 1:
		return fmt.Sprintf("%d minutes", seconds/60)
	case hours < 2:
		return "an hour"
	case hours < 48:
		return fmt.Sprintf("%d hours", hours)
	default:
		return fmt.Sprintf("%d days", hours/24)
	}
}
