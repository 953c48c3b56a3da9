package mind

import (
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

// answerInWords ends a typed turn with a sentence if none was said, which is right only
// for spoken text. A dry run reports its result in other ways.
func (m *Mind) answerInWords(x *Exchange, t *turn) {
	if t.rec.Reply != "" || x.DryRun || !x.typed() {
		return
	}
	key := "not_understood"
	switch name := intentName(t.rec); {
	case name == catalogue.Stop:
		key = "nevermind"
	case t.rec.Outcome == record.Done || t.rec.Outcome == record.Accepted:
		key = "done"
	case name != "": // a sentence of a foreign pack, with an intent that nothing here can do
		key = "cannot_yet"
	case t.rec.Outcome == record.Ignored:
		t.rec.Outcome = record.Failed
	}
	t.rec.Reply = m.phrases.Phrase(key, nil)
	t.say(t.rec.Reply)
}

func intentName(rec *record.Record) string {
	if rec.Intent == nil {
		return ""
	}
	return rec.Intent.Name
}
