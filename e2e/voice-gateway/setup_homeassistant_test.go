package e2e

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/mdns"

	"voicegateway/e2e/rig"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/fake"
)

// Tokens that look like those of Home Assistant.
var (
	rightToken = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + strings.Repeat("right", 20) + ".c2lnbmF0dXJl"
	wrongToken = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + strings.Repeat("wrong", 20) + ".c2lnbmF0dXJl"
)

// newHomeAssistant serves a small house at an address of its own.
func newHomeAssistant(t *testing.T, secure bool) (*fake.HomeAssistant, *httptest.Server) {
	t.Helper()
	house := fake.NewHomeAssistant(map[string]fake.Thing{
		"light.hall": {State: "off", Area: "hall", Attributes: map[string]any{"friendly_name": "Hall Light", "supported_color_modes": []any{"brightness"}}},
		"switch.pot": {State: "off", Area: "kitchen", Attributes: map[string]any{"friendly_name": "Coffee Machine"}},
		"switch.tea": {State: "off", Area: "kitchen", Attributes: map[string]any{"friendly_name": "Kettle"}, Hidden: true},
	})
	house.Take(rightToken)
	house.Clock = time.Now
	server := httptest.NewUnstartedServer(house)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(func() { _ = house.Close(); server.CloseClientConnections(); server.Close() })
	return house, server
}

// otherFlags are the flags for the questions that these tests are not about.
func otherFlags() []string {
	return []string{"--language", "en", "--id", "test", "--microphone", "default", "--speaker", "default", "--wake-word", "hey jarvis", "--models", "skip", "--model", "none"}
}

