package zwave

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// groupLimit is how many devices one call may act on; any number of lights may be
// turned off (S3). A host that wants more asks its user and names the devices.
const groupLimit = 5

// group returns the devices for a name that means several: "kitchen lights", "lights in
// the kitchen", a room's name alone for its lights, or several names with commas or
// "and". It is empty if the name means one device. An unknown area or name never makes
// the group larger.
func (m *model) group(name string) []*entity {
	key := groupKey(name)
	kind, area, isType := m.typed(key)
	if isType && area == m.area(key) {
		return m.ofType(kind, area)
	}
	if whole := m.wholeNodes[key]; len(whole) == 1 {
		return m.controllable(whole[0]) // all outlets of a power strip
	}
	if isType {
		return m.ofType(kind, area)
	}
	for _, and := range conjunctions() {
		key = strings.ReplaceAll(key, " "+and+" ", ",")
	}
	parts := strings.FieldsFunc(key, func(r rune) bool { return r == ',' })
	if len(parts) < 2 {
		return nil
	}
	var out []*entity
	for _, part := range parts {
		found := m.exact(part)
		if len(found) != 1 {
			return nil
		}
		if !slices.Contains(out, found[0]) {
			out = append(out, found[0])
		}
	}
	return out
}

// conjunctions are the words of our languages that join names.
var conjunctions = sync.OnceValue(func() sentences.List {
	return sentences.Every(func(w *sentences.Words) sentences.List { return w.Hazards.Conjunctions })
})

// members returns the devices for a name that no device has, but that means several.
func (m *model) members(name string) []*entity {
	if len(m.exact(name)) > 0 {
		return nil
	}
	return m.group(name)
}

// groupKey folds a name and drops words for quantity, such as "all".
func groupKey(name string) string {
	key := fold(name)
	for _, word := range []string{"all of ", "all ", "every ", "the "} {
		key = strings.TrimPrefix(key, word)
	}
	return key
}

// typed reads a name that means all devices of a type in an area; the area alone
// means its lights.
func (m *model) typed(key string) (kind, area string, ok bool) {
	if area := m.area(key); area != "" {
		return "light", area, true
	}
	kind, area, ok = cutGroup(key)
	area = m.area(area)
	return kind, area, ok && area != ""
}

// emptyGroup returns a refusal for a group without members; nil where the name is
// no group.
func (m *model) emptyGroup(name string) error {
	key := groupKey(name)
	kind, area, ok := m.typed(key)
	if !ok || len(m.wholeNodes[key]) > 0 || len(m.ofType(kind, area)) > 0 {
		return nil
	}
	return refuse("There is no %s in %s.", nounOf(kind), area)
}

// cutGroup splits "kitchen lights" and "lights in the kitchen".
func cutGroup(key string) (kind, area string, ok bool) {
	if before, after, found := strings.Cut(key, " in "); found {
		kind, ok = typeOf(before)
		return kind, after, ok
	}
	if i := strings.LastIndexByte(key, ' '); i > 0 {
		kind, ok = typeOf(key[i+1:])
		return kind, key[:i], ok
	}
	return "", "", false
}

func (m *model) ofType(kind, area string) []*entity {
	var out []*entity
	for _, e := range m.entities {
		if e.Domain == kind && e.node.area() == area {
			out = append(out, e)
		}
	}
	return out
}

// commandGroup runs one command for several devices at the same time, each in its
// place; the receipt holds a receipt for each device. Dangerous acts are for one device
// at a time.
func (c *commander) commandGroup(ctx context.Context, m *model, members []*entity, places []*order.Place, a controlArgs) (tools.Receipt, error) {
	for _, place := range places {
		defer place.Pass()
	}
	r := tools.Receipt{Device: a.Device, Property: a.Action}
	lights := !slices.ContainsFunc(members, func(e *entity) bool { return e.Domain != "light" })
	if len(members) > groupLimit && (!lights || a.Action != "off") {
		r.Suggestions = namesOf(m, members)
		return endReceipt(r, tools.Refused, tools.RefusedAction, fmt.Sprintf("That would be %d devices at once; I do at most %d. Name the ones you mean.", len(members), groupLimit)), nil
	}
	r.Devices = make([]tools.Receipt, len(members))
	errs := make([]error, len(members))
	var wg sync.WaitGroup
	for i, e := range members {
		wg.Go(func() { r.Devices[i], errs[i] = c.commandOne(ctx, places[i], m, e, a, false) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return r, err
		}
	}
	return sumReceipts(r), nil
}

// worse lists the outcomes from best to worst: the outcome of a group is that of
// its worst member.
var worse = []tools.Outcome{tools.Confirmed, tools.Queued, tools.Accepted, tools.Refused, tools.NoAnswer}

// sumReceipts makes the receipt of a group out of its members'.
func sumReceipts(r tools.Receipt) tools.Receipt {
	r.Outcome = tools.Confirmed
	for _, d := range r.Devices {
		if slices.Index(worse, d.Outcome) > slices.Index(worse, r.Outcome) || d.Outcome == r.Outcome && r.Reason == "" {
			r.Outcome, r.Reason = d.Outcome, d.Reason
		}
		if !d.PublishedAt.IsZero() && (r.PublishedAt.IsZero() || d.PublishedAt.Before(r.PublishedAt)) {
			r.PublishedAt = d.PublishedAt
		}
		r.MS = max(r.MS, d.MS)
	}
	if len(r.Devices) == 1 { // the receipt of the only member is that of the group
		one := r.Devices[0]
		one.Device, one.Devices = r.Device, r.Devices
		return one
	}
	r.Message = summary(r.Devices)
	return r
}

// summary says what the members of a group did, those who did not do it by name.
func summary(devices []tools.Receipt) string {
	var troubles, dead, unknown []string
	done := 0
	for _, d := range devices {
		if d.Outcome == tools.Confirmed {
			done++
		}
		trouble, _, unsure := strings.Cut(d.Message, gotIt)
		switch {
		case d.Reason == tools.Dead:
			dead = append(dead, d.Device)
			continue
		case d.Outcome == tools.Confirmed && d.Reason == "":
			continue
		case unsure:
			unknown = append(unknown, d.Device)
		}
		if !slices.Contains(troubles, trouble) { // a fault of the network is reported once
			troubles = append(troubles, trouble)
		}
	}
	if len(dead) == 1 {
		troubles = append(troubles, notAnswering(dead[0]))
	} else if len(dead) > 1 {
		troubles = append(troubles, andList(dead)+" do not answer. Check that they have power, then try again.")
	}
	if len(unknown) > 0 {
		troubles = append(troubles, strings.TrimSpace(gotIt)+" "+andList(unknown)+" got the command.")
	}
	if len(troubles) == 0 {
		return fmt.Sprintf("All %d have done it.", done)
	}
	return fmt.Sprintf("%d of %d have done it. %s", done, len(devices), strings.Join(troubles, " "))
}

// gotIt begins the end of a message about a command that may have been lost.
const gotIt = " I do not know whether "

func andList(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func namesOf(m *model, list []*entity) []string {
	out := make([]string, 0, len(list))
	for _, e := range list {
		name := e.Name
		if m.identifier(e) != name {
			name = m.distinctName(e)
		}
		out = append(out, name)
	}
	return out
}
