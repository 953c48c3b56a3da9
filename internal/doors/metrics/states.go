package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"voicegateway/internal/mcpint"
)

// Snapshot is the state of everything that has one, at the moment of a scrape.
type Snapshot struct {
	Overall mcpint.Overall // of all MCP servers, REQUIREMENTS M5
	Servers []mcpint.Status
	Parts   map[string]string // /readyz: part to state
	Events  int               // clients of the event stream
	MQTT    bool              // there is a connection to the broker
	Sound   *Sound            // nil without a sound card
}

// Sound is what the sound card has given since the start.
type Sound struct {
	Frames, Lost      float64 // frames that were read, and frames of a running microphone that were lost before they were read
	Overflows, Breaks int
}

// states reads the snapshot at every scrape. A gauge set at every change would be
// wrong as soon as the code forgets to report one.
type states struct {
	look func() Snapshot

	overall, status, health, breaker, part *prometheus.Desc // 1 for the current state, 0 for the others
	retries, failures, tools               *prometheus.Desc
	unused, events, mqtt                   *prometheus.Desc
	frames, lost, overflows, breaks        *prometheus.Desc
}

func newStates(look func() Snapshot) *states {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
	}
	const one = " 1 for the state it is in, 0 for the others."
	return &states{
		look:     look,
		overall:  desc("mcp_overall", "The MCP servers together."+one, "state"),
		status:   desc("mcp_server_status", "An MCP server's connection."+one, "server", "state"),
		health:   desc("mcp_server_health", "How well an MCP server answers."+one, "server", "state"),
		breaker:  desc("mcp_server_breaker", "An MCP server's circuit breaker."+one, "server", "state"),
		part:     desc("part", "A part of the gateway, as /readyz shows it."+one, "part", "state"),
		retries:  desc("mcp_server_retries", "Retries since the last stable connection.", "server"),
		failures: desc("mcp_server_consecutive_failures", "Calls and checks without an answer in a row.", "server"),
		tools:    desc("mcp_server_tools", "Tools an MCP server offers.", "server"),
		unused:   desc("mcp_server_tools_unused", "Tools that an MCP server offers and that are not used, by the rule that keeps them from it.", "server", "cause"),
		events:   desc("event_clients", "Clients of the event stream."),
		mqtt:     desc("mqtt_connected", "1 while there is a connection to the MQTT broker."),
		frames:   desc("audio_frames_total", "Frames of 20 ms that came from the microphone."),
		lost:     desc("audio_frames_lost_total", "Frames of 20 ms that a running microphone gave and that were lost."),

		overflows: desc("audio_overflows_total", "How often the sound card's buffer ran over because the machine was busy."),
		breaks:    desc("audio_breaks_total", "How often sound stopped and came back: unplugged, or the worker ended."),
	}
}

// Describe lists the metrics.
func (s *states) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		s.overall, s.status, s.health, s.breaker, s.part, s.retries, s.failures, s.tools, s.unused, s.events, s.mqtt,
		s.frames, s.lost, s.overflows, s.breaks,
	} {
		to <- d
	}
}

// Collect reads the snapshot and sends the metrics.
func (s *states) Collect(to chan<- prometheus.Metric) {
	now := s.look()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	oneOf := func(d *prometheus.Desc, all set, is string, labels ...string) {
		for _, state := range all {
			gauge(d, truth(state == is), append(slices.Clip(labels), state)...)
		}
	}
	oneOf(s.overall, overallStates, string(now.Overall))
	for _, server := range now.Servers {
		oneOf(s.status, serverStates, string(server.Status), server.ID)
		oneOf(s.health, healthStates, string(server.Health), server.ID)
		oneOf(s.breaker, breakerStates, string(server.Breaker), server.ID)
		gauge(s.retries, float64(server.RetryCount), server.ID)
		gauge(s.failures, float64(server.ConsecutiveFailures), server.ID)
		tools := 0
		if server.Tools != nil {
			tools = *server.Tools
		}
		gauge(s.tools, float64(tools), server.ID)
		unused := map[string]float64{}
		for _, tool := range server.ToolsUnused {
			unused[toolCauses.known(string(tool.Cause))]++
		}
		for _, cause := range toolCauses {
			gauge(s.unused, unused[cause], server.ID, cause)
		}
	}
	for part, state := range now.Parts {
		oneOf(s.part, partStates, state, part)
	}
	gauge(s.events, float64(now.Events))
	gauge(s.mqtt, truth(now.MQTT))
	if now.Sound != nil {
		s.collectSound(to, *now.Sound)
	}
}

// collectSound sends what is counted of the sound card.
func (s *states) collectSound(to chan<- prometheus.Metric, now Sound) {
	for desc, value := range map[*prometheus.Desc]float64{
		s.frames: now.Frames, s.lost: now.Lost, s.overflows: float64(now.Overflows), s.breaks: float64(now.Breaks),
	} {
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value)
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
