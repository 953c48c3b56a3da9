package reader

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

// form is a sentence of ours with slots: "set {lights} to {to} percent".
type form struct {
	parts []string // text and slots in turn, beginning with text
}

func newForm(text string) form {
	var f form
	for {
		before, rest, slotted := strings.Cut(text, "{")
		f.parts = append(f.parts, before)
		if !slotted {
			return f
		}
		slot, after, _ := strings.Cut(rest, "}")
		f.parts = append(f.parts, slot)
		text = after
	}
}

// draft is a sentence that was written, and what of the text it explains.
type draft struct {
	sentence string
	used     []piece
	rest     []string // the words that it does not explain
	lost     bool     // a time is among them
	other    bool     // another thing of the house is among them
	place    bool     // a place is among them
	named    bool     // it names a thing of the house, or its words say what it is about
	relayed  bool     // it is an order to tell a thing what to do
}

// writer writes the sentences of one kind.
type writer struct {
	*Words
	*search
	kind  Kind
	free  bool // its answer tells everything, so that words may stay unexplained
	own   *kindWords
	house *home.House

	variant int // of the times, which can be said in several orders
}

// said reports whether the words themselves say the kind.
func (w *writer) said() bool { return w.says(w.search, w.kind) }

// least is the share that a kind needs. A question that must be explained wholly needs none
// if its kind is the likeliest: an answer does no harm.
func (w *writer) least(guessed Kind, m Marks) float64 {
	if w.own.asks && !w.own.free && w.kind == guessed {
		return 0
	}
	return m.Nearly
}

// saysTimes reports whether the kind's sentences say times themselves, as those of alarms do. A
// time is added to every other sentence.
func (w *writer) saysTimes() bool {
	return slices.ContainsFunc(w.own.forms, func(f form) bool { return slices.Contains(f.parts, "time") || slices.Contains(f.parts, "times") })
}

// drafts writes all sentences that can be written, those first that explain the most.
func (w *writer) drafts() []draft {
	var out []draft
	for _, f := range w.own.forms {
		for w.variant = range w.variants(f) {
			d, ok := w.write(f)
			if ok && !slices.ContainsFunc(out, func(o draft) bool { return o.sentence == d.sentence }) {
				out = append(out, w.explain(d))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b draft) int { return len(a.rest) - len(b.rest) })
	return out
}

// whole is the first sentence that explains every word and that the matcher understands as
// an act on something that the text names.
func (w *writer) whole(match Match) (sentence string, means intent.Decision, ok bool) {
	for _, d := range w.drafts() {
		if !d.named || len(d.rest) > 0 || d.lost || d.other {
			continue
		}
		if means = match(d.sentence); means.Route == intent.Local {
			return d.sentence, means, true
		}
	}
	return "", means, false
}

// write fills the slots of a form; ok is false if the text has nothing for one of them.
func (w *writer) write(f form) (draft, bool) {
	var d draft
	var text strings.Builder
	for i, part := range f.parts {
		if i%2 == 0 {
			text.WriteString(part)
			continue
		}
		filled, used, ok := w.fill(part)
		if !ok {
			return d, false
		}
		text.WriteString(filled)
		d.used = append(d.used, used...)
	}
	d.sentence = strings.Join(strings.Fields(text.String()), " ")
	return d, true
}

// fill returns what a slot is filled with.
func (w *writer) fill(slot string) (text string, used []piece, ok bool) {
	switch slot {
	case "lights":
		return w.lights()
	case "thing":
		return w.thing()
	case "times":
		if used = w.of(classTime); len(used) == 0 {
			return "", nil, false
		}
		return w.times(used), used, true
	case "place":
		return w.place()
	case "time":
		if used = w.of(classTime); len(used) == 0 {
			return "", nil, false
		}
		return w.bareTime(w.times(used)), used, true
	}
	return w.one(w.target(w.of(slot)))
}

// target is the one of several things that a text is to come to: "from blue to red". The
// others go with it.
func (w *writer) target(found []piece) []piece {
	to := slices.DeleteFunc(slices.Clone(found), func(p piece) bool { return !w.to[w.words[p.from-1]] })
	rest := slices.DeleteFunc(slices.Clone(found), func(p piece) bool { return !w.from[w.words[p.from-1]] })
	if len(to) != 1 || len(to)+len(rest) != len(found) {
		return found
	}
	return append(to, rest...)
}

func (w *writer) one(found []piece) (string, []piece, bool) {
	fromTo := len(found) > 1 && w.to[w.words[found[0].from-1]] && w.from[w.words[found[1].from-1]]
	if len(found) != 1 && !fromTo {
		return "", nil, false
	}
	return found[0].text, found, true
}

func joinTexts(pieces []piece) string {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.text
	}
	return strings.Join(texts, " ")
}

