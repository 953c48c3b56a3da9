package intent

import (
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/mood"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/tools"
)

// SpeechAct is what a sentence does. Only a command, a request and a wish may change
// something.
type SpeechAct = mood.Act

// SpeechAct returns what a text does. A statement that a sentence of ours lists as a
// command is a wish: "it's too cold in here".
func (m *Matcher) SpeechAct(text string) SpeechAct { return m.Match(text, "").Act }

// SpeechAct does the same for a house that nothing is known of.
func (p *Pack) SpeechAct(text string) SpeechAct { return mood.For(p.Language).Read(text, nil) }

// act returns what a text does. Of several commands, none counts as one for later only
// because of the words that join them, or because one of them starts a timer: "and after
// that lock the door". The second one does not become conditional because the first has
// the words of a question either: "Leuchten aus und …".
func (m *Matcher) act(text string, d *Decision) SpeechAct {
	act := m.mood.Read(text, m.called)
	if act != mood.Future && act != mood.Condition || m.pack.Exact || !d.settled() {
		return act
	}
	parts := m.parts(normalise(text))
	for _, part := range parts {
		own := m.mood.Read(part, m.called)
		switch asks := own == mood.Question && act == mood.Condition; {
		case own == mood.Future, asks:
			if alone := m.Match(part, ""); !alone.settled() || asks && !alone.acts() {
				return act
			}
		case own.Forbids():
			return act
		}
	}
	if len(parts) == 0 {
		return act
	}
	return mood.Command
}

// withdrawForbidden takes back what a text that forbids, reports or plans would have done, unless
// our own sentence contains these words itself: "not so loud". A text that asks for
// something in the house was not overheard: "I would love some light". permitted also
// names what a sentence of ours does.
func (m *Matcher) withdrawForbidden(d Decision) Decision {
	acts := d.acts()
	switch {
	case d.Reason == Overheard && slices.Contains([]SpeechAct{mood.Request, mood.Wish}, d.Act):
		return Decision{Route: Model, Reason: NoSentence, Act: d.Act}
	case d.Route != Local && d.Route != Ask, d.ofItsTime():
		return d
	case acts && d.Act.Forbids() && m.mood.Read(d.fixed, m.called) != d.Act:
		return Decision{Route: Model, Reason: NoOrder, Act: d.Act}
	case acts && d.Act == mood.Question:
		d.Act = mood.Request
	case acts && !d.Act.MayAct():
		d.Act = mood.Wish
	case !acts && slices.ContainsFunc(d.Actions, asks):
		d.Act = mood.Question
	}
	return d
}

func asks(a Action) bool { return catalogue.Of(a.Intent).Plan == catalogue.Question }

// acts reports whether a decision changes something, or would once a question is
// answered.
func (d *Decision) acts() bool {
	return slices.ContainsFunc(d.Actions, Action.Changes) || d.Would != nil && d.Would.Changes()
}

// Changes reports whether an action is more than a question.
func (a Action) Changes() bool { return catalogue.Of(a.Intent).Risk != tools.Read }

// OnlyReads reports whether something is understood, and changes nothing.
func (d *Decision) OnlyReads() bool {
	return d.Route == Local && !slices.ContainsFunc(d.Actions, Action.Changes)
}

// AsksAboutOne reports whether a sentence fits only as the question whether one thing is
// meant, such as the coffee machine by "mach mir einen Kaffee".
func (d *Decision) AsksAboutOne() bool {
	return d.Route == Ask && d.Reason == Ambiguous && len(d.Options) == 1
}

// timed reports whether a decision sets a timer, or would once a question is answered.
// Only then can the words of a time belong to the command, because every command of a
// sentence is understood separately.
func (d *Decision) timed() bool {
	sets := func(a Action) bool { return slices.Contains(timers, a.Intent) }
	return d.Route == Ask && d.Would != nil && sets(*d.Would) || d.Route == Local && slices.ContainsFunc(d.Actions, sets)
}

// ofItsTime reports whether the words about another time or another case are those of a
// timer that the text sets: a timer is for another time, too.
func (d *Decision) ofItsTime() bool {
	return d.Act == mood.Future && d.timed() || d.Act == mood.Condition && d.bounded()
}

// bounded reports whether a decision sets an end or a timer for a time by the sun, which
// may be said like a condition: "when it gets dark", "until eight".
func (d *Decision) bounded() bool {
	is := func(a Action) bool { return a.Intent == catalogue.Until || a.Slots["sun"] != nil }
	return d.timed() && (slices.ContainsFunc(d.Actions, is) || d.Would != nil && is(*d.Would))
}

// timers are the intents that set a timer, or change its time. The end of an act is one
// of them.
var timers = []string{catalogue.StartTimer, catalogue.SetAlarm, catalogue.Remind, catalogue.Until, catalogue.IncreaseTimer, catalogue.DecreaseTimer}

// namesOf lists the names of a house's floors, rooms and things, as they are written and
// as they are said: "Blind #1 (left)" has no word of the past in it.
func namesOf(h *home.House, language string) []string {
	var out []string
	lang, counts := numbers.For(language)
	add := func(written ...string) {
		for _, name := range written {
			said := slices.Concat([]string{name}, names.SpokenForms(name), names.NumberForms(language, name))
			out = append(out, said...)
			for _, text := range said {
				if counts {
					out = append(out, lang.InWords(text))
				}
			}
		}
	}
	for i := range h.Floors {
		add(h.Floors[i].Name)
	}
	for i := range h.Areas {
		add(append([]string{h.Areas[i].Name}, h.Areas[i].Aliases...)...)
	}
	for i := range h.Entities {
		add(append([]string{h.Entities[i].Name}, h.Entities[i].Aliases...)...)
	}
	return out
}
