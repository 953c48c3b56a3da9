package doctor

import (
	"net/http/httptest"
	"strings"
	"testing"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/fake"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint"
)

// TestOneOfTwoHomeAssistantsRefuses: the gateway says that a token is refused, and not which one
// of two does; the token of the other is not called wrong.
func TestOneOfTwoHomeAssistantsRefuses(t *testing.T) {
	t.Parallel()
	v := &visit{Patient: Patient{Loaded: &configure.Loaded{}, Command: "voice-gateway"}, runs: true}
	v.ready = doors.Readiness{Parts: []doors.Part{{Name: "mcp", Health: doors.Ill, Why: hass.TokenRefused + " Make a new one."}}}
	v.MCP.Servers = map[string]mcpint.Server{}
	for id, token := range map[string]string{"barn": fake.HomeAssistantToken, "home": "revoked"} {
		house := fake.NewHomeAssistant(map[string]fake.Thing{"light.a": {State: "off"}})
		server := httptest.NewServer(house)
		t.Cleanup(func() { _ = house.Close(); server.CloseClientConnections(); server.Close() })
		v.MCP.Servers[id] = mcpint.Server{ID: id, Command: mcpint.HomeAssistantServer, Env: map[string]string{"HASS_URL": server.URL, "HASS_TOKEN": token}}
	}
	for _, f := range v.homeAssistants(t.Context()) {
		if refused := strings.Contains(f.Text, "refuses the token"); refused != (f.Part == "home assistant home") {
			t.Errorf("%+v", f)
		}
	}
}

// TestACertificateIsPinnedInPlaceOfAnAuthority: both together are no valid configuration.
func TestACertificateIsPinnedInPlaceOfAnAuthority(t *testing.T) {
	t.Parallel()
	v := &visit{Patient: Patient{Loaded: &configure.Loaded{}, Command: "voice-gateway"}}
	for file, drops := range map[string]bool{"": false, "/etc/own.pem": true} {
		if got := v.pin("home", socket.Config{CAFile: file}, "AB"); strings.Contains(got, "HASS_CA_FILE null") != drops || !strings.Contains(got, "HASS_CERT_SHA256 AB") {
			t.Errorf("%q: %s", file, got)
		}
	}
}
