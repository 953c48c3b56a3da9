package home

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Case says where a name stands in a sentence.
type Case int

// The cases that our languages tell apart. Of is the dative in German, and the name
// with its "de" in French and Spanish: "du volet", "del salón".
const (
	Subject Case = iota
	Object
	Of
	cases
)

// Gender is the gender of a noun and, where the noun is plural, its number.
type Gender string

// The genders of the tables of nouns. A language that does not tell them apart in the
// plural has Plural alone. Unknown is that of a name without a noun of the tables.
const (
	Masculine       Gender = "m"
	Feminine        Gender = "f"
	Neuter          Gender = "n"
	Plural          Gender = "p"
	MasculinePlural Gender = "mp"
	FemininePlural  Gender = "fp"
	Unknown         Gender = ""
)

// Many reports whether a noun of the gender names several things.
func (g Gender) Many() bool { return g == Plural || g == MasculinePlural || g == FemininePlural }

// Feminine reports whether a noun is feminine.
func (g Gender) Feminine() bool { return g == Feminine || g == FemininePlural }

// Called is what one thing or several are called inside a sentence, in every case.
type Called struct {
	forms [cases]string
	// Gender is that of the noun in the name.
	Gender Gender
	// Many says that several things are called so.
	Many bool
}

// String is the name as the subject of a sentence.
func (c Called) String() string { return c.forms[Subject] }

// In is the name in a case.
func (c Called) In(k Case) string { return c.forms[k] }

// Each changes every form in the same way.
func (c Called) Each(change func(string) string) Called {
	for i := range c.forms {
		c.forms[i] = change(c.forms[i])
	}
	return c
}

// Join is several names in one list: "the lamp, the fan and the door". A name may end
// with the comma of its apposition.
func Join(names []Called, word string) Called {
	if len(names) == 1 {
		return names[0]
	}
	out := Called{Many: true}
	for k := range cases {
		var all []string
		for _, n := range names {
			all = append(all, n.forms[k])
		}
		if n := len(all); n > 1 {
			out.forms[k] = strings.ReplaceAll(strings.Join(all[:n-1], ", "), ",,", ",") + " " + word + " " + all[n-1]
		}
	}
	return out
}

// Bare is a text that takes no article, in every case: a number of things, or an unknown
// name.
func (n *Names) Bare(text string) Called {
	return Called{forms: n.decline(text, Unknown)}
}

// Call is what a thing is called, with its article where the language has one and the
// gender of its noun is known.
func (n *Names) Call(e *Entity) Called {
	if len(n.Articles) == 0 {
		name := n.Inside(e)
		return Called{forms: [cases]string{name, name, name}, Many: n.Several(name)}
	}
	name := n.Plain(e)
	gender, noun := n.Noun(name)
	if n.ownsItself(name) {
		return Called{forms: n.decline(name, Unknown), Gender: gender, Many: gender.Many()}
	}
	return n.withArticle(name, gender, noun)
}

// CallRoom is what a room is called, with its article where that is known.
func (n *Names) CallRoom(name string) Called {
	if len(n.Articles) == 0 {
		room := n.Room(name)
		if first, _, _ := strings.Cut(room, " "); n.Article != "" && !slices.Contains(n.Without, first) {
			room = n.Article + " " + room
		}
		return Called{forms: [cases]string{room, room, room}}
	}
	name = SpokenName(name)
	gender, noun := n.nounOf(name, n.Rooms)
	if gender == Unknown {
		gender, noun = n.nounOf(name, n.Nouns)
	}
	return n.withArticle(name, gender, noun)
}

// In is a room as the place where something is: "im Flur", "dans la cuisine".
func (n *Names) In(area string) string {
	room := n.CallRoom(area)
	text := strings.NewReplacer("{area}", room.forms[Subject], "{area_of}", room.forms[Of]).Replace(n.InArea)
	return n.JoinArticle(text)
}

// JoinArticle joins a preposition with its article: "in dem" is "im".
func (n *Names) JoinArticle(text string) string {
	for long, short := range n.Contract {
		text = strings.ReplaceAll(" "+text, " "+long+" ", " "+short+" ")[1:]
	}
	return text
}

func (n *Names) withArticle(name string, g Gender, noun int) Called {
	if n.Small && g != Unknown {
		name = n.small(name, noun)
	}
	return Called{forms: n.decline(name, g), Gender: g, Many: g.Many()}
}

// ownsItself reports whether a name begins with its owner, or already has its article.
func (n *Names) ownsItself(name string) bool {
	first, _, more := strings.Cut(strings.ToLower(name), " ")
	ends := func(ending string) bool { return strings.HasSuffix(first, ending) }
	return more && (slices.Contains(n.Without, first) || slices.ContainsFunc(n.Possessive, ends) && !slices.ContainsFunc(n.Singular, ends))
}

