package past

import (
	"bytes"
	"slices"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/plan"
)

// Mending is the plan that turns what was done into what was meant.
type Mending struct {
	Back   []plan.Step // put things back that were not meant
	Denied []plan.Step // would do so, but are dangerous
	Rest   []int       // indices of the meant steps that were not made yet
}

// Mend plans how to correct an act, from what was done (deeds and made) to what was
// meant. A thing that was meant is not put back first, because the right command follows
// anyway.
func Mend(h *home.House, deeds []Deed, made, meant []plan.Step) Mending {
	var c Mending
	var things []string
	for i := range meant {
		if e := meant[i].Entity; e != nil {
			things = append(things, e.ID)
		}
		if !slices.ContainsFunc(made, func(m plan.Step) bool { return sameStep(&m, &meant[i]) }) {
			c.Rest = append(c.Rest, i)
		}
	}
	_, others := Apart(deeds, things)
	c.Back, c.Denied = PlanUndo(h, others)
	return c
}

// sameStep reports whether two steps do the same to the same thing.
func sameStep(a, b *plan.Step) bool {
	one, other := a.PlannedCall(), b.PlannedCall()
	return a.Action.Intent == b.Action.Intent && sameThing(a.Entity, b.Entity) && one.Server == other.Server && one.Tool == other.Tool && bytes.Equal(one.Args, other.Args)
}

// sameThing reports whether two entities are one thing: of one that stands elsewhere a plan
// has a copy.
func sameThing(a, b *home.Entity) bool { return a == b || a != nil && b != nil && a.ID == b.ID }
