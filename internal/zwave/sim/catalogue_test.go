package sim

import (
	"testing"

	"voicegateway/internal/zwave/wire"
)

// TestCatalogueIsWhole demands that the embedded file can be read and that every
// reference in it has a target.
func TestCatalogueIsWhole(t *testing.T) {
	c, err := readCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"identity": true, "battery": true, "wake_up": true}
	for name, k := range c.Kinds {
		for _, part := range k.Parts {
			used[part] = true
			if len(c.Parts[part]) == 0 {
				t.Errorf("the kind %s has the part %q, which has no values", name, part)
			}
		}
	}
	for part, values := range c.Parts {
		if !used[part] {
			t.Errorf("no kind has the part %q", part)
		}
		for _, v := range values {
			id, ok := wire.ParseValueID(2, v.ID)
			if !ok || c.Classes[id.Class].Name == "" || v.Label == "" || v.Type == "" || v.Rank >= len(values) {
				t.Errorf("the part %s has the value %+v", part, v)
			}
		}
	}
}

func TestStateSpellings(t *testing.T) {
	house, err := ParseHouse([]byte("nodes: [{id: 2, kind: switch, extra: [{id: 112-0-1, type: number, states: [{text: Dim, value: 1}, Bright: 2]}]}]"))
	if err != nil {
		t.Fatal(err)
	}
	if got := house.Nodes[0].Extra[0].States; len(got) != 2 || got[0] != (state{"Dim", 1}) || got[1] != (state{"Bright", 2}) {
		t.Errorf("the states are %+v", got)
	}
	if _, err := ParseHouse([]byte("nodes: [{id: 2, kind: switch, extra: [{id: 112-0-1, type: number, states: [{text: Dim, level: 1}]}]}]")); err == nil {
		t.Error("a state with an unknown member was taken")
	}
}
