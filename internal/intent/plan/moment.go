package plan

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/tools"
)

// clock asks for the time, here or in a place: one that is named, or so many hours
// ahead of UTC or behind; now, or when it is a time of the day in another place; or by how
// much the clocks of two places differ.
func clock(a intent.Action) (tools.Call, error) {
	args := map[string]any{"what": "time"}
	for _, slot := range []string{"what", "from"} {
		if said, ok := a.Slots[slot].(string); ok {
			args[slot] = said
		}
	}
	if m := momentOf(a); m.said {
		at, _, twelve := m.onTheClock("reminder")
		switch {
		case twelve && args["what"] == "until":
			args["twelve"] = true
		case twelve && at < 7*60:
			at += halfDay // people ask for the day and not for the night
		}
		args["at"] = fmt.Sprintf("%02d:%02d", at/60, at%60)
	}
	ahead, isAhead := number(a.Slots["ahead"])
	behind, isBehind := number(a.Slots["behind"])
	switch zone, _ := a.Slots["zone"].(string); {
	case zone != "":
		args["zone"] = zone
	case isAhead:
		args["zone"] = offset("+", ahead)
	case isBehind:
		args["zone"] = offset("-", behind)
	}
	return call("", "get_datetime", args)
}

// offset writes a zone by its distance from UTC: "UTC+5:30".
func offset(sign string, hours float64) string {
	whole, part := math.Modf(hours)
	return fmt.Sprintf("UTC%s%d:%02d", sign, int(whole), int(math.Round(part*60)))
}

// date asks for today's date or for that of another day, so many days from today, a day of
// the week or of the calendar; or for what a calendar tells of it.
func date(a intent.Action) (tools.Call, error) {
	args := map[string]any{"what": "date"}
	days, ahead := number(a.Slots["days"])
	back, ago := number(a.Slots["back"])
	weekday, _ := a.Slots["weekday"].(string)
	switch rule := dateRule(a); {
	case rule != "":
		args["date"] = rule
	case weekday != "":
		args["weekday"] = weekday
	case ahead:
		args["days"] = int(days)
	case ago:
		args["days"] = -int(back)
	}
	for _, slot := range []string{"what", "week", "is"} {
		if said, ok := a.Slots[slot].(string); ok {
			args[slot] = said
		}
	}
	if month, ok := number(a.Slots["is_month"]); ok {
		args["is"] = strings.ToLower(time.Month(int(month)).String())
	}
	return call("", "get_datetime", args)
}

// dateRule is a day of the calendar in the way of the tool that finds it; "" if none is
// meant. in_month is this, next or last, and so is in_year.
func dateRule(a intent.Action) string {
	rule, _ := a.Slots["feast"].(string)
	month, hasMonth := number(a.Slots["month"])
	within, _ := a.Slots["in_month"].(string)
	if hasMonth {
		within = fmt.Sprintf("%02d", int(month))
	}
	day, hasDay := number(a.Slots["date"])
	nth, hasNth := a.Slots["nth"]
	switch {
	case rule != "":
	case hasNth:
		rule = fmt.Sprintf("%s-%v-%v", cmp.Or(within, "this"), nth, a.Slots["weekday"])
	case hasDay:
		rule = strings.TrimPrefix(fmt.Sprintf("%s-%02d", within, int(day)), "-")
	case within != "":
		rule = within + "-01"
	case a.Slots["in_year"] != nil:
		rule = "01-01"
	default:
		return ""
	}
	if year, ok := a.Slots["in_year"]; ok {
		rule = fmt.Sprintf("%v %s", year, rule)
	}
	return rule
}
