package doors

import (
	"context"
	"time"

	"voicegateway/internal/keep/record"
)

// MostHappened is how many happenings one request may list.
const MostHappened = 500

func hasPast(p *Parts) bool { return p.Past != nil }

// span says of which time and room it is wanted what happened.
type span = struct {
	From string `json:"-" query:"from"` // RFC 3339; "": as far as it is known
	To   string `json:"-" query:"to"`   // RFC 3339; "": until now
	Area string `json:"-" query:"area"` // "": anywhere
}

// listHappened lists what happened, the newest first.
func listHappened(_ context.Context, p *Parts, in span) ([]record.Happening, error) {
	from, err := parseTime("from", in.From, time.Time{})
	if err != nil {
		return nil, err
	}
	to, err := parseTime("to", in.To, time.Now())
	if err != nil {
		return nil, err
	}
	all := p.Past.Happened(from, to, in.Area)
	newest := make([]record.Happening, 0, min(len(all), MostHappened))
	for i := len(all) - 1; i >= 0 && len(newest) < MostHappened; i-- {
		newest = append(newest, all[i])
	}
	return newest, nil
}

// parseTime reads a time in a query.
func parseTime(name, text string, without time.Time) (time.Time, error) {
	if text == "" {
		return without, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, Refuse(ErrMisasked, "%s is a time such as 2026-01-31T19:00:00+01:00", name)
	}
	return at, nil
}
