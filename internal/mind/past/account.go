package past

import (
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

// Account answers questions about the past for the user who asks.
type Account struct {
	House   *home.House
	Acts    *Ledger
	Reports *Reports
	Phrases *reply.Phrases
	Area    string              // of the one who asks
	Mine    func(e *Entry) bool // whether he asked for it himself
}

// acting are the properties that people change on purpose.
var acting = []string{string(home.OnOff), string(home.OpenClose), string(home.Lock), string(home.Mode), string(home.Contact)}

// By are the words for what was done.
func (a *Account) By() reply.Retold { return reply.Retold{Phrases: a.Phrases} }

// Last tells what the last turn did that fits: when, or who asked for it.
func (a *Account) Last(fits func(e *Entry) bool, timed bool) string {
	known := func(e *Entry) bool { return a.House.Entity(e.Device) != nil }
	last, ok := a.Acts.Last(func(e *Entry) bool { return fits(e) && known(e) })
	if !ok {
		return a.Phrases.Phrase("nothing_lately", nil)
	}
	var deeds []reply.Deed
	var said []string
	for _, e := range a.Acts.OfTurn(last.Turn) {
		switch {
		case !known(&e):
		case e.Belied:
			said = append(said, a.sayBelied(&e))
		default:
			deeds = append(deeds, *a.deed(&e))
		}
	}
	if len(deeds) > 0 {
		said = append([]string{a.By().Done(deeds, timed)}, said...)
	}
	said = said[:min(len(said), mostTold)]
	if !timed {
		said = append(said, a.By().SayAsker(a.deed(&last)))
	}
	return strings.Join(said, " ")
}

// mostTold is how many sentences about one turn a person listens to.
const mostTold = 4

// sayBelied says of an act that it was none.
func (a *Account) sayBelied(e *Entry) string {
	return a.Phrases.Belied(a.House.Entity(e.Device), e.Property, e.Told, e.Value, e.Unsure)
}

// Who says who did the last thing: a person by hand in this room, or a turn anywhere.
func (a *Account) Who() string {
	last, did := a.Acts.Last(func(e *Entry) bool { return a.House.Entity(e.Device) != nil })
	hand, moved := a.Reports.Newest(func(c *Change) bool {
		return a.byHand(c) && slices.Contains(acting, c.Property) && a.House.Entity(c.Device) != nil &&
			(a.Area == "" || strings.EqualFold(c.Area, a.Area))
	})
	if !moved || did && last.At.After(hand.At) {
		return a.Last(func(*Entry) bool { return true }, false)
	}
	deed := change(a.House.Entity(hand.Device), hand)
	return a.By().Became(deed) + " " + a.By().ByHand(deed)
}

// Why says why a thing is in a state; seen is the thing as it is now. What the gateway
// did last counts only if the thing is still in that state, except for a question about
// who did it: that is about the act, whatever the state is since. A later change by
// hand comes before both.
func (a *Account) Why(act intent.Action, e *home.Entity, seen reply.Sighting, state string) string {
	asksWho := act.Slots["ask"] == "done"
	last, did, ours := a.lastAct(e, seen, state, asksWho)
	lie, lied := a.lastLie(e, seen, state, asksWho)
	report, reported := a.reported(e, seen, state, asksWho)
	switch {
	case reported && a.byHand(&report) && (!did || report.At.After(last.At)):
		return a.By().ByHand(change(e, report))
	case lied:
		return a.sayBelied(&lie) + " " + a.By().SayAsker(a.deed(&lie))
	case ours && !a.byProgram(&report, &last):
		return a.By().SayAsker(a.deed(&last))
	case act.Intent == catalogue.Since:
		return a.since(e, seen, state)
	case reported && report.Ours:
		return a.By().ByProgram(change(e, report))
	case asksWho && seen.Known && !seen.Is:
		return a.Phrases.Phrase("not_by_me", nil)
	}
	return a.sayUnexplained(e, seen, state)
}

// byProgram reports whether a program has asked for a change after an act that nobody had
// confirmed, so that it is not what became of the act.
func (a *Account) byProgram(c *Change, last *Entry) bool {
	return last.Pending != "" && c.Ours && c.At.After(last.At) && !a.Acts.Explains(c, a.Reports)
}

// since says how long a thing has been as it is.
func (a *Account) since(e *home.Entity, seen reply.Sighting, state string) string {
	if a.foundSo(e, seen, state) {
		return a.Phrases.Phrase("since_before", nil)
	}
	return a.By().Since(e, seen)
}

// sayUnexplained says that nobody knows why a thing is as it is.
func (a *Account) sayUnexplained(e *home.Entity, seen reply.Sighting, state string) string {
	if a.foundSo(e, seen, state) {
		return a.Phrases.Phrase("not_by_me_before", nil)
	}
	return a.By().SayUnexplained(seen)
}

// lookedUp is how much earlier than the house came to be known a report is worth a word:
// a younger one is what the house was asked for then.
const lookedUp = time.Minute

// foundSo reports whether a thing was in its state already when the house came to be known,
// and has said nothing before that by itself.
func (a *Account) foundSo(e *home.Entity, seen reply.Sighting, state string) bool {
	if !seen.Known || !seen.Is {
		return false
	}
	found, ok := a.Reports.Always(e.ID, func(c *Change) bool {
		return slices.Contains(acting, c.Property) && a.By().Into(change(e, *c), state)
	})
	return ok && (seen.At.IsZero() || seen.At.After(found.At.Add(-lookedUp)))
}

// reported returns what a thing reported last when it came into a state.
func (a *Account) reported(e *home.Entity, seen reply.Sighting, state string, asksWho bool) (report Change, reported bool) {
	report, reported = a.Reports.Last(e.ID, func(c *Change) bool {
		return slices.Contains(acting, c.Property) && a.By().Into(change(e, *c), state)
	})
	return report, reported && (seen.Is || asksWho)
}

// lastAct returns what turns did to a thing last, of all, or where it is asked who did
// it, of what brought it into the state; ours tells whether that made it what it is.
func (a *Account) lastAct(e *home.Entity, seen reply.Sighting, state string, asksWho bool) (last Entry, did, ours bool) {
	into := func(x *Entry) bool {
		if x.Device != e.ID || x.Belied {
			return false
		}
		d := a.deed(x)
		if d.Pending != "" {
			return x.Wanted == state && seen.Is // the thing has the requested state although it did not confirm it
		}
		return a.By().Into(d, state)
	}
	if asksWho {
		last, did = a.Acts.Last(into)
		return last, did, did
	}
	last, did = a.Acts.Last(func(x *Entry) bool { return x.Device == e.ID })
	return last, did, did && into(&last) && (seen.Is || !seen.Known)
}

// lastLie returns the last act of turns on a thing, if it was reported as done and
// later turned out not to be. If the thing is now in the state that was reported, it
// got there in another way, and lied is false.
func (a *Account) lastLie(e *home.Entity, seen reply.Sighting, state string, asksWho bool) (lie Entry, lied bool) {
	lie, did := a.Acts.Last(func(x *Entry) bool { return x.Device == e.ID })
	return lie, did && lie.Belied && (asksWho || !seen.Is || !a.By().Into(a.asReported(&lie), state))
}

// asReported is an entry as it was reported before it turned out to be wrong.
func (a *Account) asReported(e *Entry) *reply.Deed {
	d := a.deed(e)
	d.Value = e.Told
	return d
}

// byHand reports whether a change was made by hand: no program asked for it, and it is
// not the late confirmation of a turn's command.
func (a *Account) byHand(c *Change) bool {
	return !c.Ours && !a.Acts.Explains(c, a.Reports)
}

// Failures says which things did not answer their last command; "" if all did.
func (a *Account) Failures() string {
	const most = 3
	var told []string
	for _, f := range a.Acts.Failures() {
		if e := a.House.Entity(f.Device); e != nil && len(told) < most {
			told = append(told, a.By().SayFailed(&reply.Deed{Entity: e, At: f.At}))
		}
	}
	return strings.Join(told, " ")
}

// change is a thing's report in the form of a deed, for the sentence.
func change(e *home.Entity, c Change) *reply.Deed {
	return &reply.Deed{Entity: e, Property: c.Property, Value: c.State, At: c.At}
}

// deed is an entry in the form of a deed, for the sentence. If the thing confirmed the
// command, even after the turn, the deed has the confirmed state.
func (a *Account) deed(e *Entry) *reply.Deed {
	property, value, why := e.Property, e.Value, e.Pending
	if c, ok := a.Acts.CameTrue(e, a.Reports); ok {
		property, value, why = c.Property, c.State, ""
	}
	return &reply.Deed{
		Entity: a.House.Entity(e.Device), Property: property, Value: value, At: e.At, Pending: why,
		Asker: reply.Asker{
			Mine: a.Mine(e), Area: e.Area, Tapped: e.Tapped, Written: e.Source == record.FromHTTP || e.Source == record.FromPage || e.Source == record.FromCLI,
			Page: e.Source == record.FromPage, MQTT: e.Source == record.FromMQTT, Timer: e.Source == record.FromTimer, Button: e.Source == record.FromButton,
			Undo: e.Undo, Model: e.Model,
		},
	}
}
