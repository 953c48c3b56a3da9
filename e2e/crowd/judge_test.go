package crowd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/learn"
	"voicegateway/internal/tools"
)

// verdict is what the judge thinks of what would be done.
type verdict string

// Verdicts on sentences for the house, and on all others.
const (
	right    verdict = "right"
	asked    verdict = "asked"
	refused  verdict = "refused"
	handedOn verdict = "handed on"
	wrong    verdict = "wrong"

	act      verdict = "act"       // something would be done
	question verdict = "question"  // something would be asked
	wrongDay verdict = "wrong day" // a reminder would come on another day than was said
	answered verdict = "answered"  // a question of the house's was answered
	left     verdict = "left"
)

// kind is what an order of one label may come to: one of the intents, with things of the
// kind only, in the direction. A question about such things is right as well, because a
// crowd labels "is the light off" as an order to switch it off.
type kind struct {
	label   string
	intents []string
	things  func(*home.Entity) bool
	up      string // the direction that a step must have; "" if any
}

func isLight(e *home.Entity) bool   { return e.Domain == "light" }
func isOther(e *home.Entity) bool   { return e.Domain != "light" }
func isCoffee(e *home.Entity) bool  { return e.ID == "switch.coffee" }
func isCleaner(e *home.Entity) bool { return e.ID == "switch.vacuum" }

// kinds are the labels that are a house's, in the order of the table.
var kinds = []kind{
	{"iot/hue_lighton", []string{catalogue.TurnOn, catalogue.LightSet, catalogue.BrightnessAdjust}, isLight, "up"},
	{"iot/hue_lightoff", []string{catalogue.TurnOff}, isLight, ""},
	{"iot/hue_lightup", []string{catalogue.BrightnessAdjust, catalogue.LightSet, catalogue.TurnOn}, isLight, "up"},
	{"iot/hue_lightdim", []string{catalogue.BrightnessAdjust, catalogue.LightSet}, isLight, "down"},
	{"iot/hue_lightchange", []string{catalogue.LightSet, catalogue.BrightnessAdjust}, isLight, ""},
	{"iot/coffee", []string{catalogue.TurnOn}, isCoffee, ""},
	{"iot/cleaning", []string{catalogue.TurnOn, catalogue.VacuumStart}, isCleaner, ""},
	{"iot/wemo_on", []string{catalogue.TurnOn}, isOther, ""},
	{"iot/wemo_off", []string{catalogue.TurnOff}, isOther, ""},
	{"audio/volume_up", []string{catalogue.SetVolumeRelative, catalogue.SetVolume, catalogue.MediaPlayerUnmute}, nil, "up"},
	{"audio/volume_down", []string{catalogue.SetVolumeRelative, catalogue.SetVolume}, nil, "down"},
	{"audio/volume_mute", []string{catalogue.MediaPlayerMute, catalogue.SetVolume, catalogue.Stop, catalogue.NotForYou, catalogue.GoodNight}, nil, ""},
	{"audio/volume_other", []string{catalogue.SetVolumeRelative, catalogue.SetVolume, catalogue.GetVolume, catalogue.MediaPlayerMute, catalogue.MediaPlayerUnmute}, nil, ""},
	{"alarm/set", []string{catalogue.SetAlarm, catalogue.StartTimer, catalogue.Remind}, nil, ""},
	{"alarm/query", []string{catalogue.TimerStatus}, nil, ""},
	{"alarm/remove", []string{catalogue.CancelTimer, catalogue.CancelAllTimers}, nil, ""},
	{"datetime/query", clocks, nil, ""},
	{"datetime/convert", clocks, nil, ""},
}

var (
	clocks = []string{catalogue.GetCurrentTime, catalogue.GetCurrentDate}
	timers = []string{catalogue.Remind, catalogue.SetAlarm, catalogue.StartTimer}
	// also are the intents that a label which is not a house's may come to.
	also = map[string][]string{
		"calendar/set":      timers,
		"calendar/remove":   {catalogue.CancelTimer, catalogue.CancelAllTimers},
		"lists/createoradd": {catalogue.Remind},
	}
	// notNow are the words with which an order is not one for now, or is no order.
	notNow = regexp.MustCompile(`\b(when|if|unless|until|how)\b`)
	// revoked is what is said of an act that lasts until a person ends it.
	revoked = regexp.MustCompile(`\buntil (i (say|tell)|told|said|further)\b`)
	// never forbids, but for "do not speak".
	never = regexp.MustCompile(`\b(don't|do not|never)\b`)
	// asks are the words with which a question about what is set begins.
	asks = regexp.MustCompile(`^(is|are|do|does|did|have|what|when|which|confirm|check|show|list|tell)\b`)
	days = regexp.MustCompile(`\b(?:(next|every|each) )?(today|tonight|tomorrow|daily|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(s?)\b`)
)

// judge judges decisions about sentences in one house.
type judge struct{ house *home.House }

