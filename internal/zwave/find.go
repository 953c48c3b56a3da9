package zwave

import (
	"context"
	"strings"
)

// match is a candidate for a name, with how well it fits from 0 to 1.
type match struct {
	entity *entity
	score  float64
}

// exact returns the entities with a name: the entity's own name, id or alias, or its name
// with the area before it. Accents and signs may be missing if the rest is the name of
// only one entity.
func (m *model) exact(name string) []*entity {
	key := fold(name)
	if found := m.names[key]; len(found) > 0 {
		return found
	}
	if found := m.rooms[key]; len(found) > 0 {
		return found
	}
	if found := m.plain[plainName(name)]; len(found) == 1 && len(m.wholeNodes[key]) == 0 {
		return found
	}
	return nil
}

// similar returns the best candidates for a name that is not exact, best first.
func (m *model) similar(name string) []match { return m.spelling.similar(fold(name), suggestions) }

// suggestions is how many names are offered in place of an unknown one.
const suggestions = 3

// resolve finds the one entity with a name; a refusal says why there is none, or
// which entities could be meant.
func (d *directory) resolve(ctx context.Context, name string) (*model, *entity, []string, error) {
	m, err := d.ready(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if strings.TrimSpace(name) == "" {
		return m, nil, nil, refuse("Say which device you mean.")
	}
	found, whole := m.exact(name), m.wholeNodes[fold(name)]
	if len(found) == 0 && len(whole) == 0 {
		m = d.afterMiss(ctx)
		found, whole = m.exact(name), m.wholeNodes[fold(name)]
	}
	switch {
	case len(found) == 1:
		return m, found[0], nil, nil
	case len(found) == 0 && len(whole) > 0:
		e, near, err := d.wholeEntity(m, whole)
		return m, e, near, err
	case len(found) == 0:
		near := names(m, m.similar(name))
		if len(near) == 0 {
			return m, nil, nil, refuse("There is no device called %q.", name)
		}
		return m, nil, near, refuse("There is no device called %q. Did you mean %s?", name, orList(near))
	}
	var which []string
	for _, e := range found {
		which = append(which, m.distinctName(e))
	}
	return m, nil, which, refuse("There are %d devices called %q: %s. Say which one.", len(found), name, strings.Join(which, ", "))
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

func names(m *model, found []match) []string {
	list := make([]*entity, 0, len(found))
	for _, f := range found {
		list = append(list, f.entity)
	}
	return namesOf(m, list)
}

func orList(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
