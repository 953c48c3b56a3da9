package plan

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/tools"
)

// command is the argument of a control tool.
type command struct {
	action string // of the form of a house: on, off, level, open, play …
	value  any    // nil: none
}

// device plans one action on one entity.
func device(a intent.Action, e *home.Entity) Step {
	in := catalogue.Of(a.Intent)
	risk := tools.Reversible
	switch {
	case intent.Dangerous(a, e):
		risk = tools.Dangerous
	case e.Costly && a.Intent != catalogue.TurnOff: // what runs may be stopped
		risk = tools.Costly
	}
	if e.Control == nil {
		s := cannot(a, e, "cannot_control", "I have no way to control %s.", nameOf(e))
		if e.Domain == "binary_sensor" || e.Domain == "sensor" {
			s = onlyReports(a, e)
		}
		if e.Domain == "scene" {
			s = cannot(a, e, "cannot_start", "I have no way to start %s.", strings.ToLower(e.Name))
		}
		if risk == tools.Dangerous {
			s.Risk = risk
		}
		return s
	}
	if in.Plan == catalogue.Adjust {
		return relative(a, e, in.Sets[0], risk)
	}
	c, ok := commandFor(a, in, e)
	if ok && c.action == "colour" && c.value == another {
		return otherColour(a, e, risk)
	}
	if !ok {
		return cannot(a, e, "cannot_do", "I can't do that with %s.", nameOf(e))
	}
	return control(a, e, c, risk)
}

// lit switches a lamp on before it gets a colour, because the colour of a lamp that is off
// cannot be seen. The lamp is read first; one that is on is left as it is.
func lit(a intent.Action, e *home.Entity) []Step {
	if e.Domain != "light" || e.Control == nil || e.Read == nil || !e.Can(home.OnOff) {
		return nil
	}
	if c, ok := commandFor(a, catalogue.Of(a.Intent), e); !ok || c.action != "colour" {
		return nil
	}
	made, err := call(e.Server, e.Read.Tool, map[string]any{"device_name": e.Read.ID})
	next := func(r tools.Result) (tools.Call, error) {
		if now := present(string(home.OnOff), r); now == nil || wordOf(now) != "off" {
			return tools.Call{}, nil
		}
		return controlCall(e, command{action: "on"})
	}
	on := intent.Action{Intent: catalogue.TurnOn, Devices: []string{e.ID}, Slots: map[string]any{}}
	return []Step{{Action: on, Entity: e, Call: made, Risk: tools.Reversible, Err: err, Ahead: true, next: next}}
}

// another is the colour of a sentence that names none: any that differs from the present
// one.
const another = "another"

// wheel are colours by their hue, in degrees.
var wheel = []struct {
	hue    float64
	colour string
}{{0, "red"}, {39, "orange"}, {60, "yellow"}, {120, "green"}, {174, "turquoise"}, {240, "blue"}, {274, "violet"}, {350, "pink"}, {360, "red"}}

// otherColour gives a lamp another colour than it has: it is read first, and the new one is
// a golden angle further round the wheel, so that nearly all come before one comes again.
func otherColour(a intent.Action, e *home.Entity, risk tools.Risk) Step {
	const first = "blue" // of a lamp whose colour is not known
	if e.Read == nil {
		return control(a, e, command{"colour", first}, risk)
	}
	made, err := call(e.Server, e.Read.Tool, map[string]any{"device_name": e.Read.ID})
	next := func(r tools.Result) (tools.Call, error) {
		now, _ := present(string(home.Colour), r).(string)
		hue, ok := hueOf(now)
		if !ok {
			return controlCall(e, command{"colour", first})
		}
		const golden = 137.5
		hue = math.Mod(hue+golden, 360)
		nearest := wheel[0]
		for _, w := range wheel {
			if math.Abs(w.hue-hue) < math.Abs(nearest.hue-hue) {
				nearest = w
			}
		}
		return controlCall(e, command{"colour", nearest.colour})
	}
	return Step{Action: a, Entity: e, Call: made, Risk: risk, Err: err, next: next}
}

