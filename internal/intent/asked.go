package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// Slots of a question about kinds of things: which kind, in which state, and whether it
// asks about all of them, any, which or how many.
const (
	slotKind  = "kind"
	slotState = "state"
	slotAsk   = "ask"
	// slotWithin is house where a question is not about the room alone.
	slotWithin = "within"
)

// singular are the kinds that sentences name by other words than the domains of
// their things, because those words alone name a kind in commands.
var singular = map[string]string{"lights": "light", "fans": "fan"}

// askedLists begins the names of the lists that only questions about kinds of things
// use.
const askedLists = "asked_"

// everything is the kind of a question about the whole house.
const everything = "everything"

// fits reports whether an entity belongs to what a question is about.
type fits func(*home.Entity) bool

// findAsked finds the things that a question about a kind of things is about. A
// question about a state that such things do not have goes to the model.
func (x *meaning) findAsked(kind string) Decision {
	state, _ := x.action.Slots[slotState].(string)
	if one := singular[kind]; one != "" {
		kind = one
		x.action.Slots[slotKind] = kind
	}
	belongs := thingsAsked(kind, state)
	if belongs == nil {
		return Decision{Route: Model, Reason: NoSentence, NeedHouse: x.m.house.Empty()}
	}
	x.action.Slots[slotState] = axisOf(kind, state)
	one, wide := x.asksOfOne(kind), x.action.Slots[slotWithin] != nil // "anywhere", "in the house"
	delete(x.action.Slots, slotWithin)
	if x.action.Slots[slotAsk] == nil {
		x.action.Slots[slotAsk] = impliedQuantity(state)
	}
	items := x.place(x.m.allAsked(kind, belongs))
	besides := x.besides(kind, state, items)
	if x.area == "" && x.floor == "" && x.p.block.Meta.Scope == "room" && !wide && (one || isRoomKind(kind)) {
		items = x.nearest(items, one)
	}
	if len(items) == 0 {
		items, besides = besides, nil
	}
	if len(items) == 0 {
		return x.lacks(kind)
	}
	if !one || len(items) > 1 {
		x.action.Besides = x.ids(besides)
	}
	return x.finish(items)
}

// ofKind finds what there is of a kind, whatever its state: "what lights are there".
func (x *meaning) ofKind(kind string) Decision {
	delete(x.action.Slots, slotWithin)
	if one := singular[kind]; one != "" {
		kind = one
	}
	items := x.place(x.m.every(func(e *home.Entity) bool { return isOfKind(e, kind) }))
	if len(items) == 0 {
		return x.reject(NoDevice, x.askedWords())
	}
	return x.finish(items)
}

// lacks rejects a question about a kind of which the place has nothing that tells its
// state.
func (x *meaning) lacks(kind string) Decision {
	if x.area == "" && x.floor == "" && (alarms[kind] != nil || len(x.m.every(func(e *home.Entity) bool { return isOfKind(e, kind) })) > 0) {
		return x.reject(NoSensor, x.askedWords())
	}
	return x.reject(NoDevice, x.askedWords())
}

// allAsked lists all things of the house that a question about a kind is about.
func (v *inventory) allAsked(kind string, belongs fits) []int32 {
	all := v.every(belongs)
	switch kind {
	case "battery":
		return v.batteries(all)
	case "gate":
		return v.gatesFirst(all)
	}
	return all
}

// besides finds the further things that a question is also about.
func (x *meaning) besides(kind, state string, others []int32) []int32 {
	belongs := furtherThings(kind, state)
	if belongs == nil {
		return nil
	}
	return slices.DeleteFunc(x.place(x.m.every(belongs)), func(i int32) bool { return slices.Contains(others, i) })
}

// ids are the ids of some things.
func (x *meaning) ids(items []int32) []string {
	var out []string
	for _, i := range items {
		out = append(out, x.m.house.Entities[i].ID)
	}
	return out
}

