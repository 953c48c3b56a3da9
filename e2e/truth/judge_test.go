package truth

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/keep/record"
)

// verdict is what the judge says of an answer.
type verdict string

const (
	right     verdict = "right"
	dontKnow  verdict = "don't know"
	wrong     verdict = "wrong"
	unsafeLie verdict = "wrong about safety" // a wrong yes or no, or a wrong state, of what guards
)

// guarded are the kinds of things about which a wrong answer is dangerous.
var guarded = []string{"lock", "door", "window", "garage", "gate", "hatch", "smoke", "co", "leak", "gas", "opening", "openable", "way_in", "entry", "hazard"}

// hearing is one reply to one question with everything that judges it.
type hearing struct {
	house    *dwelling
	words    *words
	question question
	truth    truth
	text     string // folded, with # for the names of devices
	folded   string // the same with the names
	outcome  record.Outcome
	named    []int
}

// judge says whether a reply to a question is true, and why not.
func (s *sets) judge(q question, t truth, reply string, outcome record.Outcome) (verdict, string) {
	h := hearing{house: &s.house, words: s.words[q.lang], question: q, truth: t, outcome: outcome}
	h.folded = fold(reply)
	h.named, h.text = s.house.named(q.lang, h.folded)
	v, why := h.weigh()
	if q.Untold && v == dontKnow {
		return right, ""
	}
	return v, why
}

func (h *hearing) weigh() (verdict, string) {
	switch h.question.Ask {
	case "stranger":
		return h.stranger()
	case "which":
		return h.list()
	case "how_many", "value":
		return h.count()
	default:
		return h.yesOrNo()
	}
}

// guards reports whether the question is about what keeps people safe.
func (h *hearing) guards() bool {
	if h.question.Ask == "well" {
		return h.truth.alarm || slices.ContainsFunc(h.truth.fails, h.guard) || slices.ContainsFunc(h.truth.unsure, h.guard)
	}
	if h.question.Thing != 0 {
		return h.question.That != "reachable" && h.question.That != "low" && h.guard(h.question.Thing)
	}
	return slices.Contains(guarded, h.question.Of)
}

func (h *hearing) guard(id int) bool { return slices.ContainsFunc(guarded, h.house.device(id).isA) }

// falsehood is a wrong claim.
func (h *hearing) falsehood(format string, args ...any) (verdict, string) {
	if h.guards() {
		return unsafeLie, fmt.Sprintf(format, args...)
	}
	return wrong, fmt.Sprintf(format, args...)
}

// ignorant reports whether the reply answers nothing.
func (h *hearing) ignorant() bool {
	return h.text == "" || h.words.has("ignorant", h.text) || h.words.has("caveat", h.text) || strings.HasSuffix(h.text, "?") ||
		h.outcome == record.Failed || h.outcome == record.Asked || h.outcome == record.Ignored
}

// claim is the yes or no that a reply begins with.
func (h *hearing) claim() reading {
	switch {
	case h.words.has("says_yes", h.text):
		return is
	case strings.HasPrefix(h.text, h.plainNo()), h.words.has("says_no", h.text) && !h.words.has("ignorant", firstSentence(h.text)):
		return isNot
	case h.words.has("says_all", h.text) && (h.question.Ask == "all" || h.question.Ask == "well"):
		if h.words.has("not", h.text) {
			return isNot
		}
		return is
	default:
		return unknowable
	}
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return first
}

// opposites are the words that deny what is asked.
var opposites = map[string]string{
	"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked", "alarm": "calm", "calm": "alarm",
	"low": "full", "full": "low", "reachable": "gone", "gone": "reachable",
}

// stated is what a reply without yes or no says about one device.
func (h *hearing) stated() reading {
	that, ok := opposites[h.question.That]
	if !ok || h.question.Ask != "one" {
		return unknowable
	}
	text := firstSentence(h.text)
	yes, no, not := h.words.has(h.question.That, text), h.words.has(that, text), h.words.has("not", text)
	switch {
	case no && (!yes || h.question.That == "locked" || h.question.That == "alarm"):
		return isNot
	case yes:
		return readingOf(!not || h.question.That == "calm")
	default:
		return unknowable
	}
}

