package ear

import (
	"time"
)

// State is where the microphone's turn stands.
type State string

// The states of a turn.
const (
	Idle      State = "idle"
	Waking    State = "wake" // a wake word was heard, the recogniser is being opened
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
	// Muted is where a muted microphone rests; texts are still spoken and answered.
	Muted State = "muted"
	// EarFailed is where a turn ends when the ear fails: the recogniser did not open,
	// died or did not answer. The ear also rests there while the wake word engine
	// cannot hear. The state ends by itself, at its deadline or when the engine works
	// again.
	EarFailed State = "error"

	// AskingBack follows a spoken question: the recogniser is being opened for its
	// answer.
	AskingBack State = "asking_back"
	// FollowingUp listens for the answer to a question, which needs no wake word.
	FollowingUp State = "following_up"
	// EarOpen is Thinking about a complete sentence while the ear waits for another
	// clause.
	EarOpen State = "ear_open"
	// HalfHeard is Thinking about half a sentence while the ear waits for its rest.
	HalfHeard State = "half_heard"
	// HearingMore is Thinking about a sentence, or half of one, while its speaker continues.
	HearingMore State = "hearing_more"
	// Correcting is Idle after an act, while a correction of the act needs no wake
	// word.
	Correcting State = "correcting"
	// CorrectingDeaf is Correcting while the wake word engine cannot hear.
	CorrectingDeaf State = "correcting_deaf"
	// Ringing sounds an alert: its sound and its words.
	Ringing State = "ringing"
	// RingPause is the quiet after that, in which "stop" needs no wake word.
	RingPause State = "ring_pause"
)

// Public is the state as MQTT, HTTP and logs tell it, which does not show the
// finer ways of hearing: idle, wake, listening, thinking, speaking, muted or error.
func (s State) Public() State {
	switch s {
	case AskingBack:
		return Waking
	case FollowingUp:
		return Listening
	case EarOpen, HalfHeard, HearingMore:
		return Thinking
	case Correcting:
		return Idle
	case CorrectingDeaf:
		return EarFailed
	case Ringing, RingPause:
		return Speaking
	default:
		return s
	}
}

// resting reports whether the loop is idle.
func (s State) resting() bool {
	return s == Idle || s == Correcting || s == Muted || s == EarFailed || s == CorrectingDeaf
}

// mayGrow reports whether something may be added to the sentence the mind is working
// on.
func (s State) mayGrow() bool { return s == EarOpen || s == HalfHeard || s == HearingMore }

// correctable reports whether a correction needs no wake word.
func (s State) correctable() bool { return s == Correcting || s == CorrectingDeaf }

// sounds reports whether our own voice, or the sound before it, may be heard.
func (s State) sounds() bool { return s == Speaking || s == Ringing }

// rings reports whether an alert sounds, or the quiet between its rounds.
func (s State) rings() bool { return s == Ringing || s == RingPause }

// Kind is what happened.
type Kind string

// The events that move a turn. Every state but Idle and Muted has a deadline, so
// that TimedOut reaches it.
const (
	Woken         Kind = "woken"          // wake word, or a request to listen
	Opened        Kind = "opened"         // the recogniser takes sound
	Heard         Kind = "heard"          // the utterance ended with speech in it, or a correction was heard
	HeardSentence Kind = "heard_sentence" // the utterance ended with a complete sentence: a clause may be added
	HeardHalf     Kind = "heard_half"     // the utterance ended inside a sentence: its rest may follow
	NothingHeard  Kind = "nothing_heard"  // it ended without speech
	Resumed       Kind = "resumed"        // the speaker goes on
	NothingAdded  Kind = "nothing_added"  // the speaker did not continue, or the addition could not be heard
	Added         Kind = "added"          // the added words have ended
	Answered      Kind = "answered"       // a reply begins to sound
	AskedBack     Kind = "asked_back"     // the reply was a question: its answer needs no wake word
	Finished      Kind = "finished"       // nothing (more) to say, or the wake word engine works again
	Acted         Kind = "acted"          // a turn that has ended changed something: it may be corrected
	NotCorrected  Kind = "not_corrected"  // the time for a correction is over
	SayAsked      Kind = "say_asked"      // a request to speak a text
	RingAsked     Kind = "ring_asked"     // the round of an alert begins
	RoundOver     Kind = "round_over"     // its sound and words are over
	Alarmed       Kind = "alarmed"        // an urgent alert came in the middle of something else
	Stopped       Kind = "stopped"        // stop, from any source
	MicMuted      Kind = "muted"
	MicUnmuted    Kind = "unmuted"
	TimedOut      Kind = "timed_out"
	Failed        Kind = "failed"
)

