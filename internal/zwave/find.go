package zwave

import (
	"context"
	"strings"

	"voicegateway/internal/home/form"
)

// exact returns the entities with a name: the entity's own name, id or alias, or its name
// with the area before it. Accents and signs may be missing if the rest is the name of
// only one entity.
func (m *model) exact(name string) []*entity {
	if found := m.names.Spelt(name); len(found) > 0 || len(m.wholeNodes[form.Fold(name)]) > 0 {
		return found
	}
	return m.names.Exact(name)
}

// resolve finds the one entity with a name; a refusal says why there is none, or
// which entities could be meant.
func (d *directory) resolve(ctx context.Context, name string) (*model, *entity, []string, error) {
	m, err := d.ready(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if strings.TrimSpace(name) == "" {
		return m, nil, nil, form.Refuse("Say which device you mean.")
	}
	found, whole := m.exact(name), m.wholeNodes[form.Fold(name)]
	if len(found) == 0 && len(whole) == 0 {
		m = d.afterMiss(ctx)
		found, whole = m.exact(name), m.wholeNodes[form.Fold(name)]
	}
	switch {
	case len(found) == 1:
		return m, found[0], nil, nil
	case len(found) == 0 && len(whole) > 0:
		e, near, err := d.wholeEntity(m, whole)
		return m, e, near, err
	case len(found) == 0:
		near := namesOf(m, m.names.Similar(name))
		if len(near) == 0 {
			return m, nil, nil, form.Refuse("There is no device called %q.", name)
		}
		return m, nil, near, form.Refuse("There is no device called %q. Did you mean %s?", name, form.OrList(near))
	}
	var which []string
	for _, e := range found {
		which = append(which, m.distinctName(e))
	}
	return m, nil, which, form.Refuse("There are %d devices called %q: %s. Say which one.", len(found), name, strings.Join(which, ", "))
}

// distinctName returns a name that tells an entity from others with the same
// name: with the area where that is enough, else the id, which is a valid name as
// well.
func (m *model) distinctName(e *entity) string {
	if area := e.node.area(); area != "" {
		name := area + " " + e.Name
		if len(m.exact(name)) == 1 {
			return name
		}
	}
	return e.ID
}
