package form

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// Actions are what the tools that act of every house can do, in the order of their schema.
// Only the tool for dangerous acts also knows unlock. What only some houses can do stands in
// their Offer.
func Actions() []string {
	return []string{"on", "off", "toggle", "level", "open", "close", "stop", "position", "lock", "setpoint", "mode", "colour"}
}

func (o Offer) actions() []string { return append(Actions(), o.Actions...) }

// Dangerous reports whether an act needs ToolDangerous. That is any act that opens the
// house or makes it loud, wet or hot (REQUIREMENTS S1). Closing, locking and turning
// something off never need it. The names of the thing tell what it is, so also has those
// that it has beside its own.
func Dangerous(e *home.Entity, action string, value any) bool {
	switch action {
	case "unlock":
		return true
	case "off", "close", "stop", "lock", "pause", "dock", "mute":
		return e.Domain == "lock" && action != "lock"
	case "level", "position":
		if p, ok := Number(value, "%", "percent"); ok && p == 0 {
			return e.Domain == "lock"
		}
	case "mode":
		if word, _ := value.(string); Fold(word) == "off" {
			return false
		}
	}
	return e.Domain == "lock" || e.Hazards() != 0
}

// RefuseDangerous refuses an act that is dangerous. allowed says that the house offers
// ToolDangerous.
func RefuseDangerous(action, name string, allowed bool) error {
	if allowed {
		return RefuseFor(tools.RefusedDangerous, "To %s could let somebody in or do harm; only %s does that.", SayAct(action, name), ToolDangerous)
	}
	return RefuseFor(tools.RefusedDangerous, "I may not %s: that could let somebody in or do harm. It has to be allowed in the settings first.", SayAct(action, name))
}

// Number reads a number that may come as text with one of these units behind it, and with
// a comma for a point.
func Number(v any, units ...string) (float64, bool) {
	text, isText := v.(string)
	if !isText {
		n, ok := v.(float64)
		return n, ok
	}
	text = strings.TrimSpace(strings.ToLower(text))
	for _, u := range units {
		text = strings.TrimSpace(strings.TrimSuffix(text, u))
	}
	text = strings.Replace(text, ",", ".", 1) // 21,5
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// Temperature reads a temperature in a device's own unit. A number alone is in that unit;
// one said in the other scale is converted.
func Temperature(v any, unit string) (float64, bool) {
	want, ok := Number(v, "celsius", "fahrenheit", "degrees", "degree", "°c", "°f", "°", "c", "f")
	text, _ := v.(string)
	text = strings.ToLower(strings.TrimSpace(text))
	own := home.ScaleOf(unit)
	switch {
	case !ok:
		return 0, false
	case strings.HasSuffix(text, "f"), strings.HasSuffix(text, "fahrenheit"):
		want = home.Fahrenheit.Command(want, own)
	case strings.HasSuffix(text, "c"), strings.HasSuffix(text, "celsius"):
		want = home.Celsius.Command(want, own)
	}
	return want, true
}

// The words before a number that say which of two set points it is.
const (
	Heating = "heat"
	Cooling = "cool"
)

// CutCounting removes the word from the value of a set point that says for which of two it
// is; "" if there is none.
func CutCounting(value any) (word string, rest any) {
	text, _ := value.(string)
	for _, w := range []string{Heating, Cooling} {
		if number, ok := strings.CutPrefix(text, w+" "); ok {
			return w, number
		}
	}
	return "", value
}

// colours are the colour names that people use most, as RGB.
var colours = map[string]string{
	"red": "ff0000", "green": "00ff00", "blue": "0000ff", "yellow": "ffff00", "orange": "ff8000",
	"purple": "8000ff", "pink": "ff0080", "cyan": "00ffff", "magenta": "ff00ff", "turquoise": "40e0d0", "white": "ffffff",
	"violet": "8f00ff", "gold": "ffd700", "teal": "008080",
	// About 2700, 4000 and 6500 kelvin.
	"warm white": "ffa757", "cool white": "ffd1a3", "cold white": "fffefa",
}

// Colour reads a colour, named or as #rrggbb, as its six hexadecimal digits in lower case.
func Colour(value any) (hex string, err error) {
	word, isText := value.(string)
	if n, ok := value.(float64); ok && !isText { // 112233 without quotes
		word = strconv.FormatFloat(n, 'f', -1, 64)
	}
	word = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(word)), "#")
	hex, ok := colours[word]
	if !ok {
		hex = word
	}
	if _, err := strconv.ParseUint(hex, 16, 32); err != nil || len(hex) != 6 {
		return "", RefuseFor(tools.RefusedValue, "I do not know the colour %q.", word)
	}
	return hex, nil
}

// MostAtOnce is how many devices one call may act on; any number of lights may be turned
// off (REQUIREMENTS S3). A host that wants more asks its user and names the devices.
const MostAtOnce = 5

// TooMany reports whether one call may not act on so many devices of these domains.
func TooMany(domains []string, action string) bool {
	lights := !slices.ContainsFunc(domains, func(d string) bool { return d != "light" })
	return len(domains) > MostAtOnce && (!lights || action != "off")
}
