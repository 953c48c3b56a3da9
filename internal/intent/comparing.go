package intent

import "slices"

// Slots of a question that compares rooms: whether it asks for the most or the least of a
// measurement, and which rooms it names; none means all.
const (
	slotCompare = "compare"
	slotAreas   = "areas"
	slotHere    = "here" // the room of the speaker is compared, too
)

// comparison finds the sensors of the rooms that a question compares.
func (x *meaning) comparison() Decision {
	class, _ := x.action.Slots["device_class"].(string)
	rooms, named := x.rooms(), true
	if x.action.Slots[slotHere] != nil {
		delete(x.action.Slots, slotHere)
		if x.mic == "" {
			return Decision{Route: Ask, Reason: WhichArea, Question: x.m.pack.Texts["which_area"]}
		}
		rooms = append([]string{x.mic}, rooms...)
	}
	if len(rooms) == 0 {
		rooms, named = x.m.areas, false
	}
	all := x.m.ofKind("", class)
	outside := x.m.outside(all)
	var items []int32
	for _, room := range rooms {
		here := x.m.sensorsFirst(x.in(all, room))
		for _, i := range here {
			if named || !slices.Contains(outside, i) {
				items = append(items, i)
			}
		}
	}
	delete(x.action.Slots, "area")
	if named {
		x.action.Slots[slotAreas] = rooms
	}
	if len(items) == 0 {
		return x.reject(NoSensor, "")
	}
	return x.finish(items)
}

// rooms are the areas that a sentence names, in its order.
func (x *meaning) rooms() []string {
	var out []string
	for i := range x.p.n {
		if c := &x.p.captures[i]; c.at.op == opArea && !c.unknown {
			out = append(out, x.m.areas[c.value])
		}
	}
	return out
}