// nearest keeps the things in the speaker's room. If there are none, the answer to a
// question about one thing names the rooms of the others.
func (x *meaning) nearest(items []int32, one bool) []int32 {
	if near := x.in(items, x.mic); len(near) > 0 {
		return near
	}
	x.action.Elsewhere = one && x.mic != ""
	return items
}

// asksOfOne reports whether a question is about the one window or door of a room: "is the
// window open", but not "are the windows open".
func (x *meaning) asksOfOne(kind string) bool {
	if kind != "window" && kind != "door" || x.action.Slots[slotAsk] != nil || x.m.index == nil {
		return false
	}
	if said := strings.Fields(x.m.pack.Texts["are"]); slices.ContainsFunc(strings.Fields(x.p.text), func(w string) bool { return slices.Contains(said, w) }) {
		return false
	}
	return !slices.ContainsFunc(strings.Fields(x.kindWords()), x.m.index.IsPlural)
}

// askedWords returns the words that named the kind of things in question.
func (x *meaning) askedWords() string {
	for i := range x.p.n {
		if c := &x.p.captures[i]; c.at.slot == slotKind {
			return x.p.text[c.start:c.end]
		}
	}
	return ""
}

// thingsAsked returns which things a question about a kind in a state is about; nil
// if that kind has no such state.
func thingsAsked(kind, state string) fits {
	ofKind := func(e *home.Entity) bool { return isOfKind(e, kind) }
	switch state {
	case "locked", "unlocked":
		return lockable(kind)
	case "open", "closed":
		return openable(kind, ofKind)
	case "on", "off":
		switch {
		case kind == everything || kind == "device":
			return func(e *home.Entity) bool { return slices.Contains(switched, e.Domain) && e.DeviceClass() != "siren" }
		case slices.Contains(switchable, kind) || alarms[kind] != nil:
			return ofKind
		}
	case "low", "full":
		if kind == "battery" {
			return ofKind
		}
	case "ok", "reachable", "unreachable":
		return ofKind
	case "shut":
		return func(e *home.Entity) bool { return isLock(e) || e.Opening() != 0 }
	case "right":
		return guards
	}
	return nil
}

// furtherThings returns the further things that a question about a kind in a state also
// covers, so that the answer gives no all-clear for things that the user means as well;
// nil if there are none.
func furtherThings(kind, state string) fits {
	switch state {
	case "open", "closed":
		switch {
		case kind == everything:
			return func(e *home.Entity) bool { return e.Domain == "cover" || e.Domain == "valve" || isLock(e) }
		case openings[kind]&home.AnyDoor == home.AnyDoor:
			return isLock // it tells at least whether a door is locked
		}
	case "locked", "unlocked":
		if kind == "door" || kind == everything { // a door without a lock may stand open
			return func(e *home.Entity) bool { return e.Opening()&openings[kind] != 0 }
		}
	case "on", "off":
		switch kind {
		case everything, "device":
			return func(e *home.Entity) bool { return isSiren(e) || e.Domain == "outlet" }
		case "alarm":
			return isSiren
		}
	}
	return nil
}

func isSiren(e *home.Entity) bool { return e.Domain == "siren" || e.DeviceClass() == "siren" }

// openable finds what of a kind can be open.
func openable(kind string, ofKind fits) fits {
	switch want := openings[kind]; {
	case kind == "lock":
		return isLock
	case want != 0:
		return func(e *home.Entity) bool { return e.Opening()&want != 0 }
	case kind == "valve" || slices.Contains(shades, kind):
		return ofKind
	}
	return nil
}

// guards reports whether a thing counts for the question whether all is well:
// scenes and the like have no state.
func guards(e *home.Entity) bool {
	return !slices.Contains([]string{"scene", "script", "person", "weather", "button", "todo", "calendar"}, e.Domain)
}

// lockable finds the locks of a kind of opening.
func lockable(kind string) fits {
	if kind == "lock" || kind == "door" || kind == everything {
		return isLock
	}
	if want := openings[kind]; want != 0 {
		return func(e *home.Entity) bool { return isLock(e) && home.OpeningOf(e.Name)&want != 0 }
	}
	return nil
}