// hueOf is the hue of a colour, in degrees; ok is false for white, which has none, and for
// what is no colour. It may be named or written as #rrggbb.
func hueOf(colour string) (hue float64, ok bool) {
	for _, w := range wheel {
		if w.colour == colour {
			return w.hue, true
		}
	}
	rgb, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil || len(colour) != len("#rrggbb") {
		return 0, false
	}
	r, g, b := float64(rgb>>16), float64(rgb>>8&0xff), float64(rgb&0xff)
	most, least := max(r, g, b), min(r, g, b)
	const pale = 60 // a difference of the parts below this is white of some warmth
	switch spread := most - least; {
	case spread < pale:
		return 0, false
	case most == r:
		hue = 60 * math.Mod((g-b)/spread+6, 6)
	case most == g:
		hue = 60 * ((b-r)/spread + 2)
	default:
		hue = 60 * ((r-g)/spread + 4)
	}
	return hue, true
}

// onlyReports refuses an act on a sensor by what was asked for: to open it, to lock it,
// to switch it on.
func onlyReports(a intent.Action, e *home.Entity) Step {
	way := map[string][3]string{catalogue.TurnOn: {"_on", "_open", "_lock"}, catalogue.TurnOff: {"_off", "_close", "_unlock"}}[a.Intent]
	key := way[0]
	switch a.Slots["domain"] {
	case "cover", "valve":
		key = way[1]
	case "lock":
		key = way[2]
	}
	return cannot(a, e, "only_reports"+key, "I can't control %s, it only reports.", nameOf(e))
}

func control(a intent.Action, e *home.Entity, c command, risk tools.Risk) Step {
	made, err := controlCall(e, c)
	return Step{Action: a, Entity: e, Call: made, Risk: risk, Err: err}
}

func controlCall(e *home.Entity, c command) (tools.Call, error) {
	args := map[string]any{"device_name": e.Control.ID, "action": c.action}
	if c.value != nil {
		args["value"] = c.value
	}
	if e.Costly && c.action != "off" { // such a step is made only when a person has agreed to it
		args["confirmed"] = true
	}
	return call(e.Server, e.Control.Tool, args)
}

// commandFor returns what an intent means for a thing of its domain; ok is false
// if the entity lacks the ability.
func commandFor(a intent.Action, in catalogue.Intent, e *home.Entity) (command, bool) {
	if in.Plan == catalogue.Switch {
		return turn(e, a.Intent == catalogue.TurnOn)
	}
	for _, s := range in.Sets {
		if value, filled := a.Slots[s.Slot]; filled || len(in.Sets) == 1 || s.Slot == "" && can(e, s.Ability) {
			return command{s.Action, counting(a, value)}, can(e, s.Ability)
		}
	}
	return command{}, false
}

// slotCounts is the slot that says for which of two set points a temperature is meant, in
// the control tool's words.
const slotCounts = "counts"

// counted are the words for the set points that count at once.
var counted = map[home.Ability]string{home.HeatsTo: "heat", home.CoolsTo: "cool"}

// counting is a value with the word for the set point that it is for, if one is said.
func counting(a intent.Action, value any) any {
	word, said := a.Slots[slotCounts].(string)
	n, isNumber := number(value)
	if !said || !isNumber {
		return value
	}
	return word + " " + strconv.FormatFloat(n, 'f', -1, 64)
}

// turn plans on and off for any entity: locking and opening count as on.
func turn(e *home.Entity, on bool) (command, bool) {
	if e.Domain == "climate" { // on means heating: "heating on" never asks for cooling
		mode := "off"
		if on {
			mode = "heat"
		}
		return command{"mode", mode}, can(e, home.Mode)
	}
	words := [2]string{"off", "on"}
	ok := true
	switch e.Domain {
	case "lock":
		words = [2]string{"unlock", "lock"}
	case "cover", "valve":
		words = [2]string{"close", "open"}
	case "scene", "button": // it is started, and has no end
		ok = on
	case "vacuum", "lawn_mower", "todo", "alarm_control_panel":
		ok = false
	}
	if on {
		return command{action: words[1]}, ok
	}
	return command{action: words[0]}, ok
}

