package intent

import (
	"slices"

	"voicegateway/internal/intent/template"
)

// clause is a set of words one of which a sentence cannot do without.
type clause []int32

// required lists the words a phrase demands: every clause must be met. Testing
// them once per utterance spares most sentences the matching.
func required(p *template.Phrase, ids map[string]int32) []clause {
	switch p.Kind {
	case template.Word:
		id, ok := ids[p.Text]
		if !ok {
			id = int32(len(ids))
			ids[p.Text] = id
		}
		return []clause{{id}}
	case template.All, template.Named:
		var out []clause
		for _, item := range p.Items {
			out = append(out, required(item, ids)...)
		}
		return out
	case template.Any:
		var union clause
		for _, item := range p.Items {
			inner := required(item, ids)
			if len(inner) == 0 {
				return nil
			}
			for _, id := range inner[0] {
				if !slices.Contains(union, id) {
					union = append(union, id)
				}
			}
		}
		return []clause{union}
	case template.Value:
	}
	return nil
}

// met reports whether the words of an utterance satisfy every clause.
func met(clauses []clause, present []bool) bool {
	for _, c := range clauses {
		if !slices.ContainsFunc(c, func(id int32) bool { return present[id] }) {
			return false
		}
	}
	return true
}
