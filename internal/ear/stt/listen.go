package stt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/language/text"
)

// Selective is an Engine that can listen, for one utterance, for something other than the
// sentences of the house. For a challenge (REQUIREMENTS S1) it hears any of the words in
// Config.Challenge, in any order and number: it does not know which are expected, so that
// a wrong word is heard as itself. Near an alert it hears one of Config.Alert.
type Selective interface {
	BeginFor(ctx context.Context, what speech.Expected) error
}

// errNoWords is returned by an engine that hears sentences only.
var errNoWords = errors.New("beginning an utterance: the recogniser was given no words for it")

// beginFor lets an engine listen for something.
func beginFor(ctx context.Context, e Engine, what speech.Expected) error {
	if what == speech.Sentence {
		return e.Begin(ctx)
	}
	if l, ok := e.(Selective); ok {
		return l.BeginFor(ctx, what)
	}
	return errNoWords
}

// closedList is a grammar of few words that is heard for one utterance.
type closedList struct {
	jsgf   string // "" without words
	margin float64
	word   time.Duration // at most, on average, and alertSlack more; 0: any length
	beside time.Duration // at most, of speech that belongs to no word; 0: any
	whole  bool          // a text whose end is missing does not count
	none   string        // what does not fit, in a log
}

// closedLists are the grammars of what may be expected beside sentences.
func closedLists(c Config) map[speech.Expected]closedList {
	return map[speech.Expected]closedList{
		speech.ChallengeWords: {jsgf: answers(c.Challenge, c.Asking), margin: challengeMargin, beside: challengeBeside, whole: true, none: "no words of a challenge fit"},
		speech.AlertWords:     {jsgf: fewWords(c.Alert), margin: alertMargin, word: alertWord, none: "no words to an alert fit"},
	}
}

// fewWords is the grammar of a list of short texts.
func fewWords(list []string) string {
	list = slices.DeleteFunc(slices.Clone(list), func(text string) bool { return text == "" || strings.ContainsAny(text, notPlain) })
	if len(list) == 0 {
		return ""
	}
	return "#JSGF V1.0;\ngrammar few;\npublic <said> = " + strings.Join(list, " | ") + " ;\n"
}

const (
	// More words after the two are heard as any of a few: each eachMore-th word of the list.
	// These fit so badly that the answer is refused, and they cost little. moreWeight keeps
	// two words from being heard as three.
	eachMore   = 8
	moreWeight = "0.001"
	// askingWeight keeps the two words from being heard as our question. The sound of
	// "say" outweighs it by far.
	askingWeight = "0.01"
	// challengeBeside is the most speech beside the words of an answer: less than "say"
	// takes, or the "to" after the words.
	challengeBeside = 150 * time.Millisecond
	// challengeMargin is the least margin of an answer. It is lower than that of a sentence:
	// among so many words some pair fits any speech, and other speech is kept out because it
	// would have to be exactly the pair that was asked for.
	challengeMargin = -40.0
	// alertMargin is the least margin of words to an alert. 19 of 20 texts that were said to
	// an alert reached it, and three of 42 others (two voices of flite,
	// TestHearsWordsToAlerts).
	alertMargin = -3.0
	// Words to an alert take at most alertWord each, and alertSlack: of a short list some
	// text fits the sounds of longer speech.
	alertWord  = 400 * time.Millisecond
	alertSlack = 350 * time.Millisecond
)

// answers is the grammar of the answers to challenges: any two words out of a list, in
// any order, perhaps with more after them, and perhaps after what our own question
// begins with; "" without words. Otherwise "pursuit" would fit "say pursuit".
func answers(list, asking []string) string {
	plain := func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == "" || strings.ContainsAny(w, notPlain) })
	}
	list, asking = plain(list), plain(asking)
	if len(list) == 0 {
		return ""
	}
	var more []string
	for i := 0; i < len(list); i += eachMore {
		more = append(more, list[i])
	}
	before := "<NULL>"
	if len(asking) > 0 {
		before = "/1/ <NULL> | /" + askingWeight + "/ ( " + strings.Join(asking, " | ") + " )"
	}
	return "#JSGF V1.0;\ngrammar challenge;\n<word> = " + strings.Join(list, " | ") + " ;\n<more> = " + strings.Join(more, " | ") + " ;\n" +
		"public <said> = ( " + before + " ) <word> <word> ( /1/ <NULL> | /" + moreWeight + "/ <more>+ ) ;\n"
}

