// Package guard decides over dangerous acts for the mind: which are refused, which are
// asked about by a challenge, and what an answer lets through (REQUIREMENTS S1). It
// exists apart from the mind so that the whole rule can be read in one place. It makes
// no call. The limits on what the gateway does, whoever asks, are in safety.go (S3).
//
// A challenge (challenge.go) is the two words that a person says back before the house does
// something dangerous: which words, for which order, how long, how often. It protects from
// a voice that the gateway mistakes for an order: a television, a misheard sentence, a
// recording of an earlier order. It does not tell who speaks: any person who hears the
// words in the room can say them. Another language is a list of words in
// internal/language/sentences.
package guard

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

// The reasons in a record for a dangerous act that is not done.
const (
	off        = "dangerous acts are off (safety.dangerous: deny)"
	byItself   = "a dangerous act is done only as a spoken command of its own for one device, after its challenge (safety.dangerous: challenge)"
	notAllowed = "the server of the device does not allow dangerous acts (ZWAVE_ALLOW_DANGEROUS)"
)

// Rules say what is refused, and with which words. They change nothing.
type Rules struct {
	Limits  Limits
	Phrases *reply.Phrases
}

// Guard stands before every dangerous act. It is safe for concurrent use.
type Guard struct {
	Rules
	book *Book[Act]
}

// Act is a dangerous act, as it was ordered.
type Act struct {
	Decision   intent.Decision
	Device     string // the id of its one device
	Text, Area string
}

// Refusal is what the user hears about an act that is not done, and the reason for the
// record.
type Refusal struct{ Said, Why string }

// New makes a guard for the language of the phrases.
func New(l Limits, p *reply.Phrases) *Guard {
	return &Guard{Rules{l, p}, NewBook[Act](Words(p.Language()))}
}

// Deny is the refusal of dangerous steps for which there is no challenge.
func (r Rules) Deny(steps []plan.Step) Refusal {
	if r.Limits.Challenges() {
		return Refusal{r.Phrases.Phrase("challenge_only", nil), byItself}
	}
	return Refusal{r.Phrases.SayDenied(steps), off}
}

// Wanted is a plan that holds a dangerous act.
type Wanted struct {
	record.Request
	Turn     string // its id
	Alone    bool   // the text is a complete command, or answers which thing a command is about
	Decision intent.Decision
	Steps    []plan.Step
}

// Asked is a challenge: the spoken question, and the text that records may show of it.
type Asked struct{ Aloud, Reply string }

// Ask asks a challenge for an order, if it is a spoken command for one device; otherwise
// it refuses the order. In a dry run there is no challenge.
func (g *Guard) Ask(o Wanted, h *home.House) (Asked, *Refusal) {
	no := g.Deny(o.Steps)
	switch {
	case !g.Limits.Challenges(), o.Source != record.FromMic, !o.Alone, o.Decision.Confirmed,
		len(o.Decision.Actions) != 1, len(o.Steps) != 1, o.Steps[0].Entity == nil:
		return Asked{}, &no
	}
	step := &o.Steps[0]
	if _, allowed := step.Allowed(); step.Err != nil {
		return Asked{}, &Refusal{g.Phrases.Apology(step.Err), step.Err.Error()}
	} else if !allowed {
		return Asked{}, &Refusal{g.Phrases.SayDenied(o.Steps), notAllowed}
	}
	if o.DryRun {
		return Asked{}, nil
	}
	act := Act{o.Decision, step.Entity.ID, o.Text, o.Area}
	pair, err := g.book.Ask(o.Turn, act, namesHold(h), time.Now())
	if rest, resting := errors.AsType[*RestError](err); resting {
		minutes := max(2, int(math.Ceil(rest.Left.Minutes())))
		return Asked{}, &Refusal{g.Phrases.Phrase("challenge_rest", map[string]any{"count": minutes}), err.Error()}
	}
	if err != nil {
		return Asked{}, &Refusal{g.Phrases.SayDenied(o.Steps), err.Error()}
	}
	return Asked{Aloud: g.Phrases.Challenge(step, pair.String()), Reply: g.Phrases.Challenge(step, g.Phrases.Phrase("challenge_words", nil))}, nil
}

// Answer takes the answer to a challenge and returns the act that it lets through. A text
// whose end was not heard is no answer: more may have been said.
func (g *Guard) Answer(q record.Request) (Act, *Refusal) {
	readings := q.Others
	if !q.Unfinished {
		readings = append([]string{q.Text}, q.Others...)
	}
	act, verdict := g.book.Answer(q.Challenge, readings, q.After, time.Now())
	switch {
	case verdict == Passed && q.Source == record.FromMic:
		return act, nil
	case verdict == Late:
		return Act{}, &Refusal{g.Phrases.Phrase("challenge_late", nil), failureText(verdict)}
	}
	return Act{}, &Refusal{g.Phrases.Phrase("challenge_wrong", nil), failureText(verdict)}
}

func failureText(v Verdict) string { return "the challenge was not passed: " + string(v) }

// Plan plans an act that was let through once more, because the house may have changed:
// it is done only if it is still that act.
func (r Rules) Plan(a Act, h *home.House) ([]plan.Step, *Refusal) {
	steps, err := plan.Calls(a.Decision, h, a.Area)
	if err == nil && (len(steps) != 1 || steps[0].Entity == nil || steps[0].Entity.ID != a.Device) {
		err = &plan.Error{Text: "That device is gone.", Key: "cannot_gone"}
	}
	if err == nil {
		err = steps[0].Err
	}
	if err != nil {
		return nil, &Refusal{r.Phrases.Apology(err), err.Error()}
	}
	step, allowed := steps[0].Allowed()
	if !allowed {
		return nil, &Refusal{r.Phrases.SayDenied(steps), notAllowed}
	}
	return []plan.Step{step}, nil
}

// Drop forgets the challenge that a turn has asked, because its order has changed.
func (g *Guard) Drop(turn string) { g.book.Drop(turn) }

// namesHold tells the words that a house uses for its things and rooms.
func namesHold(h *home.House) func(word string) bool {
	var names strings.Builder
	for _, e := range h.Entities {
		fmt.Fprintf(&names, " %s %s %s", e.Name, strings.Join(e.Aliases, " "), e.Area)
	}
	for _, area := range h.AreaNames() {
		names.WriteString(" " + area)
	}
	words := strings.Fields(strings.ToLower(names.String()))
	return func(word string) bool { return slices.Contains(words, word) }
}
