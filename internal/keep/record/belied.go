package record

import (
	"fmt"
	"slices"

	"voicegateway/internal/tools"
)

// Lie is an act that was reported as done and turned out not to be: the value that was
// reported, and the real one.
type Lie struct {
	Server, Device, Property string
	Told, Is                 any
}

// Of reports whether a receipt of a server is the wrong one.
func (l *Lie) Of(server string, r *tools.Receipt) bool {
	return server == l.Server && r.Device == l.Device && r.Property == l.Property && r.Done() && fmt.Sprint(r.Value) == fmt.Sprint(l.Told)
}

// Mend makes of a receipt that lied what it should have said.
func (l *Lie) Mend(r tools.Receipt) tools.Receipt {
	r.Outcome, r.Reason = tools.Accepted, tools.Unconfirmed
	if fmt.Sprint(r.Before) == fmt.Sprint(l.Is) {
		r.Reason = tools.Unchanged
	}
	r.Value, r.ValueLevel = l.Is, nil
	return r
}

// Belied returns the record as it should be after a lie was found out, with the sentence
// that says so as its error; lied is false if it does not hold the receipt that lied.
func (r Record) Belied(l *Lie, said string) (_ Record, lied bool) {
	calls := slices.Clone(r.Calls)
	for i, c := range calls {
		if c.Receipt == nil {
			continue
		}
		mended := tools.Receipt(*c.Receipt)
		mended.Devices = slices.Clone(mended.Devices)
		here := false
		for j := range mended.Devices {
			if l.Of(c.Server, &mended.Devices[j]) {
				mended.Devices[j], here = l.Mend(mended.Devices[j]), true
			}
		}
		switch {
		case here:
			mended.Outcome = tools.Accepted
		case l.Of(c.Server, &mended):
			mended, here = l.Mend(mended), true
		}
		if here {
			calls[i].Receipt, lied = (*Receipt)(&mended), true
		}
	}
	if !lied {
		return r, false
	}
	r.Calls = calls
	if r.Outcome == Done || r.Outcome == Accepted {
		r.Outcome, r.Error = Failed, said
	}
	return r, true
}
