// Package naming puts the names of things and rooms into a sentence: "the kitchen
// light", "dad's lamp", and "the bedroom lamp" where another room has a lamp too. Whoever
// tells of a thing writes its name like whoever looks for it in what was told.
package naming

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
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
}

// Plain is the name of a thing without an article and without signs that nobody
// says; with its room where that tells it from another thing.
func (n *Names) Plain(e *home.Entity) string {
	name, room := home.Spoken(e.Name), home.Spoken(e.Area)
	if e.Namesakes && room != "" && !strings.Contains(strings.ToLower(name), strings.ToLower(room)) {
		name = strings.NewReplacer("{area}", room, "{name}", name).Replace(n.InRoom)
	}
	if n.Lower {
		return strings.ToLower(name)
	}
	return name
}

// Room is the name of a room inside a sentence.
func (n *Names) Room(name string) string {
	if n.Lower {
		return strings.ToLower(home.Spoken(name))
	}
	return home.Spoken(name)
}

// Inside is the name of a thing with its article.
func (n *Names) Inside(e *home.Entity) string {
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
