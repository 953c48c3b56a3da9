package intent

import (
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// Except are the words with which a language takes things out of a group.
type Except struct {
	// Words stand before what is left out: "except", "but".
	Words []string `yaml:"words"`
	// Leaving are verbs that take a thing out of the group; a word of Left may follow the
	// thing: "but leave the lamp on".
	Leaving []string `yaml:"leaving"`
	Left    []string `yaml:"left"`
	// Ones stand for the things of the group: "the ones in the kitchen".
	Ones []string `yaml:"ones"`
}

// excepted understands a command for a group of things without some of them. If one of
// the exceptions is not known, the whole command is refused, because that may be the one
// that must not be touched.
func (m *Matcher) excepted(text, area string, steps *int) (Decision, bool) {
	before, behind, ok := m.cutExcept(strings.Fields(text))
	if !ok {
		return Decision{}, false
	}
	for i := range behind {
		n := len(behind) - i
		if len(before) == 0 { // "except for the lamp turn everything off": the command is as long as it can be
			n = i + 1
		}
		all, ok := m.known(joinWords(strings.Join(before, " "), strings.Join(behind[n:], " ")), area, steps)
		switch {
		case !ok:
		case all.Route == Ask && all.Reason == WhichArea:
			return all, true
		case i == 0 && m.sparesAnother(&all, strings.Join(behind[:n], " ")):
			return all, true
		case all.Route == Local && len(all.Actions) == 1 && acts(&all.Actions[0]) && all.Actions[0].Slots["name"] == nil:
			if also, ok := m.known(strings.Join(behind[:n], " "), area, steps); ok && also.Route == Local {
				return Decision{}, false // "but lock the door" is a separate command
			}
			x := exception{m: m, group: all.Actions[0].Devices, area: area}
			return x.without(all, behind[:n])
		}
	}
	return Decision{}, false
}

// sparesAnother reports whether a command for one thing only says that another one is not
// meant: "turn off the lamp but not the standing lamp".
func (m *Matcher) sparesAnother(one *Decision, spared string) bool {
	if one.Route != Local || len(one.Actions) != 1 || !acts(&one.Actions[0]) || one.Actions[0].Slots["name"] == nil {
		return false
	}
	r := m.index.ResolveLiteral(spared, nil)
	return r.Verdict == names.Exact && r.Whole && !slices.Contains(one.Actions[0].Devices, m.house.Entities[r.Items[0]].ID)
}

// cutExcept cuts a sentence at the words that leave something out, and takes off
// what only belongs to them.
func (k *specialWords) cutExcept(words []string) (before, behind []string, ok bool) {
	for i := range words {
		at, leaving := k.exceptAt(words[i:])
		if at == 0 || i+at == len(words) {
			continue
		}
		before, behind = words[:i], words[i+at:]
		for j := range before { // "the lights, and not …": the join word is not part of the command
			if n := k.joinAt(before[j:]); n > 0 && j+n == len(before) {
				before = before[:j]
				break
			}
		}
		if leaving {
			behind = withoutEnd(behind, k.except.Left)
		}
		return before, behind, len(behind) > 0
	}
	return nil, nil, false
}

// exceptAt is the number of words that begin an exception, 0 if they begin none.
func (k *specialWords) exceptAt(words []string) (n int, leaving bool) {
	for i, several := range [][]string{k.except.Words, k.except.Leaving} {
		for _, phrase := range several {
			if begin := strings.Fields(phrase); len(begin) > n && len(begin) <= len(words) && slices.Equal(begin, words[:len(begin)]) {
				n, leaving = len(begin), i == 1
			}
		}
	}
	return n, leaving
}

// withoutEnd takes the first of the phrases that ends a text off it.
func withoutEnd(words, phrases []string) []string {
	for _, phrase := range phrases {
		end := strings.Fields(phrase)
		if n := len(words) - len(end); n > 0 && slices.Equal(words[n:], end) {
			return words[:n]
		}
	}
	return words
}

// exception finds what is to be left out of a group of things.
type exception struct {
	m     *Matcher
	group []string
	area  string
}

// without takes the things that are named out of a command.
func (x *exception) without(all Decision, named []string) (Decision, bool) {
	var out []string
	for _, words := range x.listOf(named) {
		ids, d, ok := x.of(words)
		if !ok {
			return d, d.Route != ""
		}
		out = append(out, ids...)
	}
	a := all.Actions[0]
	a.Devices = slices.DeleteFunc(slices.Clone(a.Devices), func(id string) bool { return slices.Contains(out, id) })
	if len(a.Devices) == 0 {
		return Decision{Route: Reject, Reason: NothingLeft}, true
	}
	a.Slots = maps.Clone(a.Slots)
	a.Slots["except"] = strings.Join(named, " ")
	return Decision{Route: Local, Reason: BySentence, Actions: []Action{a}}, true
}

// listOf cuts words at those that join things.
func (x *exception) listOf(words []string) [][]string {
	or := strings.Fields(x.m.pack.Texts["or"])
	var out [][]string
	start := 0
	for i := 0; i <= len(words); i++ {
		n := 0
		if i < len(words) {
			if n = x.m.joinAt(words[i:]); n == 0 && slices.Contains(or, words[i]) {
				n = 1
			}
			if n == 0 {
				continue
			}
		}
		if i > start {
			out = append(out, words[start:i])
		}
		start = i + n
		i += max(n-1, 0)
	}
	return out
}

// of finds the things that words mean: those of a room, of a kind, or one by its name.
// Known things that are not in the group leave nothing out. If the words name things that
// are not found, the decision says so; ok is false if the words name no thing at all.
func (x *exception) of(words []string) (ids []string, refused Decision, ok bool) {
	words = x.stripLeading(words)
	said := strings.Join(words, " ")
	if ids, ok := x.place(said); ok {
		return ids, Decision{}, true
	}
	if !x.m.written[said] { // "the kitchen light" is one, if there is one of that name
		if ids, ok := x.kind(words); ok {
			return ids, Decision{}, true
		}
	}
	if x.m.saysWhen(said) {
		return nil, Decision{}, false
	}
	near := func(i int) bool { return x.m.house.Entities[i].In(x.area) }
	r := x.m.index.ResolveNear(said, func(i int) bool { return slices.Contains(x.group, x.m.house.Entities[i].ID) }, near)
	switch {
	case r.Verdict == names.Exact || r.Verdict == names.Fuzzy && !r.Rivals:
		return []string{x.m.house.Entities[r.Items[0]].ID}, Decision{}, true
	case x.m.index.ResolveLiteral(said, nil).Verdict == names.Exact:
		return nil, Decision{}, true
	case r.Verdict == names.Many || r.Verdict == names.Unsure || r.Verdict == names.Fuzzy:
		d := (&meaning{m: x.m, p: &parse{}}).ask(indices(r.Items))
		d.Would = nil // the chosen thing is left out, which no answer can say
		return nil, d, false
	}
	return nil, Decision{Route: Reject, Reason: UnknownName, Heard: said, NeedHouse: x.m.house.Empty()}, false
}

func indices(items []int) []int32 {
	out := make([]int32, len(items))
	for i, item := range items {
		out[i] = int32(item)
	}
	return out
}

// stripLeading takes off the words before a name: articles, prepositions and those that
// stand for the things of the group.
func (x *exception) stripLeading(words []string) []string {
	small := sentences.WordsOf(x.m.pack.Language).Hazards
	for len(words) > 1 {
		w := words[0]
		if !slices.Contains(small.Articles, w) && !slices.Contains(small.Prepositions, w) && !slices.Contains(x.m.except.Ones, w) &&
			x.m.index.WithoutArticle(w+" x") != "x" {
			break
		}
		words = words[1:]
	}
	for len(words) > 1 && slices.Contains(x.m.except.Ones, words[len(words)-1]) { // "the kitchen ones"
		words = words[:len(words)-1]
	}
	return words
}

// place finds the things of the group that stand in a room or on a floor.
func (x *exception) place(said string) ([]string, bool) {
	if room := x.m.roomCalled(said); room != "" {
		return x.keep(func(e *home.Entity) bool { return e.In(room) }), true
	}
	for _, f := range x.m.house.Floors {
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			if slices.Contains(names.SpokenForms(name), said) {
				return x.keep(func(e *home.Entity) bool { return x.m.house.OnFloor(e.Area, f.Name) }), true
			}
		}
	}
	return nil, false
}

// kind finds the things of the group that are of a kind, and in a room if the words name
// one: "the fans", "the kitchen lights", "the lights in the kitchen".
func (x *exception) kind(words []string) ([]string, bool) {
	for _, end := range []int{0, len(words) - 1} {
		domain := x.m.kinds[words[end]]
		if domain == "" {
			continue
		}
		ofKind := func(e *home.Entity) bool { return e.Domain == domain }
		rest := slices.Concat(words[:end], words[end+1:])
		if len(rest) == 0 {
			return x.keep(ofKind), true
		}
		if room := x.m.roomCalled(strings.Join(x.stripLeading(rest), " ")); room != "" {
			return x.keep(func(e *home.Entity) bool { return ofKind(e) && e.In(room) }), true
		}
	}
	return nil, false
}

func (x *exception) keep(fits func(*home.Entity) bool) []string {
	ids := []string{}
	for _, id := range x.group {
		if e := x.m.house.Entity(id); e != nil && fits(e) {
			ids = append(ids, id)
		}
	}
	return ids
}