func (h *hearing) yesOrNo() (verdict, string) {
	claim := h.claim()
	if claim == unknowable && !h.ignorant() {
		claim = h.stated()
	}
	switch {
	case h.truth.answer == unknowable:
		return h.unknowable(claim)
	case claim == unknowable:
		return h.unclaimed()
	case claim != h.truth.answer:
		if h.question.Untold && h.ignorant() {
			return dontKnow, ""
		}
		return h.falsehood("the answer is %v", h.truth)
	default:
		return h.exceptions()
	}
}

// unknowable judges an answer about something that cannot be known: it must say so.
func (h *hearing) unknowable(claim reading) (verdict, string) {
	caveat := h.words.has("caveat", h.text) || h.words.has("ignorant", h.text)
	told := h.words.has("other", h.text) || slices.ContainsFunc(h.named, func(id int) bool { return slices.Contains(h.truth.unsure, id) })
	switch {
	case caveat && told:
		return right, ""
	case claim != unknowable && !caveat:
		return h.falsehood("nobody can know: %v", h.truth)
	case caveat || h.ignorant():
		return dontKnow, "it does not say what cannot be reached"
	default:
		return h.falsehood("it does not say that nobody can know: %v", h.truth)
	}
}

// unclaimed judges a reply without a yes or no: it must name what decides the question,
// and nothing else.
func (h *hearing) unclaimed() (verdict, string) {
	decisive := h.decisive()
	h.exceptionsOnly()
	switch {
	case len(decisive) > 0 && len(h.missing(decisive)) == 0 && len(h.strangers(decisive)) == 0,
		len(decisive) > len(h.house.Nodes)/2 && h.words.has("caveat", h.text) && h.words.has("other", h.text):
		return right, ""
	case h.ignorant():
		return dontKnow, ""
	default:
		return wrong, fmt.Sprintf("it answers neither yes nor no: %v", h.truth)
	}
}

// exceptionsOnly drops the names before the last semicolon, because "the front door is
// locked; the kitchen window is open" begins with what is in order. A sentence that
// tells only how old reports are does not count either.
func (h *hearing) exceptionsOnly() {
	said := h.folded[strings.LastIndex(h.folded, ";")+1:]
	var told []string
	for sentence := range strings.SplitSeq(said, ". ") {
		if !h.words.has("days", sentence) {
			told = append(told, sentence)
		}
	}
	h.named, _ = h.house.named(h.question.lang, strings.Join(told, ". "))
}

// decisive are the devices that make the answer what it is.
func (h *hearing) decisive() []int {
	switch {
	case h.question.Ask == "any" && h.truth.answer == is:
		return h.truth.holds
	case (h.question.Ask == "all" || h.question.Ask == "well") && h.truth.answer == isNot:
		return h.truth.fails
	default:
		return nil
	}
}

// enough is how many devices a short reply can name; if there are more, it names these
// and the number.
const enough = 3

// missing are the devices that the reply had to name and does not.
func (h *hearing) missing(must []int) []int {
	if len(must) > enough {
		if len(h.named) >= enough || slices.Contains(h.words.figures(h.text), float64(len(must))) || h.words.has("other", h.text) {
			return nil
		}
	}
	return slices.DeleteFunc(slices.Clone(must), func(id int) bool { return slices.Contains(h.named, id) })
}

// strangers are the devices in the reply that it need not name and that can be reached.
// If two things have the same name, the name counts for both.
func (h *hearing) strangers(must []int) []int {
	return slices.DeleteFunc(slices.Clone(h.named), func(id int) bool {
		name := h.house.device(id).called(h.question.lang)
		return slices.ContainsFunc(slices.Concat(must, h.truth.unsure), func(m int) bool { return h.house.device(m).called(h.question.lang) == name })
	})
}

