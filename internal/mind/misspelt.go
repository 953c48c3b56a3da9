package mind

import (
	"reflect"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// speller is a matcher that knows what a typed text with slips may be.
type speller interface {
	Respelt(text string) []string
}

// respelt is the step for a typed text with misspelt words, "trun on the lamp", that
// fits nothing as it is. If all its possible readings come to the same, harmless act,
// the text is read so by the next steps.
func (u *understanding) respelt(x Exchange, m Memory, h *home.House) (Order, bool) {
	if right := u.respell(x, m, h); right.Text != x.Text {
		return Order{Read: &right}, false
	}
	return Order{}, false
}

// respell puts the misspelt words of a typed text right.
func (u *understanding) respell(x Exchange, m Memory, h *home.House) Exchange {
	spells, able := u.match.(speller)
	if !able || !x.typed() || !fitsNothing(x.Alone) {
		return x
	}
	if _, ok := u.after(x, m, h, x.Text, x.Alone); ok {
		return x
	}
	var meant []intent.Decision
	right := x
	for _, text := range spells.Respelt(x.Text) {
		read := u.as(x, text)
		would := read.Alone
		if next, ok := u.after(x, m, h, text, would); ok {
			would = next.Decision
		}
		switch {
		case would.Route != intent.Local && would.Route != intent.Ask:
			continue
		case !harmless(would, h):
			return x
		case len(meant) > 0 && !same(meant[0], would):
			return x
		}
		if len(meant) == 0 {
			right = read
		}
		meant = append(meant, would)
	}
	return right
}

// hope is what decides how long a turn waits for a house: of a typed text that fits
// nothing, what it is with its slips put right, if that may be about a thing to come.
func (u *understanding) hope(x Exchange) intent.Decision {
	spells, able := u.match.(speller)
	if !able || !x.typed() || x.Alone.Route != intent.Model {
		return x.Alone
	}
	for _, right := range spells.Respelt(x.Text) {
		if hoped := u.match.Match(right, x.Area); hoped.Route == intent.Reject && hoped.NeedHouse {
			return hoped
		}
	}
	return x.Alone
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

// harmless reports whether a decision is not dangerous in a house, neither now nor after
// its question is answered.
func harmless(d intent.Decision, h *home.House) bool {
	if dangerous(d, h) {
		return false
	}
	for _, act := range d.Actions {
		for _, later := range act.Later {
			if dangerous(intent.Decision{Actions: []intent.Action{later}}, h) {
				return false
			}
		}
	}
	if d.Would == nil {
		return true
	}
	would := *d.Would
	would.Devices = slices.Concat(would.Devices, d.Options)
	return !dangerous(intent.Decision{Actions: append(slices.Clone(d.Beside), would)}, h)
}
