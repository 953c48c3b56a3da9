package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A configuration that cannot be used is a mistake in the call: a service manager
// that sees status 2 does not start the daemon again and again.
func TestBrokenConfigurationEndsWithStatusTwo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file  string
		env   []string
		wrong string // a part of what is printed
	}{
		"unknown key":           {file: "gatewy: {}\n", wrong: "gatewy"},
		"wrong type":            {file: "mcp: {retry: {attempts: many}}\n", wrong: "attempts: expected a whole number"},
		"wrong value":           {file: "safety: {fan_out_limit: 0}\n", wrong: "safety.fan_out_limit"},
		"a part refuses":        {file: "mqtt: {embedded: {listen: \"0.0.0.0:1884\"}}\n", wrong: "mqtt.embedded.listen"},
		"a broker for all":      {file: "mqtt: {username: u, password_file: lock, embedded: {listen: \"192.168.1.5:1884\"}}\n", env: []string{"VOICE_GATEWAY_MQTT_PASSWORD=p"}, wrong: "sudo apt-get install mosquitto"},
		"variable":              {file: "{}\n", env: []string{"VOICE_GATEWAY_MCP_RETRY_ATTEMPTS=x"}, wrong: "ATTEMPTS"},
		"retry neither off nor": {file: "{}\n", env: []string{"DISABLE_RETRY=maybe"}, wrong: "DISABLE_RETRY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "voice-gateway.yaml")
			if err := os.WriteFile(file, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			var out, errs bytes.Buffer
			env := append([]string{"XDG_STATE_HOME=" + t.TempDir()}, tt.env...)
			commands := [][]string{{"run"}, {"config", "check"}}
			if strings.Contains(tt.wrong, "mosquitto") { // what worked before an update is explained wherever somebody looks
				commands = append(commands, []string{"doctor"}, []string{"setup", "--yes"})
			}
			for _, command := range commands {
				errs.Reset()
				status := Main(t.Context(), append(command, "--config", file), "test", IO{Out: &out, Err: &errs, Environ: env, Executable: os.Args[0]})
				if status != 2 || !strings.Contains(errs.String(), tt.wrong) {
					t.Errorf("%s: status %d, %q; expected 2 and %q", command, status, errs.String(), tt.wrong)
				}
			}
		})
	}
}