// lights are the lights that a text is about: a named one, those of a room, all of them or
// those of this room.
func (w *writer) lights() (string, []piece, bool) {
	var named []piece
	for _, p := range w.of(className) {
		if slices.ContainsFunc(p.things, func(e *home.Entity) bool { return e.Domain == "light" }) {
			named = append(named, p)
		}
	}
	places := append(w.of(classArea), w.of(classFloor)...)
	all, here := w.of(classAll), w.of(classHere)
	switch {
	case slices.ContainsFunc(named, func(p piece) bool { return p.text != named[0].text }), len(places) > 1:
		return "", nil, false
	case len(named) > 0:
		return w.text("the") + " " + named[0].text, named, true
	case len(places) == 1 && len(all) > 0:
		return w.say("all_there", places[0].text), append(places, all...), true
	case len(places) == 1:
		return w.say("there", places[0].text), places, true
	case len(all) > 0 && len(here) > 0: // all those of this room
		return w.text("here"), append(all, here...), true
	case len(all) > 0:
		return w.text("all"), all, true
	}
	return w.text("here"), nil, true
}

// thing is the one thing that a text names, or else the thing of the family's sort that
// the house has.
func (w *writer) thing() (string, []piece, bool) {
	named := w.of(className)
	for _, p := range named {
		if p.text != named[0].text {
			return "", nil, false
		}
	}
	if len(named) > 0 {
		used := slices.Clone(named)
		for _, place := range w.of(classArea) {
			if slices.ContainsFunc(named[0].things, func(e *home.Entity) bool { return e.In(place.text) }) {
				used = append(used, place)
			}
		}
		return w.text("the") + " " + named[0].text, used, true
	}
	e := w.sort()
	if e == nil || len(w.of(classAbout)) == 0 {
		return "", nil, false
	}
	var used []piece
	for _, place := range w.of(classArea) {
		if e.In(place.text) {
			used = append(used, place)
		}
	}
	return w.text("the") + " " + e.Name, used, true
}

// sort is the only thing of the family's sort that the house has, by its kind or its names;
// nil if it has none or several.
func (w *writer) sort() *home.Entity {
	var only *home.Entity
	for i := range w.house.Entities {
		e := &w.house.Entities[i]
		if (e.Domain != w.own.family.domain || e.Domain == "") && !slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), w.isSort) {
			continue
		}
		if only != nil {
			return nil
		}
		only = e
	}
	return only
}

func (w *writer) isSort(name string) bool {
	return slices.Contains(w.own.family.things, strings.ToLower(name))
}

// variants is how many ways there are to write the times in a form.
func (w *writer) variants(f form) int {
	if slices.Contains(f.parts, "time") || slices.Contains(f.parts, "times") {
		return 3
	}
	return 1
}

// times are times as they were said, in the other order ("on friday at six", "at six on
// friday"), or as a length from now.
func (w *writer) times(said []piece) string {
	words := strings.Fields(joinTexts(said))
	switch w.variant {
	case 1:
		for i := len(words) - 1; i > 0; i-- {
			if w.time.links[words[i]] || w.time.starts[words[i]] && !w.time.joins[words[i-1]] {
				return strings.Join(append(slices.Clone(words[i:]), words[:i]...), " ")
			}
		}
	case 2:
		if words[0] == w.texts["at"] {
			break
		}
		for len(words) > 1 && w.time.starts[words[0]] && w.numberAt(words[:1]) == 0 {
			words = words[1:] // "after two hours"
		}
		return w.texts["in"] + " " + strings.Join(words, " ")
	}
	return strings.Join(words, " ")
}

// bareTime is a time without the words that only join it to what stands before.
func (w *Words) bareTime(text string) string {
	words := strings.Fields(text)
	for len(words) > 1 && w.time.links[words[0]] {
		words = words[1:]
	}
	for i, word := range words {
		words[i] = strings.TrimSuffix(word, w.texts["owner"])
	}
	return strings.Join(words, " ")
}

// place is a place that is no room of the house: the only words that mean nothing else,
// behind a word that stands before places, at the beginning or with a sign of an owner.
func (w *writer) place() (string, []piece, bool) {
	var found []piece
	for i := 1; i < len(w.words)-1; i++ {
		end := i
		for end < len(w.words)-1 && !w.taken[end] {
			n, _ := w.neutral.longestAt(w.words[end:])
			m, _ := w.own.uses.longestAt(w.words[end:])
			if n > 0 || m > 0 {
				break
			}
			end++
		}
		if end == i {
			continue
		}
		text := strings.Join(w.words[i:end], " ")
		owner := w.texts["owner"] != "" && strings.HasSuffix(text, w.texts["owner"])
		if !w.places[w.words[i-1]] && w.words[i-1] != bound && !owner {
			return "", nil, false
		}
		found = append(found, piece{class: "place", text: strings.TrimSuffix(text, w.texts["owner"]), from: i, to: end})
		i = end
	}
	return w.one(found)
}

