package timers

import (
	"cmp"
	"fmt"
	"strings"
)

// explanations say in English why something was refused, for models and programs.
var explanations = map[Reason]string{
	Past:          "That time is over.",
	TooLong:       "A timer lasts a year at most.",
	TooShort:      "A timer lasts a second at least.",
	TooMany:       fmt.Sprintf("There are %d timers already.", Most),
	NothingRings:  "Nothing rings.",
	UnknownName:   "No timer is called that.",
	UnknownLength: "No timer has that length.",
	Repeats:       "What comes then repeats. Only the whole of it can be cancelled.",
	TooFew:        "There are not that many.",
	NoTime:        "Give either seconds, or a time of day in at; day and every go with a time of day.",
	NoPlace:       "The times of the sun are not known: gateway.location is not set.",
	NoSun:         "The sun does not rise or set in the next days.",
	BadTime:       "The time of day is HH:MM, or sunrise, sunset, dawn or dusk; the day is today, tomorrow, a weekday or YYYY-MM-DD; every is day, weekday, weekend or one weekday.",
	BadKind:       "The kind is timer, alarm, reminder or command.",
	BadAction:     "The action is cancel, cancel_all, pause, resume, add, subtract, snooze or stop.",
	NoCommand:     "A command needs the sentence to carry out, and nothing else takes one.",
	NotATimer:     "Only what counts down can be paused, and what repeats cannot be made longer.",
	NotSaved:      "It could not be written down, so it is lost if the gateway stops.",
	NotUnderstood: "That sentence means nothing here that can be done.",
	IsDangerous:   "Dangerous things are never done by a timer.",
	ManyDevices:   "That is about many devices; the user has to confirm it.",
	NoBell:        "No gateway runs here that could ring.",
	TooOften:      "Too many requests within a minute.",
}

// Text is the result as an English sentence, for models and programs.
func (r Result) Text() string {
	var said []string
	for _, t := range r.Timers {
		said = append(said, t.text())
	}
	list := strings.Join(said, "; ")
	why := explanations[r.Reason]
	switch r.Outcome {
	case Refused:
		return strings.TrimSpace("Not done. " + why)
	case None:
		if list == "" {
			return "There are no timers."
		}
		return cmp.Or(why, "No timer is like that.") + " There are: " + list + "."
	case Several:
		return "Which one? " + list + "."
	case Listed:
		if list == "" {
			return "There are no timers."
		}
		return "There are: " + list + "."
	default:
		return strings.TrimSpace(strings.ToUpper(string(r.Outcome[:1])) + string(r.Outcome[1:]) + ": " + list + ". " + why)
	}
}

// text describes a timer so that it can be read aloud.
func (t Timer) text() string {
	text := "the " + string(t.Kind)
	switch called := cmp.Or(t.Name, t.Text, t.Command); {
	case called == "":
	case t.Kind == Countdown:
		text = "the " + called + " timer"
	case t.Kind == End:
		text = called + " as it is"
	default:
		text += " “" + called + "”"
	}
	switch {
	case t.State == Ringing:
		text += " rings"
	case t.State == Paused:
		text += " is paused with " + spelt(t.Left) + " left"
	case t.Kind == End && t.At != "":
		text += " until " + t.Due.Format("15:04 on Monday, January 2")
	case t.At != "" && t.Every != "":
		text += " at " + t.At + " every " + t.Every
	case t.At != "":
		text += " at " + t.Due.Format("15:04 on Monday, January 2")
	default:
		text += ", " + spelt(t.Left) + " left"
	}
	return text
}

// spelt is a length in its two largest units.
func spelt(seconds int) string {
	units := []struct {
		name string
		size int
	}{{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}}
	var said []string
	for _, u := range units {
		n := seconds / u.size
		seconds %= u.size
		switch {
		case n == 1:
			said = append(said, "1 "+u.name)
		case n > 1:
			said = append(said, fmt.Sprint(n, " ", u.name, "s"))
		}
		if len(said) == 2 || len(said) == 1 && n == 0 {
			break
		}
	}
	return cmp.Or(strings.Join(said, " "), "0 seconds")
}
