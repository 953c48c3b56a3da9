package doubt

import (
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// Question is the text about which the user was asked: the beginning of a sentence, or
// the readings of one.
type Question struct {
	Beginning string
	Readings  []string
	Count     int // questions in a row, this one included
}

// Answered is the sentence that an answer makes of what was said; ok is false if it is
// no answer, such as a new command or talk.
func (r *Reader) Answered(q *Question, answer string) (text string, ok bool) {
	if q.Beginning == "" {
		return r.Chosen(q.Readings, answer)
	}
	if r.Words.Yes(answer) && r.Whole(q.Beginning).Route == intent.Local { // that was all
		return q.Beginning, true
	}
	return r.Finished(q.Beginning, answer)
}

// Whole returns what a beginning means as it is; the zero Decision if it ends in a word
// that needs another one after it, so that it is not a complete sentence.
func (r *Reader) Whole(beginning string) intent.Decision {
	if r.Words.Hangs(beginning) {
		return intent.Decision{}
	}
	return r.Means(beginning)
}

// Names reports whether words are the name of a thing.
func (r *Reader) Names(heard string) bool {
	for i := range r.House.Entities {
		if len(r.Words.Choose(heard, []*home.Entity{&r.House.Entities[i]})) > 0 {
			return true
		}
	}
	return false
}