// next is the whole behaviour of a turn's state. An event that is missing for a
// state is ignored. A wake word ends a turn that is thinking or speaking: commands
// already sent to a device stay sent. A stop ends what is heard or said; what was
// done may still be corrected. An urgent alert ends anything; any other one waits for
// a state of rest.
var next = map[State]map[Kind]State{
	Idle: {Woken: Waking, Acted: Correcting, SayAsked: Speaking, RingAsked: Ringing, MicMuted: Muted, Failed: EarFailed},
	Waking: {
		Alarmed: Ringing, Opened: Listening, Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed,
	},
	Listening: {
		Woken: Waking, Alarmed: Ringing, Heard: Thinking, HeardSentence: EarOpen, HeardHalf: HalfHeard, NothingHeard: Idle,
		Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed,
	},
	Thinking: {
		Woken: Waking, Alarmed: Ringing, Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	EarOpen: {
		Alarmed: Ringing, Resumed: HearingMore, Added: Thinking, NothingAdded: Thinking, MicMuted: Thinking,
		Woken: Waking, Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	HalfHeard: {
		Alarmed: Ringing, Resumed: HearingMore, Added: Thinking, NothingAdded: Thinking, MicMuted: Thinking,
		Woken: Waking, Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	HearingMore: {
		Alarmed: Ringing, Added: Thinking, NothingAdded: Thinking, MicMuted: Thinking,
		Woken: Waking, Answered: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	Speaking: {
		Woken: Waking, Alarmed: Ringing, AskedBack: AskingBack, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	AskingBack: {
		Alarmed: Ringing, Opened: FollowingUp, Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed,
	},
	FollowingUp: {
		Woken: Waking, Alarmed: Ringing, Heard: Thinking, HeardSentence: EarOpen, HeardHalf: HalfHeard, NothingHeard: Idle,
		Stopped: Idle, TimedOut: Idle, MicMuted: Muted, Failed: EarFailed,
	},
	Correcting: {
		Woken: Waking, RingAsked: Ringing, Heard: Thinking, NotCorrected: Idle, SayAsked: Speaking,
		TimedOut: Idle, MicMuted: Muted, Failed: CorrectingDeaf,
	},
	Muted: {SayAsked: Speaking, RingAsked: Ringing, MicUnmuted: Idle},
	EarFailed: {
		Woken: Waking, RingAsked: Ringing, SayAsked: Speaking, Finished: Idle, Stopped: Idle, TimedOut: Idle, MicMuted: Muted,
	},
	CorrectingDeaf: {
		Woken: Waking, RingAsked: Ringing, Heard: Thinking, NotCorrected: EarFailed, SayAsked: Speaking,
		Finished: Correcting, TimedOut: EarFailed, MicMuted: Muted,
	},
	Ringing: {
		Alarmed: Ringing, RoundOver: RingPause,
		Woken: Waking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
	RingPause: {
		Alarmed: Ringing, RingAsked: Ringing, SayAsked: Speaking, Heard: Thinking,
		Woken: Waking, Finished: Idle, Stopped: Idle, TimedOut: Idle, Failed: EarFailed,
	},
}

// deadlines bound the states, so that no path leaves a turn stuck. Listening is
// above the endpointer's own limits (5 s without, 8 s with speech); thinking is
// above the limits of tools and models, additions included; speaking is above the
// longest reply, as ringing is; its pause is above the longest quiet; correcting is above the time for a correction, which counts in
// frames and ends by itself while frames come.
var deadlines = map[State]time.Duration{
	Waking:         10 * time.Second,
	Listening:      15 * time.Second,
	Thinking:       45 * time.Second,
	EarOpen:        45 * time.Second,
	HalfHeard:      45 * time.Second,
	HearingMore:    45 * time.Second,
	Speaking:       60 * time.Second,
	AskingBack:     10 * time.Second,
	FollowingUp:    15 * time.Second,
	Correcting:     20 * time.Second,
	EarFailed:      5 * time.Second,
	CorrectingDeaf: 20 * time.Second,
	Ringing:        60 * time.Second,
	RingPause:      mostQuiet + 15*time.Second,
}

// Next returns the state after event k, and whether k means anything in s.
func Next(s State, k Kind) (State, bool) {
	to, ok := next[s][k]
	if !ok {
		return s, false
	}
	return to, true
}
