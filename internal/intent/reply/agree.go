package reply

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
)

// agreement is how a language makes words agree with what they are said of.
type agreement struct {
	// Feminine are the kinds of things of table things that are feminine.
	Feminine []string `yaml:"feminine"`
	// Nouns are the feminine words a name may begin with.
	Nouns []string `yaml:"nouns"`
	// Masculine are the words a name may begin with that are not, whatever the kind
	// of the thing.
	Masculine []string `yaml:"masculine"`
}

// forms are the forms of a word: a text where it has only one.
type forms []string

// UnmarshalYAML reads one form or a list of four.
func (f *forms) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*f = forms{n.Value}
		return nil
	}
	if err := n.Decode((*[]string)(f)); err != nil {
		return err
	}
	if len(*f) != 4 {
		return fmt.Errorf("line %d: expected one form, or masculine, feminine and both in the plural", n.Line)
	}
	return nil
}

// told is what words agree with: one thing or several, feminine or not.
type told struct{ feminine, many bool }

// condition is a state in the form that agrees with what it is said of. A state
// has one form, or four: masculine, feminine and both in the plural.
func (r *readings) condition(state string, of told) string {
	forms := r.conditions[state]
	if len(forms) != 4 {
		return strings.Join(forms, "")
	}
	i := 0
	if of.feminine {
		i++
	}
	if of.many {
		i += 2
	}
	return forms[i]
}

// feminine reports whether a thing is feminine, by the first word of its name or
// by its kind.
func (g *grammar) feminine(e *home.Entity, kind string) bool {
	first, _, _ := strings.Cut(strings.ToLower(e.Name), " ")
	switch {
	case slices.Contains(g.agree.Nouns, first):
		return true
	case slices.Contains(g.agree.Masculine, first):
		return false
	}
	return slices.Contains(g.agree.Feminine, kindOf(e, kind))
}

// kindOf returns the key of table things for one thing among those of a kind.
func kindOf(e *home.Entity, kind string) string {
	switch {
	case e.Opening()&home.Window != 0 && e.Opening()&home.Door == 0:
		return "window"
	case e.Opening()&home.Garage != 0:
		return "garage"
	case e.Opening()&home.GateWay != 0:
		return "gate"
	case e.Opening()&home.Hatch != 0:
		return "hatch"
	case e.Opening() != 0:
		return "door"
	case kind == "everything" || kind == "device" || kind == "":
		return e.Domain
	}
	return kind
}

// those returns what is told of several things: the kind in the plural.
func (g *grammar) those(kind string) (word string, of told) {
	forms := g.things[kind]
	if len(forms) != 2 {
		forms, kind = g.things["device"], "device"
	}
	return forms[1], told{feminine: slices.Contains(g.agree.Feminine, kind), many: true}
}