func isLock(e *home.Entity) bool { return e.Domain == "lock" }

// openings are the openings of the house by kind. The kind gates is that of a
// language with one word for gates and garage doors.
var openings = map[string]home.Opening{
	"door": home.AnyDoor, "window": home.Window, "garage": home.Garage, "gate": home.GateWay | home.Garage, "gates": home.GateWay | home.Garage, "hatch": home.Hatch,
	"opening": home.AnyDoor | home.Window, everything: home.AnyDoor | home.Window,
}

// shades are the kinds of covers that keep the sun out.
var shades = []string{"blind", "curtain", "shutter", "awning"}

var (
	switched   = []string{"light", "switch", "fan", "media_player", "humidifier"}
	switchable = []string{"light", "switch", "fan", "climate"}
)

// alarms are the classes of the sensors of each kind of alarm.
var alarms = map[string][]string{
	"smoke": {"smoke", "heat"}, "carbon_monoxide": {"carbon_monoxide"}, "gas": {"gas"}, "heat": {"heat"},
	"moisture": {"moisture"}, "alarm": {"smoke", "heat", "carbon_monoxide", "gas", "moisture", "intrusion", "glass_break"}, "motion": {"motion", "occupancy", "presence"},
}

// kinds returns the things of each kind that is not a domain, whatever their state.
var kinds = map[string]fits{
	everything: guards,
	"device":   guards,
	"door":     func(e *home.Entity) bool { return isLock(e) || e.Opening()&home.AnyDoor != 0 },
	"battery":  func(e *home.Entity) bool { return e.DeviceClass() == "battery" || e.Can(home.Battery) },
	"switch":   func(e *home.Entity) bool { return e.Domain == "switch" || e.Domain == "outlet" },
	"sensor":   func(e *home.Entity) bool { return e.Domain == "sensor" || e.Domain == "binary_sensor" },
}

// isOfKind reports whether an entity is of a kind of things, whatever its state.
func isOfKind(e *home.Entity, kind string) bool {
	switch belongs := kinds[kind]; {
	case belongs != nil:
		return belongs(e)
	case openings[kind] != 0:
		return e.Opening()&openings[kind] != 0
	case alarms[kind] != nil:
		return e.Domain == "binary_sensor" && slices.Contains(alarms[kind], e.DeviceClass())
	case slices.Contains(shades, kind):
		return e.Domain == "cover" && e.Opening() == 0 && shadeKind(e, kind)
	}
	return e.Domain == kind
}

// shadeKind reports whether a cover is of a kind of shades. Servers tell blinds and
// shutters apart by English names alone, so both are one kind here.
func shadeKind(e *home.Entity, kind string) bool {
	class := e.DeviceClass()
	if kind == "curtain" || kind == "awning" {
		return class == kind || hasWord(e, kind)
	}
	return class != "curtain" && class != "awning"
}

// isRoomKind reports whether a question about a kind without a place is about the
// room of the microphone: "are the blinds down" is, "are the windows closed" is
// not.
func isRoomKind(kind string) bool {
	return openings[kind] == 0 && kind != "lock" && kind != "battery" && kind != "device" && alarms[kind] == nil
}

// axisOf is the word for a state that tools and other sentences use for a kind.
func axisOf(kind, state string) string {
	words := map[string]string{}
	switch kind {
	case "door", "window":
		words = map[string]string{"open": "on", "closed": "off"}
	case "lock":
		words = map[string]string{"open": "unlocked", "closed": "locked"}
	}
	if word := words[state]; word != "" {
		return word
	}
	return state
}

// impliedQuantity is what a question without "all" or "any" is about: whether all is as it
// should be, or whether anything is not.
func impliedQuantity(state string) string {
	switch state {
	case "locked", "closed", "shut", "off", "ok", "full", "reachable":
		return "all"
	}
	return "any"
}
