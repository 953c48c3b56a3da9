package record

import "time"

// Request is the text of one turn and where it came from.
type Request struct {
	ID     string    // of the turn; a new one where empty
	At     time.Time // when it arrived; now where zero
	Text   string
	Area   string // the microphone's or the sender's area, may be empty
	Source Source
	DryRun bool // find out what would be done and do nothing
	MayAct bool // the text is a command: a model may change something
	// FollowUp: the microphone was open for the answer to a question, without a wake
	// word. What only a model might make sense of was not said to us then.
	FollowUp bool
	// Waiting is called once when the turn begins to wait for something slow, a
	// server or a model; nil: nobody wants to know.
	Waiting func()
}

// Turn is a turn in progress, as whoever heard it hands it to who answers.
type Turn struct {
	Request
	Record *Record               // is filled in
	Watch  Stopwatch             // of the record's timings
	Say    func(sentence string) // is called with each sentence of the reply as it comes
}
