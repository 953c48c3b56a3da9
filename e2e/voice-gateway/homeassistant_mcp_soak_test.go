//go:build soak && accept

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint"
)

// startForHosts starts a real Home Assistant with its demo house, and no gateway.
func startForHosts(t *testing.T, python string, more ...string) *hassHouse {
	t.Helper()
	return startDemo(t, []string{python, "-m", "homeassistant"}, more...)
}

// startDemo does that with a command.
func startDemo(t *testing.T, command []string, more ...string) *hassHouse {
	t.Helper()
	dir, addr := layHomeAssistant(t, "demo", "{}", "\nconfig:\nconversation:\n")
	h := &hassHouse{T: t, dir: dir, file: filepath.Join(t.TempDir(), "token")}
	h.homeAssistant = homeAssistant{start(t, environ(t, more...), command[0], slices.Concat(command[1:], []string{"-c", dir, "--skip-pip"})...), addr, token("second"), command[0]}
	eventually(t, "Home Assistant has started", func() bool {
		var config struct{ State string }
		return h.request(t, http.MethodGet, "config", "", &config) == nil && config.State == "RUNNING" && h.entity("light.bed_light").State != ""
	})
	h.write(token("token"))
	return h
}

// TestSoakHostsOfOthers has two MCP hosts of others use home-assistant-mcp-server before a real
// Home Assistant: a client of mcp-go, and the command line of the MCP inspector. By hand, half
// a minute.
func TestSoakHostsOfOthers(t *testing.T) {
	dir, err := fake.TryInstall(t, "homeassistant.sh", "3.13")
	if err != nil {
		t.Fatal(err)
	}
	inspector, err := fake.TryInstall(t, "peers.sh", "inspector")
	if err != nil {
		t.Fatal(err)
	}
	h := startForHosts(t, filepath.Join(dir, "bin", "python"))
	off := func() { h.call(t, "light/turn_off", "light.bed_light", "") }

	off()
	f := startForeignHost(t, "HASS_URL=http://"+h.addr, "HASS_TOKEN_FILE="+h.file)
	eventually(t, "the house can be read", func() bool {
		text, err := f.readHouse()
		return err == nil && strings.Contains(text, `"Bed Light"`)
	})
	result := f.callLogged("control_homeassistant_device", `{"device_name":"Bed Light","action":"on"}`)
	if !strings.Contains(result, `"outcome":"confirmed"`) || h.entity("light.bed_light").State != "on" {
		t.Errorf("mcp-go: %s", result)
	}

	off()
	modules := filepath.Join(inspector, "node_modules")
	build := filepath.Join(modules, "@modelcontextprotocol", "inspector-cli", "build")
	inspect := func(want string, args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "peer-node"), append([]string{
			filepath.Join(build, "cli.js"), "--cli",
			"-e", "HASS_URL=http://" + h.addr, "-e", "HASS_TOKEN_FILE=" + h.file, filepath.Join(bin, "home-assistant-mcp-server"), "--method",
		}, args...)...)
		cmd.Env, cmd.Dir = environ(t), build // it looks for its own package.json from there
		out, err := cmd.CombinedOutput()
		t.Logf("inspector --cli … --method %s\n%s", strings.Join(args, " "), out)
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, it does not show %q", args, err, want)
		}
	}
	inspect("control_homeassistant_device", "tools/list")
	inspect("homeassistant://home", "resources/list")
	inspect("Bed Light", "resources/read", "--uri", "homeassistant://home")
	inspect("confirmed", "tools/call", "--tool-name", "control_homeassistant_device", "--tool-arg", "device_name=Bed Light", "--tool-arg", "action=on")
	if s := h.entity("light.bed_light"); s.State != "on" {
		t.Errorf("the inspector: the light is %s", s.State)
	}
}

// callLogged calls a tool and returns its structured content as JSON.
func (h *foreignHost) callLogged(tool, args string) string {
	h.Helper()
	data, _ := json.Marshal(h.call(tool, json.RawMessage(args)).StructuredContent)
	h.Logf("%s %s: %s", tool, args, data)
	return string(data)
}

