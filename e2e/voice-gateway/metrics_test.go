package e2e

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
)

// metrics reads the daemon's metrics: series to value.
func metrics(t *testing.T, addr string) map[string]float64 {
	t.Helper()
	resp, text := request(t, http.MethodGet, addr, "/metrics", "")
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		t.Fatalf("metrics: %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	all := map[string]float64{}
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
		series, value, ok := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(series, "#") || !ok {
			continue
		}
		if i := strings.LastIndex(lines.Text(), "} "); i > 0 {
			series, value = lines.Text()[:i+1], lines.Text()[i+2:]
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		all[series] = v
	}
	return all
}

// TestMetricsTellTheStory: a connection, a turn, the server's death and its
// return can be read off the metrics.
func TestMetricsTellTheStory(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, addr, _ := daemon(t, broker)
	pid := serverPID(t, addr)
	eventually(t, "the light obeys", func() bool {
		r, err := tryAsk(t, addr, "turn on the kitchen light")
		return err == nil && confirmed(r)
	})
	now := metrics(t, addr)
	for series, least := range map[string]float64{
		`voice_gateway_mcp_connection_attempts_total{server="zwave"}`:           1,
		`voice_gateway_mcp_connections_total{server="zwave"}`:                   1,
		`voice_gateway_mcp_time_to_connect_seconds_count{server="zwave"}`:       1,
		`voice_gateway_mcp_calls_total{outcome="ok",server="zwave"}`:            1,
		`voice_gateway_mcp_call_seconds_count{server="zwave"}`:                  1,
		`voice_gateway_mcp_overall{state="full"}`:                               1,
		`voice_gateway_mcp_server_status{server="zwave",state="connected"}`:     1,
		`voice_gateway_mcp_server_breaker{server="zwave",state="closed"}`:       1,
		`voice_gateway_mcp_server_tools{server="zwave"}`:                        1,
		`voice_gateway_turns_total{outcome="done",route="local",source="http"}`: 1,
		`voice_gateway_turn_seconds_count{stage="first_publish"}`:               1,
		`voice_gateway_turn_seconds_bucket{stage="confirmed",le="+Inf"}`:        1,
		`voice_gateway_mqtt_connected`:                                          1,
		`voice_gateway_part{part="mcp",state="ready"}`:                          1,
		`go_goroutines`:                 5,
		`process_open_fds`:              5,
		`process_resident_memory_bytes`: 1 << 20,
		`voice_gateway_mcp_server_health{server="zwave",state="dead"}`:         0,
		`voice_gateway_mcp_server_consecutive_failures{server="zwave"}`:        0,
		`voice_gateway_mcp_server_status{server="zwave",state="disconnected"}`: 0,
		`voice_gateway_event_clients`:                                          0,
		`voice_gateway_mcp_server_tools_unused{cause="trust",server="zwave"}`:  0,
		`voice_gateway_refusals_total{risk="dangerous"}`:                       0,
		`voice_gateway_wakes_total`:                                            0,
		`voice_gateway_audio_frames_lost_total`:                                0,
	} {
		if got, ok := now[series]; !ok || got < least {
			t.Errorf("%s is %v (there: %v), expected at least %v", series, got, ok, least)
		}
	}
	kill(t, pid)
	eventually(t, "it is connected anew", func() bool { return serverPID(t, addr) != pid })
	eventually(t, "the loss and the new connection are counted", func() bool {
		now = metrics(t, addr)
		return now[`voice_gateway_mcp_connections_lost_total{server="zwave"}`] >= 1 && now[`voice_gateway_mcp_connections_total{server="zwave"}`] >= 2
	})
}

// TestSeeingAndSteeringWhateverAServerDoes: one server never answers and ignores every
// signal but SIGKILL, one stands still, one cannot be started. Showing and controlling
// the servers does not wait for any of them.
func TestSeeingAndSteeringWhateverAServerDoes(t *testing.T) {
	t.Parallel()
	mute := filepath.Join(t.TempDir(), "mute-server")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\ntrap '' TERM INT HUP\nwhile :; do sleep 1; done\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(config, []byte(`mcp:
  retry: {base_delay: 50ms, slow_interval: 100ms, max_delay: 100ms}
  servers:
    mute: {command: `+mute+`, connect_timeout: 300ms}
    hung: {command: `+mute+`, connect_timeout: 1h, essential: true}
    missing: {command: /nowhere/server}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := fake.FreeAddr(t)
	env := environ(t, "VOICE_GATEWAY_MQTT_BROKER="+mosquitto(t), "VOICE_GATEWAY_HTTP_LISTEN="+addr, "VOICE_GATEWAY_AI_ENABLED=false")
	start(t, env, filepath.Join(bin, "voice-gateway"), "--config", config, "run")
	eventually(t, "the daemon answers", func() bool { return get(t, addr, "/healthz", new(any)) == nil })
	status := func(id string) mcpint.Status {
		var s mcpint.Status
		if err := get(t, addr, "/mcp/servers/"+id+"/status", &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	eventually(t, "the missing one is told", func() bool {
		s := status("missing")
		return s.Status == mcpint.Failed && s.ErrorMessage != nil
	})
	// Over a few seconds the mute one is being started, waited for, and stopped
	// against its will; each of these answers is one of M4's, whenever it comes.
	slowest := time.Duration(0)
	for range 40 {
		for _, id := range []string{"mute", "hung", "missing"} {
			began := time.Now()
			resp, text := request(t, http.MethodPost, addr, "/mcp/servers/"+id+"/retry", "{}")
			slowest = max(slowest, time.Since(began))
			if resp.StatusCode != http.StatusAccepted {
				t.Fatalf("retry of %s: %s %s", id, resp.Status, text)
			}
		}
		if resp, text := request(t, http.MethodPost, addr, "/mcp/servers/retry-all", "{}"); resp.StatusCode != http.StatusAccepted || !strings.Contains(text, "disconnected") {
			t.Fatalf("retry of all: %s %s", resp.Status, text)
		}
		if text := body(t, addr, "/mcp/servers"); !strings.Contains(text, `"id":"hung"`) {
			t.Fatalf("servers: %s", text)
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Logf("the slowest of 120 forced retries was answered after %s", slowest.Round(time.Millisecond))
	described(t, addr, map[string]string{"ServerList": body(t, addr, "/mcp/servers")})
}
