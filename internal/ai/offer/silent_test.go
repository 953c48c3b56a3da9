package offer_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/ai/offer"
	"voicegateway/internal/tools"
)

// TestANameIsNoOrder: foreign tools whose names say what to do with a thing of the house
// are left out, and those that only share a word with it stay.
func TestANameIsNoOrder(t *testing.T) {
	t.Parallel()
	house := []string{"Office Fan", "Garden", "Café-Lampe"}
	tests := map[string]struct {
		spec   tools.Spec
		silent bool
	}{
		"an order":                       {tools.Spec{Name: "set_in_motion_the_office_fan", Risk: tools.Read}, true},
		"an order in one word":           {tools.Spec{Name: "turnOnTheOfficeFanNow", Risk: tools.Costly}, true},
		"a short one":                    {tools.Spec{Name: "start_office_fan", Risk: tools.Read}, true},
		"a script of a server that acts": {tools.Spec{Name: "start_office_fan", Risk: tools.Costly}, false},
		"for a room":                     {tools.Spec{Name: "light_up_the_garden", Risk: tools.Read}, true},
		"about such a place":             {tools.Spec{Name: "garden_tips", Risk: tools.Read}, false},
		"about another":                  {tools.Spec{Name: "find_recipes_for_four_people", Risk: tools.Read}, false},
		"a part of the name":             {tools.Spec{Name: "fan_of_the_day_in_office", Risk: tools.Read}, false},
		"in another script":              {tools.Spec{Name: "mach_die_café_lampe_an", Risk: tools.Read}, true},
		"an argument":                    {tools.Spec{Name: "menu", Risk: tools.Read, Input: json.RawMessage(`{"type":"object","properties":{"now_launch_the_office_fan":{"type":"string"}}}`)}, true},
		"a choice":                       {tools.Spec{Name: "menu", Risk: tools.Read, Input: json.RawMessage(`{"type":"object","properties":{"a":{"enum":["boost-the-office-fan"]}}}`)}, true},
		"other arguments":                {tools.Spec{Name: "menu", Risk: tools.Read, Input: json.RawMessage(`{"type":"object","properties":{"office":{"type":"string"},"fan":{"type":"string"}}}`)}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if left := offer.DropOrders([]tools.Spec{tt.spec}, strange, house); (len(left) == 0) != tt.silent {
				t.Errorf("left are %v", left)
			}
			if left := offer.DropOrders([]tools.Spec{tt.spec}, func(*tools.Spec) bool { return false }, house); len(left) != 1 {
				t.Error("one of the house's own is left out")
			}
		})
	}
}
