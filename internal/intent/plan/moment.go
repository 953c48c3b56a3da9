package plan

import (
	"fmt"
	"math"

	"voicegateway/internal/intent"
	"voicegateway/internal/tools"
)

// clock asks for the time, here or in a place: one that is named, or so many hours
// ahead of UTC or behind.
func clock(a intent.Action) (tools.Call, error) {
	args := map[string]any{"what": "time"}
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

// date asks for today's date, or for that of another day: so many days from today,
// or a day of the week.
func date(a intent.Action) (tools.Call, error) {
	args := map[string]any{"what": "date"}
	days, ahead := number(a.Slots["days"])
	back, ago := number(a.Slots["back"])
	switch weekday, _ := a.Slots["weekday"].(string); {
	case weekday != "":
		args["weekday"] = weekday
		if week, ok := a.Slots["week"].(string); ok {
			args["week"] = week
		}
	case ahead:
		args["days"] = int(days)
	case ago:
		args["days"] = -int(back)
	}
	return call("", "get_datetime", args)
}
