package doors

import "context"

// mostSeen bounds how many things a request names.
const mostSeen = 1024

func hasAlarms(p *Parts) bool { return p.Alarms != nil }

// SeenAlarms are things whose alarm a person has seen, by their ids.
type SeenAlarms struct {
	Things []string `json:"things"`
}

// fitSeen refuses too many things.
func fitSeen(in *SeenAlarms) error {
	if len(in.Things) > mostSeen {
		return Refuse(ErrMisasked, "%d things are too many; expected at most %d", len(in.Things), mostSeen)
	}
	return nil
}

func see(ctx context.Context, p *Parts, in SeenAlarms) (SeenAlarms, error) {
	err := p.Alarms.Acknowledge(ctx, in.Things)
	return SeenAlarms{p.Alarms.AcknowledgedThings()}, err
}
