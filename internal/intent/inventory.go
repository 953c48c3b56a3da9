package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/names"
)

// inventory finds the things of the house by their kinds, as the pack's language names
// them. A thing is given by its index in the house.
type inventory struct {
	pack  *Pack
	house *home.House
	// coverClass is what hangs before a window, by entity: blind, curtain …; ""
	// for anything else.
	coverClass []string
}

// batteries keeps one thing for each battery: if a lock's battery has its own sensor, the
// sensor is kept.
func (v *inventory) batteries(items []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(items), func(i int32) bool {
		e := &v.house.Entities[i]
		head := names.Normalise(e.Name)
		return e.DeviceClass() != "battery" && slices.ContainsFunc(items, func(j int32) bool {
			other := &v.house.Entities[j]
			words := names.Normalise(other.Name)
			return other.DeviceClass() == "battery" && e.Server == other.Server && len(words) > len(head) && slices.Equal(words[:len(head)], head)
		})
	})
}

// gatesFirst keeps only the gates if the house has any. In a house without one,
// families call the garage door a gate.
func (v *inventory) gatesFirst(items []int32) []int32 {
	gates := slices.DeleteFunc(slices.Clone(items), func(i int32) bool { return v.house.Entities[i].Opening()&home.GateWay == 0 })
	if len(gates) == 0 {
		return items
	}
	return gates
}

// every lists the things of the house that belong to a question.
func (v *inventory) every(belongs fits) []int32 {
	var out []int32
	for i := range v.house.Entities {
		if belongs(&v.house.Entities[i]) {
			out = append(out, int32(i))
		}
	}
	return out
}

// kindredCovers finds the covers that a family may call by the word for a class although they
// have another class, or none that is known.
func (v *inventory) kindredCovers(class string) []int32 {
	var out []int32
	for i := range v.house.Entities {
		e := &v.house.Entities[i]
		own := v.coverClass[i]
		if coverings[class] != nil && e.Domain == "cover" && !keepsOut(e) && (own == "" || slices.Contains(coverings[class], own)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// sensorsFirst keeps only the sensors, if there are any: thermostats measure the
// same thing.
func (v *inventory) sensorsFirst(items []int32) []int32 {
	isSensor := func(i int32) bool { return v.house.Entities[i].Domain == "sensor" }
	if !slices.ContainsFunc(items, isSensor) {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), func(i int32) bool { return !isSensor(i) })
}

// outside keeps what is outdoors by its name or area.
func (v *inventory) outside(items []int32) []int32 {
	words := strings.Fields(v.pack.Texts["outside"])
	var out []int32
	for _, i := range items {
		e := &v.house.Entities[i]
		for _, w := range append(names.Normalise(e.Name), names.Normalise(e.Area)...) {
			if slices.Contains(words, w) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// ofKind finds the things of the domain and class a sentence asks for; class may
// be a list of classes.
func (v *inventory) ofKind(domain string, class any) []int32 {
	classes, several := class.([]any)
	if !several {
		classes = []any{class}
	}
	var out []int32
	for i := range v.house.Entities {
		if slices.ContainsFunc(classes, func(c any) bool {
			one, _ := c.(string)
			if domain == "" && one == "temperature" && v.ofVessel(&v.house.Entities[i]) {
				return false
			}
			if own := v.coverClass[i]; own != "" && coverings[one] != nil && domain == "cover" {
				return own == one
			}
			return isKind(&v.house.Entities[i], domain, one)
		}) {
			out = append(out, int32(i))
		}
	}
	return out
}

// ofVessel reports whether a sensor is called after something that has a temperature of
// its own, such as a fridge or a boiler, and so tells nothing of its room.
func (v *inventory) ofVessel(e *home.Entity) bool { return len(v.pack.vessels(e)) > 0 }

// vessels lists what a sensor is in that has a temperature of its own, as it is called for
// short: "freezer" for the sensor "Chest Freezer", "kühlschrank" for "Weinkühlschrank".
func (p *Pack) vessels(e *home.Entity) (short []string) {
	if e.Domain != "sensor" {
		return nil
	}
	for _, w := range names.Normalise(e.Name) {
		for vessel := range strings.FieldsSeq(p.Texts["vessels"]) {
			switch {
			case strings.HasPrefix(w, vessel):
				short = append(short, w)
			case strings.HasSuffix(w, vessel):
				short = append(short, vessel)
			}
		}
	}
	return short
}

// mains keeps the valves that shut off the water of the house, which it knows by
// class or name. If there are none it keeps all.
func (v *inventory) mains(items []int32) []int32 {
	words := strings.Fields(v.pack.Texts["water"])
	var out []int32
	for _, i := range items {
		if e := &v.house.Entities[i]; e.DeviceClass() == "water" || slices.ContainsFunc(words, func(w string) bool { return hasWord(e, w) }) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return items
	}
	return out
}

// namesOneOf reports whether a thing of the house has one of the words in its name.
func (v *inventory) namesOneOf(words string) bool {
	for w := range strings.FieldsSeq(words) {
		if len(v.every(func(e *home.Entity) bool { return hasWord(e, w) })) > 0 {
			return true
		}
	}
	return false
}
