package setup

import (
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/mdns"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/fake"
	"voicegateway/internal/gateway"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint"
)

// What people write of an address is completed; what cannot be one is refused.
func TestCompleteHome(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.168.1.20":                                  "http://192.168.1.20:8123",
		"homeassistant.local:8123":                      "http://homeassistant.local:8123",
		" http://homeassistant.local ":                  "http://homeassistant.local:8123",
		"http://homeassistant.local:80/lovelace/0?x=1":  "http://homeassistant.local:80",
		"https://house.example":                         "https://house.example",
		"https://house.example:8123/profile/security#t": "https://house.example:8123",
		"[fe80::1]:8123":                                "http://[fe80::1]:8123",
		"":                                              "",
		"the one in the hall":                           "",
		"ftp://house":                                   "",
		"http://me:secret@house":                        "",
	} {
		if got, err := completeHome(text); got != want || (err == nil) != (want != "") || err != nil && strings.Contains(text, "secret@") && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
}

// A Home Assistant is where it says that it is, else where it answers from; what it says is
// shown without what a terminal would obey.
func TestReadAnnouncement(t *testing.T) {
	t.Parallel()
	ip := net.ParseIP("192.0.2.7").To4()
	for name, tc := range map[string]struct {
		entry mdns.ServiceEntry
		want  option
	}{
		"its own word":     {mdns.ServiceEntry{AddrV4: ip, Port: 8123, InfoFields: []string{"location_name=Home", "internal_url=https://home.lan:8123"}}, option{value: "https://home.lan:8123", shown: "https://home.lan:8123  (Home)"}},
		"no word":          {mdns.ServiceEntry{AddrV4: ip, Port: 8123, InfoFields: []string{"internal_url=", "version=2026.9.3"}}, option{value: "http://192.0.2.7:8123", shown: "http://192.0.2.7:8123"}},
		"a word of malice": {mdns.ServiceEntry{AddrV4: ip, Port: 8123, InfoFields: []string{"location_name=\x1b[2JHome", "internal_url=javascript:alert(1)"}}, option{value: "http://192.0.2.7:8123", shown: "http://192.0.2.7:8123  ([2JHome)"}},
		"no address":       {mdns.ServiceEntry{Port: 8123}, option{}},
	} {
		if got, ok := readAnnouncement(&tc.entry); got.value != tc.want.value || got.shown != tc.want.shown || ok != (tc.want.value != "") {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

// TestTokens checks that a token is cleaned of what people paste with it, and that a text which
// cannot be one is refused.
func TestTokens(t *testing.T) {
	t.Parallel()
	token := "eyJhbGciOiJIUzI1NiJ9." + strings.Repeat("x", 90) + ".c2ln"
	for text, want := range map[string]bool{
		token: true, " \"" + token + "\"\n": true, "Bearer " + token: true, "": false, "Voice": false, token[:40]: false, token[:50] + " " + token[50:]: false, "a.b.c": false,
	} {
		if got := noToken(cleanToken(text)) == ""; got != want {
			t.Errorf("%q is a token: %v", text, got)
		}
	}
}

// newHome serves a Home Assistant without things.
func newHome(t *testing.T) (*fake.HomeAssistant, string) {
	t.Helper()
	house := fake.NewHomeAssistant(map[string]fake.Thing{})
	server := httptest.NewServer(house)
	t.Cleanup(func() { _ = house.Close(); server.CloseClientConnections(); server.Close() })
	return house, server.URL
}

// newSession is a session in which somebody types, or nobody with found, and in which a Home
// Assistant is configured with a token.
func newSession(t *testing.T, typed string, found bool, env map[string]string) *session {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	env["HASS_TOKEN_FILE"] = file
	cfg := gateway.Default()
	cfg.MCP.Servers = map[string]mcpint.Server{HomeAssistant: {ID: HomeAssistant, Command: mcpint.HomeAssistantServer, Env: env}}
	l := &configure.Loaded{Config: cfg}
	return &session{
		World: World{Command: func(*configure.Loaded) (command, user string) { return "voice-gateway", "" }},
		asker: newAsker(strings.NewReader(typed), io.Discard, console.Paint(false), false), found: found, now: l, draft: &configure.Draft{},
		refused: map[string][]string{},
	}
}

// TestATokenIsShownToItsOwnHomeOnly: the kept token is not tried at another address, nor once
// more at the one that has refused it.
func TestATokenIsShownToItsOwnHomeOnly(t *testing.T) {
	t.Parallel()
	house, address := newHome(t)
	other, elsewhere := newHome(t)
	s := newSession(t, "-\n"+elsewhere+"\n-\n"+address+"\n\n", false, map[string]string{"HASS_URL": address})
	if err := s.homeAssistant(t.Context()); err != nil {
		t.Fatal(err)
	}
	own, _ := house.Logins()
	if others, _ := other.Logins(); own != 1 || others != 0 {
		t.Errorf("%d logins at its own Home Assistant, %d at another", own, others)
	}
}

// TestHttpsIsNotGivenUpUnasked: where nobody can be asked, or nobody says yes, http is not used in
// place of https, so that no token goes as plain text to whoever answers there.
func TestHttpsIsNotGivenUpUnasked(t *testing.T) {
	t.Parallel()
	house, address := newHome(t)
	secure := strings.Replace(address, "http:", "https:", 1)
	for name, typed := range map[string]string{"nobody": "", "only Enter": "\nn\n"} {
		s := newSession(t, typed, typed == "", map[string]string{"HASS_URL": secure, "HASS_CERT_SHA256": strings.Repeat("AB", 32)})
		at := socket.Config{URL: secure, CertSHA256: strings.Repeat("AB", 32)}
		reached, _, err := s.reach(t.Context(), &at)
		if reached || at.URL != secure || at.CertSHA256 == "" || (err == nil) != (typed != "") {
			t.Errorf("%s: %v, %+v, %v", name, reached, at, err)
		}
	}
	if all, _ := house.Logins(); all > 0 {
		t.Errorf("%d logins", all)
	}
}
