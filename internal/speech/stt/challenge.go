package stt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/speech"
	"voicegateway/internal/speech/sphinx"
)

// ChallengeListener is an Engine that can listen for the words of a challenge
// (REQUIREMENTS S1), for one utterance and instead of the sentences of the house. It
// hears any of Config.Challenge, in any order and number: it does not know which are
// expected, so that a wrong word is heard as itself.
type ChallengeListener interface {
	BeginChallenge(ctx context.Context) error
}

// errNoChallenge is returned by an engine that hears no challenges.
var errNoChallenge = errors.New("beginning an utterance: the recogniser was given no words of challenges")

// beginChallenge lets an engine listen for the words of a challenge.
func beginChallenge(ctx context.Context, e Engine) error {
	if c, ok := e.(ChallengeListener); ok {
		return c.BeginChallenge(ctx)
	}
	return errNoChallenge
}

const (
	// What is said after the two words is heard as more words out of each eachMore-th of
	// the list, which explains it badly enough to be refused and costs little. moreWeight
	// keeps two words from being heard as three.
	eachMore   = 8
	moreWeight = "0.001"
	// challengeMargin is the least margin of an answer. It is less than that of a
	// sentence: among so many words some pair fits any speech, and what keeps other
	// speech out is that it has to be the one that was asked for.
	challengeMargin = -40.0
)

// answers is the grammar of the answers to challenges: any two words out of a list, in
// any order, perhaps with more after them; "" without words.
func answers(list []string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" || strings.ContainsAny(w, notPlain) })
	if len(list) == 0 {
		return ""
	}
	var more []string
	for i := 0; i < len(list); i += eachMore {
		more = append(more, list[i])
	}
	return "#JSGF V1.0;\ngrammar challenge;\n<word> = " + strings.Join(list, " | ") + " ;\n<more> = " + strings.Join(more, " | ") + " ;\n" +
		"public <said> = <word> <word> ( /1/ <NULL> | /" + moreWeight + "/ <more>+ ) ;\n"
}

// answered decides what a result in the grammar of the answers means.
func answered(r sphinx.Result) speech.Transcript {
	t := speech.Transcript{Text: r.Text, Engine: "pocketsphinx", Unfinished: r.Unfinished}
	switch {
	case r.Text == "":
		t.Rejected = "no words of a challenge fit"
	case r.Looped && r.Margin() < challengeMargin:
		t.Text, t.Unfinished = "", false
		t.Rejected = fmt.Sprintf("like other speech: the words fit by %.1f, %.1f is needed", r.Margin(), challengeMargin)
	}
	return t
}

// BeginChallenge starts an utterance in the grammar of the challenges.
func (e *pocketSphinx) BeginChallenge(ctx context.Context) error {
	if e.challenge == "" {
		return errNoChallenge
	}
	return e.beginIn(ctx, e.challenge)
}

// withChallenge adds the pronunciations of the words of challenges to those of a
// grammar.
func (e *pocketSphinx) withChallenge(ctx context.Context, words map[string][]string) error {
	found, missing, err := e.pronounce.All(ctx, e.cfg.Challenge)
	if err != nil {
		return fmt.Errorf("setting the grammar: %w", err)
	}
	for _, w := range missing {
		found[w] = []string{unspeakable}
	}
	maps.Copy(words, found)
	return nil
}

// BeginChallenge starts an utterance in which challenge words are heard by PocketSphinx
// in its grammar of them, and by the network in what it writes by itself.
func (e *neural) BeginChallenge(ctx context.Context) error {
	e.open(&followed{challenge: true}, beginChallenge(ctx, e.follower))
	return nil
}

// challenged is what two recognisers have made of the answer to a challenge: the text
// of PocketSphinx, which knows the words, and beside it that of the network.
func challenged(byFollower speech.Transcript, free string) speech.Transcript {
	switch {
	case free == "" || free == byFollower.Text:
	case byFollower.Text == "":
		return speech.Transcript{Text: free, Engine: "moonshine"}
	default:
		byFollower.Others = []string{free}
	}
	return byFollower
}

// BeginChallenge starts an utterance of the person who answers a challenge.
func (a *attested) BeginChallenge(ctx context.Context) error {
	a.reset()
	return beginChallenge(ctx, a.Engine)
}

// BeginChallenge starts an utterance behind the denoiser.
func (d *denoised) BeginChallenge(ctx context.Context) error {
	d.noise.Begin()
	return beginChallenge(ctx, d.Engine)
}

// BeginChallenge never fails: if one engine cannot hear, another can.
func (c *chain) BeginChallenge(ctx context.Context) error {
	c.beginWith(func(e Engine) error { return beginChallenge(ctx, e) })
	return nil
}
