package e2e

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

// unhurried is more than a few turns take on a busy machine, and less than
// anything that waits for a stranger waits.
const unhurried = 15 * time.Second

// stranger is an optional server beside the house, which never comes.
type stranger struct {
	entry func(t *testing.T) string // its configuration
	state mcpint.State              // while it goes on trying
}

// strangers are the ways in which a server never comes. None of them gives up before a
// test ends.
var strangers = map[string]stranger{
	"mute": {func(t *testing.T) string {
		t.Helper()
		return "{command: " + oneLiner(t, "exec sleep 3600") + ", connect_timeout: 1h}"
	}, mcpint.Connecting},
	"ends": {func(t *testing.T) string {
		t.Helper()
		return "{command: " + oneLiner(t, "exit 7") + ", retry: {base_delay: 1h, max_delay: 1h}}"
	}, mcpint.Retrying},
	"needs": {func(t *testing.T) string {
		t.Helper()
		return "{command: " + oneLiner(t, "exit 7") + ", requires: ['tcp://" + fake.FreeAddr(t) + "'], requires_timeout: 1h}"
	}, mcpint.Retrying},
	"hangs": {func(t *testing.T) string {
		t.Helper()
		return "{transport: http, url: 'http://" + silence(t) + "/mcp', connect_timeout: 1h}"
	}, mcpint.Connecting},
}

// oneLiner writes a program of one line.
func oneLiner(t *testing.T, line string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+line+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// silence is an address that takes connections and never answers.
func silence(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// beside are the flags for a configuration with servers beside the house.
func beside(t *testing.T, servers map[string]string) []string {
	t.Helper()
	text := "mcp:\n  servers:\n    zwave: {essential: true}\n"
	for _, id := range slices.Sorted(maps.Keys(servers)) {
		text += fmt.Sprintf("    %s: %s\n", id, servers[id])
	}
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", path}
}

// neighbourhood is a gateway with a house, a model and strangers.
type neighbourhood struct {
	t     *testing.T
	http  string
	model *scriptedModel
	never map[string]mcpint.State // the strangers, and their states
}

// settle starts a gateway, beside strangers, and does not wait for its house.
func settle(t *testing.T, broker string, ids []string, more ...string) *neighbourhood {
	t.Helper()
	n := &neighbourhood{t: t, model: &scriptedModel{}, never: map[string]mcpint.State{}}
	servers := map[string]string{}
	for _, id := range ids {
		servers[id], n.never[id] = strangers[id].entry(t), strangers[id].state
	}
	model := httptest.NewServer(n.model)
	t.Cleanup(model.Close)
	_, n.http, _ = daemonWith(t, beside(t, servers), broker, append(more,
		"VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+model.URL+"/v1")...)
	return n
}

// told asks sentences one after the other, and ends before any wait for such a server
// does.
func (n *neighbourhood) told(sentences ...string) []record.Record {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), unhurried)
	defer cancel()
	var records []record.Record
	for _, text := range sentences {
		began := time.Now()
		r, err := tryAskWithin(ctx, n.http, text)
		if err != nil {
			n.t.Fatalf("beside %v, %q: %v", slices.Sorted(maps.Keys(n.never)), text, err)
		}
		n.t.Logf("%6d ms  %s", time.Since(began).Milliseconds(), text)
		records = append(records, r)
	}
	return records
}

// stillTrying checks that no stranger has come or given up.
func (n *neighbourhood) stillTrying() {
	n.t.Helper()
	servers, err := serversOf(n.t, n.http)
	if err != nil {
		n.t.Fatal(err)
	}
	for _, s := range servers {
		if want, ok := n.never[s.ID]; ok && s.Status != string(want) {
			n.t.Errorf("%s is %s, and should be %s still", s.ID, s.Status, want)
		}
	}
}

// TestNobodyWaitsForAStranger: commands, questions, amendments and a model's
// turns, from the first moment on, beside servers that never come.
func TestNobodyWaitsForAStranger(t *testing.T) {
	t.Parallel()
	all := slices.Sorted(maps.Keys(strangers))
	cases := map[string][]string{"nobody": nil, "all of them": all}
	for _, id := range all {
		cases[id] = []string{id}
	}
	for name, ids := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			simulate(t, broker)
			n := settle(t, broker, ids)
			for i, r := range n.told("turn on the kitchen light", "is the kitchen light on", "undo", "turn on the kitchen light") {
				if r.Outcome != record.Done || r.Route != record.RouteLocal {
					t.Errorf("turn %d: %+v", i+1, r)
				}
			}
			if r := n.told("turn on the dishwasher")[0]; r.Route != record.RouteRefused || !strings.Contains(r.Error, "unknown_name") {
				t.Errorf("a name nobody knows: %+v", r)
			}
			story := "tell me a story"
			for _, r := range n.told(story, story, story, story, story) {
				if r.Outcome != record.Done || r.Route != record.RouteModel || r.Reply == "" {
					t.Errorf("the story: %+v", r)
				}
			}
			n.stillTrying()
		})
	}
}

// TestAStoryNeedsNoServer: not even the house's own server is waited for, from
// the first moment on.
func TestAStoryNeedsNoServer(t *testing.T) {
	t.Parallel()
	n := settle(t, mosquitto(t), []string{"mute", "ends"},
		"VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+oneLiner(t, "exec sleep 3600"), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_CONNECT_TIMEOUT=1h")
	n.never["zwave"] = mcpint.Connecting
	for _, r := range n.told("tell me a story", "what time is it", "tell me a story", "tell me a story") {
		if r.Outcome != record.Done || r.Reply == "" {
			t.Errorf("%+v", r)
		}
	}
	n.stillTrying()
}

// TestANameTriesNoStranger: while no house is known, a name forces one more
// attempt of the server that may tell it, and of no other.
func TestANameTriesNoStranger(t *testing.T) {
	t.Parallel()
	zwave, _, tries := gated(t)
	other, _, others := gated(t)
	flags := beside(t, map[string]string{"other": "{command: " + other + "}"})
	c, http, _ := daemonWith(t, flags, "mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+zwave, "DISABLE_RETRY=true")
	eventually(t, "both have given up", func() bool {
		return strings.Count(c.stderr.String(), "MCP connection failed after 1 attempt") == 2
	})
	if r := ask(t, http, "turn on the kitchen light"); r.Outcome != record.Failed || !strings.Contains(r.Reply, "reach") {
		t.Errorf("%+v", r)
	}
	if own, foreign := tries(), others(); own != 2 || foreign != 1 {
		t.Errorf("the house's server was started %d times, expected 2; the stranger %d times, expected 1", own, foreign)
	}
}

// TestANameWaitsForNoRequirement: what the house's own server needs may take a minute
// to come, and a name is not kept waiting for it; when it has come, the light obeys.
func TestANameWaitsForNoRequirement(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	needed := fake.FreeAddr(t)
	n := settle(t, broker, nil, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_REQUIRES=tcp://"+needed, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_REQUIRES_TIMEOUT=1h")
	for range 3 {
		if r := n.told("turn on the kitchen light")[0]; r.Outcome != record.Failed || !sentence(r.Reply) {
			t.Errorf("%+v", r)
		}
	}
	becomes(t, n.http, mcpint.Retrying)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", needed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, n.http, "turn on the kitchen light")) })
}
