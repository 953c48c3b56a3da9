// Package endpoint decides when the speaker is done. It exists because this
// decision is most of the time a family waits for a light: instead of a fixed
// silence, it waits as little as the sentence so far allows.
//
// The rule and its constants were measured on 720 commands
// (docs/facts/engines.md, Ending a turn). The clock runs from the last frame at
// the command's own loudness, never from the recogniser's text, which is often
// complete before the speaker is. It is pure: time comes with the frames. A new
// rule is a new case in (*Endpointer).rule and a row in its table test.
package endpoint

import (
	"errors"
	"fmt"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/language/speech"
)

// Voice tells whether a frame holds speech. It has to be given every frame once, in
// order. Known is false if it has nothing but loudness to judge by.
type Voice interface {
	Push(f audio.Frame) (speaks, known bool)
}

// Config says how the end is decided, and has the rule's times.
type Config struct {
	// Mode is "sentence", or "silence" for a fixed one of Silence.
	Mode    string        `yaml:"endpoint"`
	Silence time.Duration `yaml:"silence"`

	// Grammar says that Push is given partial texts and their completeness. Without
	// it, silence alone decides.
	Grammar bool `yaml:"-"`
	// Fixed keeps the silence without a grammar at Open, however long the speaker's
	// pauses are.
	Fixed bool `yaml:"-"`
	// Voice, if set, tells speech from other loud sound. While it hears any voice, loud sound
	// counts as speech as well.
	Voice Voice `yaml:"-"`

	Growable   time.Duration `yaml:"-"` // quiet after a sentence that may continue
	Paused     time.Duration `yaml:"-"` // the same, of a speaker who has paused inside this utterance
	Incomplete time.Duration `yaml:"-"` // quiet after half a sentence
	Open       time.Duration `yaml:"-"` // quiet without a grammar, when speech was fluent
	NoSpeech   time.Duration `yaml:"-"` // give up when nobody speaks
	Longest    time.Duration `yaml:"-"` // of one utterance
}

// Default returns the measured times. 350 ms ends the turn in a quarter of the 250 ms
// pauses inside a sentence that is complete already, and in nearly all of the 400 ms
// pauses; 600 ms does so in 7 % of either. Only a speaker who has paused before gets 600
// ms.
func Default() Config {
	return Config{
		Mode:       bySentence,
		Silence:    700 * time.Millisecond,
		Grammar:    true,
		Growable:   350 * time.Millisecond,
		Paused:     600 * time.Millisecond,
		Incomplete: 800 * time.Millisecond,
		Open:       700 * time.Millisecond,
		NoSpeech:   5 * time.Second,
		Longest:    8 * time.Second,
	}
}

// The modes.
const (
	bySentence = "sentence"
	bySilence  = "silence"
)

// The limits of Silence: a shorter one is a pause between words, a longer one
// would outlast the longest utterance.
const (
	leastSilence = 100 * time.Millisecond
	mostSilence  = 5 * time.Second
)

// Validate says what is wrong, with the keys of the section they are in.
func (c Config) Validate() error {
	var errs []error
	if c.Mode != bySentence && c.Mode != bySilence {
		errs = append(errs, fmt.Errorf("stt.endpoint: %q is unknown; expected %s, %s", c.Mode, bySentence, bySilence))
	}
	if c.Silence < leastSilence || c.Silence > mostSilence {
		errs = append(errs, fmt.Errorf("stt.silence: %s cannot end an utterance; expected %s to %s, such as 700ms", c.Silence, leastSilence, mostSilence))
	}
	return errors.Join(errs...)
}

// The reasons of speech.Endpoint.
const (
	Sentence        = "sentence"
	SentenceMayGrow = "sentence_may_grow"
	Silence         = "silence"
	NoSpeech        = "no_speech"
	TooLong         = "too_long"
)

