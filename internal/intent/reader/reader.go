package reader

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/mood"
)

// Verdict says what is to be done with a text that was read.
type Verdict string

// The verdicts.
const (
	Leave Verdict = "leave" // not understood well enough
	Ask   Verdict = "ask"   // nearly sure: a person is asked first
	Do    Verdict = "do"    // as sure as a sentence
)

// Reading is what was made of a text.
type Reading struct {
	Guess
	Marks    Marks
	Verdict  Verdict
	Sentence string          // of ours; "" if none could be written
	Rest     []string        // the words that the sentence does not explain
	Means    intent.Decision // what the sentence means
	Thing    string          // of a text that is left: the only thing of the house that it names
	Doubt    string          // why it is asked or left
}

// Learned tells the kind of order that a text is: the likeliest kind, how likely it is one
// of some kinds, and from which share on a kind is sure. Model is what was learned.
type Learned interface {
	Kind(text string) Guess
	Among(text string, kinds []Kind) float64
	Marks(kind Kind) Marks
}

// Among returns the probability that a text is of one of some kinds.
func (m *Model) Among(text string, kinds []Kind) float64 {
	sum := 0.0
	for i, share := range m.Shares(m.hasher.Features(text)) {
		if slices.Contains(kinds, m.kinds[i]) {
			sum += share
		}
	}
	return sum
}

// Text is a text to be read.
type Text struct {
	Words string           // as it was said
	Act   intent.SpeechAct // what it does
}

// tells reports whether a text is about another case, or about what was said or done.
func (t *Text) tells() bool {
	return t.Act == mood.Condition || t.Act == mood.Report || t.Act == mood.Past
}

// Match says what a sentence means in the house, in the room of the speaker.
type Match func(sentence string) intent.Decision

// The most words that a sentence may leave unexplained where a person is asked.
const mostRest = 2

// Reads reports whether a text is to be read: it fits no sentence, or only seems to name
// what the house does not have, or seems to be said to somebody else.
func Reads(d intent.Decision) bool {
	switch d.Route {
	case intent.Model:
		return d.Reason == intent.NoSentence || d.Reason == intent.NoOrder
	case intent.Reject:
		return !d.NeedHouse && (d.Reason.NamesNothing() || d.Reason == intent.Overheard)
	case intent.Local, intent.Ask:
	}
	return false
}

// Read reads a text in a house. It never fails: a text that it cannot read is left.
func (w *Words) Read(t Text, learned Learned, h *home.House, match Match) Reading {
	guess := learned.Kind(t.Words)
	r := Reading{Guess: guess, Marks: learned.Marks(guess.Kind), Verdict: Leave}
	own := w.kinds[guess.Kind]
	if own == nil {
		return w.readQuestion(r, t, learned, h, match)
	}
	s := w.find(w.plain(t.Words), h, own.family)
	if named := s.of(className); len(named) == 1 {
		r.Thing = named[0].text
	}
	kind, agreed := w.decide(s, guess.Kind, own)
	if kind == None {
		r.Doubt = "its words say two things"
		return r
	}
	wr := &writer{Words: w, search: s, kind: kind, own: w.kinds[kind], house: h}
	wr.free = wr.own.free && kind == guess.Kind && (wr.said() || t.Act.Asks())
	r.Kind = kind
	if wr.said() {
		r.Share = learned.Among(t.Words, own.family.kinds)
	}
	switch {
	case t.tells() && !wr.own.asks:
		r.Doubt = "it is no order: " + string(t.Act)
		return r
	case r.Share < wr.least(guess.Kind, r.Marks):
		r.Doubt = "its kind is not sure"
		return r
	}
	if w.readAddressed(&r, t, match) {
		return r
	}
	w.draft(&r, t, match, wr)
	if agreed || r.Verdict == Leave {
		return r
	}
	r.Doubt = "its words and its kind do not agree"
	if r.Verdict = Ask; wr.own.asks {
		r.Verdict = Leave
	}
	return r
}

// readQuestion reads a text that is nothing for the house by what was learned: a question of
// ours behind polite words is answered, and one of the clock that is explained wholly.
func (w *Words) readQuestion(r Reading, t Text, learned Learned, h *home.House, match Match) Reading {
	r.Doubt = "it is nothing for the house"
	if asked := w.bare(t.Words); asked != w.plain(t.Words) && w.addresses(t.Words) {
		if means := match(asked); means.OnlyReads() {
			r.Verdict, r.Doubt, r.Sentence, r.Means = Do, "", asked, means
			return r
		}
	}
	if answered, ok := w.readDoubted(r, t, learned, h, match); ok {
		return answered
	}
	own := w.kinds[Clock]
	if own == nil || !t.Act.Asks() && !w.begins(t.Words) {
		return r
	}
	wr := &writer{Words: w, search: w.find(w.plain(t.Words), h, own.family), kind: Clock, own: own, house: h}
	answered := r
	answered.Kind = Clock
	for _, d := range wr.drafts() {
		if d.found() && w.accept(&answered, d, t, match, wr) && answered.Verdict == Do {
			return answered
		}
	}
	return r
}

