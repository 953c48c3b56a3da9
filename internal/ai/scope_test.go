package ai

import (
	"slices"
	"testing"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// village is a box beside which a stranger offers tools of its own.
type village struct{ box }

func (v *village) Specs() []tools.Spec {
	stranger := func(name string, risk tools.Risk) tools.Spec {
		return tools.Spec{Name: name, Remote: name, Server: "notes", Risk: risk, OpenWorld: true}
	}
	return append(v.box.Specs(), stranger("add_note", tools.Costly), stranger("read_notes", tools.Read))
}

// TestAnOrderElsewhereReachesNoHouse: for an order that is not for the house, only
// foreign tools that change something are offered; without any, the turn may not act.
func TestAnOrderElsewhereReachesNoHouse(t *testing.T) {
	t.Parallel()
	order := dialogue.Prompt{Text: "add milk to the list", House: cottage(true), MayAct: true, Elsewhere: true}
	for name, tt := range map[string]struct {
		box  Toolbox
		want []string
	}{
		"with a stranger": {&village{}, []string{"get_datetime", "get_state", "read_notes", "web_search", "add_note"}},
		"alone":           {&box{}, []string{"get_datetime", "get_state", "web_search"}},
	} {
		m := script(answers("Hm."))
		hear(t.Context(), found(t, Default(), m, tt.box), order)
		var offered []string
		for _, spec := range m.asked[0].Tools {
			offered = append(offered, spec.Name)
		}
		slices.Sort(offered)
		slices.Sort(tt.want)
		if !slices.Equal(offered, tt.want) {
			t.Errorf("%s: offered are %q, want %q", name, offered, tt.want)
		}
	}
}
