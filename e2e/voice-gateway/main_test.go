// Package e2e tests voice-gateway from the outside, beside the real
// zwave-mcp-server: as a family hears it and as other programs see it.
package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"voicegateway/e2e/rig"
)

// bin holds the real programs, built once: what is tested is what is shipped.
var bin string

func TestMain(m *testing.M) { os.Exit(rig.Main(m, &bin, rig.WaitTogether)) }

// TestScripts runs the commands as a user types them.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", e.WorkDir)
			// No daemon listens there, so that one that runs on this machine is not asked.
			e.Setenv("VOICE_GATEWAY_HTTP_LISTEN", "127.0.0.1:9")
			e.Setenv("VOICE_GATEWAY_MQTT_BROKER", "mqtt://127.0.0.1:9")
			e.Setenv("VOICE_GATEWAY_AI_ENABLED", "false")
			return nil
		},
	})
}
