package answer_test

import (
	"context"
	"testing"

	"voicegateway/internal/answer"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/record"
)

// TestTwoLampsOfOneNameAreAskedAboutByTheirRooms: what tells two things of one name
// apart is named in the question.
func TestTwoLampsOfOneNameAreAskedAboutByTheirRooms(t *testing.T) {
	t.Parallel()
	for want, areas := range map[string][2]string{
		"Do you mean the bedroom lamp or the kitchen lamp?": {"Bedroom", "Kitchen"},
		"Which one do you mean?":                            {"Garden", "Garden"},
	} {
		h := &home.House{}
		for i, area := range areas {
			e := lamp("Lamp", "zwave")
			e.ID, e.Area = e.ID+string(rune('1'+i)), area
			h.Entities = append(h.Entities, e)
		}
		n := needs(t, h, &fake.Assistant{}, &fake.Caller{AwaitFunc: func(context.Context, answer.Need) error { return nil }})
		if rec := n.ask(t, "turn on the lamp"); rec.Reply != want || rec.Outcome != record.Asked {
			t.Errorf("%s: %q, want %q", rec.Outcome, rec.Reply, want)
		}
	}
}
