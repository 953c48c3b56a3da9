package host

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/mcpint"
)

// Changes are the ids of the servers that a change of the configuration is about.
type Changes struct{ Added, Changed, Removed []string }

// change is a wish for other servers, on its way to Run.
type change struct {
	servers []mcpint.Server
	reply   chan Changes
}

// Change makes these the servers, while the host runs: it starts those that are new, ends
// those that are gone, and starts those anew whose settings differ. All others keep their
// process and their calls. On an error nothing has changed.
func (h *Host) Change(ctx context.Context, servers []mcpint.Server) (Changes, error) {
	if _, err := h.supervise(servers); err != nil {
		return Changes{}, err
	}
	c := change{servers, make(chan Changes, 1)}
	select {
	case h.changes <- c:
		return <-c.reply, nil
	case <-ctx.Done():
		return Changes{}, fmt.Errorf("changing the MCP servers: %w", ctx.Err())
	}
}

// apply carries a change out. Only Run calls it.
func (h *Host) apply(ctx context.Context, running *sync.WaitGroup, servers []mcpint.Server) (did Changes) {
	fresh, err := h.supervise(servers)
	if err != nil { // Change has checked them
		return did
	}
	var ended []*supervisor
	kept := map[string]*supervisor{}
	for _, old := range h.all() {
		at := slices.IndexFunc(fresh, func(s *supervisor) bool { return s.srv.ID == old.srv.ID })
		switch {
		case at < 0:
			did.Removed = append(did.Removed, old.srv.ID)
			ended = append(ended, old)
		case same(fresh[at], old):
			kept[old.srv.ID] = old
		default:
			did.Changed = append(did.Changed, old.srv.ID)
			ended = append(ended, old)
		}
	}
	var next, begun []*supervisor
	for _, s := range fresh {
		if old := kept[s.srv.ID]; old != nil {
			next = append(next, old)
			continue
		}
		if !slices.Contains(did.Changed, s.srv.ID) {
			did.Added = append(did.Added, s.srv.ID)
		}
		next, begun = append(next, s), append(begun, s)
	}
	for _, s := range ended {
		s.end()
	}
	for _, s := range ended {
		<-s.stopped
		h.reg.Forget(s.srv.ID)
	}
	h.use(next, servers)
	for _, s := range begun {
		s.toolsArrived = h.reg.Expect(s.srv.ID)
		h.reg.Remember(s.srv.ID, s.earlierTools()...)
		h.begin(ctx, running, s)
	}
	h.overallChanged()
	return did
}

// same reports whether two supervisors have the same settings. The place in the file only
// orders the names of tools.
func same(a, b *supervisor) bool {
	one, other := a.srv, b.srv
	one.Place, other.Place = 0, 0
	one.Secrets, other.Secrets = nil, nil
	return reflect.DeepEqual(one, other) && a.plan.retry == b.plan.retry // this part of the plan never changes
}

// supervise makes the supervisors of servers, sorted by id. It starts none.
func (h *Host) supervise(servers []mcpint.Server) ([]*supervisor, error) {
	var all []*supervisor
	for _, s := range servers {
		one, err := h.supervisorOf(s)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *supervisor) int { return strings.Compare(a.srv.ID, b.srv.ID) })
	for i, s := range all {
		if i > 0 && all[i-1].srv.ID == s.srv.ID {
			return nil, fmt.Errorf("the MCP server id %q is given twice", s.srv.ID)
		}
	}
	return all, nil
}

// use makes these the supervisors, in the order in which the configuration has their
// servers.
func (h *Host) use(supervisors []*supervisor, servers []mcpint.Server) {
	h.mu.Lock()
	h.supervisors = supervisors
	h.mu.Unlock()
	var order []string
	for _, s := range servers {
		order = append(order, s.ID)
	}
	h.reg.Order(order...)
}

// all are the supervisors, by the ids of their servers.
func (h *Host) all() []*supervisor {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.supervisors
}

// begin runs a supervisor until ctx ends, or its server is taken away.
func (h *Host) begin(ctx context.Context, running *sync.WaitGroup, s *supervisor) {
	ctx, s.end = context.WithCancel(ctx)
	running.Go(func() { s.run(ctx) })
}
