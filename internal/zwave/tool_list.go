package zwave

import (
	"context"

	"voicegateway/internal/home/form"
)

// list waits for the gateway once, whatever of it does not answer, so that a caller
// hears in time what is known.
func (i *inspector) list(ctx context.Context, a form.ListArgs) ([]form.Listed, error) {
	ctx, cancel := context.WithTimeout(ctx, nameMissWait)
	defer cancel()
	m, err := i.directory.ready(ctx)
	if err != nil {
		return nil, err
	}
	area, kind, err := m.names.Filters(a, domains())
	if err != nil {
		return nil, err
	}
	wanted := func(e *entity) bool {
		return (area == "" || area == e.node.area()) && (kind == "" || kind == e.Domain)
	}
	i.readBacks.settleAll(ctx, wanted)
	m, fresh := i.devices.listed(ctx, m, wanted)
	var all []form.Listed
	for _, e := range m.entities {
		if !wanted(e) {
			continue
		}
		f := i.devices.lastFound(m, e, fresh)
		all = append(all, form.Listed{
			Name: e.Name, ID: e.ID, Area: e.node.area(), Type: e.Domain, Abilities: e.abilities,
			State: i.devices.state(m, e, f.value), Values: m.values(e, i.devices.told(f)), Age: age(f.reading), Stale: f.stale, Reachable: f.reachable, Reason: f.reason,
		})
	}
	return all, nil
}

func (i *inspector) verify(ctx context.Context, name string) (string, form.Verified, error) {
	m, e, near, err := i.directory.resolve(ctx, name)
	switch {
	case m == nil:
		return "", form.Verified{}, err
	case err != nil:
		return err.Error(), form.Verified{Suggestions: append([]string{}, near...)}, nil
	}
	found := form.Verified{Exists: true, Name: e.Name, ID: e.ID, Area: e.node.area(), Type: e.Domain, Suggestions: []string{}}
	return form.SayFound(found), found, nil
}
