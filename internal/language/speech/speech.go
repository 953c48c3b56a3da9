// Package speech holds the words for hearing: detections, endpoints, partial
// and final transcripts. It is pure; the engines that produce these values live
// below it, one file each, and know nothing of each other.
package speech

import "time"

// Detection is one hearing of a wake word.
type Detection struct {
	Word   string    // the configured phrase, as written in the configuration
	Score  float64   // engine's own score; comparable only within one engine
	Engine string    // "pocketsphinx", "micro", …
	At     time.Time // end of the wake word in the audio
	Stop   bool      // the word ends what is being said, and begins no turn
}

// Expected is what an utterance is listened to for.
type Expected uint8

// What may be expected.
const (
	Sentence       Expected = iota // a sentence of the house
	ChallengeWords                 // the words of a challenge (REQUIREMENTS S1)
	AlertWords                     // a few words to what rings
)

// Partial is what a streaming transcriber believes so far.
type Partial struct {
	Text   string        // lower case words, "" while nothing is recognised
	Tail   time.Duration // sound after the end of the last recognised word
	Stable int           // how many frames in a row had this very text
}

// Transcript is an utterance as text.
type Transcript struct {
	Text       string // "" when the engine rejected the sound
	Engine     string
	Confidence float64 // 0..1 where the engine has one, else 0
	Rejected   string  // why Text is empty although there was speech; "" otherwise
	// Unfinished says that the speaker stopped inside a sentence; Text is its beginning. The
	// rest is not guessed (REQUIREMENTS H11).
	Unfinished bool
	// Loose says that no sentence fits, and that Text is what the recogniser wrote by itself.
	// It is an order in other words (Grammar.Readable), and at most asked about.
	Loose bool
	// Others are readings that fit nearly as well as Text, the best one first. Text is
	// not certain if one of them means something else.
	Others []string
}

// Completeness says whether a partial text is a sentence already.
type Completeness int

// The cases of the endpointer's rule (docs/facts/engines.md, Ending a
// turn).
const (
	Incomplete Completeness = iota // (c) not a sentence yet
	Growable                       // (b) a sentence, but a longer one is possible
	Closed                         // (a) a sentence that cannot continue
	Revocable                      // (a), and it only asks, or what it does can be put back
)

// Endpoint is an endpointer's judgement after one frame.
type Endpoint struct {
	Done        bool
	Reason      string    // set when Done: "sentence", "sentence_may_grow", "silence", "no_speech", "too_long", "let_go", "source_ended"
	SpeechStart time.Time // first speech of the utterance; zero while none was heard
	SpeechEnd   time.Time // last speech so far
}
