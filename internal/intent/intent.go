// Package intent understands a sentence without a language model: it matches text against
// sentence templates and a house and decides what to do. It is pure. A new command is a
// sentence in sentences/<language>.yaml; a new language is a new file there.
//
// Two kinds of packs run on one engine. Ours (LoadPack) are matched as families talk:
// with misheard names, refusals and several commands. Those of Home Assistant (LoadDir)
// are exact: what their own recogniser makes of a sentence, and nothing else. A new form
// of the template language is a Kind in template, a step in compile.go and its case in
// run.go.
package intent

// Route is the decision of a match.
type Route string

// Where a sentence goes.
const (
	Local  Route = "local"  // act on Actions
	Model  Route = "llm"    // no sentence fits; a language model may know
	Ask    Route = "ask"    // ask back with Question
	Reject Route = "reject" // do nothing and say Reason
)

// Action is one recognised command with its slots resolved.
type Action struct {
	Intent  string         `json:"intent"`
	Slots   map[string]any `json:"slots"`
	Devices []string       `json:"devices"` // entity ids, in house order

	// Besides are the further things that a question is also about: a user who asks whether
	// anything is open thinks of doors and windows, and means the curtains as well.
	Besides []string `json:"-"`
	// Later are the commands that a timer is to carry out.
	Later []Action `json:"-"`
	// Elsewhere says that only the kind of the device was said and that it stands in
	// another room than the speaker, which the reply then names.
	Elsewhere bool `json:"-"`

	source *source // nil: not from a sentence
}

// Decision is what Match makes of a sentence.
type Decision struct {
	Route     Route
	Reason    Reason
	Actions   []Action // Local: all or none are to be done
	Question  string   // Ask: a sentence to say
	Options   []string // Ask: the entity ids the question is about, at most three
	Would     *Action  // Ask, Reject: what to do once the thing or the room is known; nil if another sentence is needed
	Beside    []Action // Ask: the other acts of the sentence, which are done only if the question is answered
	Heard     string   // Reject, Ask: the words that were not understood, e.g. the unknown name
	Together  bool     // Reject: of several commands or things, none of which is done
	Limits    *Limits  // Reject: the numbers that the command takes, if another was said
	Confirmed bool     // the person has said yes to what was asked back
	NeedHouse bool     // the answer could change once the house is known
	Foreign   bool     // Local: a sentence of a foreign pack, whose intent nothing here can do
	Act       SpeechAct

	custom bool   // by a sentence of the user's own
	fixed  string // the words of the template itself, without names
}
