package mind

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// learned returns a function that loads what was learned of the kinds of orders in a
// language, when it is first needed; what that returns is nil if nothing was.
func learned(language string) func() reader.Learned {
	return func() reader.Learned {
		if model, err := reader.Load(language); err == nil {
			return model
		}
		return nil
	}
}

// grammatical is the recogniser that makes a sentence of ours of everything it hears, so
// that its text says little where no sentence fits.
const grammatical = "pocketsphinx"

// verySure is the least share from which a text that was heard is not asked about.
const verySure = 0.97

// rewording is a sentence of ours that stands for what was said, while a person is asked.
type rewording struct {
	said     string // as it was said
	sentence string
}

// reread is the step for an order in other words than those of our sentences: a sentence
// of ours is written that says the same (REQUIREMENTS U17). If that is sure, it is done; if
// it is nearly sure, it is asked about.
func (u *understanding) reread(x Exchange, m Memory, h *home.House) (Order, bool) {
	r, ok := u.reading(x, h)
	if !ok || r.Verdict == reader.Leave {
		return Order{}, false
	}
	rewritten := x
	rewritten.Text, rewritten.Alone = r.Sentence, r.Means
	o := u.order(rewritten, m, h, r.Means)
	if !careful(o, h) {
		return Order{}, false
	}
	o.Alone, o.Homeless = true, lacksHouse(r.Means, h)
	o.Reading = noteReading(r)
	switch {
	case r.Verdict == reader.Ask:
		ask := Order{Reading: o.Reading, Alone: true}
		ask.Meant = intent.Decision{Route: intent.Ask, Reason: intent.Uncertain, Question: askFirst(r.Sentence), Act: x.Alone.Act}
		ask.Ask = &question{decision: r.Means, text: r.Sentence, reworded: &rewording{x.Text, r.Sentence}}
		return ask.say(ask.Meant.Question, record.Asked, ""), true
	case r.Means.Route == intent.Ask:
		o.Ask = &question{decision: r.Means, text: r.Sentence}
	}
	return o, true
}

// reading reads a text in other words; ok is false for a text that is not read at all:
// without what was learned, after a question, of a recogniser that knows our sentences
// only, and where a sentence was understood or refused for another reason than its words.
func (u *understanding) reading(x Exchange, h *home.House) (r reader.Reading, ok bool) {
	words := reader.WordsOf(u.phrases.Language())
	switch {
	case words == nil, u.kinds == nil, h.Empty(), x.FollowUp, x.Unfinished, x.Source == record.FromTimer, x.Heard == grammatical, !reader.Reads(x.Alone):
		return r, false
	}
	kinds := u.kinds()
	if kinds == nil {
		return r, false
	}
	r = words.Read(reader.Text{Words: x.Text, Act: u.speechAct(x)}, kinds, h, func(sentence string) intent.Decision { return u.match.Match(sentence, x.Area) })
	u.hesitate(&r, x)
	return r, true
}

// hesitate asks about a reading, or leaves it, because of how the text was said: its end may be
// missing, it may have been misheard, or said to somebody else.
func (u *understanding) hesitate(r *reader.Reading, x Exchange) {
	begins := u.begins(x.Text)
	switch {
	case r.Verdict != reader.Do:
	case begins && r.Means.OnlyReads():
		r.Verdict, r.Doubt = reader.Leave, "it is the beginning of a sentence"
	case begins:
		r.Verdict, r.Doubt = reader.Ask, "it is the beginning of a sentence"
	default:
		if doubt := doubtHeard(r, x); doubt != "" {
			r.Verdict, r.Doubt = reader.Ask, doubt
		}
	}
	if r.Verdict == reader.Ask && x.Alone.Route == intent.Reject {
		r.Verdict = reader.Leave // the refusal says what is wrong
	}
}

// doubtHeard says why what was heard is asked about; "" if it is not.
func doubtHeard(r *reader.Reading, x Exchange) string {
	sure, acts := r.Share >= verySure, !r.Means.OnlyReads()
	switch spoken := x.Source == record.FromMic || x.Source == record.FromFile; {
	case x.Loose && (acts || !sure):
		return "it was heard, and no sentence fits"
	case acts && spoken && !sure:
		return "it was heard, and its kind is not very sure"
	case acts && spoken && x.Alone.Route == intent.Reject && x.Alone.Reason == intent.Overheard:
		return "it may be talk that was overheard"
	}
	return ""
}

// begins reports whether a sentence of ours begins with a text and is not over with it, so
// that its end may be missing: "dim the bedroom lamp to".
func (u *understanding) begins(text string) bool {
	m, able := u.match.(interface{ Begins(text string) bool })
	return able && m.Begins(text)
}

// careful reports whether an order may come of words that only a reader has understood:
// nothing dangerous and nothing costly, neither now nor later.
func careful(o Order, h *home.House) bool {
	risk := guard.Highest(plan.Flatten(o.Do))
	return harmless(o.Meant, h) && (risk == "" || risk == tools.Read || risk == tools.Reversible)
}

// askFirst makes a question of a sentence of ours, such as "Start the robot vacuum?".
func askFirst(sentence string) string {
	first, size := utf8.DecodeRuneInString(sentence)
	return string(unicode.ToUpper(first)) + sentence[size:] + "?"
}

// reworded is the order for the answer to a question whether a sentence of ours was meant.
// After a yes the sentence goes the way of every other, and the words are kept once it is
// done.
func (u *understanding) reworded(x Exchange, m Memory, h *home.House, asked rewording) (Order, bool) {
	if !u.choosing.Yes(x.Text) {
		return Order{}, false
	}
	x = u.as(x, asked.sentence)
	x.FollowUp = false
	o := u.order(x, m, h, x.Alone)
	if !careful(o, h) {
		return Order{}, false
	}
	if x.Alone.Route == intent.Ask {
		o.Ask = &question{decision: x.Alone, text: asked.sentence}
	}
	o.Alone, o.Read, o.Teaches = true, &x, asked.said
	return o, true
}

// noteReading is what a record keeps of a reading.
func noteReading(r reader.Reading) *record.Reading {
	return &record.Reading{
		Kind: string(r.Kind), Share: r.Share, Sure: r.Marks.Sure, Nearly: r.Marks.Nearly, Sentence: r.Sentence, Verdict: string(r.Verdict),
		Why: cmp.Or(r.Doubt, "every word is explained"),
	}
}

// unknownStorey says of an order or a question that nobody has understood that the house does
// not know which rooms are upstairs; "" if it is about no floor.
func (u *understanding) unknownStorey(x Exchange, h *home.House) string {
	words := reader.WordsOf(u.phrases.Language())
	if act := u.speechAct(x); words == nil || h.Empty() || x.FollowUp || !act.MayAct() && !act.Asks() {
		return ""
	}
	if storey := words.UnknownStorey(x.Text, h); storey != "" {
		return u.phrases.Phrase("unknown_area", map[string]any{"heard": storey})
	}
	return ""
}

// knownThing says of a text that nobody has understood which thing of the house it is
// about; "" if it is about none or several.
func (u *understanding) knownThing(x Exchange, h *home.House) string {
	r, ok := u.reading(x, h)
	if !ok || r.Thing == "" || r.Kind == reader.None || !u.speechAct(x).MayAct() {
		return ""
	}
	i := slices.IndexFunc(h.Entities, func(e home.Entity) bool { return e.Name == r.Thing })
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(speech.Speakable(u.phrases.Of("known_thing", []*home.Entity{&h.Entities[i]}, nil)))
}
