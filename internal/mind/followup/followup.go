// Package followup understands short sentences about the sentence before: "turn it
// off", "and the bedroom", "a bit more", "I meant the hallway", "all but the desk
// lamp". It makes a whole decision of such a sentence and what was understood
// before, so that all that follows treats it like any other. It exists apart from
// the matcher, which reads one text, and from the mind, which remembers. A new form
// is an intent with sentences marked "after" in the packs and a case in rewritten.
package followup

import (
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
)

// How long a short sentence may be about a subject. To act on a wrong guess is worse
// than to answer one, so acts are forgotten sooner.
const (
	ActTime  = 2 * time.Minute
	TalkTime = 5 * time.Minute
)

// Subject is what a short sentence may be about: what was understood last. It does
// not change once it is kept.
type Subject struct {
	Acts    []intent.Action
	Things  []string       // the ids that "it" stands for
	Apart   bool           // the things were named one by one, so "it" may be any of them
	Lowered []string       // the covers that were moved down
	Earlier []string       // the things of the act before that, if it is not long ago
	End     *intent.Action // what gave the acts their end, nil if they have none
	Less    bool           // the last step was said as "less"
	Waits   bool           // it was asked about and is not done
	Lost    bool           // the house does not have what it names
	Talked  bool           // the model has talked since
	At      time.Time
}

// Fresh reports whether a subject is recent enough for a sentence that acts, or for one
// that asks. Without a subject it reports false.
func (t *Subject) Fresh(acts bool) bool {
	switch {
	case t == nil:
		return false
	case acts:
		return time.Since(t.At) <= ActTime
	}
	return time.Since(t.At) <= TalkTime
}

// Asks reports whether a subject is a question, which changed nothing.
func (t *Subject) Asks() bool { return !slices.ContainsFunc(t.Acts, Acts) }

// devices are the ids of all things that the acts were done to.
func (t *Subject) devices() []string {
	var out []string
	for _, act := range t.Acts {
		out = append(out, act.Devices...)
	}
	return out
}

// Acts reports whether an action changes something.
func Acts(act intent.Action) bool {
	return catalogue.Of(act.Intent).Plan != catalogue.Question && !Accounts(act)
}

// AsksForAlarm reports whether a text, without an earlier one, asks what alarms and
// sensors report. No pronoun in it stands for a thing, and it answers no question:
// "brennt es" asks for fire, whatever was talked about before.
func AsksForAlarm(alone intent.Decision) bool {
	if alone.Route != intent.Local || len(alone.Actions) != 1 {
		return false
	}
	slots := alone.Actions[0].Slots
	return slots["domain"] == "binary_sensor" && slots["name"] == nil
}

// Words is a matcher that understands short sentences.
type Words interface {
	// After matches what needs the sentence before: "and the bedroom".
	After(text, area string) intent.Decision
	// About matches a text whose pronoun stands for some of the things.
	About(text, area string, things []string) (d intent.Decision, several bool)
	// Elsewhere is an action in another area.
	Elsewhere(act intent.Action, area string) intent.Decision
	// Led takes off the words by which a sentence goes on from the one before, "and", or
	// puts it right, "no"; no reports whether it was one of those, ok whether there was any.
	Led(text string) (rest string, no, ok bool)
}

// Sentence is one text that may be about the sentence before.
type Sentence struct {
	Text, Area string
	Alone      intent.Decision // what the text means by itself
	Subject    *Subject        // nil: nothing is remembered
	Model      bool            // a language model answers what is not understood
	Asked      bool            // a question waited for an answer
	House      *home.House
	Words      Words
	Match      func(text, area string) intent.Decision                // what a text means by itself
	Choose     func(said string, among []*home.Entity) []*home.Entity // those of some things that words name
	Phrases    *reply.Phrases

	meaning Meaning
}

// Meaning is what a short sentence comes to.
type Meaning struct {
	intent.Decision
	Back    []string // the ids of things that are first set back to what they were
	Next    *Subject // what the next sentence is about; nil: the decision
	Instead bool     // what it sets takes the place of the timer, alarm or reminder that was set before
	Less    bool     // it goes a step back
}

// Understand finds what the sentence means together with the one before it; ok is false
// if it is not such a sentence, or is complete without the other.
func (s *Sentence) Understand() (m Meaning, ok bool) {
	d, ok := s.decision()
	if d.Act == "" {
		d.Act = s.Alone.Act
	}
	s.meaning.Decision = d
	return s.meaning, ok
}