// Bounds of an order that was taken for nothing: how likely it may be nothing, and how likely
// it must be about the things that its words name.
const (
	mostDoubted  = 0.85
	leastDoubted = 0.15
)

// readDoubted reads an order that was taken for nothing for the house, and not surely. Its words
// must say what to do with what, and explain it wholly: "get me some latte please".
func (w *Words) readDoubted(r Reading, t Text, learned Learned, h *home.House, match Match) (Reading, bool) {
	if r.Share > mostDoubted || !w.mayOrder(t) {
		return r, false
	}
	plain, found := w.plain(t.Words), map[*family]*search{}
	for _, kind := range Kinds() {
		own := w.kinds[kind]
		if own == nil || own.asks || own.whole {
			continue
		}
		if found[own.family] == nil {
			found[own.family] = w.find(plain, h, own.family)
		}
		wr := &writer{Words: w, search: found[own.family], kind: kind, own: own, house: h}
		if said, agreed := w.decide(wr.search, kind, own); said != kind || !agreed || own.family.directed && !wr.said() {
			continue
		}
		share := learned.Among(t.Words, own.family.kinds)
		if share < leastDoubted {
			continue
		}
		if sentence, means, ok := wr.whole(match); ok {
			return Reading{Guess: Guess{kind, share}, Marks: learned.Marks(kind), Verdict: Do, Sentence: sentence, Means: means}, true
		}
	}
	return r, false
}

// mayOrder reports whether a text begins like an order, and does nothing else.
func (w *Words) mayOrder(t Text) bool {
	return !t.tells() && !t.Act.Forbids() && !t.Act.Asks() && w.begins(t.Words)
}

// readAddressed reads a text that is a sentence of ours behind the name of an assistant and
// polite words: "olly turn off the fan in the bedroom".
func (w *Words) readAddressed(r *Reading, t Text, match Match) bool {
	bare := w.bare(t.Words)
	if bare == w.plain(t.Words) || !w.begins(bare) {
		return false
	}
	means := match(bare)
	if means.Route != intent.Local || w.losesTime(means) {
		return false
	}
	r.Verdict, r.Sentence, r.Means = Do, bare, means
	return true
}

// begins reports whether a text begins like an order.
func (w *Words) begins(text string) bool {
	n, _ := w.orders.longestAt(strings.Fields(w.bare(text)))
	return n > 0
}

// draft takes the first draft that the matcher understands, from the one that explains the
// most.
func (w *Words) draft(r *Reading, t Text, match Match, wr *writer) {
	for _, d := range wr.drafts() {
		if w.accept(r, d, t, match, wr) {
			return
		}
	}
	if r.Sentence == "" {
		r.Doubt = "no sentence can be written"
	}
}

// says reports whether the words of a text say a kind.
func (w *Words) says(s *search, k Kind) bool {
	return len(s.of(says+string(k))) > 0 || w.shows(s, k)
}

// shows reports whether a text has something that only a kind's sentences say, such as a
// colour.
func (w *Words) shows(s *search, k Kind) bool {
	return slices.ContainsFunc(w.kinds[k].shows, func(class string) bool { return len(s.of(class)) > 0 })
}

// decide says which kind a text is by its words: those that say one kind of the family
// decide, and agreed is false if two kinds are said. Without such words it is the kind
// that was guessed.
func (w *Words) decide(s *search, guessed Kind, own *kindWords) (kind Kind, agreed bool) {
	var said []Kind
	for _, k := range own.family.kinds {
		if w.says(s, k) {
			said = append(said, k)
		}
	}
	if len(said) > 1 {
		firm := slices.DeleteFunc(slices.Clone(said), func(k Kind) bool { return w.kinds[k].yields })
		if len(firm) == 0 { // "a blue light on" is about the colour
			firm = slices.DeleteFunc(said, func(k Kind) bool { return !w.shows(s, k) })
		}
		said = firm
	}
	switch {
	case len(said) == 0:
		return guessed, true
	case len(said) == 1:
		return said[0], true
	case slices.Contains(said, guessed):
		return guessed, false
	}
	return None, false
}

