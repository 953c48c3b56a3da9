package home

import (
	"slices"
	"strings"
)

// Names is how a language names things inside a sentence. It is empty for a
// language that uses the names as the house writes them, because their gender is
// unknown.
type Names struct {
	Article    string   `yaml:"article"`
	Lower      bool     `yaml:"lower"`
	Without    []string `yaml:"without"`    // first words that take no article
	Possessive []string `yaml:"possessive"` // endings of a first word that takes no article
	Plural     string   `yaml:"plural"`     // the ending of several things
	Singular   []string `yaml:"singular"`   // similar endings that belong to one thing
	Vowels     string   `yaml:"vowels"`     // before which the other article stands
	InRoom     string   `yaml:"in_room"`    // one of several things with the same name
	OfServer   string   `yaml:"of_server"`  // one of several in the same room

	// For languages with genders. A noun that begins with "-" is also known at the end of
	// a compound.
	Nouns      map[Gender][]string `yaml:"nouns"`
	Rooms      map[Gender][]string `yaml:"rooms"`
	Measured   []string            `yaml:"measured"`   // nouns for what is measured, not for what measures it
	Adjectives []string            `yaml:"adjectives"` // words that may stand before the first noun
	Articles   map[string][]string `yaml:"articles"`   // by gender, in the order of the cases; "none" without an article, "m'" before a vowel
	Everyday   []string            `yaml:"everyday"`   // other nouns that are written with a capital
	Infinitive string              `yaml:"infinitive"` // stands before a verb, or behind its first part: zu
	Particles  []string            `yaml:"particles"`  // first parts of verbs that "zu" may follow: raus-zu-bringen
	Capitals   bool                `yaml:"capitals"`   // nouns are written with a capital
	Last       bool                `yaml:"last"`       // the noun is the last word of a name that is known, else it is the first
	After      []string            `yaml:"after"`      // words that end the part of a name that its noun is in: "Lampe im Flur"
	Small      bool                `yaml:"small"`      // nouns are written small inside a sentence
	Elides     string              `yaml:"elides"`     // letters before which an article is shortened
	Aspirate   []string            `yaml:"aspirate"`   // words that begin with such a letter and keep the article
	InRoomOf   string              `yaml:"in_room_of"` // as InRoom, for a room with a known gender
	Within     string              `yaml:"within"`     // what stands between a thing and the room it is in: " in the "
	InArea     string              `yaml:"in_area"`    // a room as a place: "dans {area}"
	Indefinite map[Gender]string   `yaml:"indefinite"` // "eine", as the object
	Contract   map[string]string   `yaml:"contract"`   // a preposition with its article: in dem: im
	Readings   []string            `yaml:"readings"`   // English words that a house ends the names of readings with
}

// Plain is the name of a thing without an article and without signs that are not
// pronounced; with its room if that tells it from another thing.
func (n *Names) Plain(e *Entity) string {
	name, room := n.withoutReading(e), SpokenName(e.Area)
	if e.Namesakes && room != "" && !strings.Contains(strings.ToLower(name), strings.ToLower(room)) {
		form := n.InRoom
		if n.InRoomOf != "" && n.CallRoom(room).Gender != Unknown {
			form = n.InRoomOf
		}
		name = n.JoinArticle(strings.NewReplacer("{area}", room, "{area_of}", n.CallRoom(room).In(Of), "{name}", name).Replace(form))
	}
	return n.inSentence(name)
}

// inSentence writes a name as it stands inside a sentence. Where names are written small,
// abbreviations and whose thing it is keep their capitals: "Freya's TV".
func (n *Names) inSentence(name string) string {
	if !n.Lower {
		return name
	}
	words := strings.Fields(name)
	shouts := len(words) > 1 && name == strings.ToUpper(name)
	for i, w := range words {
		isOwner := slices.ContainsFunc(n.Possessive, func(ending string) bool { return strings.HasSuffix(w, ending) })
		if letters := len([]rune(w)); isOwner || letters > 1 && letters <= 4 && w == strings.ToUpper(w) && !shouts {
			continue
		}
		words[i] = strings.ToLower(w)
	}
	return strings.Join(words, " ")
}

// withoutReading is the name of a thing without the English word for its measurement,
// which the unit makes clear: "Thermometer Temperature" measures degrees.
func (n *Names) withoutReading(e *Entity) string {
	name := SpokenName(e.Name)
	if e.Domain != "sensor" {
		return name
	}
	for _, word := range n.Readings {
		if rest, ok := strings.CutSuffix(name, " "+word); ok && rest != "" {
			return rest
		}
	}
	return name
}

// Room is the name of a room inside a sentence.
func (n *Names) Room(name string) string {
	return n.inSentence(SpokenName(name))
}

// Inside is the name of a thing with its article.
func (n *Names) Inside(e *Entity) string {
	name := n.Plain(e)
	first, _, more := strings.Cut(name, " ")
	ends := func(ending string) bool { return strings.HasSuffix(first, ending) }
	if n.Article == "" || more && (slices.Contains(n.Without, first) || slices.ContainsFunc(n.Possessive, ends)) {
		return name
	}
	return n.Article + " " + name
}

// Several reports whether a name is that of more than one thing.
func (n *Names) Several(name string) bool {
	ends := func(ending string) bool { return strings.HasSuffix(name, ending) }
	return n.Plural != "" && ends(n.Plural) && !slices.ContainsFunc(n.Singular, ends)
}
