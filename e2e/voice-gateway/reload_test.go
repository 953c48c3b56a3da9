package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
)

// TestServersAreReadAgain: SIGHUP adds, changes and removes MCP servers; a broken file
// changes nothing, and is told in the log and in /readyz.
func TestServersAreReadAgain(t *testing.T) {
	t.Parallel()
	addr, dir := fake.FreeAddr(t), t.TempDir()
	file, list := filepath.Join(dir, "voice-gateway.yaml"), filepath.Join(dir, "list.json")
	never := oneLiner(t, "exec sleep 3600")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	begin := "mcp:\n  import: ['" + list + "']\n  servers:\n    zwave: {command: /nowhere/server}\n"
	write(list, `{"mcpServers":{}}`)
	write(file, begin+"    first: {command: "+never+", connect_timeout: 1h}\n")
	env := environ(t, "VOICE_GATEWAY_MQTT_BROKER=mqtt://"+fake.FreeAddr(t), "VOICE_GATEWAY_HTTP_LISTEN="+addr, "VOICE_GATEWAY_AI_ENABLED=false")
	c := start(t, env, filepath.Join(bin, "voice-gateway"), "run", "--config", file)
	shows := func(want ...string) func() bool {
		return func() bool {
			var list struct{ Servers []mcpint.Status }
			if get(t, addr, "/mcp/servers", &list) != nil {
				return false
			}
			var ids []string
			for _, s := range list.Servers {
				ids = append(ids, s.ID)
			}
			return slices.Equal(ids, want)
		}
	}
	hangup := func() {
		t.Helper()
		if err := c.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the first servers", shows("first", "zwave"))
	heard := events(t, addr)
	eventually(t, "a page is told of the first servers", func() bool { return heard("server", `"id":"first"`, `"status":`) })

	write(list, `{"mcpServers":{"imported":{"command":"`+never+`"}}}`)
	write(file, begin+"    second: {command: "+never+", connect_timeout: 1h}\n")
	hangup()
	eventually(t, "the servers of the new file", shows("imported", "second", "zwave"))
	eventually(t, "an open page is told that a server is gone", func() bool { return heard("server", `"id":"first"`, `"gone":true`) })
	if out, _, _ := command(t, env, "servers"); !strings.Contains(out, "imported: imported from "+list) {
		t.Errorf("servers: %s", out)
	}

	write(list, `{"mcpServers":{"imported":{}}}`)
	hangup()
	const why = "mcpServers.imported.command: a stdio server needs the command"
	eventually(t, "the broken file is told", func() bool {
		_, told := readiness(t, addr, "configuration")
		return strings.Contains(told, why)
	})
	eventually(t, "the log tells it too", func() bool { return strings.Contains(c.stderr.String(), why) })
	if !shows("imported", "second", "zwave")() {
		t.Error("a broken file changed the servers")
	}

	write(list, `{"mcpServers":{}}`)
	hangup()
	eventually(t, "the mended file counts", shows("second", "zwave"))
	if state, told := readiness(t, addr, "configuration"); state != "ready" || told != "" {
		t.Errorf("the configuration is %s: %s", state, told)
	}
}
