//go:build accept

package e2e

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// peers installs the MCP programs of others if they are not there, and returns where they are.
func peers(t *testing.T) string {
	t.Helper()
	return fake.InstallOthers(t, "peers.sh", "peers")
}

// suiteRun is what one run of the conformance suite says of one of our programs:
// the failed checks of each scenario.
type suiteRun map[string][]string

// runSuite runs all scenarios of a suite against a program of ours. A suite writes
// what its scenarios found into directories named for them and the time.
func runSuite(t *testing.T, suite string, args ...string) suiteRun {
	t.Helper()
	modules, out := filepath.Join(peers(t), "node_modules"), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "peer-node"),
		append([]string{filepath.Join(modules, suites[suite], "dist", "index.js")}, append(args, "--suite", "all", "-o", out)...)...)
	cmd.Env = environ(t)
	said, _ := cmd.CombinedOutput() // it fails with every scenario that is not for us
	run := suiteRun{}
	for _, line := range suiteLine.FindAllStringSubmatch(string(said), -1) {
		run[line[2]] = nil
		if line[1] == "✗" {
			run[line[2]] = []string{"nothing is recorded"}
		}
	}
	if len(run) == 0 {
		t.Fatalf("the suite ran nothing:\n%s", said)
	}
	for name := range run {
		found, _ := filepath.Glob(filepath.Join(out, name+"-20*", "checks.json"))
		if len(found) == 0 {
			found, _ = filepath.Glob(filepath.Join(out, "server-"+name+"-20*", "checks.json"))
		}
		if len(found) == 1 {
			run[name] = failedChecks(t, found[0])
		}
	}
	return run
}

// suiteLine is a line of the suite's summary.
var suiteLine = regexp.MustCompile(`(?m)^([✓✗]) (\S+): \d+ passed, \d+ failed`)

// failedChecks lists the failed checks of a scenario.
func failedChecks(t *testing.T, file string) []string {
	t.Helper()
	var checks []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	body, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(body, &checks)
	}
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, c := range checks {
		if c.Status == "FAILURE" && !slices.Contains(failed, c.ID) {
			failed = append(failed, c.ID)
		}
	}
	return failed
}

// conforms demands that a program of ours passes each scenario of both suites, but
// those that the list names, and fails those: a reason that is no longer true must
// go. args begin the suite's command line.
func conforms(t *testing.T, program string, args ...string) {
	t.Helper()
	for suite := range suites {
		passed, excused := 0, 0
		for scenario, failed := range runSuite(t, suite, args...) {
			except := exceptionFor(t, program, suite, scenario)
			switch {
			case except == nil && len(failed) == 0:
				passed++
			case except == nil:
				t.Errorf("%s, suite %s: %s fails: %s", program, suite, scenario, strings.Join(failed, ", "))
			case len(failed) == 0:
				t.Errorf("%s, suite %s: %s passes; the list says that it cannot: %s", program, suite, scenario, except.Why)
			case len(except.Checks) > 0 && !subset(failed, except.Checks):
				t.Errorf("%s, suite %s: %s fails %s; the list knows only %s", program, suite, scenario, strings.Join(failed, ", "), strings.Join(except.Checks, ", "))
			default:
				excused++
			}
		}
		t.Logf("%s, suite %s: %d scenarios pass, %d are not for it", program, suite, passed, excused)
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// listening waits until a program listens at an address.
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

// TestAcceptConformanceOfTheServer is the suites' word on zwave-mcp-server --http.
func TestAcceptConformanceOfTheServer(t *testing.T) {
	t.Parallel()
	addr, broker := fake.FreeAddr(t), mosquitto(t)
	simulate(t, broker)
	start(t, environ(t, "MQTT_BROKER_URL="+broker), filepath.Join(bin, "zwave-mcp-server"), "--http", addr)
	listening(t, addr)
	conforms(t, "server", "server", "--url", "http://"+addr+"/mcp")
}

// TestAcceptConformanceOfTheGateway is the suites' word on the gateway's own
// endpoint.
func TestAcceptConformanceOfTheGateway(t *testing.T) {
	t.Parallel()
	_, http, _ := daemon(t, mosquitto(t))
	conforms(t, "gateway", "server", "--url", "http://"+http+"/mcp")
}

// TestAcceptConformanceOfTheClient is the suites' word on the gateway as an MCP
// host.
func TestAcceptConformanceOfTheClient(t *testing.T) {
	t.Parallel()
	peer := filepath.Join(t.TempDir(), "peer")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", peer, "../../internal/mcpint/host/testdata/peer").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	conforms(t, "client", "client", "--command", peer)
}