// decision returns what the sentence asks for together with the one before it; ok is
// false if it is not such a sentence, or is complete without the other.
func (s *Sentence) decision() (d intent.Decision, ok bool) {
	for _, understand := range []func() (intent.Decision, bool){s.foremost, s.about, s.byStep, s.ofPlayer} {
		if d, ok = understand(); ok {
			return d, true
		}
	}
	if s.Alone.Route == intent.Local {
		return d, false
	}
	said := s.Words.After(s.Text, s.Area)
	switch {
	case said.Route == intent.Model && !s.names(said):
		return s.led()
	case accounts(said):
		return said, true
	case s.forgot():
		return s.ask(), !s.Model
	}
	return s.rewritten(said), true
}

// led understands a sentence behind a word that leads it, "and turn the fan on", "no, turn
// it off again"; ok is false if it is none. Behind a no only what a pronoun stands for is
// safe to be done: "no lights" wants none.
func (s *Sentence) led() (d intent.Decision, ok bool) {
	rest, no, ok := s.Words.Led(s.Text)
	if !ok {
		return d, false
	}
	next := *s
	next.Text, next.Alone, next.meaning = rest, s.Match(rest, s.Area), Meaning{}
	if no {
		d, ok = next.about()
	} else if d, ok = next.decision(); !ok {
		d, ok = next.Alone, next.Alone.Route == intent.Local || next.Alone.Route == intent.Ask && next.Alone.Would != nil
	}
	s.meaning, d.Act = next.meaning, next.Alone.Act
	return d, ok
}

// forgot reports whether nothing is remembered that a sentence without a verb can
// be about. What the model has talked about since is for the model.
func (s *Sentence) forgot() bool {
	return s.Subject == nil || s.Subject.Talked && s.Model || !s.Subject.Fresh(!s.Subject.Asks())
}

// ask asks what is meant.
func (s *Sentence) ask() intent.Decision {
	return intent.Decision{Route: intent.Ask, Reason: intent.WhatMeant, Question: s.Phrases.Phrase(string(intent.WhatMeant), nil)}
}

// about understands a sentence with a pronoun.
func (s *Sentence) about() (d intent.Decision, ok bool) {
	if AsksForAlarm(s.Alone) {
		return d, false
	}
	if s.Subject != nil {
		var several bool
		d, several = s.Words.About(s.Text, s.Area, s.Subject.Things)
		if d.Reason == intent.When && s.Subject.Fresh(true) {
			return d, true
		}
		if d.Route == intent.Local && !s.ordered(d.Actions[0]) {
			return d, false
		}
		if d.Route == intent.Local && !several && s.ofItself(d.Actions[0].Devices) {
			return d, false
		}
		if d.Route == intent.Local && (accounts(d) || s.Subject.Fresh(Acts(d.Actions[0]))) {
			return s.oneOf(d, several), true
		}
	}
	return s.missing()
}

// ofItself reports whether a sentence that may mean several things of a question before it
// has a meaning of its own: "make it warmer" after "which devices are offline" is about the
// room of the speaker.
func (s *Sentence) ofItself(devices []string) bool {
	return s.Subject.Asks() && len(devices) > 1 && s.Alone.Route == intent.Local
}

// missing asks for the thing that a pronoun means; the sentence itself says what may
// be answered.
func (s *Sentence) missing() (d intent.Decision, ok bool) {
	var all []string
	for i := range s.House.Entities {
		all = append(all, s.House.Entities[i].ID)
	}
	d, _ = s.Words.About(s.Text, s.Area, all)
	if d.Route != intent.Local || s.Alone.Route == intent.Local || !s.ordered(d.Actions[0]) || s.Model && !Acts(d.Actions[0]) {
		return d, false
	}
	if s.Subject.Fresh(Acts(d.Actions[0])) && len(s.Subject.Things) == 1 && !s.Subject.Talked {
		return s.wrongKind(s.House.Entity(s.Subject.Things[0])), true
	}
	would := d.Actions[0]
	d = s.ask()
	d.Options, would.Devices, d.Would = would.Devices, nil, &would
	return d, true
}

// ordered reports whether a sentence with a verb may do what it says: "don't turn it
// off" and "if it rains, turn it off" are no orders. A command for later is about
// another time.
func (s *Sentence) ordered(act intent.Action) bool {
	if len(act.Later) > 0 && (s.Alone.Act == "future" || s.Alone.Act == "condition" && act.Intent == catalogue.Until) {
		return true
	}
	return !Acts(act) || !s.Alone.Act.Forbids() && !s.Alone.Act.Asks()
}

