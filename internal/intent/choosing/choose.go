package choosing

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/language/sentences"
)

// Choose finds the things that an answer means, among those that were asked about
// in this order: by a part of the name, by the room or by the place in the
// question. It returns none if the text is not such an answer, so that a new
// command is not taken for one.
func (w *Words) Choose(text string, things []*home.Entity) []*home.Entity {
	if len(text) > longestAmendment || len(things) == 0 {
		return nil
	}
	if w.All(text) || len(things) == 1 && w.Yes(text) {
		return things
	}
	words := w.choices.telling(text)
	if len(words) == 0 {
		return nil
	}
	var whole, fit []*home.Entity
	for _, e := range things {
		switch {
		case w.choices.isCalled(e, words):
			whole = append(whole, e)
		case w.choices.fits(e, words, append(w.kinds(e), e.Server, e.House)):
			fit = append(fit, e)
		}
	}
	switch {
	case len(whole) > 0:
		return whole
	case len(fit) > 0:
		return fit
	}
	return w.choices.inOrder(strings.Join(words, " "), things)
}

// Nth is the place that an answer names among the count things that were asked about,
// from 0 on; -1 if it names none.
func (w *Words) Nth(text string, count int) int {
	if i, ok := w.choices.place(strings.Join(w.choices.telling(text), " "), count); ok {
		return i
	}
	return -1
}

// ByLength returns the sentence about the timer with the length that an answer says.
func (w *Words) ByLength(answer string) []string {
	return w.choices.fillForms(w.choices.ByLength, "", answer)
}

// AtTime is an alarm at the time that an answer says.
func (w *Words) AtTime(answer string) []string {
	return w.choices.fillForms(w.choices.Wake, "", answer)
}

// Reminding completes a sentence that lacks the text of the reminder with the answer that
// gives it. A sentence that says nothing else is built from the answer alone.
func (w *Words) Reminding(asked, answer string, bare bool) []string {
	forms := w.choices.Remind
	if bare {
		forms = w.choices.RemindNew
	}
	return w.choices.fillForms(forms, asked, answer)
}

// Subject reports whether a word can be who does something: "I".
func (w *Words) Subject(word string) bool {
	return slices.Contains(sentences.WordsOf(w.language).Acts.Subjects, word)
}

// fillForms are the forms of a sentence with an answer in them.
func (c *choices) fillForms(forms []string, asked, answer string) (out []string) {
	answer = strings.Trim(strings.TrimSpace(answer), ".,!?")
	_, tail, _ := strings.Cut(answer, " ")
	places := strings.NewReplacer("{asked}", asked, "{answer}", answer, "{tail}", tail, "{telling}", strings.Join(c.telling(answer), " "))
	for _, form := range forms {
		out = append(out, places.Replace(form))
	}
	return out
}

// inOrder finds a thing by its place in the question.
func (c *choices) inOrder(said string, things []*home.Entity) []*home.Entity {
	if i, ok := c.place(said, len(things)); ok {
		return things[i : i+1]
	}
	return nil
}

// Place returns the area an answer names; "" if it names none.
func (w *Words) Place(text string, h *home.House) string {
	if len(text) > longestAmendment {
		return ""
	}
	said := strings.Join(w.choices.telling(text), " ")
	for _, name := range h.AreaNames() {
		called := []string{name}
		if a := h.Area(name); a != nil {
			called = append(called, a.Aliases...)
		}
		for _, c := range called {
			whole := plainWords(c) != "" && plainWords(c) == w.choices.bare(text)
			if whole || said != "" && said == strings.Join(w.choices.telling(c), " ") {
				return name
			}
		}
	}
	return ""
}

// telling returns the words of a text in the singular, without filler words.
func (c *choices) telling(text string) []string {
	var out []string
	for w := range strings.FieldsSeq(c.bare(text)) {
		if _, tail, ok := strings.Cut(w, "'"); ok && len(tail) > 1 { // l'entrée
			w = tail
		}
		if !slices.Contains(c.Filler, w) {
			out = append(out, singular(w))
		}
	}
	return out
}

// singular removes the plural s of a word, which makes no difference to which thing is
// meant.
func singular(w string) string {
	if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return w[:len(w)-1]
	}
	return w
}

// isCalled reports whether the words are a whole name of a thing.
func (c *choices) isCalled(e *home.Entity, words []string) bool {
	return slices.ContainsFunc(append([]string{e.Name}, e.Aliases...), func(name string) bool {
		return slices.Equal(c.telling(name), words)
	})
}

// fits reports whether every word is in a name of the thing, in the name of its
// room or among the words for its kind.
func (c *choices) fits(e *home.Entity, words, kinds []string) bool {
	known := c.telling(strings.Join(append(kinds, e.Area), " "))
	if e.Domain == "light" {
		known = append(known, c.Light...)
	}
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		known = append(known, c.telling(name)...)
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) })
}

// Called finds the things that a program means by a name: those with that name; else
// those whose room and part of the name it gives; else those of the room and the kind.
// several reports whether the name means more than one ("kitchen lights"); if it does
// not, and more than one is found, the name is not enough.
func (w *Words) Called(name string, things []*home.Entity) (found []*home.Entity, several bool) {
	words := w.choices.telling(name)
	if len(words) > 1 && slices.Contains(w.choices.All, words[0]) {
		words, several = words[1:], true // all lights
	}
	if len(words) == 0 {
		return nil, false
	}
	var whole, part, kind []*home.Entity
	for _, e := range things {
		names := append([]string{e.Name}, e.Aliases...)
		own := w.choices.telling(e.Area + " " + strings.Join(names, " "))
		switch {
		case slices.ContainsFunc(names, func(own string) bool { return plainWords(own) == plainWords(name) }):
			whole = append(whole, e)
		case !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(own, word) }):
			part = append(part, e)
		}
		if w.choices.fits(e, words, w.kinds(e)) {
			kind = append(kind, e)
			several = several || w.plural(name, e)
		}
	}
	switch {
	case len(whole) > 0:
		return whole, false
	case several || len(part) == 0:
		return kind, several
	}
	return part, false
}

// kinds are the words for what a thing is.
func (w *Words) kinds(e *home.Entity) []string {
	return slices.Concat(w.things[e.Domain], w.things[e.DeviceClass()])
}

// plural reports whether one of the words is that for several things of a thing's
// kind.
func (w *Words) plural(text string, e *home.Entity) bool {
	for _, kind := range []string{e.Domain, e.DeviceClass()} {
		forms := w.things[kind]
		if len(forms) == 2 && forms[0] != forms[1] && slices.Contains(strings.Fields(plainWords(text)), strings.ToLower(forms[1])) {
			return true
		}
	}
	return false
}

// ThingsIn returns those of the things whose names stand in a reply.
func (w *Words) ThingsIn(reply string, things []*home.Entity) []*home.Entity {
	left := strings.ToLower(reply)
	longest := slices.Clone(things)
	slices.SortStableFunc(longest, func(a, b *home.Entity) int { return len(w.names.Plain(b)) - len(w.names.Plain(a)) })
	var out []*home.Entity
	for _, e := range longest {
		name := strings.ToLower(w.names.Plain(e))
		if name != "" && strings.Contains(left, name) {
			left = strings.ReplaceAll(left, name, "\n") // so that the lamp is not found in the desk lamp
			out = append(out, e)
		}
	}
	return out
}