// interpret decides what a result in the grammar means.
func (l closedList) interpret(r sphinx.Result) speech.Transcript {
	t := speech.Transcript{Text: r.Text, Engine: "pocketsphinx", Unfinished: r.Unfinished}
	spoken, words := time.Duration(r.Speech)*frameLength, len(strings.Fields(r.Text))
	beside := time.Duration(r.Beside) * frameLength
	switch {
	case r.Text == "":
		t.Rejected = l.none
	case r.Looped && r.Margin() < l.margin:
		t.Text, t.Unfinished = "", false
		t.Rejected = fmt.Sprintf("like other speech: the words fit by %.1f, %.1f is needed", r.Margin(), l.margin)
	case l.whole && r.Unfinished:
		t.Text, t.Unfinished = "", false
		t.Rejected = "the end of the words is missing"
	case beside > l.beside && l.beside > 0:
		t.Text, t.Unfinished = "", false
		t.Rejected = fmt.Sprintf("other speech beside the words: %v of it", beside)
	case l.word > 0 && spoken > time.Duration(words)*l.word+alertSlack:
		t.Text, t.Unfinished = "", false
		t.Rejected = fmt.Sprintf("like other speech: %v of it for %d words", spoken, words)
	}
	return t
}

// BeginFor starts an utterance in the grammar of what is expected.
func (e *pocketSphinx) BeginFor(ctx context.Context, what speech.Expected) error {
	switch known := e.closed[what].jsgf != ""; {
	case what == speech.ChallengeWords && !known:
		return errNoWords
	case !known:
		what = speech.Sentence
	}
	return e.beginIn(ctx, what)
}

// withLists adds the pronunciations of the words of the closed lists to those of a
// grammar.
func (e *pocketSphinx) withLists(ctx context.Context, words map[string][]string) error {
	found, missing, err := e.pronounce.All(ctx, strings.Fields(strings.Join(slices.Concat(e.cfg.Challenge, e.cfg.Asking, e.cfg.Alert), " ")))
	if err != nil {
		return fmt.Errorf("setting the grammar: %w", err)
	}
	for _, w := range missing {
		found[w] = []string{unspeakable}
	}
	maps.Copy(words, found)
	return nil
}

// BeginFor starts an utterance for which PocketSphinx uses the grammar of what is
// expected, and the network its free reading.
func (e *neural) BeginFor(ctx context.Context, what speech.Expected) error {
	e.open(&followed{expected: what}, beginFor(ctx, e.follower, what))
	return nil
}

// joinListed joins the texts of two recognisers for an utterance with a closed list: that of
// PocketSphinx, which knows the list, and that of the network. For a challenge either
// may be right. For words to an alert, PocketSphinx is believed only if the network
// wrote something similar: in a short list some text always fits.
func joinListed(what speech.Expected, byFollower speech.Transcript, free string) speech.Transcript {
	switch {
	case free == "" || free == byFollower.Text:
	case what == speech.AlertWords && text.Unlikeness(free, byFollower.Text) <= mostUnlike:
	case byFollower.Text == "", what == speech.AlertWords:
		return speech.Transcript{Text: free, Engine: "moonshine"}
	default:
		byFollower.Others = []string{free}
	}
	return byFollower
}

// BeginFor starts an utterance of the person who spoke before.
func (a *attested) BeginFor(ctx context.Context, what speech.Expected) error {
	a.reset()
	return beginFor(ctx, a.Engine, what)
}

// BeginFor starts an utterance behind the denoiser.
func (d *denoised) BeginFor(ctx context.Context, what speech.Expected) error {
	d.noise.Begin()
	return beginFor(ctx, d.Engine, what)
}

// BeginFor never fails: if one engine cannot hear, another can.
func (c *chain) BeginFor(ctx context.Context, what speech.Expected) error {
	c.beginWith(func(e Engine) error { return beginFor(ctx, e, what) })
	return nil
}
