package intent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/intent"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/template"
)

// hollow are words that order nothing: articles, places and courtesies.
var hollow = map[string]string{
	"en": "in at of the all over inside throughout a an my our this that every",
	"de": "in im ins am unter oben unten hinten vorn drüben der die das den dem des alle aller allen eine einen von vom",
	"es": "en el la los las de del un una todo todos toda todas a al por arriba abajo",
	"fr": "dans le la les l' de du des d' un une tout tous toute toutes à au aux en sur chez",
}

// naming are the lists whose texts only name something.
var naming = []string{"name", "area", "floor", "on_noun", "cover_noun", "domain"}

// TestEverySentenceOrdersSomething: a place and a thing by themselves order nothing, so
// no sentence that acts may be made of them alone.
func TestEverySentenceOrdersSomething(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		s := silence{hollow: strings.Fields(hollow[language])}
		for i := range pack.Blocks {
			block := &pack.Blocks[i]
			if s.rules = pack.Rules; block.Scoped != nil {
				s.rules = maps.Clone(pack.Rules)
				maps.Copy(s.rules, block.Scoped.Rules)
			}
			if block.Meta.Reject != "" || block.Meta.After || slices.Equal(block.Domains, []string{"scene"}) { // a scene is ordered by its name
				continue
			}
			for n, sentence := range block.Sentences {
				if text, ok := s.hollowForm(sentence, 0); ok {
					t.Errorf("%s: sentence %d of %s can be said without a word that orders or asks anything: %q", language, n+1, block.Intent, strings.Join(strings.Fields(text), " "))
				}
			}
		}
	}
}

// silence looks for forms of sentences that order nothing.
type silence struct {
	rules  map[string]*template.Node
	hollow []string
}

// hollowForm returns a form of a part of a sentence that orders nothing.
func (s silence) hollowForm(n *template.Node, depth int) (text string, ok bool) {
	if depth > 200 {
		return "", false
	}
	switch n.Kind {
	case template.Text:
		words := strings.Fields(n.Text)
		return n.Text, !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(s.hollow, w) })
	case template.List:
		return " {" + n.Name + "} ", slices.Contains(naming, n.Name)
	case template.Rule:
		return s.hollowForm(s.rules[n.Name], depth+1)
	case template.Choice:
		for _, item := range n.Items {
			if text, ok := s.hollowForm(item, depth+1); ok {
				return text, true
			}
		}
		return "", false
	case template.Sequence, template.Shuffle:
		var out strings.Builder
		for _, item := range n.Items {
			part, ok := s.hollowForm(item, depth+1)
			if !ok {
				return "", false
			}
			out.WriteString(part)
		}
		return out.String(), true
	default:
		return "", false
	}
}
