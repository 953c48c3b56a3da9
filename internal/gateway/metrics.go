package gateway

import (
	"cmp"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/metrics"
)

// version is that of the build.
func (g *Gateway) version() string { return cmp.Or(g.opts.Version, "dev") }

// hostObserver is told by the MCP host what happens to the servers, and passes it
// on to the metrics and the event stream. It is made before those are.
func (g *Gateway) hostObserver() host.Observer {
	count := func(fn func(m *metrics.Metrics)) {
		if m := g.observer.counts; m != nil {
			fn(m)
		}
		g.observer.serverChanged()
	}
	return host.Observer{
		State:  func(string, mcpint.State, mcpint.State) { g.observer.serverChanged() },
		Health: func(string, mcpint.Health, mcpint.Health, string) { g.observer.serverChanged() },
		Attempt: func(a host.Attempt) {
			count(func(m *metrics.Metrics) { m.Attempt(a.Server) })
			g.attempted(a)
		},
		Connected: func(c host.Connection) { count(func(m *metrics.Metrics) { m.Connected(c.Server, c.Away) }) },
		Overall:   func(state mcpint.Overall) { g.observer.overall(state) },
		Lost:      func(server string, _ error) { count(func(m *metrics.Metrics) { m.Lost(server) }) },
		Breaker: func(server string, _, to mcpint.BreakerState) {
			count(func(m *metrics.Metrics) { m.Breaker(server, to) })
		},
		Call: func(c host.CallReport) {
			count(func(m *metrics.Metrics) { m.Call(c.Server, c.Outcome, c.Took) })
		},
	}
}

// snapshot is what a scrape shows of the moment.
func (g *Gateway) snapshot() metrics.Snapshot {
	s := metrics.Snapshot{
		Overall: g.link.host.Overall(), MQTT: g.link.bus.Connected(), Events: g.observer.feed.Clients(),
		Servers: g.link.host.Status(), Parts: map[string]string{},
	}
	for _, part := range (httpView{g}).Readiness().Parts {
		s.Parts[part.Name] = string(part.State)
	}
	return s
}