// decline puts the article of a gender before a name, in every case. An article that
// ends with an apostrophe is glued to it.
func (n *Names) decline(name string, g Gender) (forms [cases]string) {
	key := string(g)
	if g == Unknown {
		key = "none"
	}
	if !g.Many() && n.elides(name) && n.Articles[key+"'"] != nil {
		key += "'"
	}
	for k := range forms {
		article := ""
		if articles := n.Articles[key]; k < len(articles) {
			article = articles[k]
		}
		if article != "" && !strings.HasSuffix(article, "'") {
			article += " "
		}
		forms[k] = article + name
	}
	return forms
}

// elides reports whether an article before the name loses its vowel.
func (n *Names) elides(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	r, _ := utf8.DecodeRuneInString(first)
	return n.Elides != "" && strings.ContainsRune(n.Elides, r) && !slices.Contains(n.Aspirate, first)
}

// Capitalise gives words that were heard in small letters the capitals of the language: those
// of German nouns, as far as the tables know them, and of the first word of a name.
func (n *Names) Capitalise(heard string) string {
	if !n.Capitals {
		return heard
	}
	return upper(n.Clause(heard))
}

// shortestVerb is how many letters a verb has at least.
const shortestVerb = 2

// Clause writes what to do as the language does: German nouns have a capital, as far as
// the tables know them, and "rauszubringen" becomes "rausbringen".
func (n *Names) Clause(heard string) string {
	if !n.Capitals {
		return heard
	}
	words := strings.Fields(heard)
	for i, w := range words {
		if genderOf(w, n.Nouns) != Unknown || genderOf(w, n.Rooms) != Unknown || slices.Contains(n.Everyday, w) {
			words[i] = upper(w)
		}
	}
	last := len(words) - 1
	if n.Infinitive == "" {
		return strings.Join(words, " ")
	}
	if last > 0 && words[last-1] == n.Infinitive {
		words = append(words[:last-1], words[last])
	} else if last >= 0 {
		for _, particle := range n.Particles {
			if rest, ok := strings.CutPrefix(words[last], particle+n.Infinitive); ok && len(rest) > shortestVerb {
				words[last] = particle + rest
				break
			}
		}
	}
	return strings.Join(words, " ")
}

// upper gives a text a capital.
func upper(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// Noun finds the gender of a name by the noun in it that the others describe, and the
// place of that noun among its words. A room is the noun only where no thing is named.
func (n *Names) Noun(name string) (g Gender, at int) {
	if g, at = n.nounOf(name, n.Nouns); g != Unknown {
		return g, at
	}
	for w := range strings.FieldsSeq(name) { // of a name in another language nothing is known
		if !n.knows(w) {
			return Unknown, 0
		}
	}
	return n.nounOf(name, n.Rooms)
}

// knows reports whether a word of a name is in the tables, or is a number.
func (n *Names) knows(word string) bool {
	lower := strings.ToLower(word)
	bare := lower[strings.LastIndexByte(lower, '\'')+1:] // "d'entrée"
	return genderOf(bare, n.Nouns) != Unknown || n.passes(bare) || slices.Contains(n.After, lower)
}

// passes reports whether a word behind a noun only tells where the thing is, or which of
// several it is.
func (n *Names) passes(word string) bool {
	return len([]rune(word)) == 1 || strings.Trim(word, "0123456789") == "" || genderOf(word, n.Rooms) != Unknown
}

func (n *Names) nounOf(name string, nouns map[Gender][]string) (g Gender, at int) {
	words := strings.Fields(name)
	end := len(words)
	for i, w := range words {
		if i > 0 && slices.Contains(n.After, strings.ToLower(w)) {
			end = i
			break
		}
	}
	for i := range end {
		at := i
		if n.Last {
			at = end - 1 - i
		}
		if g := genderOf(words[at], nouns); g != Unknown {
			return g, at
		}
		lower := strings.ToLower(words[at])
		if !n.Last && !slices.Contains(n.Adjectives, lower) || n.Last && !n.passes(lower) {
			break // only adjectives stand before the noun, only rooms and numbers behind it
		}
	}
	return Unknown, 0
}

// genderOf looks a noun up: as it is, or by the end of a compound, the longest first.
func genderOf(word string, genders map[Gender][]string) Gender {
	word = strings.ToLower(word)
	found, longest := Unknown, 0
	for g, nouns := range genders {
		for _, noun := range nouns {
			end, compound := strings.CutPrefix(noun, "-")
			fits := word == end || compound && strings.HasSuffix(word, end)
			if fits && (len(end) > longest || len(end) == longest && g < found) {
				found, longest = g, len(end)
			}
		}
	}
	return found
}

// Measures reports whether a name is that of what is measured, such as a temperature,
// and not of what measures it.
func (n *Names) Measures(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	_, at := n.Noun(name)
	if len(n.Nouns) == 0 {
		at = max(0, len(words)-1)
	}
	return at < len(words) && slices.ContainsFunc(n.Measured, func(noun string) bool {
		end, compound := strings.CutPrefix(noun, "-")
		return words[at] == end || compound && strings.HasSuffix(words[at], end)
	})
}

// small writes those words of a name small that are nouns of the tables, or stand between
// them. The owner's name keeps its capital.
func (n *Names) small(name string, noun int) string {
	words := strings.Fields(name)
	for i, w := range words {
		if i == noun || len([]rune(w)) > 1 && n.knows(w) {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}
