package e2e

import (
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestWorkersThatDieOrHangAreReplaced: all C runs in these children, and none of
// them may take the gateway down or stay away.
func TestWorkersThatDieOrHangAreReplaced(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*testing.T, int){"killed": kill, "hanging": freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, http, env := daemon(t, mosquitto(t), silentRoom(t)) // recognisers run where a microphone listens
			hit := append(c.ready(t, 2, "worker stt"), c.ready(t, 1, "worker audio")...)
			for _, pid := range hit {
				fault(t, pid)
			}
			for _, pid := range hit {
				gone(t, pid)
			}
			c.ready(t, 2, "worker stt")
			c.ready(t, 1, "worker audio")
			c.noZombies(t)
			counted := metrics(t, http)
			for _, worker := range []string{"audio", "stt", "wake"} {
				if n := counted[`voice_gateway_worker_restarts_total{reason="ended",worker="`+worker+`"}`]; n < 1 {
					t.Errorf("%v restarts of the worker %s are counted", n, worker)
				}
			}
			if out, errs, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
				t.Errorf("the time: %q %q, status %d", out, errs, status)
			}
			if err := get(t, http, "/healthz", new(any)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestListeningWithAHangingRecogniser: the turn ends and is reported, and the next
// utterance finds a recogniser, without help.
func TestListeningWithAHangingRecogniser(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	c, http, _ := daemon(t, broker, silentRoom(t))
	stranger := listen(t, broker)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	n := 0
	// utter opens an utterance, ends it unless it has ended already, and returns its record.
	utter := func() record.Record {
		n++
		stranger.say(t, "listen", fmt.Sprintf(`{"id":"l%d"}`, n))
		eventually(t, "it wakes", func() bool { return strings.Count(stranger.states(), "wake") == n })
		stranger.say(t, "stop", fmt.Sprintf(`{"id":"s%d"}`, n))
		var turns []record.Record
		eventually(t, "the turn is told", func() bool {
			return get(t, http, "/api/turns?limit=100", &turns) == nil && len(turns) == n
		})
		eventually(t, "it is idle", func() bool { return strings.HasSuffix(stranger.states(), " idle") })
		return turns[0]
	}
	eventually(t, "the recogniser is ready", func() bool { return utter().Outcome == record.Interrupted })
	for _, pid := range c.ready(t, 2, "worker stt") {
		freeze(t, pid)
	}
	if r := utter(); r.Outcome == record.Done || r.Error == "" {
		t.Errorf("the turn that was hit: %+v", r)
	}
	eventually(t, "the recogniser is back", func() bool { return utter().Outcome == record.Interrupted })
	c.ready(t, 2, "worker stt")
	c.noZombies(t)
}

// say sends a command to the gateway.
func (e *ear) say(t *testing.T, verb, payload string) {
	t.Helper()
	if err := e.Publish(t.Context(), "voice/test/cmd/"+verb, []byte(payload)); err != nil {
		t.Fatal(err)
	}
}

// states are all states that were reported, in order.
func (e *ear) states() string { return strings.Join(e.on("voice/test/state"), " ") }

// TestAKilledGatewayLeavesNothing: neither a working nor a hanging child
// survives it, and the next gateway starts at once on the same ports.
func TestAKilledGatewayLeavesNothing(t *testing.T) {
	t.Parallel()
	broker := fake.FreeAddr(t)
	c, http, env := daemon(t, "", "VOICE_GATEWAY_MQTT_EMBEDDED_LISTEN="+broker, silentRoom(t))
	simulate(t, "mqtt://"+broker)
	server := serverPID(t, http)
	freeze(t, c.ready(t, 2, "worker stt")[0])
	freeze(t, c.ready(t, 1, "worker audio")[0])
	freeze(t, server)
	kill(t, c.Process.Pid)
	if !c.wait() {
		t.Fatal("it cannot be killed")
	}
	eventually(t, "nothing of it is left", func() bool { return len(offspring(t, env)) == 0 })
	next := start(t, env, bin+"/voice-gateway", "run")
	eventually(t, "the next one answers", func() bool { return get(t, http, "/healthz", new(any)) == nil })
	serverPID(t, http)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	if strings.Contains(next.stderr.String(), "level=ERROR") {
		t.Errorf("it complains:\n%s", next.stderr)
	}
}