// Constants of the measured rule. quiet(D) is the time since a frame was less
// than D dB below the command's loudness and above the noise floor.
const (
	overFloor   = 8.0                    // dB over the noise floor; quieter sound is not speech
	stableNeed  = 3                      // frames with the same text
	tailNeed    = 30 * time.Millisecond  // the recogniser has to hear the word's end, too
	closedQuiet = 100 * time.Millisecond // of quiet(10), with the tail
	closedHush  = 60 * time.Millisecond  // of quiet(20) as well: an s and a k in noise are 15 dB down
	closedSoft  = 220 * time.Millisecond // of quiet(6), with the tail: a voice in the background
	closedSure  = 300 * time.Millisecond // of quiet(10), whatever the recogniser says
	// What can be put back ends without the recogniser's tail, which lags by up to 120 ms: its
	// text has stood for soonStable frames, quiet(20) is longer by soonOver than any pause of
	// this speaker in this utterance, and quiet(30) lasts for soonSoft, so that no soft last
	// sound is cut off. In noise that hides soft sounds it does not.
	soonStable = 5
	soonOver   = 40 * time.Millisecond
	soonSoft   = 80 * time.Millisecond
	extra      = 200 * time.Millisecond // more than Growable, in noise that hides quiet(20) and leaves quiet(10)
	onsetNeed  = 3                      // loud frames within onsetOf: a click is not speech
	onsetOf    = 5
	// leastSpeech is the shortest command: "stop" is longer. Less speech than this
	// is the wake word's last sound, a cough or a door.
	leastSpeech = 160 * time.Millisecond
	// pausedFor is how long a pause inside an utterance is that tells a slow speaker.
	// The closure of a plosive and the gap between two words are shorter.
	pausedFor = 200 * time.Millisecond
	// voiceMargin is the share of overFloor that sound has to exceed even while the model
	// hears a voice, because the model reports a voice for another 100 ms after its end.
	voiceMargin = 0.5
	// startOf is for how long after its beginning loud sound may still turn out to
	// be a voice, once NoSpeech has passed.
	startOf = time.Second
	// pauseFactor times the longest pause of the utterance is the silence that ends
	// it without a grammar, but at least Open: fluent speakers make shorter pauses
	// than slow ones.
	pauseFactor = 1.5
	// roomHolds is the window of audio.NoiseFloor: after it, the floor is learnt
	// from the utterance alone.
	roomHolds = 3 * time.Second
	openMost  = 1200 * time.Millisecond
)

// Endpointer follows one microphone. It belongs to one goroutine. Give it every
// frame: with Observe while no utterance is open, with Push during one.
type Endpointer struct {
	cfg   Config
	floor audio.NoiseFloor
	past  past
	gate  gate
	one   [1]audio.Frame // what Admit returns without a gate
	u     utterance
}

// evidence is everything known of an utterance except its loudness.
type evidence struct {
	voiced   time.Duration // for how long the model heard a voice
	judged   bool          // there is a model
	sentence bool          // the text has been a sentence since the speaker was last loud
	others   others
}

// others counts for how long there has been a voice that is softer than the speaker's.
type others struct {
	voiceSinceFar      time.Duration // since the speaker was last within 12 dB
	voiceSinceNear     time.Duration // since the speaker was last within 4 dB
	voiceSinceSentence time.Duration // since the text became a sentence and stayed one
}

// utterance is what is known of the sound since Reset.
type utterance struct {
	evidence
	loudness   loudness
	sinceReset time.Duration    // sound since Reset
	onset      [onsetOf]bool    // which of the last frames were loud
	frames     int              //
	loud       time.Duration    // length of the speech since its start
	spoken     time.Duration    // value of heard at the first speech; 0 before that
	quiet      [4]time.Duration // since the last frame within 6, 10, 20 and 30 dB
	pause      time.Duration    // the longest quiet(20) between speech, once a command can have begun
	start      time.Time
	end        time.Time
	candidate  time.Time // the beginning of the first loud frame, which becomes start if more follow
	room       float64   // dBFS: the noise floor when speech began; audio.Silence if it was not known
}

// depths are the D of quiet(D), in dB, in the order of utterance.quiet. The last frame within
// the greatest depth ends the speech.
var depths = [4]float64{6, 10, 20, 30}

const (
	quiet6 = iota
	quiet10
	quiet20
	quiet30
)

// New makes an endpointer. Times that are zero are taken from Default.
func New(cfg Config) *Endpointer {
	if cfg.Mode == bySilence {
		cfg.Grammar, cfg.Fixed, cfg.Open = false, true, cfg.Silence
	}
	d := Default()
	for _, t := range []struct{ have, want *time.Duration }{
		{&cfg.Growable, &d.Growable},
		{&cfg.Paused, &d.Paused},
		{&cfg.Incomplete, &d.Incomplete},
		{&cfg.Open, &d.Open},
		{&cfg.NoSpeech, &d.NoSpeech},
		{&cfg.Longest, &d.Longest},
	} {
		if *t.have <= 0 {
			*t.have = *t.want
		}
	}
	return &Endpointer{cfg: cfg}
}

// Observe follows the room's noise while no utterance is open, so that a
// command in one breath with the wake word is judged against the room.
func (e *Endpointer) Observe(f audio.Frame) { e.measure(f) }