// kindOf returns the kind of order that a sentence was taken for; false if it was not for
// the house.
func kindOf(s learn.Sentence) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.label == s.Label })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// of judges a decision about a sentence.
func (j judge) of(s learn.Sentence, d intent.Decision) verdict {
	k, ours := kindOf(s)
	if !ours {
		return ofOther(s, d)
	}
	switch d.Route {
	case intent.Ask:
		return asked
	case intent.Reject:
		return refused
	case intent.Local:
		if slices.ContainsFunc(d.Actions, func(a intent.Action) bool { return !j.fits(k, s, a) }) {
			return wrong
		}
		return right
	case intent.Model:
	}
	return handedOn
}

// ofOther judges a decision about a sentence that is not for the house.
func ofOther(s learn.Sentence, d intent.Decision) verdict {
	switch d.Route {
	case intent.Ask:
		if strings.Contains(s.Text, "remind") {
			return left // which was wished, and a question never comes on a wrong day
		}
		return question
	case intent.Local:
		verdict := answered
		for _, a := range d.Actions {
			switch {
			case catalogue.Of(a.Intent).Risk == tools.Read:
			case !slices.Contains(also[s.Label], a.Intent) || len(a.Later) > 0:
				return act
			case !keepsDay(s.Text, a):
				verdict = wrongDay
			}
		}
		return verdict
	case intent.Model, intent.Reject:
	}
	return left
}

// fits reports whether an act is one of the kind, on the things and in the room that were
// named, at the time and on the day that were said.
func (j judge) fits(k kind, s learn.Sentence, a intent.Action) bool {
	if k.things == nil && !strings.HasPrefix(k.label, "audio/") {
		told := a.Intent == catalogue.TimerStatus && asks.MatchString(s.Text)
		return (told || slices.Contains(k.intents, a.Intent)) && len(a.Later) == 0 && keepsDay(s.Text, a)
	}
	timed := len(a.Later) > 0 || a.Slots["then"] != nil // an act with an end
	if timed != isTimed(s) || !timed && notNow.MatchString(revoked.ReplaceAllString(s.Text, "")) || k.label != "audio/volume_mute" && never.MatchString(s.Text) {
		return false
	}
	acts := a.Later
	if len(acts) == 0 {
		acts = []intent.Action{a}
	}
	return !slices.ContainsFunc(acts, func(a intent.Action) bool { return !j.fitsNow(k, s, a) })
}

// fitsNow is fits for an act that is done when its time has come.
func (j judge) fitsNow(k kind, s learn.Sentence, a intent.Action) bool {
	told := k.things != nil && a.Intent == catalogue.GetState
	if !told && !slices.Contains(k.intents, a.Intent) {
		return false
	}
	if level := a.Slots["volume_level"]; k.label == "audio/volume_mute" && level != nil && fmt.Sprint(level) != "0" {
		return false
	}
	for _, slot := range []string{"direction", "volume_step"} {
		if step, ok := a.Slots[slot].(string); ok && k.up != "" && step != k.up {
			return false
		}
	}
	if k.things == nil {
		return true
	}
	named := j.roomsIn(s.Text)
	for _, e := range j.house.Some(a.Devices) {
		if !k.things(e) || len(named) > 0 && !slices.Contains(named, e.Area) {
			return false
		}
	}
	return len(a.Devices) > 0
}

// isTimed reports whether a sentence says when or for how long something is to be done.
func isTimed(s learn.Sentence) bool {
	for _, p := range s.Parts {
		if (p.Type == "time" || p.Type == "general_frequency") && p.Text != "now" || p.Text == "noon" || p.Text == "midnight" {
			return true
		}
	}
	return false
}

// roomsIn returns the rooms that a text names.
func (j judge) roomsIn(text string) []string {
	var out []string
	padded := " " + text + " "
	for _, a := range j.house.Areas {
		for _, name := range append([]string{a.Name}, a.Aliases...) {
			if strings.Contains(padded, " "+strings.ToLower(name)+" ") {
				out = append(out, a.Name)
				break
			}
		}
	}
	return out
}

// keepsDay reports whether an act for later is on a day that was said, and repeats if that
// was said; true if no day was said or nothing is done later.
func keepsDay(text string, a intent.Action) bool {
	said := days.FindAllStringSubmatch(text, -1)
	if len(said) == 0 || !slices.Contains(timers, a.Intent) {
		return true
	}
	for _, d := range said {
		often, day := d[1] == "every" || d[1] == "each" || d[2] == "daily" || d[3] == "s", d[2]
		if often && a.Slots["every"] != nil || !often && keeps(a, day) {
			return true
		}
	}
	return false
}

// keeps reports whether an act is on a day: on its name, or on a date that stands for it.
func keeps(a intent.Action, day string) bool {
	if day == "today" || day == "tonight" {
		return a.Slots["day"] == nil || a.Slots["day"] == "today"
	}
	return a.Slots["day"] == day || a.Slots["weekday"] == day || a.Slots["date"] != nil
}
