package gateway

import (
	"cmp"

	"voicegateway/internal/doors/metrics"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/reach"
)

// version is the version of the build.
func (s setup) version() string { return cmp.Or(s.opts.Version, "dev") }

// newCounts makes the counters, with those of the configured servers.
func newCounts(cfg Config, opts Options) *metrics.Metrics {
	s := setup{cfg: cfg, opts: opts}
	counts := metrics.New(s.version())
	counts.Expect(s.serverIDs()...)
	return counts
}

// serverEvents passes on what happens to the MCP servers. It is made before the
// host that reports to it. Its receivers were made before it, or read the values it
// keeps.
type serverEvents struct {
	counts   *metrics.Metrics
	attempts *reach.Attempts
	returns  family.Returns
	changed  chan struct{} // of size one: a server may have changed
	api      *mqttapi.API  // nil without a presence on MQTT
	watch    func(host.Attempt)
}

func (s setup) newServerEvents(api *mqttapi.API) serverEvents {
	return serverEvents{
		counts: s.counts, attempts: reach.NewAttempts(), returns: family.NewReturns(), changed: make(chan struct{}, 1),
		api: api, watch: s.opts.Attempt,
	}
}

// observer returns the events in the form the MCP host wants.
func (e serverEvents) observer() host.Observer {
	return host.Observer{
		State:   func(string, mcpint.State, mcpint.State) { e.change() },
		Health:  func(string, mcpint.Health, mcpint.Health, string) { e.change() },
		Held:    e.attempts.Held,
		Attempt: e.passAttempt,
		Connected: func(c host.Connection) {
			e.counts.Connected(c.Server, c.Away)
			e.change()
		},
		Lost: func(server string, _ error) {
			e.counts.Lost(server)
			e.change()
		},
		Breaker: func(server string, _, to mcpint.BreakerState) {
			e.counts.Breaker(server, to)
			e.change()
		},
		Call: func(c host.CallReport) {
			e.counts.Call(c.Server, c.Outcome, c.Took)
			e.change()
		},
		Overall: func(state mcpint.Overall) {
			if e.api != nil {
				e.api.Servers(state)
			}
		},
	}
}

// change notes that a server may have changed. It does not block.
func (e serverEvents) change() {
	select {
	case e.changed <- struct{}{}:
	default: // a change is noted already
	}
}

// passAttempt passes the end of an attempt on.
func (e serverEvents) passAttempt(a host.Attempt) {
	e.counts.Attempt(a.Server)
	e.change()
	e.attempts.Ended(a.Server, a.Err == nil)
	if a.Err == nil {
		e.returns.Tell(a.Server)
	}
	if e.watch != nil {
		e.watch(a)
	}
}
