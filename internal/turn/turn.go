// Package turn tells the story of one spoken command, from the wake word to the
// reply, in the words of the pure packages. It exists so that the story can be
// read, and tested, without a microphone, a broker or a model: everything it
// needs from the world is one of the interfaces below, in the order in which a
// turn needs them.
//
// Loop owns the microphone's state and tells one turn after the other; Answerer
// turns a text into acts and a reply and is shared by every source of text. To
// add a step, add its interface here, its event to the table in state.go, and
// its call where the story reaches it.
package turn

import (
	"context"
	"errors"
	"iter"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
	"voicegateway/internal/tools"
)

type (
	// Microphone gives sound, frame by frame; io.EOF ends a finite source.
	Microphone interface {
		Read(ctx context.Context) (audio.Frame, error)
	}
	// WakeDetector listens for the wake word.
	WakeDetector interface {
		Detect(ctx context.Context, f audio.Frame) (speech.Detection, bool, error)
	}
	// Transcriber writes an utterance down while it is spoken: Begin, Push for
	// each frame, Finish for the text.
	Transcriber interface {
		Begin(ctx context.Context) error
		Push(ctx context.Context, f audio.Frame) (speech.Partial, error)
		Finish(ctx context.Context) (speech.Transcript, error)
	}
	// Deliberate is what a Transcriber can be as well: one with slower recognisers
	// behind the one that Finish asks. Second asks them for the utterance of the
	// last Finish, when that gave no text or an error. It may take seconds, and
	// runs beside the loop: the next Begin may come before it has returned.
	Deliberate interface {
		Second(ctx context.Context) (speech.Transcript, error)
	}
	// Endpointer decides when the speaker is done. It observes the room between
	// utterances, to know its noise and how loud the wake word was. Reset begins an
	// utterance; the zero Detection is one without a wake word. Admit gives the
	// frames the recogniser may have of a frame: what is far below the wake word's
	// loudness is background, and what turns out to be its beginning comes late.
	Endpointer interface {
		Observe(f audio.Frame)
		Reset(d speech.Detection)
		Admit(f audio.Frame) []audio.Frame
		Push(f audio.Frame, p speech.Partial, c speech.Completeness) speech.Endpoint
	}
	// Matcher understands a sentence without a model.
	Matcher interface {
		Match(text, area string) intent.Decision
		Judge(partial string) speech.Completeness
		House() *home.House
	}
	// Caller reaches every tool. Await returns when what a step needs is there, or
	// is not coming for now.
	Caller interface {
		Await(ctx context.Context, n Need) error
		Call(ctx context.Context, c tools.Call) (tools.Result, error)
	}
	// Assistant is the language model with its tool-call loop. Reply fails with
	// ErrNoModel before anything else where no model answers.
	Assistant interface {
		Ready() bool
		Reply(ctx context.Context, q Question) iter.Seq2[Part, error]
		Remember(heard, said string)
	}
	// Synthesizer makes a sentence audible.
	Synthesizer interface {
		Synthesize(ctx context.Context, sentence string) (audio.Clip, error)
	}
	// Speaker plays a clip and returns when it was heard.
	Speaker interface {
		Play(ctx context.Context, c audio.Clip) error
	}
	// Keeper keeps what was said, where that is wanted (H10): the record of a turn
	// and the sound of its utterance. It must return quickly and may be called from
	// any goroutine.
	Keeper interface {
		Keep(r record.Record, utterance audio.Clip)
	}
	// Observer is told what happens. Its methods must return quickly.
	Observer interface {
		StateChanged(s State)
		Hearing(h Hearing)
		Replied(turn, text string)
		TurnEnded(r record.Record)
	}
)

// Hearing is what the ear makes of the newest frame, for a meter and for those
// who follow an utterance.
type Hearing struct {
	Turn    string  // the utterance's turn; "" between utterances
	Level   float64 // of the frame, dBFS
	Score   float64 // of the wake word engine, where it has one
	Partial speech.Partial
	Judged  speech.Completeness
	Ended   string // the endpoint's reason, with the frame that ended the utterance
}

// ErrNoModel means that there is no language model to ask.
var ErrNoModel = errors.New("no language model answers")

// Part is one piece of a model's answer: a sentence to say, or a tool call that
// was made.
type Part struct {
	Sentence string
	Call     *tools.Call
	Spec     tools.Spec
	Result   tools.Result
	Err      error         // the call did not happen
	Took     time.Duration // of the call
}

// Question is the text of one turn and where it came from.
type Question struct {
	ID     string    // of the turn; a new one where empty
	At     time.Time // when it arrived; now where zero
	Text   string
	Area   string // the microphone's or the sender's area, may be empty
	Source record.Source
	DryRun bool // find out what would be done and do nothing
	MayAct bool // the text is a command: a model may change something
	// FollowUp: the microphone was open for the answer to a question, without a wake
	// word. What only a model might make sense of was not said to us then.
	FollowUp bool
	did      []plan.Step // by the same sentence already: it counts with what is asked about
	// Waiting is called once when the turn begins to wait for something slow, a
	// server or a model; nil: nobody wants to know.
	Waiting func()
	// Lost is asked by a model's turn when a call got no answer because of its
	// server, before the model hears of it; nil: nobody wants to decide.
	Lost func(ctx context.Context, l Lost) Ruling
}

// Lost is a call of a model's turn that got no answer because of its server.
type Lost struct {
	Call tools.Call
	Spec tools.Spec
	Err  error
	Rest []tools.Call // planned by the model after it
}

// Ruling is what becomes of a model's turn after a lost call.
type Ruling struct {
	Again bool   // there is a connection anew and the call was never sent: make it
	Stop  bool   // end the turn
	Say   string // said then
}
