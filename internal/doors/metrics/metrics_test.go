package metrics

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scrape returns what Prometheus would read; the optional argument is the state
// at that moment.
func scrape(t *testing.T, m *Metrics, now ...Snapshot) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(func() Snapshot { return append(now, Snapshot{})[0] }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	body, err := io.ReadAll(w.Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, body)
	}
	return string(body)
}

// demand fails the test unless every line is in the answer of a scrape.
func demand(t *testing.T, scraped string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(scraped, line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		for line := range strings.Lines(scraped) {
			if strings.HasPrefix(line, namespace) {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
}

func TestWhatIsCounted(t *testing.T) {
	t.Parallel()
	m := New("v1")
	m.Attempt("zwave")
	m.Attempt("zwave")
	m.Attempt("zwave")
	m.Connected("zwave", 6*time.Second)
	m.Lost("zwave")
	m.Breaker("zwave", "open")
	m.Breaker("zwave", "half-open")
	m.Call("zwave", "ok", 3*time.Millisecond)
	m.Call("zwave", "timeout", 30*time.Second)
	publish, total := 146.0, 700.0
	m.Turn(ended("http", "local", "accepted", record.Timings{}))
	m.Turn(ended("mic", "local", "done", record.Timings{FirstPublish: &publish, Total: &total}))
	demand(
		t, scrape(t, m),
		`voice_gateway_build_info{version="v1"} 1`,
		`voice_gateway_mcp_connection_attempts_total{server="zwave"} 3`,
		`voice_gateway_mcp_connections_total{server="zwave"} 1`,
		`voice_gateway_mcp_connections_lost_total{server="zwave"} 1`,
		`voice_gateway_mcp_time_to_connect_seconds_bucket{server="zwave",le="5"} 0`,
		`voice_gateway_mcp_time_to_connect_seconds_bucket{server="zwave",le="10"} 1`,
		`voice_gateway_mcp_breaker_changes_total{server="zwave",to="open"} 1`,
		`voice_gateway_mcp_breaker_changes_total{server="zwave",to="half-open"} 1`,
		`voice_gateway_mcp_calls_total{outcome="ok",server="zwave"} 1`,
		`voice_gateway_mcp_calls_total{outcome="timeout",server="zwave"} 1`,
		`voice_gateway_mcp_call_seconds_bucket{server="zwave",le="0.005"} 1`,
		`voice_gateway_mcp_call_seconds_count{server="zwave"} 2`,
		`voice_gateway_turns_total{outcome="done",route="local",source="mic"} 1`,
		`voice_gateway_turns_total{outcome="accepted",route="local",source="http"} 1`,
		`voice_gateway_turn_seconds_bucket{stage="first_publish",le="0.1"} 0`,
		`voice_gateway_turn_seconds_bucket{stage="first_publish",le="0.15"} 1`,
		`voice_gateway_turn_seconds_count{stage="total"} 1`,
	)
	if strings.Contains(scrape(t, m), `stage="confirmed"`) {
		t.Error("a stage the turn did not come to is counted")
	}
}

// TestWakesAndRefusalsAreCounted holds the counters to what records tell of a turn.
func TestWakesAndRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	m := New("v1")
	m.Expect()
	woken := func(outcome, reason string) record.Record {
		r := ended("mic", "none", outcome, record.Timings{})
		r.Wake, r.Endpoint = &record.Wake{Word: "hey jarvis"}, &record.Endpoint{Reason: reason}
		return r
	}
	m.Turn(woken("done", "sentence"))
	m.Turn(woken("ignored", "no_speech"))
	m.Turn(woken("ignored", "silence"))
	m.Turn(woken("ignored", "silence"))
	m.Turn(ended("mic", "none", "ignored", record.Timings{})) // at the touch of a button
	refused := ended("http", "refused", "failed", record.Timings{})
	m.Turn(refused)
	refused.Risk = "dangerous"
	m.Turn(refused)
	m.Turn(ended("mic", "refused", "ignored", record.Timings{})) // not meant for the house
	m.Restarted("audio", false)
	m.Restarted("stt", true)
	m.Restarted("audio", false)
	demand(
		t, scrape(t, m),
		`voice_gateway_wakes_total 4`,
		`voice_gateway_false_wakes_total{reason="nothing_said"} 1`,
		`voice_gateway_false_wakes_total{reason="no_command"} 2`,
		`voice_gateway_refusals_total{risk="none"} 1`,
		`voice_gateway_refusals_total{risk="dangerous"} 1`,
		`voice_gateway_refusals_total{risk="costly"} 0`,
		`voice_gateway_worker_restarts_total{reason="ended",worker="audio"} 2`,
		`voice_gateway_worker_restarts_total{reason="refused",worker="stt"} 1`,
		`voice_gateway_worker_restarts_total{reason="ended",worker="wake"} 0`,
	)
}

func TestStatesAreReadAtTheScrape(t *testing.T) {
	t.Parallel()
	now := Snapshot{Overall: "disconnected", Servers: []mcpint.Status{{ID: "zwave", Status: mcpint.Retrying, Health: mcpint.Dead, Breaker: mcpint.BreakerClosed, RetryCount: 2}}}
	m := New("v1")
	demand(
		t, scrape(t, m, now),
		`voice_gateway_mcp_overall{state="disconnected"} 1`,
		`voice_gateway_mcp_overall{state="full"} 0`,
		`voice_gateway_mcp_server_status{server="zwave",state="retrying"} 1`,
		`voice_gateway_mcp_server_health{server="zwave",state="dead"} 1`,
		`voice_gateway_mcp_server_retries{server="zwave"} 2`,
		`voice_gateway_mqtt_connected 0`,
	)
	now = Snapshot{
		Overall: "full", MQTT: true, Events: 3, Parts: map[string]string{"tts": "degraded"},
		Servers: []mcpint.Status{{ID: "zwave", Status: mcpint.Connected, Health: mcpint.Degraded, Breaker: mcpint.BreakerHalfOpen, Tools: new(8), ConsecutiveFailures: 1, ToolsUnused: []mcpint.UnusedTool{{Cause: mcpint.CauseTrust}, {Cause: mcpint.CauseTrust}, {Cause: "x"}}}},
		Sound:   &Sound{Frames: 1500, Lost: 2.5, Overflows: 1, Breaks: 4},
	}
	demand(
		t, scrape(t, m, now),
		`voice_gateway_mcp_overall{state="disconnected"} 0`,
		`voice_gateway_mcp_overall{state="full"} 1`,
		`voice_gateway_mcp_server_status{server="zwave",state="connected"} 1`,
		`voice_gateway_mcp_server_status{server="zwave",state="retrying"} 0`,
		`voice_gateway_mcp_server_breaker{server="zwave",state="half-open"} 1`,
		`voice_gateway_mcp_server_consecutive_failures{server="zwave"} 1`,
		`voice_gateway_mcp_server_tools{server="zwave"} 8`,
		`voice_gateway_part{part="tts",state="degraded"} 1`,
		`voice_gateway_event_clients 3`,
		`voice_gateway_mqtt_connected 1`,
		`voice_gateway_mcp_server_tools_unused{cause="trust",server="zwave"} 2`,
		`voice_gateway_mcp_server_tools_unused{cause="new",server="zwave"} 0`,
		`voice_gateway_audio_frames_total 1500`,
		`voice_gateway_audio_frames_lost_total 2.5`,
		`voice_gateway_audio_overflows_total 1`,
		`voice_gateway_audio_breaks_total 4`,
	)
}

func TestSeriesBeginAtZero(t *testing.T) {
	t.Parallel()
	m := New("v1")
	m.Expect("zwave", "music")
	demand(
		t, scrape(t, m),
		`voice_gateway_mcp_connections_lost_total{server="music"} 0`,
		`voice_gateway_mcp_connection_attempts_total{server="zwave"} 0`,
		`voice_gateway_mcp_breaker_changes_total{server="zwave",to="open"} 0`,
		`voice_gateway_mcp_calls_total{outcome="timeout",server="zwave"} 0`,
	)
}

func ended(source, route, outcome string, t record.Timings) record.Record {
	return record.Record{
		Source: record.Source(source), Route: record.Route(route), Verdict: record.Verdict{Outcome: record.Outcome(outcome)}, Timings: t,
	}
}

// TestSeriesAreBounded checks that nothing said or sent from outside makes new
// series.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	m := New("v1")
	count := func() int { return strings.Count(scrape(t, m), "\n"+namespace) }
	m.Turn(ended("a", "b", "c", record.Timings{}))
	m.Call("zwave", "d", 0)
	m.Breaker("zwave", "e")
	m.Restarted("f", true)
	before := count()
	for i := range 1000 {
		word := fmt.Sprint("word", i)
		m.Turn(ended(word, word, word, record.Timings{}))
		m.Call("zwave", mcpint.CallOutcome(word), 0)
		m.Breaker("zwave", mcpint.BreakerState(word))
		m.Restarted(word, true)
	}
	if after := count(); after != before {
		t.Errorf("%d series became %d", before, after)
	}
	demand(t, scrape(t, m), `voice_gateway_turns_total{outcome="other",route="other",source="other"} 1001`)
}

// TestNothingIsShared checks that two gateways in one process (a test, a
// demonstration) do not share counters, and that counting while scraping is safe.
func TestNothingIsShared(t *testing.T) {
	t.Parallel()
	a, b := New("a"), New("b")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				a.Call("zwave", "ok", time.Millisecond)
			}
		})
		wg.Go(func() { scrape(t, a) })
	}
	wg.Wait()
	demand(t, scrape(t, a), `voice_gateway_mcp_calls_total{outcome="ok",server="zwave"} 400`)
	if strings.Contains(scrape(t, b), "mcp_calls") {
		t.Error("the other one counted as well")
	}
	demand(t, scrape(t, b), `voice_gateway_build_info{version="b"} 1`)
	for _, name := range []string{"go_goroutines", "process_open_fds", "process_resident_memory_bytes"} {
		if !strings.Contains(scrape(t, b), "\n"+name+" ") {
			t.Errorf("there is no %s", name)
		}
	}
}
