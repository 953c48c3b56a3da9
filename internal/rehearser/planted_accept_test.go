//go:build accept

package rehearser_test

import (
	"slices"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/rehearsal"
	"voicegateway/internal/rehearser"
)

// TestAcceptPlantedNames: of names that sound alike those are found that this recogniser cannot
// tell apart, another name is proposed for most, and with these in the house the second
// rehearsal finds the thing by it. Names that do not sound alike are not complained of.
func TestAcceptPlantedNames(t *testing.T) {
	cfg := config(t, "flite")
	h := plantedHouse()
	first, err := rehearser.Rehearse(t.Context(), cfg, h)
	if err != nil {
		t.Fatal(err)
	}
	found, proposed := 0, 0
	for _, pair := range planted {
		if slices.ContainsFunc(first.Confused, func(c rehearsal.Confusion) bool { return c.Name == pair[0] || c.Name == pair[1] }) {
			found++
		} else {
			t.Logf("told apart: %v", pair)
		}
	}
	mended := plantedHouse()
	for _, c := range first.Confused {
		t.Logf("%q was heard as %q (%v): call it %q", c.Said, c.Heard, c.With, c.Alias)
		if c.Known {
			t.Errorf("%s has no other name in this house, and %q is said to be one", c.Name, c.Alias)
		}
		if slices.Contains(plain, c.Name) {
			t.Errorf("%s sounds like nothing else here, and is said to be confused with %v", c.Name, c.With)
		}
		if c.Alias == "" {
			continue
		}
		proposed++
		i := slices.IndexFunc(mended.Entities, func(e home.Entity) bool { return e.ID == c.ID })
		mended.Entities[i].Aliases = append(mended.Entities[i].Aliases, c.Alias)
	}
	second, err := rehearser.Rehearse(t.Context(), cfg, mended)
	if err != nil {
		t.Fatal(err)
	}
	healed := 0
	for _, c := range second.Confused {
		if c.Mended() {
			healed++
		}
	}
	t.Logf("%d of %d planted pairs found, %d names confused, %d with a proposal; of these %d are heard in the mended house, %d names stay confused", found, len(planted), len(first.Confused), proposed, healed, len(second.Confused)-healed)
	if found == 0 {
		t.Error("none of the planted pairs was found")
	}
	if proposed*10 < len(first.Confused)*8 || healed*10 < proposed*8 {
		t.Errorf("of %d confused names %d got a proposal and %d are mended by it, expected eight in ten each", len(first.Confused), proposed, healed)
	}
	words := map[string]bool{}
	for _, w := range first.Unknown {
		words[w.Word] = true
	}
	if !words["zelbo"] || !words["selbo"] || words["light"] || words["coffee"] {
		t.Errorf("words that no dictionary has: %+v", first.Unknown)
	}
}
