package e2e

import (
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/keep/record"
)

// These tests injure a running gateway the way kernels, brokers and people do. They
// assert states and words, never times.

// TestAKilledServerIsBackAtTheNextCommand: it recovers without help, and no process of
// the old server is left.
func TestAKilledServerIsBackAtTheNextCommand(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	c, http, env := daemon(t, broker)
	pid := serverPID(t, http)
	if r := ask(t, http, "turn on the kitchen light"); !confirmed(r) {
		t.Fatalf("before the fault: %+v", r)
	}
	kill(t, pid)
	if r := ask(t, http, "turn off the kitchen light"); !confirmed(r) || r.Reply != "The kitchen light is off." {
		t.Errorf("after the fault: %+v", r)
	}
	gone(t, pid)
	c.noZombies(t)
	if again := serverPID(t, http); again == pid {
		t.Errorf("the dead process %d is still shown as the server", pid)
	}
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

// TestAServerKilledInACall: the device has the command and its answer was lost, so the
// turn must not say that it is done.
func TestAServerKilledInACall(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	house := simulate(t, broker)
	c, http, _ := daemon(t, broker)
	pid := serverPID(t, http)
	witness := listen(t, broker, "zwave/#")
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })

	before := len(witness.on(writeTopic))
	freeze(t, house.Process.Pid)
	hit := make(chan record.Record, 1)
	go func() { r, _ := tryAsk(t, http, "turn off the kitchen light"); hit <- r }()
	eventually(t, "the write is on its way", func() bool { return len(witness.on(writeTopic)) > before })
	kill(t, pid)
	r := <-hit
	send(t, house.Process.Pid, syscall.SIGCONT)
	honest(t, r)
	t.Logf("it says: %s (%s)", r.Reply, r.Error)
	if r.Outcome == record.Done || len(r.Calls) != 1 || r.Calls[0].OK {
		t.Errorf("the record of the turn that was hit: %+v", r)
	}
	eventually(t, "the light obeys again", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	c.noZombies(t)
}

const writeTopic = "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set"

// TestAHangingServer: the turn ends in its own time with a sentence, and its command is
// not done later, unnoticed, when the server wakes up.
func TestAHangingServer(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	c, http, _ := daemon(t, broker, "VOICE_GATEWAY_MCP_HEALTH_TIMEOUT=500ms")
	pid := serverPID(t, http)
	if r := ask(t, http, "turn off the kitchen light"); !confirmed(r) {
		t.Fatalf("before the fault: %+v", r)
	}
	witness := listen(t, broker, "zwave/#")
	freeze(t, pid)
	r := ask(t, http, "turn on the kitchen light")
	honest(t, r)
	t.Logf("it says: %s (%s)", r.Reply, r.Error)
	if r.Outcome == record.Done {
		t.Errorf("nobody can have done it: %+v", r)
	}
	if r := ask(t, http, "what time is it"); r.Outcome != record.Done {
		t.Errorf("the time: %+v", r)
	}
	eventually(t, "the hanging server is replaced", func() bool { return serverPID(t, http) != pid })
	_ = syscall.Kill(pid, syscall.SIGCONT)
	if r := ask(t, http, "turn on the bedroom lamp"); !confirmed(r) {
		t.Errorf("after the fault: %+v", r)
	}
	if n := len(witness.on(writeTopic)); n != 1 {
		t.Errorf("%d writes, expected only the last one: %q", n, witness.on(writeTopic))
	}
	gone(t, pid)
	c.noZombies(t)
}
