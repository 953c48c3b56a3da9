// Package metrics is the part that counts for Prometheus. It exists so that only
// one package uses the library, and so that the names and labels of everything
// counted are in one place and not spread over the parts.
//
// Everything has a registry of its own; nothing is global. Label values come from
// closed sets (see labels.go) or from the configuration, so that nothing a person
// says or a server sends can make the number of series grow. A new metric is a
// field, its line in the constructor and the method that feeds it; a value that
// another part holds already is better read at scrape time: see Snapshot.
package metrics

import (
	"cmp"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// namespace begins the name of each of our metrics.
const namespace = "voice_gateway"

// Bounds of the histograms, in seconds. Calls take from under a millisecond on a
// local pipe to M6's 30 s; a publish follows the end of speech within
// REQUIREMENTS 10's 0.2 to 0.4 s, with room on both sides; a connection takes
// 10 ms to a night.
var (
	callSeconds    = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	turnSeconds    = []float64{.05, .1, .15, .2, .25, .3, .4, .5, .7, 1, 1.5, 2.5, 5, 10, 30}
	connectSeconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 3600}
)

// Metrics counts. Its methods are safe for concurrent use and do not block.
type Metrics struct {
	registry *prometheus.Registry

	attempts, connects, losses      *prometheus.CounterVec
	breakers, calls, turns          *prometheus.CounterVec
	connectTook, callTook, turnTook *prometheus.HistogramVec

	wakes                           prometheus.Counter
	falseWakes, refusals, restarted *prometheus.CounterVec
}

// New makes the counters.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		attempts: counters("mcp_connection_attempts_total", "Attempts to connect to an MCP server that have ended.", "server"),
		connects: counters("mcp_connections_total", "Connections to an MCP server that came about.", "server"),
		losses:   counters("mcp_connections_lost_total", "Connections to an MCP server that ended by themselves.", "server"),
		connectTook: histograms("mcp_time_to_connect_seconds",
			"From the start, or from the loss of the last connection, to a connection.", connectSeconds, "server"),
		breakers: counters("mcp_breaker_changes_total", "Changes of an MCP server's circuit breaker, by the state it came to.", "server", "to"),
		calls:    counters("mcp_calls_total", "Tool calls on an MCP server, by how they ended.", "server", "outcome"),
		callTook: histograms("mcp_call_seconds", "How long tool calls on an MCP server took.", callSeconds, "server"),
		turns:    counters("turns_total", "Turns, by where they came from, how they were answered and how they ended.", "source", "route", "outcome"),
		turnTook: histograms("turn_seconds", "From the end of speech to a stage of the turn.", turnSeconds, "stage"),
		wakes:    prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: "wakes_total", Help: "Turns that began with a wake word."}),
		falseWakes: counters("false_wakes_total",
			"Turns that began with a wake word and heard no command: nothing was said, or what was said was none.", "reason"),
		refusals: counters("refusals_total", "Turns that were refused, by the highest risk of what they would have done; none: nothing was understood that could be done.", "risk"),
		restarted: counters("worker_restarts_total",
			"Restarts of a worker process, because it ended or because it refused to work.", "worker", "reason"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "Always 1; the version is a label.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.attempts, m.connects, m.losses, m.connectTook, m.breakers, m.calls, m.callTook, m.turns, m.turnTook,
		m.wakes, m.falseWakes, m.refusals, m.restarted,
		build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histograms(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: bounds}, labels)
}

// Handler answers scrapes. look is called at each scrape for the current state;
// it must be quick.
func (m *Metrics) Handler(look func() Snapshot) http.Handler {
	now := prometheus.NewRegistry()
	now.MustRegister(newStates(look))
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, now}, promhttp.HandlerOpts{
		MaxRequestsInFlight: 4, // a scrape is cheap, a hundred at once are not
	})
}

// Expect makes the series begin at zero, those of the servers too, so that the first
// event is seen as a change.
func (m *Metrics) Expect(servers ...string) {
	for c, values := range map[*prometheus.CounterVec]set{m.falseWakes: wakeReasons, m.refusals: turnRisks} {
		for _, value := range values {
			c.WithLabelValues(value)
		}
	}
	for _, worker := range workerNames {
		for _, reason := range restartReasons {
			m.restarted.WithLabelValues(worker, reason)
		}
	}
	for _, server := range servers {
		for _, c := range []*prometheus.CounterVec{m.attempts, m.connects, m.losses} {
			c.WithLabelValues(server)
		}
		for _, to := range breakerStates {
			m.breakers.WithLabelValues(server, to)
		}
		for _, outcome := range callOutcomes {
			m.calls.WithLabelValues(server, outcome)
		}
	}
}

// Attempt counts the end of one attempt to connect, successful or not.
func (m *Metrics) Attempt(server string) { m.attempts.WithLabelValues(server).Inc() }

// Connected counts a connection; away is how long there was none.
func (m *Metrics) Connected(server string, away time.Duration) {
	m.connects.WithLabelValues(server).Inc()
	m.connectTook.WithLabelValues(server).Observe(away.Seconds())
}

// Lost counts a connection that ended by itself.
func (m *Metrics) Lost(server string) { m.losses.WithLabelValues(server).Inc() }

// Breaker counts a change of a circuit breaker.
func (m *Metrics) Breaker(server string, to mcpint.BreakerState) {
	m.breakers.WithLabelValues(server, breakerStates.known(string(to))).Inc()
}

// Call counts the end of one tool call.
func (m *Metrics) Call(server string, outcome mcpint.CallOutcome, took time.Duration) {
	m.calls.WithLabelValues(server, callOutcomes.known(string(outcome))).Inc()
	m.callTook.WithLabelValues(server).Observe(took.Seconds())
}

// Turn counts the end of a turn.
func (m *Metrics) Turn(r record.Record) {
	m.turns.WithLabelValues(turnSources.known(string(r.Source)), turnRoutes.known(string(r.Route)), turnOutcomes.known(string(r.Outcome))).Inc()
	for _, s := range r.Timings.Stages() {
		m.turnTook.WithLabelValues(s.Name).Observe(s.MS / 1000)
	}
	if r.Route == record.RouteRefused && r.Outcome != record.Ignored {
		m.refusals.WithLabelValues(turnRisks.known(cmp.Or(r.Risk, "none"))).Inc()
	}
	if r.Wake == nil {
		return
	}
	m.wakes.Inc()
	switch {
	case r.Outcome != record.Ignored:
	case r.Endpoint != nil && r.Endpoint.Reason == noSpeech:
		m.falseWakes.WithLabelValues("nothing_said").Inc()
	default:
		m.falseWakes.WithLabelValues("no_command").Inc()
	}
}

// noSpeech is the reason of an endpoint without any speech.
const noSpeech = "no_speech"

// Restarted counts a restart of a worker process, which has ended or has refused to
// work.
func (m *Metrics) Restarted(worker string, refused bool) {
	reason := "ended"
	if refused {
		reason = "refused"
	}
	m.restarted.WithLabelValues(workerNames.known(worker), reason).Inc()
}