// Reset begins an utterance, after a wake word or without one; the next Push
// takes its first frame. What is known of the room is kept. If the wake word was
// spoken over other people's speech, Admit tells the two apart.
func (e *Endpointer) Reset(d speech.Detection) {
	e.u = utterance{}
	e.gate.set(&e.past, d)
}

// Admit takes the next frame and returns the frames the recogniser may have: none
// or older ones while the gate holds sound back. The same frame has to be pushed
// afterwards. The slice is valid until the next call; the frames may be kept.
func (e *Endpointer) Admit(f audio.Frame) []audio.Frame {
	if !e.gate.on {
		e.one[0] = f
		return e.one[:]
	}
	e.gate.hear(f.At, e.measure(f).level, length(f))
	return e.gate.pass(f)
}

// Push takes the next frame, what the recogniser believes after it and whether
// that text is a sentence. Frames from before the detection (pre-roll) may be
// pushed although Observe has had them already. An empty frame asks for a
// judgement without new sound.
func (e *Endpointer) Push(f audio.Frame, p speech.Partial, c speech.Completeness) speech.Endpoint {
	if c == speech.Incomplete || p.Stable <= 1 {
		e.u.others.voiceSinceSentence = 0
	}
	if len(f.Samples) > 0 {
		e.hear(e.measure(f), length(f))
	}
	reason := e.rule(p, c)
	switch {
	case reason == NoSpeech:
		e.forget()
	case (reason == Silence || reason == TooLong) && (e.u.loud < leastSpeech || !e.somebody()):
		reason = ""
		e.forget()
	}
	return speech.Endpoint{Done: reason != "", Reason: reason, SpeechStart: e.u.start, SpeechEnd: e.u.end}
}

func length(f audio.Frame) time.Duration {
	return time.Duration(len(f.Samples)) * time.Second / time.Duration(audio.SpeechRate)
}

// forget drops what was heard, because it was not speech, and waits for speech
// again.
func (e *Endpointer) forget() {
	u := &e.u
	u.spoken, u.loud, u.voiced, u.start, u.end = 0, 0, 0, time.Time{}, time.Time{}
	u.onset = [onsetOf]bool{}
	u.loudness = loudness{}
}

// somebody reports whether the sound since Reset can have been a person. Only a model can
// rule that out.
func (e *Endpointer) somebody() bool { return !e.u.judged || e.u.voiced >= leastSpeech }

// hear moves all clocks on by one frame.
func (e *Endpointer) hear(h measurement, length time.Duration) {
	u := &e.u
	at, level := h.at, h.level
	u.sinceReset += length
	u.judged = h.judged
	if h.voice {
		u.voiced += length
	}
	if e.gate.on && !e.gate.at.Equal(at) {
		e.gate.hear(at, level, length) // Admit was not called with this frame
	}
	loud := e.spoken(h)
	u.onset[u.frames%onsetOf] = loud
	u.frames++
	if loud {
		u.loudness.push(level)
	}
	p := u.loudness.level()
	before := u.quiet[quiet20]
	for i, d := range depths {
		if loud && level > p-d {
			u.quiet[i] = 0
		} else {
			u.quiet[i] += length
		}
	}
	if u.spoken == 0 {
		e.begin(at, length, loud)
		return
	}
	if e.overheard(h, p, length) {
		return
	}
	if u.quiet[quiet20] == 0 {
		if u.loud >= leastSpeech { // less was the wake word's end or a cough
			u.pause = max(u.pause, before)
		}
		u.loud += length
	}
	if u.quiet[quiet30] == 0 {
		u.end = at
	}
}

// overheard follows how near the speaker is, whose loudness is p in dBFS. If it turns out
// that another person has been speaking for some time, it sets the clocks back and
// returns true.
func (e *Endpointer) overheard(h measurement, p float64, length time.Duration) bool {
	u := &e.u
	if !e.gate.on {
		e.gate.reference = p
		e.gate.hear(h.at, h.level, length)
	}
	since := e.later(h, length)
	if since == 0 {
		u.sentence = u.sentence && e.gate.sinceNear > 0
		return false
	}
	for i := range u.quiet {
		u.quiet[i] = max(u.quiet[i], since)
	}
	u.end = h.at.Add(-since)
	return true
}

// spoken reports whether a frame stands out of the room and, where there is
// background speech, out of that as well.
func (e *Endpointer) spoken(h measurement) bool {
	stands := e.stands()
	if h.voice {
		stands -= voiceMargin * overFloor
	}
	return h.level > stands && (!e.gate.on || e.gate.above)
}

