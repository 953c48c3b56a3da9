//go:build accept

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// scenarios of the MCP conformance suite that need no fixtures of its own. One
// for logging is not among them: no server of ours offers it.
var scenarios = []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"}

// peers installs programs of others if they are not there, and returns where they
// are. A machine that cannot have them skips; CI fails.
func peers(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../scripts/peers.sh", "peers")
	var errs bytes.Buffer
	cmd.Stderr = io.MultiWriter(&errs, os.Stderr)
	out, err := cmd.Output()
	if err != nil {
		text := fmt.Sprintf("the programs of others cannot be installed: %v\n%s", err, errs.String())
		if os.Getenv("CI") == "true" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	return strings.TrimSpace(string(out))
}

// conforms runs the scenarios against an MCP endpoint.
func conforms(t *testing.T, url string) {
	t.Helper()
	dir := filepath.Join(peers(t), "node_modules", ".bin")
	for _, scenario := range scenarios {
		t.Run(scenario, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(dir, "peer-node"), filepath.Join(dir, "conformance"), "server", "--url", url, "--scenario", scenario, "-o", t.TempDir())
			cmd.Env = environ(t)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "Passed:") {
				t.Errorf("%v\n%s", err, out)
				return
			}
			_, result, _ := strings.Cut(string(out), "Passed:")
			result, _, _ = strings.Cut(result, "\n")
			t.Logf("passed:%s", result)
		})
	}
}

// listening waits until somebody listens at an address.
func listening(t *testing.T, addr string) {
	t.Helper()
	eventually(t, addr+" listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// TestAcceptConformanceOfTheServer is the suite's word on zwave-mcp-server --http.
func TestAcceptConformanceOfTheServer(t *testing.T) {
	addr := fake.FreeAddr(t)
	start(t, environ(t, "MQTT_BROKER_URL="+mosquitto(t)), filepath.Join(bin, "zwave-mcp-server"), "--http", addr)
	listening(t, addr)
	conforms(t, "http://"+addr+"/mcp")
}

// TestAcceptConformanceOfTheGateway is the suite's word on the gateway's own
// endpoint.
func TestAcceptConformanceOfTheGateway(t *testing.T) {
	_, http, _ := daemon(t, mosquitto(t))
	conforms(t, "http://"+http+"/mcp")
}
