package form

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"voicegateway/internal/home"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// Named is what a thing is called.
type Named struct {
	ID      string
	Name    string
	Aliases []string
	Also    []string // identifiers that nobody speaks
	Area    string   // "": none
}

// Names finds things by what people call them. It does not change, and may be used by many
// goroutines.
type Names[T comparable] struct {
	own      map[string][]T    // by name, alias or id
	rooms    map[string][]T    // by area and name together
	plain    map[string][]T    // by any of their names without accents and signs
	areas    map[string]string // folded name -> name
	spelling spellings[T]      // for names that are not exact
}

// NewNames makes the look-up of some things.
func NewNames[T comparable](things []T, called func(T) Named) *Names[T] {
	n := &Names[T]{own: map[string][]T{}, rooms: map[string][]T{}, plain: map[string][]T{}, areas: map[string]string{}, spelling: newSpellings[T]()}
	for _, thing := range things {
		n.add(thing, called(thing))
	}
	return n
}

// add files a thing under everything it may be called.
func (n *Names[T]) add(thing T, c Named) {
	file(n.own, Fold(c.ID), thing)
	for _, id := range c.Also {
		file(n.own, Fold(id), thing)
	}
	if c.Area != "" {
		n.areas[Fold(c.Area)] = c.Area
	}
	for _, name := range append([]string{c.Name}, c.Aliases...) { // ids are not spoken, so misspelt names are not compared with them
		key := Fold(name)
		file(n.own, key, thing)
		n.spelling.add(key, thing, c.ID)
		n.filePlain(name, thing)
		if c.Area != "" {
			key = Fold(c.Area + " " + name)
			file(n.rooms, key, thing)
			n.spelling.add(key, thing, c.ID)
			n.filePlain(c.Area+" "+name, thing)
		}
	}
}

// filePlain files a thing under what people say of a name: without accents and signs, its
// numbers as digits or as words of any language.
func (n *Names[T]) filePlain(name string, thing T) {
	said := home.SpokenName(name)
	file(n.plain, PlainName(name), thing)
	file(n.plain, PlainName(said), thing)
	for _, language := range spokenLanguages() {
		if words := language.InWords(said); words != "" {
			file(n.plain, PlainName(words), thing)
		}
	}
}

// file puts a thing under a key, once.
func file[T comparable](under map[string][]T, key string, thing T) {
	if list := under[key]; len(list) == 0 || list[len(list)-1] != thing {
		under[key] = append(list, thing)
	}
}

// spokenLanguages are the languages in which the numbers of a name may be spoken.
var spokenLanguages = sync.OnceValue(func() []*numbers.Language {
	var out []*numbers.Language
	for _, code := range sentences.Languages() {
		if l, known := numbers.For(code); known {
			out = append(out, l)
		}
	}
	return out
})

// Spelt returns the things with a name as it is written: a thing's own name, id or alias,
// or else its name with the area before it.
func (n *Names[T]) Spelt(name string) []T {
	key := Fold(name)
	if found := n.own[key]; len(found) > 0 {
		return found
	}
	return n.rooms[key]
}

// Own returns the things with a name as it is written, without their areas.
func (n *Names[T]) Own(name string) []T { return n.own[Fold(name)] }

// Exact returns the things with a name as Spelt does. Accents and signs may be missing if
// the rest is the name of only one thing.
func (n *Names[T]) Exact(name string) []T {
	if found := n.Spelt(name); len(found) > 0 {
		return found
	}
	if found := n.plain[PlainName(name)]; len(found) == 1 {
		return found
	}
	return nil
}

// Similar returns the things whose names are most like a name that nothing has, best first:
// three at most.
func (n *Names[T]) Similar(name string) []T { return n.spelling.similar(Fold(name), suggestions) }

// suggestions is how many names are offered in place of an unknown one.
const suggestions = 3

// Identifier is what other programs use for a thing: its plain name where it is the only
// one of that name, so that calls stay readable in logs and for models, else its id.
func (n *Names[T]) Identifier(id, name string) string {
	if len(n.own[Fold(name)]) == 1 {
		return name
	}
	return id
}

