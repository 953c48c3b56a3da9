package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
)

// Does lists the words of the control tool that an entity understands, as On reads them.
func Does(e *home.Entity) []string {
	if e.Control == nil {
		return nil
	}
	var all []string
	for _, word := range slices.Concat([]string{"on", "off", "open", "close", "lock", "unlock"}, catalogue.Actions()) {
		_, own := switching[e.Domain]
		if own && (word == "on" || word == "off") || slices.Contains(all, word) {
			continue // it has words of its own
		}
		for _, value := range []any{50.0, "white"} {
			w := Wish{Action: word, Value: value}
			if a, err := w.action(e); err != nil || !plannable(a.Intent, e) {
				continue
			}
			if _, err := w.On(e); err == nil {
				all = append(all, word)
				break
			}
		}
	}
	return all
}

// plannable reports whether an act is one that an entity lists: a lamp that lists nothing may
// be able to do anything, and is not offered what only some things can do.
func plannable(name string, e *home.Entity) bool {
	return len(e.Abilities) > 0 || catalogue.Of(name).Plan == catalogue.Switch
}

// Explain says in English what an entity can do, with the range and the unit of each value.
func Explain(e *home.Entity) string {
	all := Does(e)
	if len(all) == 0 {
		return "it can only be read"
	}
	for i, word := range all {
		if about := valuesOf(e, word); about != "" {
			all[i] = word + " (" + about + ")"
		}
	}
	return "it can do " + strings.Join(all, ", ")
}

// valuesOf says which values a word takes; "" for none.
func valuesOf(e *home.Entity, word string) string {
	switch word {
	case "level", "position", "humidity":
		return "0 to 100 percent"
	case "setpoint":
		if low, high, ok := e.Takes(e.Scale); ok {
			return fmt.Sprintf("%s to %s %s", figure(low), figure(high), e.Scale)
		}
		return strings.TrimSpace("a temperature " + string(e.Scale))
	case "colour":
		return "a word, such as red"
	case "mode":
		return wordsOf(e, "modes")
	case "source", "preset":
		return wordsOf(e, word+"s")
	case "add", "complete", "remove":
		return "what stands on the list"
	}
	return ""
}

// wordsOf lists the words of an attribute, or says that it is one.
func wordsOf(e *home.Entity, attribute string) string {
	if words, ok := e.Attributes[attribute].([]any); ok {
		return strings.Trim(fmt.Sprint(words), "[]")
	}
	return "a word"
}

func figure(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Fits says why an entity does not take a wish, or its value; nil if it does. What only the
// entity itself knows is left to its receipt.
func (w Wish) Fits(e *home.Entity) error {
	s, err := w.On(e)
	if err != nil {
		return err
	}
	if low, high, ok := e.Takes(e.Scale); ok && w.Action == "setpoint" {
		if n, isNumber := number(s.Action.Slots["temperature"]); isNumber && (n < low || n > high) {
			return fmt.Errorf("the value of %q is out of range", w.Action)
		}
	}
	return nil
}