func (w *writer) text(key string) string { return w.texts[key] }

func (w *writer) say(key, place string) string {
	return strings.ReplaceAll(w.texts[key], "{place}", place)
}

// explain notes which words a draft does not explain.
func (w *writer) explain(d draft) draft {
	known := make([]bool, len(w.words))
	mark := func(p piece) {
		for i := p.from; i < p.to; i++ {
			known[i] = true
		}
	}
	for _, p := range d.used {
		mark(p)
		w.lead(known, p)
		d.named = d.named || p.class == className || p.class == classArea && w.own.family.rooms || slices.Contains(w.own.shows, p.class)
	}
	for _, p := range w.pieces {
		if w.explains(p) {
			mark(p)
		}
		d.named = d.named || p.class == classAbout
	}
	d.relayed = w.relay(known)
	w.join(known)
	for _, p := range w.pieces {
		d.lost = d.lost || p.class == classTime && !covers(known, p)
		d.other = d.other || p.class == className && !covers(known, p)
	}
	d.rest, d.place = w.unknown(known)
	return d
}

// lead explains the word that stands before a number and says what the number is: "by ten".
func (w *writer) lead(known []bool, p piece) {
	if p.from == 0 {
		return
	}
	if before := w.words[p.from-1]; p.class == classBy && w.by[before] || p.class == classTo && w.to[before] {
		known[p.from-1] = true
	}
}

// relay explains the words of an order to tell a thing what it is to do, and reports whether
// the text is one: "ask the vacuum to clean".
func (w *writer) relay(known []bool) bool {
	for i := 1; i < len(known)-1 && !known[i]; i++ {
		if w.relays[w.words[i]] {
			known[i] = slices.ContainsFunc(w.pieces, func(p piece) bool {
				return (p.class == className || p.class == classAbout) && known[p.from] && (p.from == i+1 || p.from == i+2)
			})
			return known[i]
		}
		if n, _ := w.polite.longestAt(w.words[i:]); n == 0 {
			return false
		}
	}
	return false
}

// join explains the words that join two parts of one order, both about what the kind is
// about: "turn on the coffee maker and start to brew". Neither part may say another kind or
// a time of its own.
func (w *writer) join(known []bool) {
	at := slices.IndexFunc(w.words, func(word string) bool { return w.joins[word] })
	if at < 0 || len(w.of(classTime)) > 1 {
		return
	}
	left, right := false, false
	for _, p := range w.pieces {
		if kind, saysKind := strings.CutPrefix(p.class, says); saysKind && Kind(kind) != w.kind {
			return
		}
		if p.class == className || p.class == classAbout || p.class == says+string(w.kind) {
			left, right = left || p.to <= at, right || p.from > at
		}
	}
	for ; left && right && w.joins[w.words[at]]; at++ {
		known[at] = true
	}
}

// found reports whether a draft says a colour or a level of the text.
func (d *draft) found() bool {
	return slices.ContainsFunc(d.used, func(p piece) bool {
		return !slices.Contains([]string{className, classArea, classFloor, classTime, classAll}, p.class)
	})
}

// nounAt reports whether what the kind is about begins at a place, and not what is to be
// done with it.
func (w *writer) nounAt(at int) bool {
	begins := func(about bool) bool {
		return slices.ContainsFunc(w.pieces, func(p piece) bool {
			return p.from == at && (p.class == classAbout || p.class == className || p.class == classAll) == about && (about || strings.HasPrefix(p.class, says))
		})
	}
	return begins(true) && !begins(false)
}

// explains reports whether a piece says nothing that a sentence of the kind would have to
// say: what it is about, words that it is used to, the words of the kind itself.
func (w *writer) explains(p piece) bool {
	kind, saysKind := strings.CutPrefix(p.class, says)
	return p.class == classAbout || p.class == classUses || p.class == classHere ||
		saysKind && (Kind(kind) == w.kind || w.Words.kinds[Kind(kind)].yields)
}

// unknown returns the words that are not known and that mean something, and whether one of
// them is a place that is no room of the house: "in the forest".
func (w *writer) unknown(known []bool) (rest []string, place bool) {
	before := ""
	for i := 0; i < len(known); {
		if known[i] || w.words[i] == bound {
			before = w.words[i]
			i++
			continue
		}
		n, _ := w.neutral.longestAt(w.words[i:])
		if used, _ := w.own.uses.longestAt(w.words[i:]); used > n {
			n = used
		}
		switch {
		case n == 0:
			rest = append(rest, w.words[i])
			place = place || w.places[before]
			before = ""
		case w.places[w.words[i]]:
			before = w.words[i]
		}
		i += max(n, 1)
	}
	return rest, place
}

func covers(known []bool, p piece) bool { return !slices.Contains(known[p.from:p.to], false) }
