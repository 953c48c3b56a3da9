package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/turn"
)

// paint colours words for a terminal; for anything else it leaves them alone.
type paint bool

func (p paint) wrap(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) good(s string) string { return p.wrap("32", s) }
func (p paint) bad(s string) string  { return p.wrap("31", s) }
func (p paint) warn(s string) string { return p.wrap("33", s) }
func (p paint) dim(s string) string  { return p.wrap("2", s) }
func (p paint) bold(s string) string { return p.wrap("1", s) }

// outcome gives the end of a turn its mark and colour. A refusal is no failure:
// the gateway did what it should.
func (p paint) outcome(r turn.Record) string {
	switch {
	case r.Outcome == turn.Done:
		return p.good("✓ done")
	case r.Route == turn.RouteRefused:
		return p.warn("! refused, nothing was done")
	case r.Outcome == turn.OutFailed:
		return p.bad("✗ failed")
	default:
		return p.warn("! " + string(r.Outcome))
	}
}

// tellTurn prints the story of one turn for a person.
func tellTurn(w io.Writer, p paint, r turn.Record) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "  %s %s\n", p.dim(fmt.Sprintf("%-8s", label)), fmt.Sprintf(format, args...))
	}
	if r.Wake != nil {
		line("wake", "%q (%s)", r.Wake.Word, r.Wake.Engine)
	}
	if r.Transcript != nil {
		line("heard", "%s %s", quoted(r.Transcript.Text), p.dim("("+r.Transcript.Engine+")"))
	}
	route := string(r.Route)
	if r.Intent != nil {
		route += " · " + r.Intent.Name + " " + slots(r.Intent.Slots)
	}
	line("route", "%s", route)
	for _, c := range r.Calls {
		line("tool", "%s", tellCall(p, c))
	}
	if r.Reply != "" {
		line("reply", "%s", p.bold("“"+r.Reply+"”"))
	}
	if r.Error != "" {
		line("why", "%s", r.Error)
	}
	if t := tellTimings(r.Timings); t != "" {
		line("timings", "%s", t)
	}
	line("outcome", "%s", p.outcome(r))
}

func quoted(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return "“" + s + "”"
}

func tellCall(p paint, c turn.CallMade) string {
	from := "local"
	if c.Server != "" {
		from = c.Server
	}
	s := fmt.Sprintf("%s/%s %s", from, c.Tool, c.Args)
	switch {
	case c.Receipt != nil && c.Receipt.Confirmed:
		s += p.good(fmt.Sprintf(" → %s: %s %v, confirmed by the device", c.Receipt.Device, c.Receipt.Property, c.Receipt.Value))
	case c.Receipt != nil:
		s += p.warn(fmt.Sprintf(" → %s: %s %v, not confirmed", c.Receipt.Device, c.Receipt.Property, c.Receipt.Value))
	case c.OK && c.MS > 0:
		s += p.good(" → answered")
	case c.MS > 0:
		s += p.bad(" → failed")
	}
	if c.MS > 0 {
		s += p.dim(fmt.Sprintf(" (%.0f ms)", c.MS))
	}
	return s
}

func slots(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s=%v", k, m[k]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// tellTimings lists what the turn came to, in milliseconds after the end of
// speech.
func tellTimings(t turn.Timings) string {
	var parts []string
	for _, x := range []struct {
		name string
		ms   *float64
	}{
		{"endpoint", t.Endpoint},
		{"transcript", t.Transcript},
		{"first publish", t.FirstPublish},
		{"confirmed", t.Confirmed},
		{"first audio", t.FirstAudio},
		{"total", t.Total},
	} {
		if x.ms != nil {
			parts = append(parts, fmt.Sprintf("%s %.0f", x.name, *x.ms))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " · ") + " ms after the end of speech"
}
