package mind

import (
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/errand"
)

// Learner keeps what a family teaches: which turns were wrong, and which texts of its own
// should be understood.
type Learner interface {
	// Keepable notes the acts that a model has made of a text. It reports whether the text
	// can be kept, and whether the user should hear that.
	Keepable(q record.Request, turn string, acts []intent.Action) (can, tell bool)
	// Keep keeps words of which a person has said that they mean these acts. What cannot be
	// kept is asked about again.
	Keep(said, area, turn string, acts []intent.Action)
	// Learn handles what is said about the turn before. The answer is the key of a phrase;
	// the error says why nothing was learnt.
	Learn(q record.Request, said intent.Action) (phrase string, err error)
}

// Teacher passes on to a Learner what is said of turns.
type Teacher struct {
	learner Learner // nil: nothing is learnt
	phrases *reply.Phrases
}

// New makes a teacher of a matcher, which may be a Learner.
func newTeacher(matcher any, p *reply.Phrases) Teacher {
	learner, _ := matcher.(Learner)
	return Teacher{learner, p}
}

// Teaches reports whether anything is learnt.
func (t Teacher) Teaches() bool { return t.learner != nil }

// Offer notes whether the words of a model's turn can be kept, and says so once. They can
// if the turn consisted of acts on the house and the devices have confirmed all of them.
// done are these acts.
func (t Teacher) Offer(q record.Request, rec *record.Record, done []plan.Step, say func(string)) {
	if t.learner == nil || rec.Outcome != record.Done || len(done) == 0 || len(rec.Judgements) > 0 {
		return
	}
	for _, c := range rec.Calls {
		if !c.OK || !c.Receipt.Done() {
			return
		}
	}
	can, tell := t.learner.Keepable(q, rec.ID, errand.Actions(done))
	rec.Keepable = can
	if offer := speech.Speakable(t.phrases.Phrase("keep_offer", nil)); tell {
		rec.Reply += " " + offer
		say(offer)
	}
}

// Keep has the matcher keep words of which a person has said that they mean what was done.
// A person who has said so once is not told; nothing is kept of what was not done.
func (t Teacher) Keep(q record.Request, said string, rec *record.Record, acts []intent.Action) {
	if t.learner == nil || q.DryRun || rec.Outcome != record.Done {
		return
	}
	t.learner.Keep(said, q.Area, rec.ID, acts)
}

// Note has the matcher learn what is said of the turn before, and adds the answer to
// the record's.
func (t Teacher) Note(q record.Request, rec *record.Record, said intent.Action) {
	switch {
	case q.DryRun:
		rec.Outcome = record.Ignored
		return
	case t.learner == nil && rec.Reply == "":
		rec.Outcome, rec.Reply = record.Done, t.phrases.Phrase(catalogue.Of(said.Intent).Reply, nil)
		return
	case t.learner == nil:
		return
	}
	phrase, err := t.learner.Learn(q, said)
	answer := t.phrases.Phrase(phrase, nil)
	switch asked := rec.Outcome == record.Asked; {
	case asked: // a question stays the last thing that is said
		return
	case rec.Reply != "":
		rec.Reply += " " + answer
	default:
		rec.Outcome, rec.Reply = record.Done, answer
	}
	if err != nil && record.Failed.Worse(rec.Outcome) {
		rec.Outcome, rec.Error = record.Failed, err.Error()
	}
}
