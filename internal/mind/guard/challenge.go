package guard

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"voicegateway/internal/language/sentences"
)

const (
	// Time is how long after the end of the question the words may be said.
	Time = 10 * time.Second
	// mostOpen bounds a challenge on the wall clock, whatever the ear says: the
	// question, Time, and a recogniser that takes long.
	mostOpen = time.Minute
	// After failuresMost failed challenges within failuresWithin, no challenge is asked for
	// restTime.
	failuresMost   = 3
	failuresWithin = 10 * time.Minute
	restTime       = 10 * time.Minute
)

// Words are the words challenges are made of in a language; none where it has no list.
func Words(language string) []string { return sentences.Challenge(language) }

// Pair are the words of a challenge, in their order.
type Pair [2]string

// String is how the pair is said.
func (p Pair) String() string { return p[0] + " " + p[1] }

// Verdict is what an answer comes to.
type Verdict string

// The verdicts. Only Passed lets the order be carried out.
const (
	Passed Verdict = "passed"
	Wrong  Verdict = "wrong words"
	Late   Verdict = "too late"
	None   Verdict = "no challenge is open" // for the turn that is answered
)

// ErrNoWords means that there are no words to ask for.
var ErrNoWords = errors.New("there are no words for a challenge")

// RestError means that too many challenges failed, and that there will be none for a
// while.
type RestError struct{ Left time.Duration }

func (e *RestError) Error() string {
	return fmt.Sprintf("%d challenges failed within %v; the next one is asked in %v", failuresMost, failuresWithin, e.Left.Round(time.Second))
}

// Book keeps the one challenge that is open, with the order O that waits for it, and
// how many failed. It is safe for concurrent use.
type Book[O any] struct {
	words []string

	mu     sync.Mutex
	open   *opened[O]
	last   Pair
	failed []time.Time
	rests  time.Time // until then
}

// opened is a challenge that waits for its answer.
type opened[O any] struct {
	turn  string // the id of the turn that asked it
	pair  Pair
	order O
	asked time.Time
}

// NewBook makes a book without an open challenge.
func NewBook[O any](words []string) *Book[O] { return &Book[O]{words: slices.Clone(words)} }

// Ask draws the two words of a challenge for an order that a turn gives. avoid reports
// words that must not be used, such as names of the house; it may be nil. A challenge
// that is still open counts as failed. The error is a RestError or ErrNoWords.
func (b *Book[O]) Ask(turn string, order O, avoid func(word string) bool, now time.Time) (Pair, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil {
		b.fail(b.open.asked)
		b.open = nil
	}
	if left := b.rests.Sub(now); left > 0 {
		return Pair{}, &RestError{Left: left}
	}
	free := slices.DeleteFunc(slices.Clone(b.words), func(w string) bool {
		return w == b.last[0] || w == b.last[1] || avoid != nil && avoid(w)
	})
	if len(free) < 2 {
		return Pair{}, ErrNoWords
	}
	i := draw(len(free))
	p := Pair{free[i]}
	free = slices.Delete(free, i, i+1)
	p[1] = free[draw(len(free))]
	b.open, b.last = &opened[O]{turn, p, order, now}, p
	return p, nil
}

// Answer closes the challenge that a turn has asked, and returns its order if the answer
// passes. readings are the texts that the recognisers made of the answer; one of them has
// to be the two words and nothing else. after is the time from the end of the question to
// the end of the answer.
func (b *Book[O]) Answer(turn string, readings []string, after time.Duration, now time.Time) (order O, v Verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.open
	if o == nil || turn == "" || o.turn != turn {
		return order, None
	}
	b.open = nil
	switch {
	case after < 0 || after > Time || now.Sub(o.asked) > mostOpen:
		v = Late
	case !slices.ContainsFunc(readings, o.pair.is):
		v = Wrong
	default:
		b.failed = nil
		return o.order, Passed
	}
	b.fail(now)
	return order, v
}

// Drop forgets the challenge that a turn has asked, because its order has changed. It
// has not failed.
func (b *Book[O]) Drop(turn string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open != nil && b.open.turn == turn {
		b.open = nil
	}
}

// fail counts a failed challenge. The caller holds mu.
func (b *Book[O]) fail(at time.Time) {
	b.failed = append(slices.DeleteFunc(b.failed, func(t time.Time) bool { return at.Sub(t) >= failuresWithin }), at)
	if len(b.failed) >= failuresMost {
		b.failed, b.rests = nil, at.Add(restTime)
	}
}

// is reports whether a text is the two words and nothing else, exactly.
func (p Pair) is(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' })
	return slices.Equal(words, p[:])
}

// draw returns an unpredictable random number below n. n is small, so that the numbers
// are as good as equally likely.
func draw(n int) int {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails on the systems we build for
	return int(binary.LittleEndian.Uint64(b[:]) % uint64(n))
}
