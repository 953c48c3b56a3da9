package grounded

import (
	"maps"
	"slices"
)

// state judges a clause that tells how something is.
func (g *Ground) state(k *claim) Verdict {
	switch {
	case g.unmade(k):
		return Invented
	case !g.claims(k):
		return Free
	case g.proven(k, true):
		return Told
	case g.proven(k, false):
		return Proven
	}
	return Doubtful
}

// claims reports whether a clause says how something of the house is.
func (g *Ground) claims(k *claim) bool {
	says := len(k.states) > 0 || k.measured()
	changed := k.verb >= 0 && k.t.changed.in(k.text)
	switch {
	case k.possesses(), k.waits():
		return true
	case slices.ContainsFunc(k.refs, func(r ref) bool { return r.known && !r.vague }):
		return (k.verb >= 0 || k.goesOn || says) && !k.defines() && !k.verdictless()
	case slices.ContainsFunc(k.refs, func(r ref) bool { return !r.vague }):
		return g.kindClaims(k, says, changed)
	}
	return len(k.refs) == 0 && !k.year() && g.bareClaims(k, says, changed)
}

// bareClaims judges a clause that names nothing: "it is open", "everything is off".
func (g *Ground) bareClaims(k *claim, says, changed bool) bool {
	switch {
	case k.somebody() && slices.ContainsFunc(k.text, func(w word) bool { return k.t.happens[w.folded] }):
		return true
	case k.verb < 0:
		return len(k.states) > 0 && (!k.foreign(len(k.text)) || k.t.firstParticle(k.text, 0))
	case k.foreign(k.verb):
		return false
	case says:
		return g.house || g.command || !k.foreign(len(k.text)) || k.direct()
	}
	return changed && (k.every || g.command || g.house) && !k.clock()
}

// year reports whether a clause that names nothing of the house holds a year: "it was
// finished in 1889".
func (k *claim) year() bool {
	const first, last = 1000, 2100
	return slices.ContainsFunc(k.numbers, func(n float64) bool { return n >= first && n <= last && n == float64(int(n)) }) && !k.measured()
}

// verdictless reports whether a clause says nothing of a named thing but what stands
// in it: "here is the bedroom lamp".
func (k *claim) verdictless() bool {
	return len(k.text) > 0 && k.verb == len(k.text)-1 && len(k.states) == 0 && k.t.asks[k.text[0].folded]
}

// clock reports whether a clause tells the time.
func (k *claim) clock() bool {
	for i, w := range k.text {
		if w.value != nil && (k.isTime(i) || w.clock) {
			return true
		}
	}
	return false
}

// kindClaims judges a clause about things that are named by their kind only.
func (g *Ground) kindClaims(k *claim, says, changed bool) bool {
	our := slices.ContainsFunc(k.refs, func(r ref) bool { return r.our || r.from == 0 })
	strange := k.foreign(len(k.text))
	switch {
	case our && k.somebody():
		return true
	case len(k.states) > 0:
		return !strange || our && k.tells()
	case k.verb < 0:
		return our && k.happens()
	case k.keepsAny():
		return our && k.personal() || yours(k.text)
	case k.watched():
		return !strange
	}
	return our && becomes(k, says && !strange, changed)
}

// tells reports whether a clause has a verb of being or of happening.
func (k *claim) tells() bool { return k.verb >= 0 || k.happens() }

// becomes reports whether a clause with a verb tells what became of a thing.
func becomes(k *claim, says, changed bool) bool { return says || changed || k.happens() }

// somebody reports whether a clause begins with somebody or nobody, so that only a sensor
// knows whether it is true.
func (k *claim) somebody() bool {
	return slices.ContainsFunc(k.t.states[k.text[0].folded], func(state string) bool { return state == "detected" || state == "clear" })
}

// watched reports whether a clause is about what sensors watch for.
func (k *claim) watched() bool {
	return slices.ContainsFunc(k.refs, func(r ref) bool { return r.kinds[kindOf+"smoke"] || r.kinds[kindOf+"motion"] })
}

// happens reports whether a clause tells what a thing does or did by itself.
func (k *claim) happens() bool {
	return slices.ContainsFunc(k.refs, func(r ref) bool {
		return r.to < len(k.text) && slices.ContainsFunc(k.text[r.to:], func(w word) bool { return k.t.happens[w.folded] })
	})
}

// personal reports whether a clause is about something that each family has for itself,
// such as a list. Music does not count, because it may be anybody's, and neither does
// "the list of planets".
func (k *claim) personal() bool {
	return slices.ContainsFunc(k.refs, func(r ref) bool {
		of := r.to < len(k.text) && slices.Contains([]string{"of", "von", "der", "de"}, k.text[r.to].folded)
		return r.kept() && !of && !r.kinds[keptOf+"music"] && !r.kinds[keptOf+"mood"] && !r.kinds[keptOf+"scene"]
	})
}

// possesses reports whether a clause tells what the person has: "you have a meeting".
func (k *claim) possesses() bool {
	t := k.t
	has := slices.ContainsFunc(k.text, func(w word) bool { return t.have[w.folded] })
	speaker := slices.ContainsFunc(k.text, func(w word) bool { return t.first[w.folded] })
	return has && !speaker && !k.denied && k.personal()
}

// waits reports whether a clause tells of something that the gateway keeps, for some
// time: "a reminder for four o'clock is in place".
func (k *claim) waits() bool {
	return k.verb >= 0 && k.personal() && (k.clock() || len(k.numbers) > 0 || len(k.states) > 0) && !k.foreign(len(k.text))
}

