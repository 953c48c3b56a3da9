package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// daemon starts the gateway as a service would, without a sound card.
func daemon(tb testing.TB, broker string, more ...string) (c *child, http string, env []string) {
	tb.Helper()
	return daemonWith(tb, nil, broker, more...)
}

// daemonWith starts it with flags, such as a configuration file.
func daemonWith(tb testing.TB, flags []string, broker string, more ...string) (c *child, http string, env []string) {
	tb.Helper()
	http = fake.FreeAddr(tb)
	env = environ(tb, append([]string{
		"VOICE_GATEWAY_MQTT_BROKER=" + broker, "VOICE_GATEWAY_HTTP_LISTEN=" + http, "VOICE_GATEWAY_GATEWAY_ID=test",
		"VOICE_GATEWAY_AI_ENABLED=false",
	}, more...)...)
	c = start(tb, env, filepath.Join(bin, "voice-gateway"), append([]string{"run"}, flags...)...)
	eventually(tb, "the daemon answers", func() bool { return get(tb, http, "/healthz", new(any)) == nil })
	return c, http, env
}

// TestDaemonOverMQTT drives a gateway over MQTT only, with a real broker, a real
// child and the simulated house.
func TestDaemonOverMQTT(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	c, http, env := daemon(t, broker)
	stranger := listen(t, broker)
	say := func(topic, payload string) {
		t.Helper()
		if err := stranger.Publish(t.Context(), "voice/test/cmd/"+topic, []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })

	say("ask", `{"id":"a1","text":"turn on the kitchen light"}`)
	eventually(t, "the turn is told, confirmed by the device", func() bool {
		return stranger.has("voice/test/turn", `"id":"a1"`, `"confirmed":true`, `"value":"on"`, `"outcome":"done"`, `"source":"mqtt"`)
	})
	if !stranger.has("voice/test/reply", `"turn":"a1"`, "The kitchen light is on.") {
		t.Errorf("reply: %q", stranger.on("voice/test/reply"))
	}

	say("ask", `{"id":"a1","text":"turn off the kitchen light"}`)
	say("ask", `garbage`)
	eventually(t, "it knows that it has no speaker", func() bool { return strings.Contains(c.stderr.String(), `msg="no speaker"`) })
	for _, args := range [][]string{{"volume"}, {"volume", "30"}} {
		if stdout, stderr, status := command(t, env, args...); status != 1 || !strings.Contains(stderr, "no speaker found") || stdout != "" {
			t.Errorf("%q: status %d, %q, %q", args, status, stdout, stderr)
		}
	}
	say("say", `{"id":"s1","text":"Dinner is ready."}`)
	say("dance", `{"id":"d1"}`)
	say("ask/x", `{"id":"x1","text":"turn off the kitchen light"}`)
	say("ask", `{"id":"a2","text":"turn on the kitchen light","time":"2020-01-01T00:00:00Z"}`)
	say("ask", `{"id":"a3","text":"turn on the kitchen light","time":"2099-01-01T00:00:00Z"}`)
	eventually(t, "every bad command is refused with its reason", func() bool {
		return len(stranger.on("voice/test/cmd/error")) == 7
	})
	for _, words := range [][]string{{`"a1"`, "used before"}, {"JSON"}, {`cmd/dance`, "not known"}, {`cmd/ask/x`, `"x1"`, "not known"}, {`"a2"`, "old"}, {`"a3"`, "ahead"}, {`"s1"`, "no speaker"}} {
		if !stranger.has("voice/test/cmd/error", words...) {
			t.Errorf("no refusal with %q among %q", words, stranger.on("voice/test/cmd/error"))
		}
	}
	eventually(t, "the text is spoken and it is idle again", func() bool {
		states := strings.Join(stranger.on("voice/test/state"), " ")
		return strings.HasSuffix(states, "speaking idle")
	})
	var turns []record.Record
	if err := get(t, http, "/api/turns", &turns); err != nil || len(turns) != 1 || turns[0].ID != "a1" {
		t.Errorf("turns %+v, %v", turns, err)
	}

	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	eventually(t, "it says goodbye", func() bool { return stranger.has("voice/test/availability", "offline") })
	if err := syscall.Kill(-c.Process.Pid, 0); err == nil {
		t.Error("it left a process of its group behind")
	}
}