// accept takes a draft if the matcher understands its sentence.
func (w *Words) accept(r *Reading, d draft, t Text, match Match, wr *writer) bool {
	sentences := []string{d.sentence}
	if d.lost && !wr.saysTimes() && !wr.own.asks {
		timed := d
		timed.used = append(slices.Clone(d.used), wr.of(classTime)...)
		timed.rest, timed.lost, timed.other, timed.named = nil, false, false, false
		timed = wr.explain(timed)
		d = timed
		when := joinTexts(wr.of(classTime))
		sentences = []string{d.sentence + " " + when, d.sentence + " " + w.texts["at"] + " " + when}
		if !t.Act.Forbids() {
			sentences = append(sentences, d.sentence+" "+w.texts["later"])
		}
	}
	for _, sentence := range sentences {
		means := match(sentence)
		if means.Route != intent.Local && means.Route != intent.Ask || w.losesTime(means) {
			continue
		}
		r.Sentence, r.Rest, r.Means = sentence, d.rest, means
		r.Verdict, r.Doubt = w.judge(d, t, wr, r)
		if r.Verdict == Ask && means.Route == intent.Ask && means.Reason == intent.When {
			r.Verdict, r.Doubt = Leave, "its time is not understood" // one question is enough
		}
		return true
	}
	return false
}

// judge says what is to be done with a draft that the matcher understands.
func (w *Words) judge(d draft, t Text, wr *writer, r *Reading) (Verdict, string) {
	if verdict, doubt := w.bar(d, t, wr); verdict == Leave || wr.free {
		return verdict, doubt
	}
	verdict, doubt := Do, ""
	if !wr.own.asks {
		if verdict, doubt = w.order(d, t, wr); verdict == Leave {
			return verdict, doubt
		}
	}
	rest := strings.Join(d.rest, " ")
	switch {
	case rest != "" && t.Act.Forbids():
		return Leave, "it forbids something else: " + rest
	case rest != "" && (verdict != Do || r.Share < r.Marks.Sure || wr.own.whole):
		return Leave, "not explained, and not sure: " + rest
	case rest != "":
		return Ask, "not explained: " + rest
	case wr.own.asks:
	case r.Share < r.Marks.Sure:
		return Ask, "its kind is nearly sure"
	case !d.named:
		return Ask, "it does not say what it is about"
	}
	return verdict, doubt
}

// bar leaves a draft that says less than the text: a condition, a time, another thing. A
// question whose answer tells everything may leave words out.
func (w *Words) bar(d draft, t Text, wr *writer) (Verdict, string) {
	timed := slices.ContainsFunc(d.used, func(p piece) bool { return p.class == classTime })
	rest := strings.Join(d.rest, " ")
	switch {
	case wr.free:
		return Do, ""
	case t.Act == mood.Future && !timed:
		return Leave, "it is for another time"
	case slices.ContainsFunc(d.rest, func(word string) bool { return w.forbids[word] }):
		return Leave, "it has words that forbid: " + rest
	case d.lost:
		return Leave, "its time is not understood: " + rest
	case d.other:
		return Leave, "it names another thing: " + rest
	case wr.own.family.directed && !wr.said() && !d.found():
		return Leave, "its words do not say what to do"
	case d.place:
		return Leave, "it names another place: " + rest
	case len(d.rest) > mostRest, wr.own.asks && len(d.rest) > 0:
		return Leave, "too much is not explained: " + rest
	}
	return Do, ""
}

// bare is a plain text without the polite words and names with which it begins.
func (w *Words) bare(text string) string {
	words := strings.Fields(w.plain(text))
	for {
		n, _ := w.polite.longestAt(words)
		if n == 0 {
			return strings.Join(words, " ")
		}
		words = words[n:]
	}
}

// addresses reports whether a text begins with what a matcher does not take off itself, such
// as the name of an assistant. Without it, the text was matched without polite words already.
func (w *Words) addresses(text string) bool {
	words := strings.Fields(w.plain(text))
	for {
		n, _ := w.polite.longestAt(words)
		if n == 0 {
			return false
		}
		if w.called[strings.Join(words[:n], " ")] {
			return true
		}
		words = words[n:]
	}
}

// order says whether a text that is explained wholly is an order: by its act, by how it
// begins, or because it has the words of the kind and none of a report: "lights brighter".
func (w *Words) order(d draft, t Text, wr *writer) (Verdict, string) {
	words := strings.Fields(w.bare(t.Words))
	tells := slices.ContainsFunc(words, func(word string) bool { return w.tells[word] })
	switch {
	case t.Act.MayAct(), w.begins(t.Words), d.relayed:
		return Do, ""
	case t.Act.Forbids():
		return Leave, "it is no order: " + string(t.Act)
	case tells:
		return Leave, "it is no order: " + string(t.Act)
	case wr.said() && wr.nounAt(len(wr.words)-1-len(words)):
		return Do, ""
	}
	return Ask, "it is no clear order: " + string(t.Act)
}

// losesTime reports whether a sentence of ours has taken a time for a name or a text.
func (w *Words) losesTime(d intent.Decision) bool {
	for _, a := range d.Actions {
		for _, slot := range []string{"name", "text"} {
			said, _ := a.Slots[slot].(string)
			if len(a.Devices) == 0 && slices.ContainsFunc(strings.Fields(said), func(word string) bool { return w.time.anchors[word] }) {
				return true
			}
		}
	}
	return false
}
