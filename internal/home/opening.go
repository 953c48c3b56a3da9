package home

import (
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/language/sentences"
)

// Opening says which openings of the house a thing can tell of. Several may be
// true at once: a French window is a door and a window.
type Opening uint8

// The openings. Zero stands for a thing that is not an opening, such as a lamp or a
// blind.
const (
	Door Opening = 1 << iota
	Window
	Garage
	GateWay
	Hatch

	// AnyDoor is what a family means by doors when it counts them.
	AnyDoor = Door | Garage | GateWay | Hatch
)

// openingClasses are the device classes of things that can be open.
var openingClasses = map[string]Opening{
	"door": Door, "window": Window, "garage": Garage, "garage_door": Garage, "gate": GateWay, "opening": Door, "hatch": Hatch,
}

// Opening returns which kind of opening an entity belongs to. Its name counts more than
// its class, because servers guess classes from English names only. Blinds, and things
// that cannot tell open from closed, belong to none.
func (e *Entity) Opening() Opening {
	class, isOpening := openingClasses[e.DeviceClass()]
	switch e.Domain {
	case "lock":
		if !e.Can(Contact) {
			return 0
		}
		class = Door
	case "cover":
		if !isOpening && e.Hazards()&Gate == 0 && (e.DeviceClass() != "" || IsShade(e.Name)) {
			return 0
		}
	case "binary_sensor":
		if !isOpening && (e.DeviceClass() != "" || !e.Can(Contact)) {
			return 0
		}
		if !isOpening {
			class = Door
		}
	default:
		return 0
	}
	if called := OpeningOf(append([]string{e.Name}, e.Aliases...)...); called != 0 {
		return called
	}
	return class
}

// OpeningOf returns which openings names tell of. A window in the garage is a
// window and not a garage, and a garage door is a garage.
func OpeningOf(called ...string) Opening {
	var all Opening
	for _, name := range called {
		for _, w := range splitName(name) {
			all |= openingWord(w)
		}
	}
	switch {
	case all&Window != 0:
		return all & (Window | Door)
	case all&Hatch != 0:
		return Hatch
	case all&GateWay != 0 && all&Garage == 0:
		return GateWay
	case all&Garage != 0:
		return Garage
	}
	return all & Door
}

func openingWord(w string) Opening {
	var all Opening
	for kind, list := range openingWords() {
		if slices.ContainsFunc(list, func(known string) bool { return isOrEnds(w, known) }) {
			all |= kind
		}
	}
	return all
}

// isOrEnds reports whether a word is a known one, or a compound that ends ("-tor")
// or begins ("garagen-") with it.
func isOrEnds(w, known string) bool {
	tail, isTail := strings.CutPrefix(known, "-")
	begin, isBegin := strings.CutSuffix(known, "-")
	switch {
	case isTail:
		return len(w) > len(tail)+2 && strings.HasSuffix(w, tail)
	case isBegin:
		return strings.HasPrefix(w, begin)
	}
	return w == known
}

// openingWords are the words of all our languages for openings.
var openingWords = sync.OnceValue(func() map[Opening][]string {
	out := make(map[Opening][]string)
	for _, w := range sentences.EveryWords() {
		o := &w.Openings
		for kind, list := range map[Opening]sentences.List{Door: o.Door, Window: o.Window, Garage: o.Garage, GateWay: o.Gate, Hatch: o.Hatch} {
			out[kind] = append(out[kind], list...)
		}
	}
	return out
})