// yours reports whether a text speaks of something of the person.
func yours(text []word) bool {
	return slices.ContainsFunc(text, func(w word) bool {
		return slices.Contains([]string{"your", "dein", "deine", "deinen", "tu", "tus", "votre", "vos", "ton", "ta"}, w.folded)
	})
}

// direct reports whether a state follows its verb at once, as in "it is open".
func (k *claim) direct() bool {
	for i := k.verb + 1; i < len(k.text); i++ {
		w := k.text[i]
		if len(k.t.stateAt(k.text, i)) > 0 {
			return i+1 == len(k.text) || k.t.small(k.text[i+1].folded)
		}
		if !k.t.small(w.folded) && w.value == nil {
			return false
		}
	}
	return false
}

// proven reports whether what the turn knows says the same. With done only acts
// count.
func (g *Ground) proven(k *claim, done bool) bool {
	rooms := words{}
	var things []ref
	for _, r := range k.refs {
		if r.area {
			maps.Copy(rooms, r.words)
		} else {
			things = append(things, r)
		}
	}
	if len(things) == 0 {
		things = append(things, ref{words: words{}, thing: -1})
	}
	for _, r := range things {
		want := maps.Clone(r.words)
		maps.Copy(want, rooms)
		if !g.carried(k, r, want, done) {
			return false
		}
	}
	return true
}

// carried reports whether some items are about a thing and say what the clause says.
func (g *Ground) carried(k *claim, r ref, want words, done bool) bool {
	about := g.itemsAbout(r, want, done)
	if len(about) == 0 || !k.numbersIn(about) {
		return false
	}
	for _, state := range k.states {
		if k.soft(state, about) {
			continue
		}
		fit := slices.DeleteFunc(slices.Clone(about), func(it item) bool { return !k.agrees(state, it) })
		if len(fit) == 0 || r.counted && len(thingsOf(fit)) != int(r.count) || k.wide(r) && !g.covers(want, fit) {
			return false
		}
	}
	return true
}

// soft reports whether a state needs no word of its own in the evidence: warmer and
// brighter if something was measured, and closed if the clause also says locked.
func (k *claim) soft(state string, about []item) bool {
	if state == "closed" && slices.Contains(k.states, "locked") {
		return true
	}
	measured := slices.ContainsFunc(about, func(it item) bool { return !it.done && len(it.numbers) > 0 })
	return measured && slices.Contains([]string{"warm", "cool", "bright", "dimmed"}, state)
}

// itemsAbout are the items about a thing, or all if it is called by nothing. With done
// only acts count.
func (g *Ground) itemsAbout(r ref, want words, done bool) []item {
	var about []item
	for _, it := range g.items {
		foreign := it.outside && (g.house || len(want) > 0)
		fits := within(want, it.words)
		if r.thing >= 0 && len(it.things) > 0 {
			fits = it.things[r.thing]
		}
		if fits && !foreign && (it.done || !done) {
			about = append(about, it)
		}
	}
	return about
}

// wide reports whether a clause speaks of all things of a kind.
func (k *claim) wide(r ref) bool {
	if r.counted || r.thing >= 0 {
		return false
	}
	return k.every || k.none || k.plural()
}

// plural reports whether the verb of a clause stands with several things.
func (k *claim) plural() bool {
	several := []string{"are", "were", "have", "'re", "sind", "waren", "haben", "werden", "wurden", "estan", "son", "han", "sont", "ont"}
	single := 0
	for _, r := range k.refs {
		if !r.area {
			single++
		}
	}
	return single == 1 && slices.ContainsFunc(k.text, func(w word) bool { return slices.Contains(several, w.folded) })
}

// covers reports whether items are about every thing that can be called so.
func (g *Ground) covers(want words, fit []item) bool {
	have := thingsOf(fit)
	for i, thing := range g.place.things {
		if thing.Domain != "scene" && thing.Domain != "sensor" && within(want, thing.words) && !have[i] {
			return false
		}
	}
	return true
}

func thingsOf(items []item) map[int]bool {
	out := map[int]bool{}
	for _, it := range items {
		maps.Copy(out, it.things)
	}
	return out
}

func within(want, have words) bool {
	for w := range want {
		if !have[w] {
			return false
		}
	}
	return true
}

// agrees reports whether an item has a state or, if the clause denies the state, its
// opposite.
func (k *claim) agrees(state string, it item) bool {
	if !k.denied && !k.none {
		return it.states[state] || it.done && state == "secure" && it.states["locked"]
	}
	return it.states[opposites[state]] || len(it.states) > 0 && !it.states[state]
}

// numbersIn reports whether all numbers of the clause are in what is known.
func (k *claim) numbersIn(about []item) bool {
	for _, n := range k.numbers {
		if !slices.ContainsFunc(about, func(it item) bool {
			return slices.ContainsFunc(it.numbers, func(known float64) bool { return near(n, known) })
		}) {
			return false
		}
	}
	return true
}

// answer judges a yes or no: it repeats the question as a statement.
func (g *Ground) answer(_ *tongue, text []word) Verdict {
	if !g.house {
		return Free
	}
	for _, t := range g.fluent(g.asked) {
		for _, c := range t.clauses(g.asked) {
			k := g.claimOf(t, c.text)
			if len(k.refs) == 0 && len(k.states) == 0 {
				continue
			}
			switch true {
			case !g.knows(k):
				return Doubtful
			case g.proven(k, false) == t.affirms(text):
				return Proven
			}
			return Doubtful
		}
	}
	return Free
}

// knows reports whether anything is known of what a clause is about.
func (g *Ground) knows(k *claim) bool {
	bare := *k
	bare.states, bare.numbers = nil, nil
	return g.proven(&bare, false)
}
