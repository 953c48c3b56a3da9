package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// soonFailed makes two attempts within about a second.
var soonFailed = []string{
	"VOICE_GATEWAY_MCP_RETRY_ATTEMPTS=2", "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=1s",
	"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_ARGS=--require-broker,500ms",
}

// farApart makes two attempts and then plans the third a minute ahead, so that
// whatever connects in a test is not the schedule.
var farApart = []string{
	"VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=1s", "VOICE_GATEWAY_MCP_RETRY_MULTIPLIER=120",
	"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_ARGS=--require-broker,500ms",
}

// farAhead waits until the next attempt of the only server is planned far ahead.
func farAhead(t *testing.T, http string) serverStatus {
	t.Helper()
	var s serverStatus
	eventually(t, "the next attempt is planned far ahead", func() bool {
		s = reached(t, http, "retrying")
		return s.NextRetryTime != nil && time.Until(*s.NextRetryTime) > 10*time.Second
	})
	return s
}

// reached waits until the only server has a state, and returns the report.
func reached(t *testing.T, http, state string) serverStatus {
	t.Helper()
	var s serverStatus
	eventually(t, "the server is "+state, func() bool {
		servers, err := serversOf(t, http)
		if err != nil {
			return false
		}
		s = servers[0]
		return s.Status == state
	})
	return s
}

// TestWhatIsToldWithoutABroker: a server that waits for the broker is retried, fails with
// its own words, and is connected without help once the broker is there.
func TestWhatIsToldWithoutABroker(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	c, http, env := daemon(t, "mqtt://"+addr, soonFailed...)
	if s := reached(t, http, "retrying"); s.NextRetryTime == nil || s.MaxRetries != 1 || s.Health != "dead" {
		t.Errorf("between two attempts: %+v", s)
	}
	failed := reached(t, http, "failed")
	if failed.NextRetryTime == nil || failed.RetryCount != 1 || failed.ErrorMessage == nil ||
		!strings.Contains(*failed.ErrorMessage, "exit status 3") || !strings.Contains(*failed.ErrorMessage, "zwave-mcp-server: the MQTT broker at") {
		t.Fatalf("after the attempts: %+v", failed)
	}
	out, errs, status := command(t, env, "servers")
	if status != 0 {
		t.Errorf("servers: status %d, %s", status, errs)
	}
	for _, words := range []string{"zwave", "failed", "1 of 1", " s", "exit status 3"} {
		if !strings.Contains(out, words) {
			t.Errorf("servers does not say %q:\n%s", words, out)
		}
	}
	back := time.Now()
	mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	connected := reached(t, http, "connected")
	t.Logf("connected %v after the broker's return, which is to be at most 5 s", time.Since(back).Round(time.Millisecond))
	if connected.ErrorMessage != nil || connected.NextRetryTime != nil || connected.PID == nil {
		t.Errorf("once connected: %+v", connected)
	}
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	c.noZombies(t)
}

