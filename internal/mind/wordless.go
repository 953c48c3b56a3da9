package mind

import (
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

// typed reports whether the text of a turn was typed: such a text is meant for the house,
// and its author reads the answer.
func (x *exchange) typed() bool {
	return slices.Contains(written, x.Source) && !x.FollowUp && !x.Unfinished
}

// mistaken reports whether a typed text was taken for talk that the ear has overheard.
func (x *exchange) mistaken(d intent.Decision) bool {
	return x.typed() && d.Route == intent.Reject && d.Reason == intent.Overheard
}

// answerInWords ends a typed turn with a sentence if none was said, which is right only
// for spoken text. A dry run reports its result in other ways.
func (a *Answerer) answerInWords(x *exchange) {
	if x.rec.Reply != "" || x.DryRun || !x.typed() {
		return
	}
	key := "not_understood"
	switch name := intentName(x.rec); {
	case name == catalogue.Stop:
		key = "nevermind"
	case x.rec.Outcome == record.Done || x.rec.Outcome == record.Accepted:
		key = "done"
	case name != "": // a sentence of a foreign pack, with an intent that nothing here can do
		key = "cannot_yet"
	case x.rec.Outcome == record.Ignored:
		x.rec.Outcome = record.Failed
	}
	x.rec.Reply = a.phrases.Phrase(key, nil)
	x.say(x.rec.Reply)
}

func intentName(rec *record.Record) string {
	if rec.Intent == nil {
		return ""
	}
	return rec.Intent.Name
}
