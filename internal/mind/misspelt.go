package mind

import (
	"context"
	"reflect"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
)

// written are the sources of typed texts.
var written = []record.Source{record.FromHTTP, record.FromCLI, record.FromMQTT, record.FromPage, record.FromMCP}

// speller is a matcher that knows what a typed text with slips may be.
type speller interface {
	Respelt(text string) []string
}

// respelt is the step for a typed text with misspelt words, "trun on the lamp", that
// fits nothing as it is. If all its possible readings come to the same, harmless act,
// the corrected text becomes the text of the turn, and the next steps understand it.
func (a *Answerer) respelt(_ context.Context, x *exchange) bool {
	spells, able := a.match.(speller)
	if !able || !x.typed() || !fitsNothing(x.local) {
		return false
	}
	before := a.memory.subject(x.Request)
	if _, ok := after(a, x, before, x.Text, x.local); ok {
		return false
	}
	var meant, local []intent.Decision
	text := ""
	for _, right := range spells.Respelt(x.Text) {
		d := a.match.Match(right, x.Area)
		would := d
		if next, ok := after(a, x, before, right, d); ok {
			would = next.Decision
		}
		switch {
		case would.Route != intent.Local && would.Route != intent.Ask:
			continue
		case !a.harmless(would):
			return false
		case len(meant) > 0 && !same(meant[0], would):
			return false
		}
		if len(meant) == 0 {
			text = right
		}
		meant, local = append(meant, would), append(local, d)
	}
	if text != "" {
		a.log.Debug("slips put right", "part", "answer", "turn", x.rec.ID, "text", x.Text, "read", text)
		x.Text, x.local = text, local[0]
	}
	return false
}

// hopedFor is what decides how long a turn waits for a house: of a typed text that fits
// nothing, what it is with its slips put right, if that may be about a thing to come.
func (a *Answerer) hopedFor(x *exchange, d intent.Decision) intent.Decision {
	spells, able := a.match.(speller)
	if !able || !x.typed() || d.Route != intent.Model {
		return d
	}
	for _, right := range spells.Respelt(x.Text) {
		if hoped := a.match.Match(right, x.Area); hoped.Route == intent.Reject && hoped.NeedHouse {
			return hoped
		}
	}
	return d
}

// fitsNothing reports whether a text was not understood, or one of its names was not.
func fitsNothing(d intent.Decision) bool {
	return d.Route == intent.Model && d.Reason == intent.NoSentence || namesNothing(d) || d.Route == intent.Reject && d.Reason == intent.BareName
}

// same reports whether two decisions do or ask the same.
func same(a, b intent.Decision) bool {
	acts := func(d intent.Decision) (out []intent.Action) {
		for _, act := range d.Actions {
			out = append(out, intent.Action{Intent: act.Intent, Slots: act.Slots, Devices: act.Devices})
		}
		return out
	}
	return a.Route == b.Route && a.Question == b.Question && slices.Equal(a.Options, b.Options) && reflect.DeepEqual(acts(a), acts(b))
}

// harmless reports whether a decision is not dangerous, neither now nor after its
// question is answered.
func (a *Answerer) harmless(d intent.Decision) bool {
	if a.dangerous(d) {
		return false
	}
	for _, act := range d.Actions {
		for _, later := range act.Later {
			if a.dangerous(intent.Decision{Actions: []intent.Action{later}}) {
				return false
			}
		}
	}
	if d.Would == nil {
		return true
	}
	would := *d.Would
	would.Devices = slices.Concat(would.Devices, d.Options)
	return !a.dangerous(intent.Decision{Actions: append(slices.Clone(d.Beside), would)})
}
