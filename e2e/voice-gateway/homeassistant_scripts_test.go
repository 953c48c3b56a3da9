package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// TestAScriptIsAskedAbout: a script of Home Assistant runs after a yes, once, and not after a
// no; one that the settings name runs at once.
func TestAScriptIsAskedAbout(t *testing.T) {
	t.Parallel()
	house, server := newHomeAssistant(t, false)
	house.Add("script.bedtime", fake.Thing{State: "off", Attributes: map[string]any{"friendly_name": "Bedtime"}})
	house.Add("script.movie", fake.Thing{State: "off", Attributes: map[string]any{"friendly_name": "Movie Time"}})
	house.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
		<-time.After(20 * time.Millisecond)
		house.Set(c.Entity, "on", nil, c.Context)
		return nil
	}
	file := filepath.Join(t.TempDir(), "token")
	config := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf("mcp: {servers: {zwave: null, homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: %q, HASS_TOKEN_FILE: %q, HASS_SCRIPTS: script.movie}}}}\n", server.URL, file)
	for name, text := range map[string]string{file: rightToken, config: text} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, address, _ := daemonWith(t, []string{"--config", config}, mosquitto(t), "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir())
	eventually(t, "the scripts are known", func() bool {
		var told home.Snapshot
		return get(t, address, "/api/home", &told) == nil && slices.ContainsFunc(told.Entities, func(e home.EntityState) bool { return e.Name == "Bedtime" })
	})
	for _, said := range []struct {
		text, reply string
		outcome     record.Outcome
		calls       int
	}{
		{"run bedtime", "Shall I run Bedtime?", record.Asked, 0},
		{"no", "Okay.", record.Done, 0},
		{"run bedtime", "Shall I run Bedtime?", record.Asked, 0},
		{"yes", "", record.Done, 1},
		{"yes", "", record.Done, 1},
		{"run movie time", "", record.Done, 2},
	} {
		r := askIn(t, address, "", said.text)
		if calls := house.Calls(); r.Outcome != said.outcome || said.reply != "" && r.Reply != said.reply || len(calls) != said.calls {
			t.Errorf("%q: %s, %q; calls %+v", said.text, r.Outcome, r.Reply, calls)
		}
	}
}