// newGuest is an installation without a configuration, a sound card and a gateway at its
// address.
func newGuest(t *testing.T) *newcomer {
	t.Helper()
	return newNewcomer(t, noCard(t), "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t), "VOICE_GATEWAY_MQTT_EMBEDDED_LISTEN="+fake.FreeAddr(t))
}

// noCard hides the sound card of this machine.
func noCard(t *testing.T) string {
	t.Helper()
	absent := filepath.Join(t.TempDir(), "asound.conf")
	if err := os.WriteFile(absent, []byte("pcm.none { type hw card 31 }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "ALSA_CONFIG_PATH=" + absent
}

// keptToken is the token in its own file, and that file's permissions.
func (n *newcomer) keptToken() (token string, mode os.FileMode) {
	n.Helper()
	path := filepath.Join(filepath.Dir(n.config), "credentials", "mcp.servers.homeassistant.env.HASS_TOKEN")
	info, err := os.Stat(path)
	if err != nil {
		n.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		n.Fatal(err)
	}
	return strings.TrimSpace(string(data)), info.Mode().Perm()
}

// TestSetupOfHomeAssistant is at a terminal with a person who mistypes the address and
// pastes what is no token, or a wrong one. What cannot be a token is not tried, and a wrong one
// is tried once: each attempt counts in Home Assistant as a failed login.
func TestSetupOfHomeAssistant(t *testing.T) {
	t.Parallel()
	house, server := newHomeAssistant(t, false)
	n := newGuest(t)
	status, shown := n.dialogue(filepath.Join(bin, "voice-gateway"), t.TempDir(), []answer{
		{"Your house", "homeassistent" + enter},
		{"Your house", "Home Assistant" + enter},
		{"address", "the one in the hall" + enter},
		{"address", "http://127.0.0.1:9/lovelace/0" + enter},
		{"y/n", "n" + enter},
		{"Home Assistant, such as", strings.TrimPrefix(server.URL, "http://") + "/config/dashboard" + enter},
		{"Token", "Voice" + enter},
		{"Token", wrongToken + enter},
		{"Token", wrongToken + enter},
		{"Token", "Bearer " + rightToken + enter},
		{"Room", "Hall" + enter},
	}, append([]string{"--config", n.config}, otherFlags()...)...)
	all, refused := house.Logins()
	if status != 0 || refused != 1 || all > 4 {
		t.Fatalf("status %d, %d of %d logins were refused:\n%s", status, refused, all, shown)
	}
	compareTranscript(t, filepath.Join("testdata", "setup", "homeassistant.txt"), n.steady(shown))
	text := n.text()
	if token, mode := n.keptToken(); token != rightToken || mode != 0o600 || strings.Contains(text, "eyJ") || strings.Contains(shown, "eyJ") {
		t.Errorf("the token is kept with permissions %o, shown in\n%s\nor in\n%s", mode, shown, text)
	}
	if !strings.Contains(text, "    zwave: null\n") || !strings.Contains(text, server.URL) {
		t.Errorf("%s", text)
	}
	again := n.setup("--yes", "--models", "skip")
	if n.text() != text || !strings.Contains(again, "version 2026.9.3, 2 things are shown") {
		t.Errorf("run again: %s", again)
	}

	house.Take(wrongToken)
	stdout, stderr, status := command(t, n.env, "--config", n.config, "setup", "--yes", "--models", "skip")
	if _, now := house.Logins(); status != 1 || now != refused+1 || !strings.Contains(stderr, "refuses the token; it was tried once") || n.text() != text {
		t.Errorf("a revoked token: status %d, %d refused: %s%s", status, now, stdout, stderr)
	}
	n.setup("--house", "zwave")
	if text := n.text(); strings.Contains(text, server.URL) || !strings.Contains(text, "    zwave: {}\n") {
		t.Errorf("back to Z-Wave:\n%s", text)
	}
}

// TestSetupFindsHomeAssistant: one that announces itself in the network, as Home Assistant does,
// is offered by its name, and taken by its number. It runs before the tests that run at once,
// because in those nothing is announced.
func TestSetupFindsHomeAssistant(t *testing.T) { //nolint:paralleltest // see above
	_, server := newHomeAssistant(t, false)
	stop := announce(t, server.URL)
	n := newGuest(t)
	status, shown := n.dialogue(filepath.Join(bin, "voice-gateway"), t.TempDir(), []answer{
		{"Your house", "Home Assistant" + enter},
		{"a number or an address", "1" + enter},
		{"Token", rightToken + enter},
		{"Room", "Hall" + enter},
	}, append([]string{"--config", n.config}, otherFlags()...)...)
	if text := n.text(); status != 0 || !strings.Contains(text, server.URL) || !strings.Contains(shown, server.URL+"  (The Cabin)") {
		t.Errorf("status %d:\n%s\n%s", status, shown, text)
	}
	stop()
	n = newGuest(t)
	_, shown = n.dialogue(filepath.Join(bin, "voice-gateway"), t.TempDir(), []answer{
		{"Your house", "Home Assistant" + enter},
		{"No Home Assistant was found", ctrlC},
	}, append([]string{"--config", n.config}, otherFlags()...)...)
	if strings.Contains(shown, server.URL) {
		t.Errorf("one that is gone:\n%s", shown)
	}
}

// announce tells the network of a Home Assistant, until it is stopped.
func announce(t *testing.T, address string) (stop func()) {
	t.Helper()
	told := []string{"location_name=The Cabin", "uuid=0123456789abcdef", "version=2026.9.3", "external_url=", "internal_url=" + address, "base_url=" + address, "requires_api_password=True"}
	const usual = 8123
	cabin, err := mdns.NewMDNSService("The Cabin", "_home-assistant._tcp", "", "cabin.local.", usual, []net.IP{net.ParseIP("192.0.2.9")}, told)
	if err != nil {
		t.Fatal(err)
	}
	responder, err := mdns.NewServer(&mdns.Config{Zone: cabin, Logger: log.New(io.Discard, "", 0)})
	if err != nil {
		fake.Lack(t, "this machine's network carries no mDNS: %v", err)
	}
	stop = sync.OnceFunc(func() { _ = responder.Shutdown() })
	t.Cleanup(stop)
	return stop
}

// TestSetupOfHomeAssistantByFlags needs nobody: an address and a file with a token, beside the
// Z-Wave house.
func TestSetupOfHomeAssistantByFlags(t *testing.T) {
	t.Parallel()
	_, server := newHomeAssistant(t, false)
	n := newGuest(t)
	file := filepath.Join(t.TempDir(), "token")
	flags := append([]string{"--yes", "--broker", "none", "--hass-url", server.URL, "--hass-token-file", file}, otherFlags()...)
	for name, token := range map[string]string{"no file": "", "no token": "Voice\n", "a wrong one": wrongToken + "\n"} {
		if token != "" {
			if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, stderr, status := command(t, n.env, append([]string{"--config", n.config, "setup"}, flags...)...)
		if _, err := os.Stat(n.config); status == 0 || !os.IsNotExist(err) || !strings.Contains(stderr, "--hass-token-file") || strings.Contains(stderr, "eyJ") {
			t.Errorf("%s: status %d, %s", name, status, stderr)
		}
		_ = os.Remove(file)
	}
	if err := os.WriteFile(file, []byte(rightToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout := n.setup(flags...)
	if text := n.text(); !strings.Contains(text, "HASS_TOKEN_FILE: "+file) || strings.Contains(text, "zwave: null") || strings.Contains(text, "eyJ") || !strings.Contains(stdout, "2 things are shown") {
		t.Errorf("%s\n%s", stdout, text)
	}
}

// TestSetupOfACertificate: one that nobody knows is shown, and taken only when a person says
// so, or a flag; http and https are told apart.
func TestSetupOfACertificate(t *testing.T) {
	t.Parallel()
	house, server := newHomeAssistant(t, true)
	n := newGuest(t)
	plain := strings.Replace(server.URL, "https:", "http:", 1)
	status, shown := n.dialogue(filepath.Join(bin, "voice-gateway"), t.TempDir(), []answer{
		{"Your house", "2" + enter},
		{"address", plain + enter},
		{"Use https://", enter},
		{"Take this certificate", enter},
		{"Home Assistant, such as", server.URL + enter},
		{"Take this certificate", "y" + enter},
		{"Token", rightToken + enter},
		{"Room", "Hall" + enter},
	}, append([]string{"--config", n.config}, otherFlags()...)...)
	text := n.text()
	if status != 0 || strings.Count(shown, "SHA-256") < 2 || !strings.Contains(text, "HASS_CERT_SHA256") || !strings.Contains(text, server.URL) {
		t.Fatalf("status %d:\n%s\n%s", status, shown, text)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(rightToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := newGuest(t)
	flags := append([]string{"--yes", "--broker", "none", "--house", "homeassistant", "--hass-url", server.URL, "--hass-token-file", file}, otherFlags()...)
	before, _ := house.Logins()
	_, stderr, status := command(t, other.env, append([]string{"--config", other.config, "setup"}, flags...)...)
	_, pin, found := strings.Cut(strings.TrimSpace(stderr), "--hass-cert-sha256 ")
	if after, _ := house.Logins(); status != 2 || !found || after != before {
		t.Fatalf("nobody to ask: status %d, %d logins: %s", status, after-before, stderr)
	}
	other.setup(append(flags, "--hass-cert-sha256", pin)...)
	if text := other.text(); !strings.Contains(text, pin) {
		t.Errorf("%s", text)
	}
}

// TestDoctorOfHomeAssistant: each thing that can be wrong with a Home Assistant is one
// sentence and one thing to do. A wrong token is tried once.
func TestDoctorOfHomeAssistant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		secure bool
		breaks func(h *fake.HomeAssistant, s *httptest.Server, env map[string]string)
		state  doctor.State
		text   string
		do     string // what is to be done; "": a command
	}{
		"all is well":     {false, nil, doctor.Well, "version 2026.9.3, 2 things are shown to assistants", ""},
		"a refused token": {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) { h.Take("another") }, doctor.Ill, "refuses the token; it was tried once", ""},
		"no token file": {false, func(_ *fake.HomeAssistant, _ *httptest.Server, env map[string]string) {
			env["HASS_TOKEN_FILE"] += ".gone"
		}, doctor.Ill, "reading the token", ""},
		"nobody there": {false, func(_ *fake.HomeAssistant, s *httptest.Server, _ map[string]string) { s.Close() }, doctor.Ill, "refused", "HASS_URL"},
		"nothing is shown": {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) {
			h.Hide("light.hall", true)
			h.Hide("switch.pot", true)
		}, doctor.Ill, "none of its 3 things", "Expose"},
		"no administrator": {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) { h.Common = true }, doctor.Well, "not an administrator's", ""},
		"an old release":   {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) { h.Version = "2023.7.1" }, doctor.Poor, "older than 2024.3", "Update"},
		"a slow clock": {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) {
			h.Clock = func() time.Time { return time.Now().Add(-time.Hour) }
		}, doctor.Poor, "behind that of this machine", "timedatectl"},
		"still starting": {false, func(h *fake.HomeAssistant, _ *httptest.Server, _ map[string]string) { h.Be("STARTING") }, doctor.Poor, "has not finished starting", "minute"},
		"a certificate":  {true, nil, doctor.Ill, "its certificate is not known here", "HASS_CERT_SHA256"},
		"another than the pinned": {true, func(_ *fake.HomeAssistant, _ *httptest.Server, env map[string]string) {
			env["HASS_CERT_SHA256"] = strings.Repeat("AB", 32)
		}, doctor.Ill, "another one than the one that was accepted", "HASS_CERT_SHA256"},
		"no address": {false, func(_ *fake.HomeAssistant, _ *httptest.Server, env map[string]string) { env["HASS_URL"] = "hall" }, doctor.Ill, "address of Home Assistant", "mcp.servers.homeassistant.env"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			house, server := newHomeAssistant(t, c.secure)
			file := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(file, []byte(rightToken+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := map[string]string{"HASS_URL": server.URL, "HASS_TOKEN_FILE": file}
			if c.breaks != nil {
				c.breaks(house, server, env)
			}
			var vars []string
			for name, value := range env {
				vars = append(vars, fmt.Sprintf("%s: %q", name, value))
			}
			w := newWard(t, "http: {listen: "+fake.FreeAddr(t)+"}\nmqtt: {embedded: {listen: "+fake.FreeAddr(t)+"}}\nmcp: {servers: {zwave: null, homeassistant: {command: home-assistant-mcp-server, env: {"+strings.Join(vars, ", ")+"}}}}\n")
			found := w.examined("home assistant")
			at := slices.IndexFunc(found, func(f doctor.Finding) bool { return f.State == c.state && strings.Contains(f.Text, c.text) })
			if at < 0 || !strings.Contains(found[at].Do, c.do) || strings.Contains(fmt.Sprint(found), "eyJ") {
				t.Fatalf("%+v", found)
			}
			if c.state != doctor.Well && (found[at].Do == "") == (found[at].Mend == "") {
				t.Errorf("not one thing to do: %+v", found[at])
			}
			if all, _ := house.Logins(); all > 1 {
				t.Errorf("%d logins", all)
			}
			switch {
			case found[at].Mend != "":
				house.Take(wrongToken) // that it is another one now
				w.stdin = wrongToken + "\n"
				w.mended(found[at])
			case c.secure:
				_, mend, _ := strings.Cut(found[at].Do, "same: ")
				w.mended(doctor.Finding{Mend: mend})
			default:
				return
			}
			if after := w.examined("home assistant"); doctor.Worst(after) != doctor.Well {
				t.Errorf("after it was mended: %+v", after)
			}
		})
	}
}

// TestDoctorSparesTheToken: what the running gateway knows of a refused token is not tried
// once more.
func TestDoctorSparesTheToken(t *testing.T) {
	t.Parallel()
	house, server := newHomeAssistant(t, false)
	house.Take(wrongToken)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(rightToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWard(t, "http: {listen: "+fake.FreeAddr(t)+"}\n"+fmt.Sprintf("mcp: {servers: {zwave: null, homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: %q, HASS_TOKEN_FILE: %q}}}}\n", server.URL, file))
	rig.Start(t, w.env, filepath.Join(bin, "voice-gateway"), "--config", w.config, "run")
	eventually(t, "the gateway knows that the token is refused", func() bool {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), "--config", w.config, "status")
		cmd.Env = w.env
		out, _ := cmd.Output()
		return strings.Contains(string(out), "refuses the token")
	})
	before, _ := house.Logins()
	found := w.examined("home assistant")
	if after, _ := house.Logins(); after != before || len(found) != 1 || found[0].State != doctor.Ill || !strings.Contains(found[0].Text, "not tried again") {
		t.Errorf("%d logins, %+v", after-before, found)
	}
}

// TestHomeCheckOverHTTP takes the token of a server from a file that the command names, and
// sends the one in the environment to no address.
func TestHomeCheckOverHTTP(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	const token = "a-token-of-32-characters-at-least"
	address := fake.FreeAddr(t)
	rig.Start(t, append(environ(t), "MQTT_BROKER_URL="+broker, "MCP_HTTP_TOKEN="+token), filepath.Join(bin, "zwave-mcp-server"), "--http", address)
	eventually(t, "the server listens", func() bool { return rig.Listens(t.Context(), address) })
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWard(t, "")
	check := []string{"--config", w.config, "home", "check", "http://" + address + "/mcp"}
	for name, c := range map[string]struct {
		env    []string
		flags  []string
		status int
		says   string
	}{
		"none":          {nil, nil, 1, "401"},
		"of a file":     {nil, []string{"--token-file", file}, 0, "keeps to version 1 of the form"},
		"of a variable": {[]string{"MCP_HTTP_TOKEN=" + token}, nil, 1, "401"},
		"of no file":    {nil, []string{"--token-file", file + ".gone"}, 2, "--token-file"},
	} {
		stdout, stderr, status := command(t, append(slices.Clone(w.env), c.env...), append(slices.Clone(check), c.flags...)...)
		if status != c.status || !strings.Contains(stdout+stderr, c.says) || strings.Contains(stdout+stderr, token) {
			t.Errorf("%s: status %d, %s%s", name, status, stdout, stderr)
		}
	}
	if _, stderr, status := command(t, w.env, "--config", w.config, "home", "check", "zwave", "--token-file", file); status != 2 {
		t.Errorf("a token for a configured server: status %d, %s", status, stderr)
	}
}
