package record

import "time"

// Mark is a turn that the family found wrong, with what it should have done.
type Mark struct {
	ID     string    `json:"id"` // the turn's id
	Time   time.Time `json:"time"`
	Should string    `json:"should"` // the sentence that says what should have happened; "" if it is not known
	Then   Record    `json:"then"`
	House  string    `json:"house,omitempty"` // names the house as it was; "" if it is not kept
	Sound  bool      `json:"sound"`           // the sound of the utterance is kept
}

// Replay is a turn of before beside what today's program would make of it.
type Replay struct {
	ID        string    `json:"id"`
	Should    string    `json:"should,omitempty"`
	Rightness Rightness `json:"verdict,omitempty"` // of a marked turn
	Why       string    `json:"why,omitempty"`     // why it is judged so
	Same      bool      `json:"same"`              // it does today what it did then
	Then      Record    `json:"then"`
	Now       Record    `json:"now"` // of a dry run: its calls are planned and not made
}

// Rightness says whether a marked turn goes as it should today.
type Rightness string

// The kinds of rightness. Open means that too little is known to judge it.
const (
	Right Rightness = "right"
	Wrong Rightness = "wrong"
	Open  Rightness = "open"
)

// Wording is a text of the family's own with the acts that a language model made of it.
type Wording struct {
	ID    string    `json:"id"` // of the turn that it was said in
	Text  string    `json:"text"`
	Area  string    `json:"area"` // the room it was said in and counts in; "": everywhere
	Acts  []KeptAct `json:"acts"`
	Time  time.Time `json:"time"`
	Error string    `json:"error,omitempty"` // why it is not understood at present
}

// KeptAct is one act of a wording.
type KeptAct struct {
	Intent
	Things []KeptThing `json:"things"`
}

// KeptThing is a thing of the house as it was when the wording was kept.
type KeptThing struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
}
