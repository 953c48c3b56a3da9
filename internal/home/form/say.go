package form

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"voicegateway/internal/home"
)

// SayState spells a state for a sentence; nil is unknown.
func SayState(v any, unit string) string {
	switch v := v.(type) {
	case nil:
		return "unknown"
	case float64:
		text := strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
		switch unit {
		case "%":
			return text + " percent"
		case string(home.Celsius):
			return text + " degrees"
		case string(home.Fahrenheit):
			return text + " degrees Fahrenheit"
		case "":
			return text
		default:
			return text + " " + unit
		}
	default:
		return fmt.Sprint(v)
	}
}

// Verb returns "is" or "are", to agree with names such as "Living Room Blinds".
func Verb(name string) string {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && !strings.HasSuffix(lower, "'s") {
		return "are"
	}
	return "is"
}

// Is makes a sentence such as "Kitchen Light is on.".
func Is(name, what string) string { return name + " " + Verb(name) + " " + what + "." }

// SayDone says that what an ability of a thing was set to is so; what is the value in words.
func SayDone(name string, a home.Ability, what string) string {
	switch a {
	case home.Brightness, home.Speed, home.Position, home.Volume:
		return Is(name, "at "+what)
	case home.Setpoint, home.Mode, home.Source, home.Preset, home.TargetHumidity:
		return Is(name, "set to "+what)
	case home.Mute:
		if what == "true" {
			return Is(name, "muted")
		}
		return Is(name, "not muted")
	case home.HeatsTo:
		return name + " heats to " + what + "."
	case home.CoolsTo:
		return name + " cools to " + what + "."
	default:
		return Is(name, what)
	}
}

// SayFound says that a thing exists.
func SayFound(v Verified) string {
	kind := strings.ReplaceAll(v.Type, "_", " ")
	if v.Area == "" {
		return fmt.Sprintf("%s exists: a %s.", v.Name, kind)
	}
	return fmt.Sprintf("%s exists: a %s in the area %s.", v.Name, kind, v.Area)
}

// SayAct says in words what would be done to a device.
func SayAct(action, name string) string {
	switch action {
	case "on", "off":
		return "switch " + name + " " + action
	case "level", "position":
		return "move " + name
	case "setpoint", "mode", "colour", "source", "preset", "humidity":
		return "set " + name
	case "next", "previous":
		return "skip on " + name
	case "dock":
		return "send home " + name
	case "add", "complete", "remove":
		return "change " + name
	default:
		return action + " " + name
	}
}

// SayAge says how long ago something was.
func SayAge(seconds int64) string {
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

// JoinWord appends a word to a name unless the name already ends with it.
func JoinWord(name, word string) string {
	if strings.HasSuffix(strings.ToLower(name), strings.ToLower(word)) {
		return name
	}
	return name + " " + word
}

// OrList joins names: "a, b or c".
func OrList(names []string) string { return joinNames(names, "or") }

// AndList joins names: "a, b and c".
func AndList(names []string) string { return joinNames(names, "and") }

func joinNames(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// Hex spells red, green and blue, each from 0 to 255, as rrggbb; ok is false if one of them
// is another number or none.
func Hex(components []any) (hex string, ok bool) {
	var b strings.Builder
	for _, c := range components {
		n, ok := c.(float64)
		if !ok || n < 0 || n > 255 {
			return "", false
		}
		fmt.Fprintf(&b, "%02x", int(n))
	}
	return b.String(), true
}
