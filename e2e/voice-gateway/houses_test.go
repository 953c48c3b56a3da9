package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/zwave/sim"
)

// playAt plays a house at a broker, under a prefix.
func playAt(t *testing.T, broker, prefix, nodes string) *rig.House {
	t.Helper()
	parsed, err := sim.ParseHouse([]byte(nodes))
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.DefaultConfig()
	cfg.House, cfg.Prefix = parsed, prefix
	played, err := rig.PlayHouse(cfg, broker)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(played.Stop)
	return played
}

// TestTwoHouses: two servers are two houses in one gateway. One sentence acts in both, a name
// that stands in both is asked about, and a reply says which house is away.
func TestTwoHouses(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	first := playAt(t, broker, "zwave", `
home_id: 11
nodes:
  - {id: 2, name: Kitchen Light, location: Kitchen, kind: dimmer}
  - {id: 3, name: Lamp, location: Hall, kind: dimmer}
`)
	second := playAt(t, broker, "barn", `
home_id: 12
nodes:
  - {id: 2, name: Barn Light, location: Barn, kind: dimmer}
  - {id: 3, name: lamp, location: hall, kind: dimmer}
`)
	dir := t.TempDir()
	gate, late, config := filepath.Join(dir, "go"), filepath.Join(dir, "late-server"), filepath.Join(dir, "config.yaml")
	script := fmt.Sprintf("#!/bin/sh\nwhile [ ! -e %q ]; do sleep 0.05; done\nexec %q\n", gate, filepath.Join(bin, "zwave-mcp-server"))
	settings := fmt.Sprintf("mcp:\n  servers:\n    barn: {command: %q, house: true, trust: full, env: {MQTT_BROKER_URL: %q, ZWAVE_MQTT_TOPIC: barn}, connect_timeout: 60s}\n", late, broker)
	if err := os.WriteFile(late, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	_, address, env := daemonWith(t, []string{"--config", config}, broker)
	knows := func(name string) func() bool {
		return func() bool {
			var home json.RawMessage
			return get(t, address, "/api/home", &home) == nil && strings.Contains(string(home), name)
		}
	}
	ask := func(text string, outcome record.Outcome, reply string) {
		t.Helper()
		if r := askIn(t, address, "", text); r.Outcome != outcome || !regexp.MustCompile("^"+reply+"$").MatchString(r.Reply) {
			t.Errorf("%q: %s %q, want %s %q", text, r.Outcome, r.Reply, outcome, reply)
		}
	}
	level := func(house *rig.House, device string) any {
		t.Helper()
		facts, err := house.Facts(t.Context(), device)
		if err != nil {
			t.Fatal(err)
		}
		return facts["38-0-currentValue"]
	}

	eventually(t, "the first house is known", knows("Kitchen Light"))
	ask("turn on all the lights", record.Failed, `2 lights are on\. I can't reach barn yet\.`)
	ask("turn on the kitchen light", record.Done, `The kitchen light is (already )?on\.`)
	ask("which house can't I reach", record.Done, `I can't reach barn\. I can reach Z-Wave\.`)

	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second house is known", knows("Barn Light"))
	ask("which house can't I reach", record.Done, `I can reach barn and zwave\.`)
	ask("turn off the hall lights", record.Done, `2 lights are off\.`)
	if level(first, "Lamp") != 0.0 || level(second, "lamp") != 0.0 || level(first, "Kitchen Light") == 0.0 {
		t.Error("one sentence did not reach the hall of both houses, and it alone")
	}
	ask("turn on the hall lamp", record.Asked, `Do you mean the hall lamp of barn or the hall lamp of zwave\?`)
	ask("the one of barn", record.Done, `.*lamp.* is on\.`)
	if level(first, "Lamp") != 0.0 || level(second, "lamp") == 0.0 {
		t.Error("the answer reached another lamp than the one that was meant")
	}
	if out, _, status := command(t, env, "home", "check", "zwave", "--config", config); status != 0 || !strings.Contains(out, "keeps to version 1 of the form") {
		t.Errorf("home check: status %d, %s", status, out)
	}

	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
	var barn mcpint.Status
	if err := get(t, address, "/mcp/servers/barn/status", &barn); err != nil || barn.PID == nil {
		t.Fatalf("%+v, %v", barn, err)
	}
	if err := syscall.Kill(*barn.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second house is gone", func() bool {
		return get(t, address, "/mcp/servers/barn/status", &barn) == nil && barn.Status != mcpint.Connected
	})
	ask("turn on the hall lights", record.Failed, `I stopped: barn does not answer, with 1 of 2 still open\. Say resume to do the rest\.`)
	ask("which house can't I reach", record.Done, `(?i)barn has not answered since .*\. I can reach zwave\.`)
	if level(first, "Lamp") == 0.0 {
		t.Error("the house that is there did not obey")
	}
}
