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
	// Endings are the places of phrases for the ending of a word, in its four forms.
	Endings map[string]forms `yaml:"endings"`
	// Verbs are the places of phrases for a verb, said of one thing and of several.
	Verbs map[string][2]string `yaml:"verbs"`
}

// forms are the forms of a word; a text if it has only one.
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

// agreeing says with what words agree: one thing or several, feminine or not.
type agreeing struct{ feminine, many bool }

// condition is a state in the form that agrees with what it is said of. A state
// has one form, or four: masculine, feminine and both in the plural.
func (r *readings) condition(state string, of agreeing) string {
	return of.form(r.conditions[state])
}

// form is that of the forms of a word which agrees with what it is said of.
func (t agreeing) form(all forms) string {
	if len(all) != 4 {
		return strings.Join(all, "")
	}
	i := 0
	if t.feminine {
		i++
	}
	if t.many {
		i += 2
	}
	return all[i]
}

// feminine reports whether a thing is feminine, by the noun in its name or by its kind.
func (g *grammar) feminine(e *home.Entity, kind string) bool {
	if gender, _ := g.names.Noun(e.Name); gender != home.Unknown {
		return gender.Feminine()
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

// those returns the word for a kind in the plural, and what agrees with it.
func (g *grammar) those(kind string) (word string, of agreeing) {
	forms := g.things[kind]
	if len(forms) != 2 {
		forms, kind = g.things["device"], "device"
	}
	return forms[1], agreeing{feminine: slices.Contains(g.agree.Feminine, kind), many: true}
}