// stands returns the level in dBFS above which sound stands out of the room. For
// the first seconds of speech it goes by the room as it was when speech began: a
// floor learnt from fluent speech rises with the speech, until nothing stands out
// of it. If the room was not known then, sound about as loud as the command
// always stands out. Later the speech has had its pauses, and sound that is
// steady by then is a machine that was switched on.
func (e *Endpointer) stands() float64 {
	u := &e.u
	learnt := e.floor.Level() + overFloor
	switch {
	case u.spoken == 0 || u.sinceReset-u.spoken >= roomHolds:
		return learnt
	case u.room > audio.Silence:
		return u.room + overFloor
	default:
		return min(learnt, u.loudness.level()-depths[quiet20])
	}
}

// begin waits for the first speech.
func (e *Endpointer) begin(at time.Time, length time.Duration, loud bool) {
	u := &e.u
	count := 0
	for _, l := range u.onset {
		if l {
			count++
		}
	}
	if loud && count == 1 {
		u.candidate = at.Add(-length)
	}
	if count >= onsetNeed {
		u.spoken, u.start, u.end = u.sinceReset, u.candidate, at
		u.pause, u.loud = 0, time.Duration(count)*length
		u.room = audio.Silence
		if e.floor.Known() {
			u.room = e.floor.Level()
		}
	}
}

// rule returns the reason to end the utterance, or "" to continue.
func (e *Endpointer) rule(p speech.Partial, c speech.Completeness) string {
	u := &e.u
	switch {
	case u.sinceReset >= e.cfg.NoSpeech && (u.spoken == 0 || !e.somebody() && u.sinceReset-u.spoken >= startOf):
		return NoSpeech
	case u.spoken == 0:
		return ""
	case u.sinceReset-u.spoken >= e.cfg.Longest:
		return TooLong
	case e.cfg.Grammar:
		return e.sentence(p, c)
	case e.silent(e.silence()):
		return Silence
	}
	return ""
}

// silent reports whether it has been quiet(20) for that long, or quiet(10) for a
// little longer: loud noise never becomes as quiet as quiet(20) asks for.
func (e *Endpointer) silent(long time.Duration) bool {
	return e.u.quiet[quiet20] >= long || e.u.quiet[quiet10] >= long+extra
}

// sentence returns the reason to end by what has been recognised, or "".
func (e *Endpointer) sentence(p speech.Partial, c speech.Completeness) string {
	u := &e.u
	stable := p.Stable >= stableNeed
	u.sentence = u.sentence || stable && c != speech.Incomplete
	switch {
	case c >= speech.Closed && stable && (e.closed(p.Tail) || e.endsSoon(p, c)):
		return Sentence
	case c == speech.Growable && stable && e.silent(e.growable()):
		return SentenceMayGrow
	// Other people talk on, and their words turn a whole sentence into half of one.
	case u.sentence && e.gate.on && u.quiet[quiet20] >= e.cfg.Growable:
		return SentenceMayGrow
	// A partial text may stay half a sentence although the whole was spoken and
	// will be found at the end, so silence ends every utterance.
	case e.silent(e.cfg.Incomplete):
		return Silence
	}
	return ""
}

// growable is how long to wait for the rest of a number or a name: a speaker who has
// paused inside the sentence will do so again.
func (e *Endpointer) growable() time.Duration {
	if e.u.pause >= pausedFor {
		return max(e.cfg.Growable, e.cfg.Paused)
	}
	return e.cfg.Growable
}

func (e *Endpointer) closed(tail time.Duration) bool {
	q := &e.u.quiet
	hushed := q[quiet10] >= closedQuiet && q[quiet20] >= closedHush
	return tail >= tailNeed && (hushed || q[quiet6] >= closedSoft) || q[quiet10] >= closedSure
}

// endsSoon reports whether the speaker is plainly done, by the speaker's own pauses, and what
// the words do can be put back.
func (e *Endpointer) endsSoon(p speech.Partial, c speech.Completeness) bool {
	if c != speech.Revocable || p.Stable < soonStable || e.gate.on {
		return false
	}
	u := &e.u
	if u.loudness.level()-depths[quiet20] < e.stands() {
		return false // noise hides soft sounds
	}
	return u.quiet[quiet10] >= closedQuiet && u.quiet[quiet20] >= max(closedHush, u.pause+soonOver) && u.quiet[quiet30] >= soonSoft
}

// silence is how long to wait without a grammar: a speaker who has paused inside the
// sentence will do so again.
func (e *Endpointer) silence() time.Duration {
	if e.cfg.Fixed {
		return e.cfg.Open
	}
	return min(max(e.cfg.Open, time.Duration(pauseFactor*float64(e.u.pause))), max(openMost, e.cfg.Open))
}
