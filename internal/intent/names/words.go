package names

import (
	"embed"
	"strings"
)

// household are lists of rooms and things by language; see vocabulary.household.
//
//go:embed household/*.txt
var household embed.FS

// vocabulary is what a language's words do in names.
type vocabulary struct {
	dropped map[string]bool   // words that carry nothing
	heardAs map[string]string // what recognisers write for what families say
	kinds   map[string]int    // words for the same kind of thing have one number
	plural  string            // letters at the end that make no difference
	// household are rooms and things that many houses have. A recogniser knows
	// these words well: who says "garden light" in a house with a garage light
	// was not misheard. Short words are left out, because they are.
	household map[string]bool
	// compounds are glued: "gartenlampe" begins with a household word.
	compounds bool
}

// beginning is the longest household word that a compound begins with, or "".
func (v *vocabulary) beginning(w string) string {
	const shortest = 4 // letters; "hof" begins too much
	for n := len(w) - 1; v.compounds && n >= shortest; n-- {
		if v.household[w[:n]] {
			return w[:n]
		}
	}
	return ""
}

// vocabularyOf gives the words of a language code; a language without an entry
// has none.
func vocabularyOf(lang string) *vocabulary {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	var v vocabulary
	switch base {
	case "en":
		v = ofEnglish()
	case "de":
		v = ofGerman()
	case "es":
		v = ofSpanish()
	case "fr":
		v = ofFrench()
	}
	// Words are compared as mend leaves them.
	plain := func(w string) string { return v.singular(fold(w)) }
	list, _ := household.ReadFile("household/" + base + ".txt") // without one there is nothing to know
	v.household = make(map[string]bool)
	for w := range strings.FieldsSeq(string(list)) {
		v.household[plain(w)] = true
	}
	kinds := make(map[string]int)
	for w, kind := range v.kinds {
		kinds[plain(w)] = kind
	}
	v.kinds = kinds
	return &v
}

func ofEnglish() vocabulary {
	return vocabulary{
		dropped: dropped, heardAs: heardAs, plural: "s",
		kinds: kinds("light lamp", "blind shade shutter roller", "curtain drape", "heater heating radiator"),
	}
}

func ofGerman() vocabulary {
	return vocabulary{
		dropped: set("der die das den dem des ein eine einen einem einer mein meine meinen meiner unser unsere unseren im in vom"),
		kinds:   kinds("licht lampe leuchte", "rollo jalousie rollladen rolladen", "vorhang gardine"), plural: "n", compounds: true,
	}
}

func ofSpanish() vocabulary {
	return vocabulary{
		dropped: set("el la los las un una unos unas mi mis nuestro nuestra de del al en"),
		kinds:   kinds("luz lampara luce", "persiana estore", "cortina visillo"), plural: "s",
	}
}

func ofFrench() vocabulary {
	return vocabulary{
		dropped: set("le la les l un une des mon ma mes notre nos de du d au aux en dans"),
		kinds:   kinds("lumiere lampe", "volet store", "rideau voilage"), plural: "sx",
	}
}

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func kinds(groups ...string) map[string]int {
	out := make(map[string]int)
	for i, group := range groups {
		for w := range strings.FieldsSeq(group) {
			out[w] = i + 1
		}
	}
	return out
}

// dropped words carry nothing in an English name; at its end, and where there is
// nothing else, they are kept: "Light A".
var dropped = map[string]bool{"the": true, "my": true, "our": true, "a": true, "an": true}

// heardAs mends what recognisers write for what English families say.
var heardAs = map[string]string{"lite": "light", "mum": "mom", "telly": "tv", "television": "tv"}