// oneOf asks which thing is meant if "it" may be any of several.
func (s *Sentence) oneOf(d intent.Decision, several bool) intent.Decision {
	act := d.Actions[0]
	if several || !s.Subject.Apart || len(act.Devices) < 2 {
		return d
	}
	options := act.Devices
	act.Devices = nil
	return intent.Decision{
		Route: intent.Ask, Reason: intent.Ambiguous, Options: options, Would: &act,
		Question: s.Phrases.Which(things(s.House, options)),
	}
}

// wrongKind says that a thing cannot do what is asked.
func (s *Sentence) wrongKind(e *home.Entity) intent.Decision {
	d := intent.Decision{Route: intent.Reject, Reason: intent.WrongKind}
	if e != nil {
		d.Heard = reply.Retold{Phrases: s.Phrases}.Plain(e)
	}
	return d
}

// byStep lets a sentence that only says brighter or warmer be about the things of
// the sentence before, in whatever room they are.
func (s *Sentence) byStep() (d intent.Decision, ok bool) {
	var act intent.Action
	switch local := s.Alone; {
	case local.Route == intent.Local && len(local.Actions) == 1:
		act = local.Actions[0]
	case local.Would != nil:
		act = *local.Would
	}
	in := catalogue.Of(act.Intent)
	if in.Plan != catalogue.Adjust || act.Slots["name"] != nil || act.Slots["area"] != nil || act.Slots["floor"] != nil || !s.Subject.Fresh(true) {
		return d, false
	}
	d, ok = s.step(act)
	return d, ok && !s.ofHere(d)
}

// ofPlayer lets a bare "louder" be about the one player of the sentence before. It is what the
// same words mean behind the player's name, so what is said of the gateway's own voice,
// "speak up", stays about that.
func (s *Sentence) ofPlayer() (d intent.Decision, ok bool) {
	own := s.Alone.Route == intent.Local && len(s.Alone.Actions) == 1 && s.Alone.Actions[0].Intent == catalogue.SetVolumeRelative
	if !own || !s.Subject.Fresh(true) || len(s.Subject.Things) != 1 {
		return d, false
	}
	e := s.House.Entity(s.Subject.Things[0])
	if e == nil || e.Domain != "media_player" || !e.Can(home.Volume) {
		return d, false
	}
	d = s.Match(e.Name+" "+s.Text, s.Area)
	if d.Route != intent.Local || len(d.Actions) != 1 || d.Actions[0].Intent != catalogue.PlayerAdjust {
		return d, false
	}
	return s.step(d.Actions[0])
}

// ofHere reports whether a sentence tells how it is where the speaker is, "I'm cold", or
// wants light after a question, and the things of the sentence before are in other rooms.
func (s *Sentence) ofHere(d intent.Decision) bool {
	here := func(e *home.Entity) bool { return strings.EqualFold(e.Area, s.Area) }
	light := s.Subject.Asks() && d.Actions[0].Intent == catalogue.BrightnessAdjust && s.Alone.Route == intent.Local
	return (s.Alone.Act == "wish" || light) && s.Area != "" && !slices.ContainsFunc(things(s.House, d.Actions[0].Devices), here)
}

// step does an act by a step to those things of the sentence before that can do
// it; ok is false if none can.
func (s *Sentence) step(act intent.Action) (d intent.Decision, ok bool) {
	var able []string
	for _, e := range things(s.House, s.Subject.Things) {
		sets := catalogue.Of(act.Intent).Sets
		if e.Control != nil && (e.Can(sets[0].Ability) || sets[0].Ability == home.Brightness && e.Domain == "light") {
			able = append(able, e.ID)
		}
	}
	if len(able) == 0 || s.ofItself(able) {
		return d, false
	}
	act.Slots = maps.Clone(act.Slots)
	act.Devices = able
	return local(act), true
}

// local is the decision to do some acts.
func local(all ...intent.Action) intent.Decision {
	return intent.Decision{Route: intent.Local, Reason: intent.OfBefore, Actions: all}
}

// things are the entities with some ids, in that order.
func things(h *home.House, ids []string) []*home.Entity {
	var out []*home.Entity
	for _, id := range ids {
		if e := h.Entity(id); e != nil {
			out = append(out, e)
		}
	}
	return out
}
