//go:build accept

package page

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// The rig by the names that these tests use.
const patience = rig.Patience

var (
	environ    = rig.Environ
	eventually = rig.Eventually
	mosquitto  = rig.Mosquitto
	start      = rig.Start
)

// pageToken lets a browser in where a gateway asks for a token.
const pageToken = "an-unguessable-token"

// gateway is a running one.
type gateway struct {
	t       *testing.T
	url     string // of its page
	broker  string
	token   string
	config  string // its file
	program *rig.Program
}

// writeToken writes pageToken into a file, and returns its path.
func writeToken(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(pageToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// house starts a simulated house and a gateway with a configuration in YAML.
func house(t *testing.T, config string, simulate ...string) gateway {
	t.Helper()
	broker := mosquitto(t)
	rig.StartHouse(t, broker, simulate...)
	g := run(t, config, broker)
	eventually(t, "the house is known", func() bool {
		var known struct{ Entities []struct{ State any } }
		return g.get("/api/home", &known) == nil && len(known.Entities) > 0 && known.Entities[0].State != nil
	})
	return g
}

// run starts a gateway.
func run(t *testing.T, config, broker string, more ...string) gateway {
	t.Helper()
	addr := fake.FreeAddr(t)
	path := filepath.Join(t.TempDir(), "gateway.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if broker == "" {
		broker = "mqtt://" + fake.FreeAddr(t) // nobody
	}
	c := start(t, environ(t, append([]string{"VOICE_GATEWAY_MQTT_BROKER=" + broker, "VOICE_GATEWAY_HTTP_LISTEN=" + addr, "VOICE_GATEWAY_AI_ENABLED=false"}, more...)...),
		filepath.Join(bin, "voice-gateway"), "run", "--config", path)
	g := gateway{t: t, url: "http://" + addr, broker: broker, config: path, program: c}
	eventually(t, "the gateway answers", func() bool { return g.get("/healthz", new(any)) == nil })
	return g
}

// get reads a JSON document of the gateway.
func (g gateway) get(path string, into any) error {
	return g.send(http.MethodGet, path, nil, into)
}

// post sends a JSON document to the gateway.
func (g gateway) post(path string, body, into any) error {
	return g.send(http.MethodPost, path, body, into)
}

func (g gateway) send(method, path string, body, into any) error {
	var headers []string
	if g.token != "" {
		headers = []string{"Authorization", "Bearer " + g.token}
	}
	return rig.SendJSON(g.t.Context(), method, g.url+path, body, into, headers...)
}

// fault has the simulated house do something on purpose.
func (g gateway) fault(operation string) {
	g.t.Helper()
	_, port, _ := strings.Cut(strings.TrimPrefix(g.broker, "mqtt://"), ":")
	publish := exec.CommandContext(g.t.Context(), "mosquitto_pub", "-h", "127.0.0.1", "-p", port, "-t", "zwave/_SIM/ZWAVE_GATEWAY-Simulated_House/fault/set", "-m", operation)
	if out, err := publish.CombinedOutput(); err != nil {
		g.t.Fatalf("mosquitto_pub: %v\n%s", err, out)
	}
}