// TestServersRetryInMidWait: the next attempt is planned in a minute, and a retry makes
// it at once.
func TestServersRetryInMidWait(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	mended, server := filepath.Join(t.TempDir(), "mended"), filepath.Join(t.TempDir(), "server")
	script := fmt.Sprintf("#!/bin/sh\n[ -e %q ] || exit 9\nexec %q \"$@\"\n", mended, filepath.Join(bin, "zwave-mcp-server"))
	if err := os.WriteFile(server, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	_, http, env := daemon(t, broker, append([]string{"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND=" + server}, farApart...)...)
	farAhead(t, http)
	if out, errs, status := command(t, env, "servers", "retry", "zwave"); status == 0 {
		t.Errorf("retrying what still fails: status 0\n%s%s", out, errs)
	}
	waiting := farAhead(t, http) // the retry started the schedule over
	if err := os.WriteFile(mended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, status := command(t, env, "servers", "retry", "zwave")
	if status != 0 || !strings.Contains(out, "connected") {
		t.Errorf("retrying what is mended: status %d\n%s%s", status, out, errs)
	}
	reached(t, http, "connected")
	if !time.Now().Before(*waiting.NextRetryTime) {
		t.Errorf("it took until the next attempt of the schedule: %v", waiting.NextRetryTime)
	}
	if out, _, status := command(t, env, "ask", "turn on the kitchen light"); status != 0 || out != "The kitchen light is on.\n" {
		t.Errorf("the light: %q, status %d", out, status)
	}
}

// TestAKillInACallIsToldAtOnce: the caller hears a sentence because the server
// died, not because time ran out.
func TestAKillInACallIsToldAtOnce(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	house := simulate(t, broker)
	c, http, env := daemon(t, broker)
	witness := listen(t, broker, "zwave/#")
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	pid := serverPID(t, http)
	before := len(witness.on(writeTopic))
	freeze(t, house.Process.Pid) // so that the call has a middle
	hit := make(chan record.Record, 1)
	go func() { r, _ := tryAsk(t, http, "turn off the kitchen light"); hit <- r }()
	eventually(t, "the write is on its way", func() bool { return len(witness.on(writeTopic)) > before })
	killed := time.Now()
	kill(t, pid)
	r := <-hit
	t.Logf("%v after the kill, which is to be at most 1 s: %q (%s)", time.Since(killed).Round(time.Millisecond), r.Reply, r.Error)
	honest(t, r)
	if r.Outcome != record.Failed || !strings.Contains(r.Error, "signal: killed") {
		t.Errorf("the turn ended as %s with %q", r.Outcome, r.Error)
	}
	if r := ask(t, http, "what time is it"); r.Outcome != record.Done {
		t.Errorf("the time: %+v", r)
	}
	send(t, house.Process.Pid, syscall.SIGCONT)
	eventually(t, "the light obeys again", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	gone(t, pid)
	c.noZombies(t)
	servers := 0
	for _, p := range offspring(t, env) {
		if strings.Contains(p.command, "zwave-mcp-server") {
			servers++
		}
	}
	if servers != 1 {
		t.Errorf("%d servers live, expected one", servers)
	}
}

// TestAHangingServerHoldsUpNoStatus: while a call hangs, everything that is said
// about the servers is said at once.
func TestAHangingServerHoldsUpNoStatus(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, addr, env := daemon(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, addr, "turn on the kitchen light")) })
	pid := serverPID(t, addr)
	freeze(t, pid)
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	hit := make(chan record.Record, 1)
	go func() { r, _ := tryAsk(t, addr, "turn off the kitchen light"); hit <- r }()
	began := time.Now()
	servers, err := serversOf(t, addr)
	if err != nil || servers[0].Status != "connected" {
		t.Errorf("the list: %+v, %v", servers, err)
	}
	var one serverStatus
	if err := get(t, addr, "/mcp/servers/zwave/status", &one); err != nil || one.ID != "zwave" {
		t.Errorf("one of them: %+v, %v", one, err)
	}
	if out, errs, status := command(t, env, "servers"); status != 0 || !strings.Contains(out, "zwave") {
		t.Errorf("servers: status %d\n%s%s", status, out, errs)
	}
	t.Logf("all was told within %v", time.Since(began).Round(time.Millisecond))
	select {
	case r := <-hit:
		t.Errorf("the call did not hang, or it held up what was told: %+v", r)
	default:
	}
	honest(t, <-hit)
}

// TestFiveStubbornServers: they serve well and end at nothing but SIGKILL, and
// the gateway ends them all at once.
func TestFiveStubbornServers(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "stubborn")
	body := fmt.Sprintf("#!/bin/sh\ntrap '' TERM INT HUP\n%q --require-broker 20s\nwhile :; do sleep 1; done\n", filepath.Join(bin, "zwave-mcp-server"))
	if err := os.WriteFile(script, []byte(body), 0o700); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("mcp:\n  servers:\n    zwave: {command: %q}\n", script)
	for i := range 4 {
		text += fmt.Sprintf("    other%d: {command: %q, env: {MQTT_BROKER_URL: %q}}\n", i, script, broker)
	}
	config := filepath.Join(dir, "voice-gateway.yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	http := fake.FreeAddr(t)
	env := environ(t, "VOICE_GATEWAY_MQTT_BROKER="+broker, "VOICE_GATEWAY_HTTP_LISTEN="+http, "VOICE_GATEWAY_GATEWAY_ID=test", "VOICE_GATEWAY_AI_ENABLED=false")
	c := start(t, env, filepath.Join(bin, "voice-gateway"), "--config", config, "run")
	eventually(t, "all five are connected", func() bool {
		servers, err := serversOf(t, http)
		n := 0
		for _, s := range servers {
			if s.Status == "connected" {
				n++
			}
		}
		return err == nil && n == 5
	})
	began := time.Now()
	stopped(t, c, env)
	t.Logf("stopped after %v, which is to be at most 8 s", time.Since(began).Round(time.Millisecond))
}
