package followup

import (
	"maps"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// Slots of short sentences that mean the sentence before even where they could be read as
// a sentence of their own: "make that 7" is no volume, "a bit lower" after a blind is no
// light, and "the bedroom one" is of the kind that was acted on.
const (
	slotOf     = "of"     // marks such a sentence
	slotOne    = "one"    // it means a thing of the kind before in a room
	slotWay    = "way"    // up or down
	slotEnd    = "end"    // up or down, as far as it goes
	slotWanted = "wanted" // how things should be instead: on, off, open or closed
	slotTurned = "turned" // the other way round than before
	slotPace   = "pace"   // up or down, of a fan
)

// foremost understands such a sentence; ok is false if it is none, or not about what was
// understood before.
func (s *Sentence) foremost() (d intent.Decision, ok bool) {
	said := s.Words.After(s.Text, s.Area)
	if said.Route != intent.Local || len(said.Actions) != 1 || said.Actions[0].Slots[slotOf] == nil {
		return d, false
	}
	act := said.Actions[0]
	act.Slots = maps.Clone(act.Slots)
	delete(act.Slots, slotOf)
	if s.forgot() {
		return s.ask(), s.misleads(act)
	}
	if s.Subject.Lost {
		return d, false
	}
	if s.Asked && act.Slots[slotWay] != nil { // what was asked since was about other things
		return s.ask(), true
	}
	return s.byMark(act)
}

// byMark understands such a sentence by its slots.
func (s *Sentence) byMark(act intent.Action) (d intent.Decision, ok bool) {
	text := func(slot string) string { v, _ := act.Slots[slot].(string); return v }
	switch {
	case act.Intent == catalogue.Except:
		return s.only(act)
	case text(slotWay) != "":
		return s.toward(text(slotWay))
	case text(slotPace) != "":
		return s.faster(text(slotPace))
	case text(slotEnd) != "":
		return s.asFar(text(slotEnd))
	case text(slotWanted) != "":
		return s.wanted(text(slotWanted))
	case text(slotTurned) != "":
		return s.turned()
	case text(slotWhich) != "":
		return s.ofSeveral(act)
	case text(slotOne) != "":
		return s.ofKind(act)
	}
	return s.newTime(act)
}

// only leaves out all but what a sentence names, if that was acted on.
func (s *Sentence) only(said intent.Action) (intent.Decision, bool) {
	acted := func(id string) bool { return slices.Contains(s.Subject.devices(), id) }
	if len(said.Devices) > 0 && !slices.ContainsFunc(said.Devices, acted) {
		return s.ask(), s.misleads(said)
	}
	return s.except(said), true
}

// faster makes fans that were acted on faster or slower; ok is false if there are none.
func (s *Sentence) faster(way string) (d intent.Decision, ok bool) {
	if s.Subject.Asks() {
		return d, false
	}
	return s.step(intent.Action{Intent: catalogue.FanAdjust, Slots: map[string]any{"direction": way}})
}

// misleads reports whether a sentence that is about one that nobody remembers must not be
// taken for a sentence of its own: a number alone is no volume, and no position.
func (s *Sentence) misleads(said intent.Action) bool {
	if s.Alone.Route != intent.Local || len(s.Alone.Actions) != 1 {
		return counts[said.Slots[slotWhich]] > 0 || said.Slots[slotOne] != nil && s.Alone.Route == intent.Ask
	}
	switch s.Alone.Actions[0].Intent {
	case catalogue.SetVolume, catalogue.SetPosition:
		return true
	case catalogue.SetVolumeRelative:
		return s.Asked
	}
	return counts[said.Slots[slotWhich]] > 0
}

// ofKind does what was done before to the thing of its kind in another room, and takes
// back what was done, where the sentence says so.
func (s *Sentence) ofKind(said intent.Action) (intent.Decision, bool) {
	d := s.elsewhere(said)
	if d.Route == intent.Local && len(d.Actions) == 1 && len(d.Actions[0].Devices) > 1 { // one was said
		act := d.Actions[0]
		options := act.Devices
		act.Devices = nil
		return intent.Decision{
			Route: intent.Ask, Reason: intent.Ambiguous, Options: options, Would: &act,
			Question: s.Phrases.Which(things(s.House, options)),
		}, true
	}
	if said.Intent == catalogue.Rather && d.Route == intent.Local && !s.Subject.Asks() {
		s.meaning.Back = s.Subject.devices()
	}
	return d, true
}

// toward goes a step up or down with what was acted on; ok is false if that has no steps.
func (s *Sentence) toward(way string) (d intent.Decision, ok bool) {
	if s.Subject.Asks() {
		return d, false
	}
	act := s.last()
	if isVolume(act) {
		return local(intent.Action{Intent: catalogue.SetVolumeRelative, Slots: map[string]any{"volume_step": way}}), true
	}
	if s.covers() {
		return s.moveStep(act, way), true
	}
	for _, name := range []string{catalogue.BrightnessAdjust, catalogue.FanAdjust, catalogue.ClimateAdjust} {
		if d, ok = s.step(intent.Action{Intent: name, Slots: map[string]any{"direction": way}}); ok {
			return d, true
		}
	}
	return d, false
}

// last is the act that was understood last.
func (s *Sentence) last() intent.Action { return s.Subject.Acts[len(s.Subject.Acts)-1] }

// isVolume reports whether an act sets the volume.
func isVolume(act intent.Action) bool {
	return act.Intent == catalogue.SetVolume || act.Intent == catalogue.SetVolumeRelative
}

// covers reports whether all things of the sentence before are covers.
func (s *Sentence) covers() bool {
	all := things(s.House, s.Subject.Things)
	return len(all) > 0 && !slices.ContainsFunc(all, func(e *home.Entity) bool { return e.Domain != "cover" })
}

// moveStep moves covers a step up or down from where they were set.
func (s *Sentence) moveStep(act intent.Action, way string) intent.Decision {
	at, known := numberOf(act.Slots["position"])
	switch act.Intent {
	case catalogue.TurnOn:
		at, known = 100, true
	case catalogue.TurnOff:
		at, known = 0, true
	}
	fixed := func(e *home.Entity) bool { return !e.Can(home.Position) }
	if !known || slices.ContainsFunc(things(s.House, s.Subject.Things), fixed) {
		return s.ask()
	}
	by := float64(furtherBy)
	if way == "down" {
		by = -by
	}
	slots := maps.Clone(act.Slots)
	slots["position"] = min(max(at+by, 0), 100)
	return local(intent.Action{Intent: catalogue.SetPosition, Slots: slots, Devices: s.Subject.Things})
}

// asFar opens or closes covers wholly; ok is false for other things.
func (s *Sentence) asFar(end string) (d intent.Decision, ok bool) {
	if s.Subject.Asks() || !s.covers() {
		return d, false
	}
	return s.switchTo(end == "up", s.Subject.Things), true
}

// switching is the intent that switches on and opens, or the one that does the contrary.
func switching(on bool) string {
	if on {
		return catalogue.TurnOn
	}
	return catalogue.TurnOff
}

// switchTo switches things on or opens them, or does the contrary.
func (s *Sentence) switchTo(on bool, ids []string) intent.Decision {
	return s.onto(intent.Action{Intent: switching(on), Slots: map[string]any{}, Devices: ids}, ids)
}

// wanted sets things that were switched, opened or closed to what was wanted instead; ok is
// false if they were set to that, or are of another kind.
func (s *Sentence) wanted(state string) (d intent.Decision, ok bool) {
	act := s.last()
	opens := state == "open" || state == "closed"
	on := state == "on" || state == "open"
	if act.Intent != switching(!on) {
		return d, false
	}
	for _, e := range things(s.House, act.Devices) {
		switch {
		case opens != (verbOf(e.Domain) != ""):
			return d, false
		case e.Domain == "lock": // its words are the other way round
			return d, false
		}
	}
	return s.switchTo(on, act.Devices), true
}

// turned does the contrary of what was done before; ok is false if it has none.
func (s *Sentence) turned() (d intent.Decision, ok bool) {
	act := s.last()
	switch act.Intent {
	case catalogue.TurnOn, catalogue.TurnOff:
		return s.switchTo(act.Intent == catalogue.TurnOff, act.Devices), true
	}
	if catalogue.Of(act.Intent).Plan == catalogue.Adjust {
		act.Slots = maps.Clone(act.Slots)
		act.Slots["direction"] = opposite(act.Slots["direction"])
		return local(act), true
	}
	return s.ask(), true
}
