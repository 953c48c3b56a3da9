// Package e2e tests voice-gateway from the outside, beside the real
// zwave-mcp-server: as a family hears it and as other programs see it.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"voicegateway/internal/fake"
)

// bin holds the real programs, built once: what is tested is what is shipped.
var bin string

func TestMain(m *testing.M) {
	if script := os.Getenv(fake.PuppetVariable); script != "" {
		os.Exit(fake.Stage{Script: script, Environ: os.Environ(), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Play())
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	var err error
	if bin, err = fake.Programs(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// TestScripts runs the commands as a user types them.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", e.WorkDir)
			// Nobody listens there: a daemon that runs on this machine is not asked.
			e.Setenv("VOICE_GATEWAY_HTTP_LISTEN", "127.0.0.1:9")
			e.Setenv("VOICE_GATEWAY_MQTT_BROKER", "mqtt://127.0.0.1:9")
			e.Setenv("VOICE_GATEWAY_AI_ENABLED", "false")
			return nil
		},
	})
}

// environ is a clean environment with the given additions.
func environ(tb testing.TB, more ...string) []string {
	tb.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir()}
	for _, kv := range more {
		if !strings.Contains(kv, "=") {
			tb.Fatalf("%q is no setting", kv)
		}
	}
	return append(env, more...)
}
