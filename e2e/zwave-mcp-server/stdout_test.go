package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
)

// process is the program behind raw pipes.
type process struct {
	*rig.Program
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *words
}

func startProcess(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), self, args...)
	cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir()}, environ...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	cmd.Stdout = stdout
	p := &process{Program: rig.StartCommand(t, cmd), in: in, out: bufio.NewReader(out)}
	p.stderr = p.Log
	if err := stdout.Close(); err != nil { // the program has its own
		t.Fatal(err)
	}
	return p
}

// TestStdoutCarriesJSONRPCOnly talks nonsense and sense to the program at every
// log level and reads every line it answers. No door code may be in what it says,
// on stdout or on stderr.
func TestStdoutCarriesJSONRPCOnly(t *testing.T) {
	t.Parallel()
	const pin = "4711"
	house := filepath.Join(t.TempDir(), "house.yaml")
	body := `home_id: 7
nodes:
  - {id: 2, name: Kitchen Lamp, location: Kitchen, kind: switch}
  - {id: 3, name: Front Lock, location: Hall, kind: keypad_lock, values: {99-0-userCode-1: "` + pin + `"}}
`
	if err := os.WriteFile(house, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	url := startBroker(t)
	simulate(t, url, house)
	for _, level := range []string{"debug", "info", "warn", "error"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t, []string{"MQTT_BROKER_URL=" + url, "LOG_LEVEL=" + level, "ZWAVE_ALLOW_DANGEROUS=true"})
			lines := []string{
				`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
				`hello`, ``, `{"jsonrpc":"2.0"`, `[]`, `null`, `{"jsonrpc":"2.0","id":2,"method":"no/such/method"}`,
				`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such_tool"}}`,
				`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list_devices","arguments":{"page":"x"}}}`,
				`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`,
				`{"jsonrpc":"2.0","id":6,"method":"resources/list"}`,
				`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"zwave://home"}}`,
				`{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"zwave://attic"}}`,
				`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"list_devices","arguments":{}}}`,
				`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"get_device_state","arguments":{"device_name":"Front Lock"}}}`,
				`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"refresh_device","arguments":{"device_name":"Front Lock"}}}`,
				`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"control_zwave_device","arguments":{"device_name":"Front Lock","action":"lock"}}}`,
				`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"operate_dangerous_device","arguments":{"device_name":"Front Lock","action":"unlock"}}}`,
				`{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"check_zwave_health"}}`,
			}
			p.speak(t, lines, pin)
			_ = p.in.Close()
			rest, err := io.ReadAll(p.out)
			if err != nil || len(bytes.TrimSpace(rest)) > 0 {
				t.Errorf("after the end: %q, %v", rest, err)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("the program ended with %v", err)
			}
			if strings.Contains(p.stderr.String(), pin) {
				t.Error("a door code is on stderr")
			}
		})
	}
}

// speak says the lines one after the other and waits for the answer of each that
// has an id.
func (p *process) speak(t *testing.T, lines []string, pin string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		var asked struct{ ID int }
		if json.Unmarshal([]byte(line), &asked) != nil || asked.ID == 0 {
			continue
		}
		for answered := false; !answered; {
			got, err := p.out.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%s: %v; stderr: %s", line, err, p.stderr)
			}
			var m struct {
				Version string `json:"jsonrpc"`
				ID      any
			}
			if err := json.Unmarshal(got, &m); err != nil || m.Version != "2.0" {
				t.Errorf("stdout carries %q", got)
			}
			if bytes.Contains(got, []byte(pin)) {
				t.Errorf("a door code is on stdout: %s", got)
			}
			answered = m.ID == float64(asked.ID)
		}
	}
}
