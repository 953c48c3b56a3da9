package form

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

// End ends a receipt: what came of the act, why, and the sentence for people. Its time is
// counted from when it was published.
func End(r tools.Receipt, o tools.Outcome, why tools.Reason, message string) tools.Receipt {
	r.Outcome, r.Reason, r.Message = o, why, message
	if !r.PublishedAt.IsZero() {
		r.MS = float64(time.Since(r.PublishedAt).Milliseconds())
	}
	return r
}

// EndRefused ends the receipt of an act that was refused; ok is false if err is no refusal.
// An act that a silent device would be needed for has no answer.
func EndRefused(r tools.Receipt, err error) (ended tools.Receipt, ok bool) {
	no, ok := errors.AsType[Refusal](err)
	if !ok {
		return r, false
	}
	why, outcome := ReasonOf(err, tools.RefusedAction), tools.Refused
	if why == tools.Silent {
		outcome = tools.NoAnswer
	}
	r.Limits = LimitsOf(err)
	return End(r, outcome, why, no.Error()), true
}

// EndTooMany ends the receipt of a command for more devices than one call may act on.
func EndTooMany(r tools.Receipt, names []string) tools.Receipt {
	r.Suggestions = names
	return End(r, tools.Refused, tools.RefusedAction, fmt.Sprintf("That would be %d devices at once; I do at most %d. Name the ones you mean.", len(names), MostAtOnce))
}

// worse lists the outcomes from best to worst: the outcome of a group is that of
// its worst member.
var worse = []tools.Outcome{tools.Confirmed, tools.Queued, tools.Accepted, tools.Refused, tools.NoAnswer}

// Sum makes the receipt of a group out of its members', which are in r.Devices.
func Sum(r tools.Receipt) tools.Receipt {
	r.Outcome = tools.Confirmed
	for _, d := range r.Devices {
		if slices.Index(worse, d.Outcome) > slices.Index(worse, r.Outcome) || d.Outcome == r.Outcome && r.Reason == "" {
			r.Outcome, r.Reason = d.Outcome, d.Reason
		}
		if !d.PublishedAt.IsZero() && (r.PublishedAt.IsZero() || d.PublishedAt.Before(r.PublishedAt)) {
			r.PublishedAt = d.PublishedAt
		}
		r.MS = max(r.MS, d.MS)
	}
	if len(r.Devices) == 1 { // the receipt of the only member is that of the group
		one := r.Devices[0]
		one.Device, one.Devices = r.Device, r.Devices
		return one
	}
	r.Message = summarise(r.Devices)
	return r
}

// summarise says what the members of a group did, those who did not do it by name.
func summarise(devices []tools.Receipt) string {
	var troubles, dead, unknown []string
	done := 0
	for _, d := range devices {
		if d.Outcome == tools.Confirmed {
			done++
		}
		trouble, _, unsure := strings.Cut(d.Message, GotIt)
		switch {
		case d.Reason == tools.Dead:
			dead = append(dead, d.Device)
			continue
		case d.Outcome == tools.Confirmed && d.Reason == "":
			continue
		case unsure:
			unknown = append(unknown, d.Device)
		}
		if !slices.Contains(troubles, trouble) { // a fault of the network is reported once
			troubles = append(troubles, trouble)
		}
	}
	if len(dead) == 1 {
		troubles = append(troubles, SayDead(dead[0]))
	} else if len(dead) > 1 {
		troubles = append(troubles, AndList(dead)+" do not answer. Check that they have power, then try again.")
	}
	if len(unknown) > 0 {
		troubles = append(troubles, strings.TrimSpace(GotIt)+" "+AndList(unknown)+" got the command.")
	}
	if len(troubles) == 0 {
		return fmt.Sprintf("All %d have done it.", done)
	}
	return fmt.Sprintf("%d of %d have done it. %s", done, len(devices), strings.Join(troubles, " "))
}

// GotIt begins the end of a message about a command that may have been lost.
const GotIt = " I do not know whether "

// SayDead says that a device does not answer, and what to do.
func SayDead(name string) string {
	return name + " does not answer. Check that it has power, then try again."
}
