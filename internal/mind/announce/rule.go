package announce

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/text"
)

// Config says what is announced besides smoke, water and the like, which need no rule.
type Config struct {
	Quiet string `yaml:"quiet"` // the hours in which no rule speaks, such as "22:00-07:00"; "" for none
	Rules []Rule `yaml:"rules"`
}

// Rule says what is announced about some things.
type Rule struct {
	When   record.Kind   `yaml:"when"`   // open, battery_low, dead, jammed, state
	Things []string      `yaml:"things"` // names as people use them; empty: all that report such a thing
	Class  string        `yaml:"class"`  // only things of this class, such as window
	Area   string        `yaml:"area"`   // only things of this room
	State  string        `yaml:"state"`  // for "when: state": the state as it is written in readings, such as on
	For    time.Duration `yaml:"for"`    // how long it must have been so; 0: 10 min for open and dead, else at once
	Say    string        `yaml:"say"`    // in place of our own text
}

// Default has no rule, and a night.
func Default() Config { return Config{Quiet: "22:00-07:00", Rules: []Rule{}} }

// Limits of a rule.
const (
	unattended = 10 * time.Minute // of what is open or dead, where the rule does not say
	longestFor = 24 * time.Hour
	mostRules  = 50
	lowBattery = 20 // percent
)

// conditions say when a rule holds, by what it is about.
var conditions = map[record.Kind]func(r *Rule, e home.Event) bool{
	record.LeftOpen:   func(_ *Rule, e home.Event) bool { return state(e) == "open" },
	record.BatteryLow: func(_ *Rule, e home.Event) bool { return isLow(e) },
	record.Dead:       func(_ *Rule, e home.Event) bool { return e.Class == "reach" && state(e) == "dead" },
	record.Jammed:     func(_ *Rule, e home.Event) bool { return state(e) == "jammed" },
	record.InState:    func(r *Rule, e home.Event) bool { return state(e) == text.Fold(r.State) },
}

// about reports whether a rule judges an event at all. A door that stops answering is not
// an event about the door's position: it does not count as closed.
func (r *Rule) about(e home.Event) bool {
	switch {
	case len(r.Things) > 0 && !slices.ContainsFunc(r.Things, func(name string) bool { return text.Fold(name) == text.Fold(e.Thing) }),
		r.Area != "" && text.Fold(r.Area) != text.Fold(e.Area),
		r.Class != "" && text.Fold(r.Class) != text.Fold(e.Class):
		return false
	}
	switch r.When {
	case record.Dead:
		return e.Class == "reach"
	case record.BatteryLow:
		return e.Class == "battery"
	default:
		return e.Class != "reach" && e.Class != "battery" || r.Class != ""
	}
}

// holds reports whether a report is what the rule is about.
func (r *Rule) holds(e home.Event) bool { return conditions[r.When](r, e) }

// after is how long it must have been so.
func (r *Rule) after() time.Duration {
	if r.For == 0 && (r.When == record.LeftOpen || r.When == record.Dead) {
		return unattended
	}
	return r.For
}

// state returns the state of an event, folded for comparing.
func state(e home.Event) string {
	if e.State == nil {
		return ""
	}
	return text.Fold(fmt.Sprint(e.State))
}

// isLow reports whether a battery is low. A level that is not a percentage is the code
// for a low battery.
func isLow(e home.Event) bool {
	level, isNumber := e.State.(float64)
	return isNumber && (level <= lowBattery || level > 100) || state(e) == "low"
}

// Validate reports everything that is wrong with the configuration.
func (c Config) Validate() error {
	var errs []error
	if _, err := hours(c.Quiet); err != nil {
		errs = append(errs, fmt.Errorf("announce.quiet: %w", err))
	}
	if len(c.Rules) > mostRules {
		errs = append(errs, fmt.Errorf("announce.rules: %d are too many; expected at most %d", len(c.Rules), mostRules))
	}
	for i := range c.Rules {
		if err := c.Rules[i].validate(); err != nil {
			errs = append(errs, fmt.Errorf("announce.rules[%d].%w", i, err))
		}
	}
	return errors.Join(errs...)
}

// validate reports the first thing that is wrong with a rule, beginning with its key.
func (r *Rule) validate() error {
	known := slices.Sorted(maps.Keys(conditions))
	switch {
	case conditions[r.When] == nil:
		return fmt.Errorf("when: %q is unknown; expected one of %s", r.When, strings.Trim(fmt.Sprint(known), "[]"))
	case (r.When == record.InState) != (r.State != ""):
		return fmt.Errorf("state: expected with when: state and with nothing else, such as state: %q", "on")
	case r.When == record.InState && len(r.Things) == 0:
		return errors.New("things: expected the names of things with when: state")
	case r.For < 0 || r.For > longestFor:
		return fmt.Errorf("for: %v is out of range; expected 0 to %v", r.For, longestFor)
	case slices.ContainsFunc(r.Things, func(name string) bool { return text.Fold(name) == "" }):
		return errors.New("things: an empty name is no thing")
	}
	return nil
}

// span is a part of the day, from one minute of it to another; the zero span is empty.
type span struct{ from, to int }

// hours reads a span such as 22:00-07:00.
func hours(text string) (span, error) {
	if text == "" {
		return span{}, nil
	}
	from, to, found := strings.Cut(text, "-")
	a, errA := time.Parse("15:04", strings.TrimSpace(from))
	b, errB := time.Parse("15:04", strings.TrimSpace(to))
	if err := cmp.Or(errA, errB); !found || err != nil {
		return span{}, fmt.Errorf("%q is no span of hours; expected one such as 22:00-07:00, or \"\" for none", text)
	}
	return span{a.Hour()*60 + a.Minute(), b.Hour()*60 + b.Minute()}, nil
}

// until returns the end of the span that a moment is in; zero if it is in none.
func (s span) until(now time.Time) time.Time {
	at := now.Hour()*60 + now.Minute()
	inside := s.from <= at && at < s.to
	if s.from > s.to {
		inside = at >= s.from || at < s.to
	}
	if !inside {
		return time.Time{}
	}
	end := time.Date(now.Year(), now.Month(), now.Day(), s.to/60, s.to%60, 0, 0, now.Location())
	if !end.After(now) {
		end = time.Date(now.Year(), now.Month(), now.Day()+1, s.to/60, s.to%60, 0, 0, now.Location())
	}
	return end
}
