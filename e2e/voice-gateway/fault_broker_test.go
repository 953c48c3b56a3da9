package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestTheBrokerDiesInATurn: the turn is honest, everybody is back without help,
// and nothing old is done again.
func TestTheBrokerDiesInATurn(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	broker := mosquittoAt(t, addr)
	house := simulate(t, "mqtt://"+addr)
	_, http, _ := daemon(t, "mqtt://"+addr)
	stranger, witness := listen(t, "mqtt://"+addr), listen(t, "mqtt://"+addr, "zwave/#")
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	before := len(witness.on(writeTopic))
	freeze(t, house.Process.Pid) // so that the turn has a middle
	stranger.say(t, "ask", `{"id":"hit","text":"turn off the kitchen light"}`)
	eventually(t, "the write is on its way", func() bool { return len(witness.on(writeTopic)) > before })
	kill(t, broker.Process.Pid)
	var turns []record.Record
	eventually(t, "the turn has ended", func() bool { return get(t, http, "/api/turns", &turns) == nil && turns[0].ID == "hit" })
	honest(t, turns[0])
	if turns[0].Outcome == record.Done {
		t.Errorf("nobody can know that it is done: %+v", turns[0])
	}
	if r := ask(t, http, "turn on the kitchen light"); r.Outcome != record.Failed {
		t.Errorf("without a broker: %+v", r)
	} else {
		honest(t, r)
	}

	online := count(stranger.on("voice/test/availability"), "online")
	writes := len(witness.on(writeTopic))
	send(t, house.Process.Pid, syscall.SIGCONT)
	mosquittoAt(t, addr)
	eventually(t, "it is online again", func() bool { return count(stranger.on("voice/test/availability"), "online") > online })
	eventually(t, "the stranger is back", func() bool { return stranger.Connected() && witness.Connected() })
	stranger.say(t, "ask", `{"id":"hit","text":"turn off the kitchen light"}`)
	eventually(t, "the old id is refused", func() bool { return stranger.has("voice/test/cmd/error", `"hit"`, "used before") })
	if n := len(witness.on(writeTopic)); n != writes {
		t.Errorf("%d writes that nobody asked for: %q", n-writes, witness.on(writeTopic)[writes:])
	}
	n := 0
	eventually(t, "the light obeys over MQTT", func() bool {
		n++
		id := fmt.Sprintf("again%d", n)
		stranger.say(t, "ask", `{"id":"`+id+`","text":"turn on the kitchen light"}`)
		eventually(t, "the turn is told", func() bool { return stranger.has("voice/test/turn", `"id":"`+id+`"`) })
		return stranger.has("voice/test/turn", `"id":"`+id+`"`, `"confirmed":true`, `"outcome":"done"`)
	})
}

