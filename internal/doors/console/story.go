package console

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/keep/record"
)

// Outcome returns the outcome of a turn with a mark and a colour. A refusal is not
// shown as a failure, because the gateway did what it should.
func (p Paint) Outcome(r record.Record) string {
	switch {
	case r.Outcome == record.Done:
		return p.Good("✓ done")
	case r.Route == record.RouteRefused:
		return p.Warn("! refused, nothing was done")
	case r.Outcome == record.Failed:
		return p.Bad("✗ failed")
	default:
		return p.Warn("! " + string(r.Outcome))
	}
}

// Turn prints the story of one turn for a person.
func Turn(w io.Writer, p Paint, r record.Record) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "  %s %s\n", p.Dim(fmt.Sprintf("%-8s", label)), oneLine(fmt.Sprintf(format, args...)))
	}
	if r.Wake != nil {
		line("wake", "%q (%s)", r.Wake.Word, r.Wake.Engine)
	}
	if r.Transcript != nil {
		line("heard", "%s %s", Quote(r.Transcript.Text), p.Dim("("+r.Transcript.Engine+")"))
	}
	if r.Control != nil {
		line("ordered", "%s", Clean(r.Control.String()))
	}
	if r.SpeechAct != "" {
		line("act", "%s", r.SpeechAct)
	}
	if read := r.Reading; read != nil {
		line("read as", "%s %s", Quote(read.Sentence), p.Dim(fmt.Sprintf("(%s %.2f, sure from %.2f, nearly from %.2f: %s)", read.Kind, read.Share, read.Sure, read.Nearly, read.Why)))
	}
	route := string(r.Route)
	if r.Intent != nil {
		route += " · " + r.Intent.Name + " " + Slots(r.Intent.Slots)
	}
	line("route", "%s", route)
	for _, c := range r.Calls {
		line("tool", "%s", tellCall(p, c))
	}
	if r.Reply != "" {
		line("reply", "%s", p.Bold(Quote(r.Reply)))
	}
	if r.Error != "" {
		line("why", "%s", Clean(r.Error))
	}
	if t := tellTimings(r); t != "" {
		line("timings", "%s", t)
	}
	line("outcome", "%s", p.Outcome(r))
}

// Quote puts what was said into quotation marks.
func Quote(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return "“" + Clean(s) + "”"
}

func tellCall(p Paint, c record.CallMade) string {
	s := fmt.Sprintf("%s/%s %s", cmp.Or(c.Server, "local"), c.Tool, c.Args)
	switch {
	case c.Receipt.Done():
		s += p.Good(fmt.Sprintf(" → %s: %s %v, confirmed by the device", c.Receipt.Device, c.Receipt.Property, c.Receipt.Value))
	case c.Receipt != nil:
		s += p.Warn(fmt.Sprintf(" → %s: %s %v, not confirmed", c.Receipt.Device, c.Receipt.Property, c.Receipt.Value))
	case c.OK && c.MS > 0:
		s += p.Good(" → answered")
	case c.MS > 0:
		s += p.Bad(" → failed")
	}
	if c.MS > 0 {
		s += p.Dim(fmt.Sprintf(" (%.0f ms)", c.MS))
	}
	switch {
	case c.Reason != "" && c.MS > 0:
		s += ": " + Clean(c.Reason)
	case c.Reason != "":
		s += p.Warn(" → not made: " + Clean(c.Reason))
	}
	return s
}

// Slots lists the named arguments of an intent.
func Slots(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s=%v", k, m[k]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// tellTimings lists the points that the turn reached, in milliseconds after the end of
// speech, or after the text arrived if there was no speech.
func tellTimings(r record.Record) string {
	var parts []string
	for _, s := range r.Timings.Stages() {
		parts = append(parts, fmt.Sprintf("%s %.0f", strings.ReplaceAll(s.Name, "_", " "), s.MS))
	}
	if len(parts) == 0 {
		return ""
	}
	since := "the text came"
	if r.Source == record.FromMic || r.Source == record.FromFile {
		since = "the end of speech"
	}
	return strings.Join(parts, " · ") + " ms after " + since
}
