package rehearsal_test

import (
	"fmt"
	"slices"
	"testing"

	"voicegateway/internal/ear/rehearsal"
	"voicegateway/internal/home"
)

// Other names are the nearest first, never the thing's own or another thing's.
func TestCandidates(t *testing.T) {
	t.Parallel()
	h := &home.House{
		Areas: []home.Area{{Name: "Office"}},
		Entities: []home.Entity{
			{ID: "1", Name: "Den Light", Domain: "light", Area: "Office", Aliases: []string{"Reading Lamp"}},
			{ID: "2", Name: "Den Lamp", Domain: "light"},
			{ID: "3", Name: "✨", Domain: "switch"},
			{ID: "4", Name: "Van", Domain: "switch", Area: "Office"},
		},
	}
	known, proposed := rehearsal.Candidates(h, h.Entities[0], "en")
	if !slices.Equal(known, []string{"reading lamp"}) || len(proposed) == 0 || proposed[0] != "den lighting" || slices.Contains(proposed, "den lamp") {
		t.Errorf("known %q, proposed %q", known, proposed)
	}
	for _, language := range []string{"en", "de", "fr", "es"} {
		for _, e := range h.Entities {
			_, proposed := rehearsal.Candidates(h, e, language)
			if len(proposed) == 0 && e.ID != "3" {
				t.Errorf("%s: no other name for %s", language, e.Name)
			}
		}
		if len(rehearsal.Sentences(language, "Lamp")) == 0 {
			t.Errorf("%s: nothing is said of a name", language)
		}
	}
}

func ExampleSentences() {
	fmt.Println(rehearsal.Sentences("en", "Den Light")[0])
	// Output: turn on the den light
}