// TestAFrozenBroker: it keeps every connection and passes nothing on.
func TestAFrozenBroker(t *testing.T) {
	t.Parallel()
	addr := fake.FreeAddr(t)
	broker := mosquittoAt(t, addr)
	simulate(t, "mqtt://"+addr)
	_, http, _ := daemon(t, "mqtt://"+addr)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	freeze(t, broker.Process.Pid)
	r := ask(t, http, "turn off the kitchen light")
	if honest(t, r); r.Outcome == record.Done {
		t.Errorf("nobody can know that it is done: %+v", r)
	}
	if r := ask(t, http, "what time is it"); r.Outcome != record.Done {
		t.Errorf("the time: %+v", r)
	}
	send(t, broker.Process.Pid, syscall.SIGCONT)
	eventually(t, "the light obeys again", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
}

func count(list []string, s string) int {
	n := 0
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// TestARetainedCommandIsNotDone: it waited at the broker and is not meant for now.
func TestARetainedCommandIsNotDone(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	stranger := listen(t, broker)
	if err := stranger.PublishRetained(t.Context(), "voice/test/cmd/ask", []byte(`{"id":"old","text":"what time is it"}`)); err != nil {
		t.Fatal(err)
	}
	_, http, _ := daemon(t, broker)
	eventually(t, "it is refused", func() bool { return stranger.has("voice/test/cmd/error", `"old"`, "retained") })
	var turns []record.Record
	if err := get(t, http, "/api/turns", &turns); err != nil || len(turns) != 0 {
		t.Errorf("turns %+v, %v", turns, err)
	}
}

// TestTheHouseGoesAndComesBack: zwave-js-ui is killed; the answers meanwhile are honest,
// and afterwards everything recovers without help.
func TestTheHouseGoesAndComesBack(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	house := simulate(t, broker)
	_, http, _ := daemon(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	kill(t, house.Process.Pid)
	if !house.wait() {
		t.Fatal("it cannot be killed")
	}
	for range 2 { // at once, and when the loss is known
		r := ask(t, http, "turn off the kitchen light")
		honest(t, r)
		if r.Outcome != record.Failed {
			t.Errorf("without the house: %+v", r)
		}
		t.Logf("it says: %s (%s)", r.Reply, r.Error)
	}
	simulate(t, broker)
	eventually(t, "the light obeys again", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
}

// TestWithoutABroker: the gateway tells the time, and why the house is missing.
func TestWithoutABroker(t *testing.T) {
	t.Parallel()
	_, http, env := daemon(t, "mqtt://"+fake.FreeAddr(t))
	if out, errs, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
		t.Errorf("the time: %q %q, status %d", out, errs, status)
	}
	eventually(t, "the state says why", func() bool {
		state, why := readiness(t, http, "mqtt")
		return state == "degraded" && strings.Contains(why, "connection refused")
	})
}

// readiness is how a part is, and why.
func readiness(t *testing.T, http, part string) (state, why string) {
	t.Helper()
	var ready struct {
		Parts []struct{ Name, State, Why string }
	}
	if err := get(t, http, "/readyz", &ready); err != nil {
		t.Fatal(err)
	}
	for _, p := range ready.Parts {
		if p.Name == part {
			return p.State, p.Why
		}
	}
	return "", ""
}

// TestTwoGatewaysAtOnce: the second one says what to change and ends, and the
// first one does not even notice.
func TestTwoGatewaysAtOnce(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]string{
		"http port":              {},
		"http and embedded port": {"VOICE_GATEWAY_MQTT_BROKER=", "VOICE_GATEWAY_MQTT_EMBEDDED_LISTEN=" + fake.FreeAddr(t)},
		"state directory":        {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			_, http, env := daemon(t, broker, more...)
			if len(more) > 0 {
				_, addr, _ := strings.Cut(more[1], "=")
				broker = "mqtt://" + addr
			}
			stranger := listen(t, broker)
			eventually(t, "the first is online", func() bool { return stranger.has("voice/test/availability", "online") })
			words := []string{"http.listen", "another program uses this port"}
			if name == "state directory" {
				env, words = append(env, "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t)), []string{"gateway.state_dir", "used by another gateway (gateway test, process "}
			}
			second := start(t, env, filepath.Join(bin, "voice-gateway"), "run")
			if !second.wait() || second.ProcessState.ExitCode() != 1 {
				t.Fatalf("the second ended with %v", second.Wait())
			}
			for _, word := range words {
				if said := second.stderr.String(); !strings.Contains(said, word) {
					t.Errorf("the second says\n%s", said)
				}
			}
			if stranger.has("voice/test/availability", "offline") {
				t.Errorf("the first was thrown off the broker: %q", stranger.on("voice/test/availability"))
			}
			stranger.say(t, "ask", `{"id":"a1","text":"what time is it"}`)
			eventually(t, "the first answers", func() bool { return stranger.has("voice/test/turn", `"a1"`, `"outcome":"done"`) })
			if r := ask(t, http, "what time is it"); r.Outcome != record.Done {
				t.Errorf("%+v", r)
			}
		})
	}
}
