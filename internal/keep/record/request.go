package record

import (
	"fmt"
	"time"
)

// Request is the text of one turn and where it came from.
type Request struct {
	ID     string    // the turn's id; "" makes a new one
	At     time.Time // when it arrived; zero means the present
	Text   string
	Area   string // the microphone's or the sender's area, may be empty
	Source Source
	Aloud  bool // a written text from the gateway's own room
	DryRun bool // find out what would be done and do nothing
	// Confirmed marks what a person has agreed to: a text for later whose question, about many
	// devices or something costly, was answered yes, or an act that the page has asked about.
	Confirmed bool
	MayAct    bool // the text is a command: a model may change something
	// FollowUp marks a text heard without a wake word, because the microphone was open
	// for the answer to a question. A text that only a model might understand is then
	// not for the house.
	FollowUp bool
	// Challenge is the id of the turn whose challenge the text answers; "" for every other
	// text. After is the time from the end of the spoken question to the end of the answer.
	Challenge string
	After     time.Duration
	// Unfinished, Loose and Others are copied from the transcript of a spoken text: Unfinished
	// says that the text is only the beginning of a sentence, Loose that it fits no sentence and
	// is at most asked about, Others are further readings of it.
	Unfinished bool
	Loose      bool
	Others     []string
	// Control is an act on one thing that was ordered without words, such as a tap on the
	// page; nil for a text.
	Control *Control
	// Group is shared by acts without words that were ordered at once, such as all lights
	// off; an undo takes back all of them. "" for every other act.
	Group string
	// Waiting is called once when the turn begins to wait for something slow, a server
	// or a model; it may be nil.
	Waiting func()
}

// Control is an act on one thing of the house, as a page or a program orders it: without
// words, by the id of the thing and the word of its control tool.
type Control struct {
	Thing string `json:"thing"`           // its id
	Name  string `json:"name"`            // its name when it was ordered
	Do    string `json:"do"`              // a word of the control tool, such as on, level or play
	Value any    `json:"value,omitempty"` // a level, a position and a speed in percent, a set point in the degrees of the house; nil: none
}

// String is the act for a person at a terminal: "Kitchen Light: level 40".
func (c *Control) String() string {
	if c.Value == nil {
		return c.Name + ": " + c.Do
	}
	return fmt.Sprintf("%s: %s %v", c.Name, c.Do, c.Value)
}

// Turn is a turn in progress, as the part that heard it hands it to the part that
// answers.
type Turn struct {
	Request
	Record *Record               // filled in by the answerer
	Watch  Stopwatch             // the clock of the record's timings
	Say    func(sentence string) // called with each sentence of the reply as it comes
	// Expect gets the reply that is probable, before it is certain, so that a voice can begin
	// with its sound. Nothing is spoken because of it. It may be nil.
	Expect func(sentence string)
	// Unsay drops the sentences that were given to Say and are not spoken yet, because the
	// speaker continued and meant something else; it may be nil.
	Unsay func()
}
