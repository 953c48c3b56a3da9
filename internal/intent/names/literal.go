package names

import "slices"

// literal finds the entries that the words match without any correction: the words are
// the whole of a name; else a part of it, perhaps with words of the thing's place; else a
// part with another word for the same kind of thing, such as "the desk light" for the
// desk lamp. whole is true if the words are the whole of a name.
func (x *Index) literal(words []string, allow func(int) bool) ([]int, Verdict, bool) {
	var room [maxHeard]int32
	ids, own, exact := room[:0], 0, Exact // own: words that are more than a kind
	for _, w := range words {
		id, ok := x.word[w]
		if !ok {
			if id, ok = x.kindred(w); !ok {
				return nil, None, false
			}
			exact = Fuzzy
		}
		if len(ids) == maxHeard {
			return nil, None, false
		}
		if x.kind[id] == 0 {
			own++
		}
		ids = append(ids, int32(id))
	}
	if len(ids) == 0 {
		return nil, None, false
	}
	same := func(f *form) bool { return slices.Equal(f.words, ids) }
	if items := x.collect(allow, same); len(items) > 0 {
		return items, exact, true
	}
	part := func(f *form) bool { return x.covers(f, ids, false) }
	items := x.collect(allow, part)
	if own == 0 {
		return items, exact, false
	}
	// The whole name, and otherwise only words of its place: "Emma's lamp" for the lamp
	// there.
	named := func(f *form) bool {
		return part(f) && !slices.ContainsFunc(f.words, func(id int32) bool { return !slices.Contains(ids, id) })
	}
	if whole := x.collect(allow, named); len(whole) == 1 {
		return whole, exact, false
	}
	loose := x.collect(allow, func(f *form) bool { return x.covers(f, ids, true) })
	switch {
	case len(loose) > len(items) && len(items) == 0:
		return loose, Fuzzy, false
	case len(loose) > len(items):
		return loose, Many, false
	}
	return items, exact, false
}

// kindred finds another word for the same kind of thing among the words of the
// house.
func (x *Index) kindred(w string) (int, bool) {
	kind := x.words.kinds[w]
	if kind == 0 {
		return 0, false
	}
	return slices.Index(x.kind, kind), slices.Contains(x.kind, kind)
}

// collect lists the entries that have a form that fits. The forms of one entry
// follow each other in the index.
func (x *Index) collect(allow func(int) bool, fits func(*form) bool) []int {
	var items []int
	for i := range x.forms {
		f := &x.forms[i]
		if len(items) > 0 && items[len(items)-1] == f.entry || !fits(f) || allow != nil && !allow(f.entry) {
			continue
		}
		items = append(items, f.entry)
	}
	return items
}

// covers reports whether all ids are words of the name or of the place, and at
// least one of them a word of the name itself.
func (x *Index) covers(f *form, ids []int32, kinds bool) bool {
	named := false
	for _, id := range ids {
		switch {
		case slices.Contains(f.words, id), kinds && x.hasKind(f, x.kind[id]):
			named = true
		case !slices.Contains(x.places[f.entry], id):
			return false
		}
	}
	return named
}

func (x *Index) hasKind(f *form, kind int) bool {
	return kind != 0 && slices.ContainsFunc(f.words, func(id int32) bool { return x.kind[id] == kind })
}