// can reports whether the entity has an ability. An entity that lists no
// abilities is assumed to have it, because its tool knows better.
func can(e *home.Entity, a home.Ability) bool { return len(e.Abilities) == 0 || e.Can(a) }

// relative plans an act that starts from the present value: first it reads that
// value, then it sets the new one. A lamp that only switches is as bright as it can
// be when it is on.
func relative(a intent.Action, e *home.Entity, set catalogue.Setting, risk tools.Risk) Step {
	if !can(e, set.Ability) {
		if set.Ability == home.Brightness && can(e, home.OnOff) && a.Slots["direction"] == "up" {
			return control(a, e, command{action: "on"}, risk)
		}
		s := cannot(a, e, "cannot_change", "I can't change the %s of %s.", set.Ability, nameOf(e))
		if err, ok := errors.AsType[*Error](s.Err); ok {
			err.What = set.Ability
		}
		return s
	}
	if e.Read == nil {
		return cannot(a, e, "cannot_now", "I don't know how %s is set now.", nameOf(e))
	}
	step := set.Step
	delta, said := number(a.Slots[set.Slot])
	if said {
		step = delta
	}
	if a.Slots["direction"] == "down" {
		step = -step
	}
	made, err := call(e.Server, e.Read.Tool, map[string]any{"device_name": e.Read.ID})
	next := func(r tools.Result) (tools.Call, error) {
		var state struct {
			Values map[string]any `json:"values"`
		}
		if err := json.Unmarshal(r.Data, &state); err != nil {
			return tools.Call{}, unknownNow(a, e)
		}
		moved, about := setPointOf(set.Ability, step, state.Values)
		now, ok := number(state.Values[string(moved)])
		if !ok {
			return tools.Call{}, unknownNow(a, e)
		}
		if times, ok := number(a.Slots["times"]); ok && now > 0 { // half as bright
			step = now*times - now
		}
		if now == 0 && offAtZero(set.Ability) {
			return controlCall(e, fromOff(set, step, said))
		}
		return controlCall(e, command{set.Action, counting(about, clamp(set.Ability, now+step))})
	}
	return Step{Action: a, Entity: e, Call: made, Risk: risk, Err: err, next: next}
}

// setPointOf returns which set point a step moves: if a thermostat keeps a room between
// two, the one that makes it warmer, or cooler. The word for it is in the action.
func setPointOf(ability home.Ability, step float64, values map[string]any) (home.Ability, intent.Action) {
	moved := home.HeatsTo
	if step < 0 {
		moved = home.CoolsTo
	}
	if _, two := number(values[string(moved)]); !two || ability != home.Setpoint {
		return ability, intent.Action{}
	}
	return moved, intent.Action{Slots: map[string]any{slotCounts: counted[moved]}}
}

// offAtZero reports whether a thing is off whose value is 0. A player that is turned down
// plays on, and a thermostat may be set to 0 degrees.
func offAtZero(a home.Ability) bool { return a != home.Setpoint && a != home.Volume }

// fromOff says what more or less means for a thing that is off. Less keeps it off; more
// switches it on at its last level, or at the step that was said.
func fromOff(set catalogue.Setting, step float64, said bool) command {
	switch {
	case step < 0:
		return command{set.Action, 0}
	case said:
		return command{set.Action, clamp(set.Ability, step)}
	}
	return command{action: "on"}
}

func unknownNow(a intent.Action, e *home.Entity) error {
	return &Error{Intent: a.Intent, Text: "I don't know how " + nameOf(e) + " is set now.", Key: "cannot_now", Entity: e}
}

// clamp keeps a brightness or a speed between barely on and full. The limits of
// a thermostat are known by its tool. Halves are kept.
func clamp(ability home.Ability, v float64) float64 {
	switch ability {
	case home.Setpoint:
		return math.Round(v*2) / 2
	case home.Volume:
		return math.Round(min(max(v, 0), full))
	default:
		return math.Round(min(max(v, 5), full))
	}
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}