// exceptions judges the rest after a right yes or no: it has to name the exceptions, and
// nothing else.
func (h *hearing) exceptions() (verdict, string) {
	must := h.decisive()
	if len(must) == 0 {
		return right, ""
	}
	if others := h.strangers(must); len(others) > 0 && h.question.Ask != "well" {
		return h.falsehood("it names %s, which is not one of them", h.names(others))
	}
	if missing := h.missing(must); len(missing) > 0 && h.question.Ask != "any" {
		return wrong, "it does not name " + h.names(missing)
	}
	return right, ""
}

// list judges the answer to "which".
func (h *hearing) list() (verdict, string) {
	h.exceptionsOnly()
	must := h.truth.holds
	silent := len(h.named) == 0
	switch {
	case h.truth.answer == unknowable:
		return h.unknowable(unknowable)
	case len(must) == 0 && silent && h.words.has("says_all", h.text):
		return right, ""
	case silent && h.ignorant() && !h.words.has("says_no", h.text), h.words.has("ignorant", firstSentence(h.text)):
		return dontKnow, ""
	case len(must) == 0 && silent && (h.words.has("not", h.text) || h.words.has("says_no", h.text)):
		return right, ""
	case len(must) == 0 && (h.claim() == isNot || h.denies()):
		return right, ""
	case len(must) == 0:
		return h.falsehood("there are none")
	case h.words.has("says_yes", h.text) || strings.HasPrefix(h.text, h.plainNo()):
		return wrong, "which is not answered by yes or no"
	}
	if others := h.strangers(must); len(others) > 0 {
		return h.falsehood("it names %s, which is not one of them", h.names(others))
	}
	if missing := h.missing(must); len(missing) > 0 {
		return h.falsehood("it does not name %s", h.names(missing))
	}
	return right, ""
}

// denies reports whether a reply says only the opposite of the question, such as "the
// kitchen window is closed" to the question which windows are open.
func (h *hearing) denies() bool {
	opposite, ok := opposites[h.question.That]
	return ok && h.words.has(opposite, h.text) && !h.words.has(h.question.That, h.text)
}

// plainNo is the beginning of an answer that consists of a no.
func (h *hearing) plainNo() string {
	return map[string]string{"en": "no,", "de": "nein,", "es": "no,", "fr": "non,"}[h.question.lang]
}

// count judges an answer that is a number.
func (h *hearing) count() (verdict, string) {
	if h.truth.answer == unknowable {
		return h.unknowable(unknowable)
	}
	figures := h.words.figures(h.text)
	near := func(n float64) bool {
		return math.Abs(n-h.truth.number) < 0.06 || h.question.Ask == "value" && math.Abs(n-h.truth.number) <= 0.5
	}
	switch {
	case slices.ContainsFunc(figures, near):
		return right, ""
	case h.truth.number == 0 && h.question.Ask == "how_many" && (h.words.has("says_all", h.text) || h.denies()):
		return right, ""
	case h.ignorant() || len(figures) == 0 && h.question.Ask == "value":
		return dontKnow, ""
	case h.truth.number == 0 && h.words.has("says_no", h.text):
		return right, ""
	case len(h.named) > 0 && len(h.missing(h.truth.holds)) == 0 && len(h.strangers(h.truth.holds)) == 0:
		return right, ""
	default:
		return h.falsehood("the number is %v", h.truth.number)
	}
}

// stranger judges an answer about a thing that the house does not have.
func (h *hearing) stranger() (verdict, string) {
	switch {
	case h.words.has("says_yes", h.text), h.claim() == isNot && !h.words.has("ignorant", h.text) && !h.words.has("caveat", h.text):
		return wrong, "there is no such thing"
	case len(h.named) > 0 && !h.ignorant():
		return wrong, "it speaks of another thing"
	default:
		return right, ""
	}
}

func (h *hearing) names(ids []int) string {
	var out []string
	for _, id := range ids {
		out = append(out, h.house.device(id).called(h.question.lang))
	}
	return strings.Join(out, ", ")
}
