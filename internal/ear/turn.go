// Package ear is the ear: it tells the story of one spoken command, from the wake
// word to the spoken reply, in the words of the pure packages. It exists so that
// the story can be read, and tested, without a microphone or a model: everything it
// needs from the world is one of the interfaces below, in the order in which a turn
// needs them. Package answer, the mind, understands the text and acts on it.
//
// Loop owns the microphone's state and runs one turn after the other. To add a
// step, add its interface here, its event to the table in state.go, and its call
// where the story reaches it.
package ear

import (
	"context"

	"voicegateway/internal/audio"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
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
	// Deliberate is a Transcriber that has slower recognisers behind the one that
	// Finish asks. Second asks them for the utterance of the last Finish, when that
	// gave no text or an error. It may take seconds and runs beside the loop: the next
	// Begin may come before it has returned.
	Deliberate interface {
		Second(ctx context.Context) (speech.Transcript, error)
	}
	// Selective is a Transcriber that can listen for something else than sentences, for
	// one utterance. Without it no challenge is passed.
	Selective interface {
		BeginFor(ctx context.Context, what speech.Expected) error
	}
	// Endpointer decides when the speaker is done. It observes the room between
	// utterances, to know its noise and how loud the wake word was. Reset begins an
	// utterance; the zero Detection means one without a wake word. Admit takes a frame
	// and returns the frames the recogniser may have: sound far below the wake word's
	// loudness is background and is held back, and is returned later if it turns out
	// to be the beginning of speech.
	Endpointer interface {
		Observe(f audio.Frame)
		Reset(d speech.Detection)
		Admit(f audio.Frame) []audio.Frame
		Push(f audio.Frame, p speech.Partial, c speech.Completeness) speech.Endpoint
	}
	// Mind understands what was said and does it. Extend is called after Answer, for
	// the same turn, when the speaker has gone on. It answers what was added to a
	// sentence already carried out; half a sentence (t.Unfinished), and one that was
	// asked about and has become a command, it answers as the one sentence that was
	// meant. Of what Answer said nothing has been spoken then, and t.Unsay drops it.
	Mind interface {
		Judge(partial string) speech.Completeness
		Answer(ctx context.Context, t record.Turn)
		Extend(ctx context.Context, t record.Turn, whole speech.Transcript)
		Corrections
		Apologies
	}
	// Foresight is a Mind that can begin to think about words before they are final.
	// It does and says nothing before Answer gets the very same text; drop ends it.
	Foresight interface {
		Expect(ctx context.Context, q record.Request) (drop func())
	}
	// Corrections tells which texts may correct a turn that is over.
	Corrections interface {
		Amends(text string) bool                          // whether the text corrects what was just done
		Amendable(source record.Source, area string) bool // whether there is something to correct
		// AnswersAlert says of a text heard between two rounds of an alert, without a wake
		// word, whether it is meant for the alert, and whether it asks for quiet; Answer
		// carries out what asks for anything else ("snooze").
		AnswersAlert(text string, urgent bool) (quiet, meant bool)
	}
	// Apologies are the replies to speech that cannot be answered.
	Apologies interface {
		NotHeard(ctx context.Context) string // to speech without a sentence in it
		Failed() string                      // to speech that no recogniser could process
	}
	// Synthesizer makes a sentence audible.
	Synthesizer interface {
		Synthesize(ctx context.Context, sentence string) (audio.Clip, error)
	}
	// Speaker plays a clip and returns when it was heard.
	Speaker interface {
		Play(ctx context.Context, c audio.Clip) error
	}
	// Keeper stores the record of a turn with the sound of its utterance, if recording
	// is wanted (H10). It must return quickly and may be called from any goroutine.
	Keeper interface {
		Keep(r record.Record, utterance audio.Clip)
	}
	// Observer receives what happens. Its methods must return quickly.
	Observer interface {
		StateChanged(published State)
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
