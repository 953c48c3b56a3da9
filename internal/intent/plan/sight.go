package plan

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Sight is what a later look at a device tells of a command that was under way.
type Sight struct {
	Known bool // the device has reported since the command
	There bool // it is as it was asked to be
	Rests bool // it has stopped short of it
	Back  bool // it goes the other way
	State any  // the word for its state; nil: not known
	Level any  // percent; nil for a device without a level
}

// goals are the states that a command's action leads to, with the words of the way
// there and of the way back.
var goals = map[string]struct {
	state, back string
	level       any // for a device with a level
}{
	"on":     {state: "on"},
	"off":    {state: "off", level: 0.0},
	"open":   {state: "open", back: "closing", level: 100.0},
	"close":  {state: "closed", back: "opening", level: 0.0},
	"lock":   {state: "locked"},
	"unlock": {state: "unlocked"},
}

// settings are the actions that give an ability the value in the command.
var settings = map[string]home.Ability{"level": home.Brightness, "position": home.Position, "setpoint": home.Setpoint, "mode": home.Mode}

// ShowsLater reports whether a later look at a device can tell what came of a
// command.
func ShowsLater(c tools.Call) bool {
	var want asked
	if json.Unmarshal(c.Args, &want) != nil {
		return false
	}
	_, state := goals[want.Action]
	_, setting := settings[want.Action]
	return state || setting && want.Value != nil
}

// Look reads from a device's state how far it has come with a command that was sent
// some time ago. The look before tells which way it goes.
func Look(c tools.Call, r tools.Result, ago time.Duration, before Sight) Sight {
	var want asked
	var state struct {
		State  any                  `json:"state"`
		Values map[home.Ability]any `json:"values"`
		Age    *float64             `json:"age_seconds"`
	}
	if json.Unmarshal(c.Args, &want) != nil || r.Failed || json.Unmarshal(r.Data, &state) != nil {
		return Sight{}
	}
	fresh := state.Age == nil || *state.Age >= 0 && *state.Age <= ago.Seconds()+1
	seen := Sight{State: state.State, Known: fresh}
	for _, l := range levels {
		if _, ok := number(state.Values[l]); ok {
			seen.Level = state.Values[l]
		}
	}
	if a, ok := settings[want.Action]; ok && (a == home.Setpoint || a == home.Mode) {
		// The age belongs to another value; a setting is reported as it was last reported.
		a, value := wantedOf(a, want.Value)
		seen.Known = state.Values[a] != nil
		seen.There = sameSetting(string(a), state.Values[a], value)
		return seen
	}
	seen.Known = fresh && (seen.State != nil || seen.Level != nil)
	seen.against(want, before)
	return seen
}

// wantedOf is what a command sets, and to what: of two set points that count at once,
// the word before the number says which.
func wantedOf(a home.Ability, value any) (home.Ability, any) {
	text, _ := value.(string)
	for of, word := range counted {
		number, ok := strings.CutPrefix(text, word+" ")
		if n, err := strconv.ParseFloat(number, 64); ok && err == nil && a == home.Setpoint {
			return of, n
		}
	}
	return a, value
}

// against compares a sight with what was asked for.
func (s *Sight) against(want asked, before Sight) {
	goal, isState := goals[want.Action]
	target := goal.level
	if !isState {
		target = want.Value
	}
	word := strings.ToLower(wordOf(s.State))
	if s.Level != nil && target != nil {
		s.There = s.Known && alike(s.Level, target)
		was := distance(before.Level, target)
		s.Back = s.Known && before.Known && was >= 0 && distance(s.Level, target) > was+rounding
	} else {
		s.There = s.Known && isState && word == goal.state
	}
	s.Back = s.Back || s.Known && goal.back != "" && word == goal.back
	s.Rests = s.Known && !s.There && slices.Contains([]string{"stopped", "jammed"}, word)
}

// distance is how far two levels are apart; -1 if one of them is not known.
func distance(a, b any) float64 {
	x, known := number(a)
	y, also := number(b)
	if !known || !also {
		return -1
	}
	return max(x-y, y-x)
}
