package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Wish is what the arguments of a control tool ask for.
type Wish struct {
	Device string `json:"device_name"`
	Action string `json:"action"`
	Value  any    `json:"value"`
}

// ReadWish reads the arguments of a control tool; ok is false if they name no
// device or no action.
func ReadWish(args json.RawMessage) (w Wish, ok bool) {
	if json.Unmarshal(args, &w) != nil {
		return Wish{}, false
	}
	w.Device, w.Action = strings.TrimSpace(w.Device), strings.ToLower(strings.TrimSpace(w.Action))
	return w, w.Device != "" && w.Action != ""
}

// On plans a wish for an entity as if a sentence had asked for it, so that the same
// rules hold for both. The error is a complaint for the one who made the call: the
// entity cannot do that, or the value is wrong.
func (w Wish) On(e *home.Entity) (Step, error) {
	a, err := w.action(e)
	if err != nil {
		return Step{}, err
	}
	a.Devices = []string{e.ID}
	s := device(a, e)
	return s, s.Err
}

// switching are the words for on and off in the domains that have their own. A covering
// may be switched on or off as well; for a lock the meaning would not be clear.
var switching = map[string]struct{ on, off []string }{
	"lock":  {[]string{"lock"}, []string{"unlock"}},
	"cover": {[]string{"open", "on"}, []string{"close", "off"}},
	"valve": {[]string{"open", "on"}, []string{"close", "off"}},
}

// action is the act that a wish asks of an entity.
func (w Wish) action(e *home.Entity) (intent.Action, error) {
	words, special := switching[e.Domain]
	if !special {
		words.on, words.off = []string{"on"}, []string{"off"}
	}
	switch {
	case slices.Contains(words.on, w.Action):
		return intent.Action{Intent: catalogue.TurnOn, Slots: map[string]any{}}, nil
	case slices.Contains(words.off, w.Action):
		return intent.Action{Intent: catalogue.TurnOff, Slots: map[string]any{}}, nil
	}
	name, set, ok := catalogue.Doing(w.Action, func(a home.Ability) bool { return can(e, a) })
	if !ok {
		return intent.Action{}, fmt.Errorf("%s cannot do %q", e.Name, w.Action)
	}
	a := intent.Action{Intent: name, Slots: map[string]any{}}
	if set.Slot == "" {
		return a, nil
	}
	ability, wanted := wantedOf(set.Ability, w.Value)
	if word := counted[ability]; word != "" {
		a.Slots[slotCounts], w.Value = word, wanted
	}
	value, err := w.value(set.Ability)
	a.Slots[set.Slot] = value
	return a, err
}

// value reads the value for an ability: a number, also one that is written as a
// text, or a word.
func (w Wish) value(ability home.Ability) (any, error) {
	text, isText := w.Value.(string)
	text = strings.TrimSpace(text)
	if slices.Contains([]home.Ability{home.Mode, home.Colour, home.Source, home.Preset, home.List}, ability) {
		if text == "" {
			return nil, fmt.Errorf("%q needs a value: a word", w.Action)
		}
		return text, nil
	}
	n, ok := number(w.Value)
	if isText {
		parsed, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimRight(text, "%°C ")), 64)
		n, ok = parsed, err == nil
	}
	percent := slices.Contains(levels, ability) || ability == home.Volume || ability == home.TargetHumidity
	switch {
	case !ok && percent:
		return nil, fmt.Errorf("%q needs a value: a number from 0 to 100", w.Action)
	case !ok:
		return nil, fmt.Errorf("%q needs a value: a number", w.Action)
	case percent && (n < 0 || n > full):
		return nil, fmt.Errorf("the value of %q is a number from 0 to 100", w.Action)
	}
	return n, nil
}