// Area returns the area of a name; "" if there is none.
func (n *Names[T]) Area(name string) string {
	key := Fold(name)
	if area, known := n.areas[key]; known || key == "" {
		return area
	}
	var found string
	for folded, area := range n.areas {
		if PlainName(folded) == PlainName(key) && PlainName(key) != "" {
			if found != "" {
				return ""
			}
			found = area
		}
	}
	return found
}

// Filters reads the filters of a list as people and models write them. A filter that fits
// nothing is refused with a list of what exists.
func (n *Names[T]) Filters(a ListArgs, domains []string) (area, domain string, err error) {
	if key := Fold(a.Area); key != "" {
		if area = n.areas[key]; area == "" {
			return "", "", Refuse("There is no area called %q. The areas are %s.", a.Area, strings.Join(slices.Sorted(maps.Values(n.areas)), ", "))
		}
	}
	key := strings.ReplaceAll(Fold(a.Type), " ", "_")
	switch domain, isGroup := DomainOf(key); {
	case key == "" || slices.Contains(domains, key):
		return area, key, nil
	case isGroup && slices.Contains(domains, domain):
		return area, domain, nil
	case slices.Contains(domains, strings.TrimSuffix(key, "s")):
		return area, strings.TrimSuffix(key, "s"), nil
	default:
		return "", "", Refuse("There is no type %q. The types are %s.", a.Type, strings.Join(domains, ", "))
	}
}

// Several reads a name that means all things of a domain in an area: "kitchen lights",
// "lights in the kitchen"; the area alone means its lights.
func (n *Names[T]) Several(name string) (domain, area string, ok bool) {
	key := GroupKey(name)
	if area := n.Area(key); area != "" {
		return "light", area, true
	}
	domain, area, ok = cutGroup(key)
	area = n.Area(area)
	return domain, area, ok && area != ""
}

// Listed returns the things of several names with commas or "and" between them; nil unless
// each of the names is that of one thing. An unknown name never makes the list larger.
func (n *Names[T]) Listed(name string, exact func(name string) []T) []T {
	key := GroupKey(name)
	for _, and := range conjunctions() {
		key = strings.ReplaceAll(key, " "+and+" ", ",")
	}
	parts := strings.FieldsFunc(key, func(r rune) bool { return r == ',' })
	if len(parts) < 2 {
		return nil
	}
	var out []T
	for _, part := range parts {
		found := exact(part)
		if len(found) != 1 {
			return nil
		}
		if !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

// conjunctions are the words of our languages that join names.
var conjunctions = sync.OnceValue(func() sentences.List {
	return sentences.Every(func(w *sentences.Words) sentences.List { return w.Hazards.Conjunctions })
})

// GroupKey folds a name and drops words for quantity, such as "all".
func GroupKey(name string) string {
	key := Fold(name)
	for _, word := range []string{"all of ", "all ", "every ", "the "} {
		key = strings.TrimPrefix(key, word)
	}
	return key
}

// cutGroup splits "kitchen lights" and "lights in the kitchen".
func cutGroup(key string) (domain, area string, ok bool) {
	if before, after, found := strings.Cut(key, " in "); found {
		domain, ok = DomainOf(before)
		return domain, after, ok
	}
	if i := strings.LastIndexByte(key, ' '); i > 0 {
		domain, ok = DomainOf(key[i+1:])
		return domain, key[:i], ok
	}
	return "", "", false
}

// folding replaces characters that people and topics write differently.
var folding = strings.NewReplacer("’", "'", "_", " ")

// Fold makes names comparable: case, white space, quotes and a leading "the" do not
// matter.
func Fold(name string) string {
	name = folding.Replace(strings.ToLower(name))
	return strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "the ")
}

// PlainName reduces a name to its plain letters and digits: "Küche ✨" is "kuche". With it
// a name is found without the signs that a keyboard or a recogniser leaves out.
func PlainName(name string) string {
	var b strings.Builder
	for _, r := range Fold(name) {
		switch {
		case unicode.IsMark(r), r == '\'':
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteString(text.StripAccents(string(r)))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
