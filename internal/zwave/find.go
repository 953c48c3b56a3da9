package zwave

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// nameMissWait is how long a call waits for a fresh list after a name miss: the
// device may have been renamed a moment ago.
const nameMissWait = 2 * time.Second

// match is a candidate for a name, with how well it fits from 0 to 1.
type match struct {
	entity *entity
	score  float64
}

// exact returns the entities that go by a name: the entity's own name, id or
// alias, or its name with the area before it.
func (m *model) exact(name string) []*entity {
	key := fold(name)
	if found := m.names[key]; len(found) > 0 {
		return found
	}
	return m.rooms[key]
}

// similar returns the best candidates for a name that is not exact, best first.
func (m *model) similar(name string, most int) []match {
	key := fold(name)
	var out []match
	for _, e := range m.entities {
		best := 0.0
		for _, other := range e.folded {
			best = max(best, likeness(key, other))
		}
		if best >= 0.5 {
			out = append(out, match{e, best})
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), most)]
}

// likeness compares folded names: by spelling and by the words they share,
// whichever is kinder.
func likeness(a, b string) float64 {
	if a == b {
		return 1
	}
	if len(a) > 200 || len(b) > 200 || a == "" || b == "" {
		return 0
	}
	distance := levenshtein.ComputeDistance(a, b)
	spelling := 1 - float64(distance)/float64(max(len([]rune(a)), len([]rune(b))))
	x, y := strings.Fields(a), strings.Fields(b)
	shared := 0.0
	for _, w := range x {
		top := 0.0
		for _, v := range y {
			d := float64(levenshtein.ComputeDistance(w, v))
			top = max(top, 1-d/float64(max(len([]rune(w)), len([]rune(v)))))
		}
		if top >= 0.6 {
			shared += top
		}
	}
	return max(spelling, 0.95*2*shared/float64(len(x)+len(y)))
}

// resolve finds the one entity of a name; a refusal tells why there is none or
// which ones could be meant.
func (h *House) resolve(ctx context.Context, name string) (*model, *entity, []string, error) {
	m, err := h.ready(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if strings.TrimSpace(name) == "" {
		return m, nil, nil, refuse("Say which device you mean.")
	}
	found := m.exact(name)
	if len(found) == 0 {
		m = h.afterMiss(ctx)
		found = m.exact(name)
	}
	switch len(found) {
	case 1:
		return m, found[0], nil, nil
	case 0:
		near := names(m, m.similar(name, 3))
		if len(near) == 0 {
			return m, nil, nil, refuse("There is no device called %q.", name)
		}
		return m, nil, near, refuse("There is no device called %q. Did you mean %s?", name, orList(near))
	}
	var which []string
	for _, e := range found {
		which = append(which, e.describe())
	}
	return m, nil, which, refuse("There are %d devices called %q: %s. Say which one.", len(found), name, strings.Join(which, ", "))
}

// describe tells an entity from others of its name.
func (e *entity) describe() string {
	if area := e.node.area(); area != "" {
		return area + " " + e.Name
	}
	return e.ID
}

func names(m *model, found []match) []string {
	out := make([]string, 0, len(found))
	for _, f := range found {
		name := f.entity.Name
		if m.handle(f.entity) != name {
			name = f.entity.describe()
		}
		out = append(out, name)
	}
	return out
}

func orList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// ready returns the model, waiting a moment for the first one.
func (h *House) ready(ctx context.Context) (*model, error) {
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	select {
	case <-h.loaded:
		return h.current(), nil
	default:
	}
	select {
	case <-h.loaded:
		return h.current(), nil
	case <-ctx.Done():
	case <-t.C:
	}
	_, err := h.link.gateway()
	return nil, refusal("I do not know the house yet. " + h.trouble(cmp.Or(err, errNoAnswer)))
}

// afterMiss asks for a fresh list and waits for it, unless one came just now.
func (h *House) afterMiss(ctx context.Context) *model {
	m := h.current()
	if time.Since(m.at) < refreshPause {
		return m
	}
	h.askRefresh()
	t := time.NewTimer(nameMissWait)
	defer t.Stop()
	select {
	case <-m.replaced:
	case <-ctx.Done():
	case <-t.C:
	}
	return h.current()
}