// TestSoakOwnServerOfHomeAssistant uses the MCP server of a real Home Assistant as an ordinary
// one: what is missing is told, it is set up as its owner does it, and what it claims of a lamp
// that does not answer is not told as done. This release has the transport of 2024 only. By
// hand, half a minute.
func TestSoakOwnServerOfHomeAssistant(t *testing.T) {
	dir, err := fake.TryInstall(t, "homeassistant.sh", "3.13")
	if err != nil {
		t.Fatal(err)
	}
	more, err := fake.TryInstall(t, "homeassistant.sh", "3.13-mcp")
	if err != nil {
		t.Fatal(err)
	}
	h := startForHosts(t, filepath.Join(dir, "bin", "python"), "PYTHONPATH="+filepath.Join(more, "lib", "python3.13", "site-packages"))
	address, env := besideModel(t, `transport: sse, url: "http://`+h.addr+`/mcp_server/sse"`, "Bearer "+token("token"),
		switchModel(t, "HassTurnOn", `{"name":"Bed Light","domain":["light"]}`))
	eventually(t, "it says what to add", func() bool {
		s := server(t, address)
		return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "add the integration Model Context Protocol Server")
	})
	t.Logf("before it is set up: %s", *server(t, address).ErrorMessage)

	h.setUpMCP(t, `"assist"`)
	if _, said, status := command(t, env, "servers", "retry", "assist"); status != 0 {
		t.Fatal(said)
	}
	h.claim(t, address)
	send(t, h.Process.Pid, syscall.SIGTERM)
	if !h.wait() {
		t.Fatal("Home Assistant does not end")
	}
}

// setUpMCP adds the integration of its own MCP server, as its owner does on its page.
func (h *hassHouse) setUpMCP(t *testing.T, apis string) {
	t.Helper()
	var flow struct {
		ID string `json:"flow_id"`
	}
	if err := h.request(t, http.MethodPost, "config/config_entries/flow", `{"handler":"mcp_server"}`, &flow); err != nil {
		t.Fatal(err)
	}
	if err := h.request(t, http.MethodPost, "config/config_entries/flow/"+flow.ID, `{"llm_hass_api":`+apis+`}`, new(any)); err != nil {
		t.Fatal(err)
	}
}

// claim lets a model act through Home Assistant's own MCP server, and checks that the gateway
// calls the success accepted and not confirmed.
func (h *hassHouse) claim(t *testing.T, address string) {
	t.Helper()
	s := becomes(t, address, mcpint.Connected)
	t.Logf("connected, with %d tools, version %s", *s.Tools, *s.Version)
	h.call(t, "light/turn_off", "light.bed_light", "")
	checkClaim(t, address)
	if s := h.entity("light.bed_light"); s.State != "on" {
		t.Errorf("the light is %s", s.State)
	}
}

// TestSoakOwnServerOverHTTP does so over the transport of today, at /api/mcp of a real release
// of 2026, with the names that its tools have there, behind a proxy that gives it another
// address, and with a token that its owner revokes meanwhile: that is tried once. By hand, a
// minute.
func TestSoakOwnServerOverHTTP(t *testing.T) {
	dir, err := fake.TryInstall(t, "homeassistant.sh", "3.13-2026")
	if err != nil {
		t.Fatal(err)
	}
	h := startDemo(t, []string{filepath.Join(dir, "bin", "python"), filepath.Join("..", "..", "scripts", "homeassistant", "run.py")})
	target, err := url.Parse("http://" + h.addr + "/api/mcp")
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.URL.Path = target.Path
	}})
	t.Cleanup(proxy.Close)
	model := switchModel(t, "HassTurnOn", `{"name":"Bed Light","domain":["light"]}`)
	direct, env := besideModel(t, `transport: http, url: "`+target.String()+`"`, "Bearer "+token("token"), model)
	eventually(t, "it says what to add", func() bool {
		s := server(t, direct)
		return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "add the integration Model Context Protocol Server")
	})
	t.Logf("before it is set up: %s", *server(t, direct).ErrorMessage)
	h.setUpMCP(t, `["assist"]`)
	if _, said, status := command(t, env, "servers", "retry", "assist"); status != 0 {
		t.Fatal(said)
	}
	h.claim(t, direct)

	behind, _ := besideModel(t, `transport: http, url: "`+proxy.URL+`/kitchen"`, "Bearer "+token("token"), model)
	h.claim(t, behind)

	absent, _ := besideModel(t, `transport: http, url: "`+target.String()+`/assist"`, "Bearer "+token("token"), model)
	eventually(t, "it says that this release has no address for one API", func() bool {
		s := server(t, absent)
		return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "404")
	})
	t.Logf("at /api/mcp/assist: %s", *server(t, absent).ErrorMessage)

	h.enter()
	h.change(socket.Command{"type": "auth/delete_refresh_token", "refresh_token_id": "token"})
	for _, address := range []string{direct, behind} {
		ask(t, address, "make it a little cosier in the kitchen")
		ask(t, address, "yes")
		eventually(t, "the token is refused", func() bool {
			s := server(t, address)
			return s.ErrorMessage != nil && strings.Contains(*s.ErrorMessage, "401") && s.NextRetryTime != nil && time.Until(*s.NextRetryTime) > 4*time.Minute
		})
	}
	if said := h.stderr.String(); strings.Contains(said, "server/discover") || strings.Contains(said, "Failed to validate request") {
		t.Errorf("its log:\n%s", said)
	}
}
