package local

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"voicegateway/internal/tools"
)

type datetimeArgs struct {
	What string `json:"what"`
	Zone string `json:"zone"`
}

// datetimeData is the structured form of an answer.
type datetimeData struct {
	Time   string `json:"time"` // RFC 3339
	Zone   string `json:"zone"`
	Spoken string `json:"spoken"`
}

func newDatetime(now func() time.Time, here *time.Location) tools.Tool {
	spec := tools.Spec{
		Name:        "get_datetime",
		Title:       "Date and time",
		Description: "The current time, date or day of the week, here or in another place. The text can be spoken as it is.",
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"what": {"type": "string", "enum": ["time", "date", "day", "datetime"], "description": "What is asked for; datetime if not given."},
				"zone": {"type": "string", "maxLength": 64, "description": "A city or an IANA time zone (Europe/Berlin); here if not given."}
			},
			"additionalProperties": false
		}`),
		Output: json.RawMessage(`{
			"type": "object",
			"properties": {"time": {"type": "string"}, "zone": {"type": "string"}, "spoken": {"type": "string"}},
			"required": ["time", "zone", "spoken"]
		}`),
		Risk:       tools.Read,
		Idempotent: true,
	}
	return tools.New(spec, func(_ context.Context, a datetimeArgs) (tools.Result, error) {
		at, place := now().In(here), ""
		if a.Zone != "" {
			loc, name, ok := findZone(a.Zone)
			if !ok {
				return failed("I don't know the time zone of %s.", shorten(plain(a.Zone), 40)), nil
			}
			at, place = at.In(loc), name
		}
		spoken, ok := spokenTime(a.What, at, now().In(here), place)
		if !ok {
			return failed("The argument \"what\" of get_datetime must be time, date, day or datetime."), nil
		}
		zone := at.Location().String()
		if zone == "Local" {
			zone, _ = at.Zone()
		}
		data, err := json.Marshal(datetimeData{at.Format(time.RFC3339), zone, spoken})
		if err != nil {
			return tools.Result{}, fmt.Errorf("telling the time: %w", err)
		}
		return tools.Result{Text: spoken, Data: data}, nil
	})
}

// spokenTime is the answer as a person would give it: short, without the year and
// without what was not asked. It names a place other than here, and says tomorrow
// or yesterday if the place has another day.
func spokenTime(what string, at, here time.Time, place string) (string, bool) {
	in := ""
	if place != "" {
		in = " in " + place
	}
	switch what {
	case "time":
		return "It's " + clock(at) + otherDay(at, here) + in + ".", true
	case "date":
		return "It's " + at.Format("Monday, 2 January") + in + ".", true
	case "day":
		return "It's " + at.Format("Monday") + in + ".", true
	case "datetime", "":
		return "It's " + clock(at) + " on " + at.Format("Monday, 2 January") + in + ".", true
	}
	return "", false
}

// clock leaves out the zeros of a full hour, which are read as "zero zero".
func clock(t time.Time) string {
	switch {
	case t.Minute() != 0:
		return t.Format("3:04 PM")
	case t.Hour() == 0:
		return "midnight"
	case t.Hour() == 12:
		return "noon"
	}
	return t.Format("3 PM")
}

// otherDay returns " tomorrow" or " yesterday" if the calendar of at differs from
// here, else "".
func otherDay(at, here time.Time) string {
	day := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	switch diff := day(at).Sub(day(here)); {
	case diff > 0:
		return " tomorrow"
	case diff < 0:
		return " yesterday"
	}
	return ""
}
