package intent

// Reason says why a text was decided as it was. Its text stands in records and in what the
// commands and HTTP answer, and does not change.
type Reason string

// Why something is done.
const (
	BySentence     Reason = "sentence"  // one sentence of the packs
	BySentences    Reason = "sentences" // several in one text
	ByAnswer       Reason = "answer"    // the answer to a question has completed the sentence
	ByWording      Reason = "wording"   // a text of the family's own
	PlannedByModel Reason = "model"
	OfBefore       Reason = "after" // made of what was understood before
	Anew           Reason = "anew"  // what was done before, with another value and until some time
)

// Why a text is left to a language model.
const (
	NoSentence Reason = "no_sentence"
	TooComplex Reason = "too_complex"
	NoOrder    Reason = "no_order" // it forbids, reports or plans what its words would do
)

// What is asked back.
const (
	Ambiguous  Reason = "ambiguous" // which of several things
	WhichArea  Reason = "which_area"
	WhichTimer Reason = "which_timer"
	HowLong    Reason = "how_long"
	When       Reason = "when"
	RemindOf   Reason = "remind_of"
	WhatMeant  Reason = "what_meant" // nothing is remembered that the text could be about
	Unfinished Reason = "unfinished" // the rest of a sentence
	Uncertain  Reason = "uncertain"  // which of two readings
	BareName   Reason = "bare_name"  // what to do with the thing whose name alone was said
)

// Why a text is refused.
const (
	UnknownName       Reason = "unknown_name"
	UnknownArea       Reason = "unknown_area"
	NoDevice          Reason = "no_device" // the room has no such thing
	NoSensor          Reason = "no_sensor"
	NoSlats           Reason = "no_slats"
	NothingToSwitch   Reason = "nothing_to_switch"
	NothingLeft       Reason = "nothing_left" // everything was excepted
	WrongKind         Reason = "wrong_kind"
	PercentOutOfRange Reason = "out_of_range_percent"
	DegreesOutOfRange Reason = "out_of_range_degrees"
	KelvinOutOfRange  Reason = "out_of_range_kelvin"
	NotLater          Reason = "not_later"   // nothing dangerous is done at a later time
	LaterWhich        Reason = "later_which" // a command for later must name its thing
	SoundNow          Reason = "sound_now"   // sound is changed now or not at all
	NoEvent           Reason = "no_event"    // nobody can wait for that
	NotUnderstood     Reason = "not_understood"
	TooLong           Reason = "too_long"
	Empty             Reason = "empty"
	Overheard         Reason = "overheard" // people talk to each other
)

// NamesNothing reports whether a text was refused because it names a thing or a room that
// the house does not have.
func (r Reason) NamesNothing() bool {
	return r == UnknownName || r == UnknownArea || r == NoDevice
}

// Silent reports whether a refusal is not spoken, because the text was not meant for the
// house.
func (r Reason) Silent() bool { return r == Overheard || r == Empty }

// stopsAll reports whether a refusal of a single part stops the whole sentence. A part
// that is refused for another reason is left to the model.
func (r Reason) stopsAll() bool {
	return r.NamesNothing() || r == WrongKind || r == NoSensor || r == NothingToSwitch
}
