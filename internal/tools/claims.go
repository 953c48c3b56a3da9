package tools

import (
	"cmp"
	"maps"
	"slices"
)

// claims are the names of the servers' own tools, kept also while a server is away. The
// names under which tools are offered depend on the claims alone, so that they are the
// same after every start, whichever server connects first.
type claims struct {
	of    map[string][]string // by server: the names of its tools there
	rank  map[string]int      // of the servers in the order of the configuration
	house map[string]bool     // servers whose tools keep their names
}

func newClaims() claims {
	return claims{of: map[string][]string{}, rank: map[string]int{}, house: map[string]bool{}}
}

// Trust lets the tools of servers keep their names, whatever others are called.
func (r *Registry) Trust(servers ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims.house = map[string]bool{}
	for _, s := range servers {
		r.claims.house[s] = true
	}
	r.rename()
}

// Order sets which server keeps a name that several have: servers that Trust named first,
// then these in their order. Servers that are not named come last, by their ids.
func (r *Registry) Order(servers ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims.rank = map[string]int{}
	for i, s := range servers {
		r.claims.rank[s] = i - len(servers)
	}
	r.rename()
}

// Remember keeps the names free that a server's tools had when it was last seen,
// until it tells of its tools.
func (r *Registry) Remember(server string, remotes ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, told := r.claims.of[server]; !told && len(remotes) > 0 {
		r.claims.of[server] = slices.Clone(remotes)
		r.rename()
	}
}

// Forget removes a server with its tools and what was kept of it. Nobody waits for it any
// more.
func (r *Registry) Forget(server string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.claims.of, server)
	delete(r.arrived, server)
	maps.DeleteFunc(r.byPlace, func(p place, _ *entry) bool { return p.server == server })
	r.rename()
}

// names are the names of all tools, present or not, that leave the taken ones alone.
func (c *claims) names(taken []string) map[place]string {
	used := map[string]bool{}
	for _, name := range taken {
		used[name] = true
	}
	out := map[place]string{}
	for _, server := range slices.SortedFunc(maps.Keys(c.of), c.compare) {
		for _, remote := range slices.Sorted(slices.Values(c.of[server])) {
			name := offeredName(server, remote, func(name string) bool { return used[name] })
			used[name] = true
			out[place{server, remote}] = name
		}
	}
	return out
}

// compare puts the servers of a house first, then the others in their order.
func (c *claims) compare(a, b string) int {
	if c.house[a] != c.house[b] {
		if c.house[a] {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(c.rank[a], c.rank[b]), cmp.Compare(a, b))
}