// TestNothingWaitsForASlowServer: while the Z-Wave server has not even started and the
// model's address never answers, the gateway tells the time; the light obeys as soon as
// the server is there.
func TestNothingWaitsForASlowServer(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	gate := filepath.Join(t.TempDir(), "go")
	slow := filepath.Join(t.TempDir(), "slow-server")
	script := fmt.Sprintf("#!/bin/sh\nwhile [ ! -e %q ]; do sleep 0.05; done\nexec %q \"$@\"\n", gate, filepath.Join(bin, "zwave-mcp-server"))
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	mute, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mute.Close() }()
	_, http, env := daemon(t, broker, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+slow, "VOICE_GATEWAY_AI_ENABLED=auto",
		"VOICE_GATEWAY_AI_BASE_URL=http://"+mute.Addr().String()+"/v1", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_CONNECT_TIMEOUT=60s")

	if out, _, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
		t.Errorf("the time: %q, status %d", out, status)
	}
	var list struct {
		Servers []struct{ Status string } `json:"servers"`
	}
	if err := get(t, http, "/mcp/servers", &list); err != nil || len(list.Servers) != 1 || list.Servers[0].Status != "connecting" {
		t.Errorf("the server should still be connecting: %+v, %v", list, err)
	}
	type answer struct {
		out    string
		status int
	}
	light := make(chan answer, 1)
	go func() {
		out, _, status := command(t, env, "ask", "turn on the kitchen light")
		light <- answer{out, status}
	}()
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-light; got.status != 0 || got.out != "The kitchen light is on.\n" {
		t.Errorf("the light: %+v", got)
	}
}

// TestABrokenServerIsToldAndLivedWithout: M2's report is in the log, word for
// word, and the local tools work.
func TestABrokenServerIsToldAndLivedWithout(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken-server")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'cannot open the stick' >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, http, env := daemon(t, mosquitto(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+broken, "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=10ms")
	report := "Failed to initialize MCP tools after 3 attempts\n" +
		"Reason: connection to stdio server 'zwave' failed: the process ended before it answered (exit status 7)\n" +
		"MCP server stderr: cannot open the stick\n" +
		"Check: MQTT broker running, zwave-mcp-server installed\n" +
		"Continuing with local tools only (datetime, search, volume)\n"
	eventually(t, "the report is in the log", func() bool { return strings.Contains(c.stderr.String(), report) })
	if !strings.Contains(c.stderr.String(), "MCP connection failed after 3 attempts") {
		t.Error("the failure has no line of its own")
	}
	if out, _, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
		t.Errorf("the time: %q, status %d", out, status)
	}
	if out, _, status := command(t, env, "ask", "turn on the kitchen light"); status != 1 || !strings.Contains(out, "reach") {
		t.Errorf("the light: %q, status %d", out, status)
	}
	var ready struct {
		Ready bool
		MCP   string
	}
	if err := get(t, http, "/readyz", &ready); err != nil || !ready.Ready || ready.MCP != "disconnected" {
		t.Errorf("readiness %+v, %v", ready, err)
	}
}

// TestTheBrokerComesLate: the attempts are used up before there is a broker, and once it
// is there the gateway recovers without help.
func TestTheBrokerComesLate(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	c, _, env := daemon(t, "mqtt://"+addr, "VOICE_GATEWAY_MCP_RETRY_BASE_DELAY=100ms", "VOICE_GATEWAY_MCP_RETRY_SLOW_INTERVAL=200ms",
		"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_ARGS=--require-broker,100ms")
	eventually(t, "the attempts are used up", func() bool {
		return strings.Contains(c.stderr.String(), "MCP connection failed after 3 attempts")
	})
	rig.StartMosquitto(t, addr)
	simulate(t, "mqtt://"+addr)
	eventually(t, "the light obeys", func() bool {
		out, _, status := command(t, env, "ask", "turn on the kitchen light")
		return status == 0 && out == "The kitchen light is on.\n"
	})
}
