package doctor

import (
	"strings"
	"testing"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/mcpint"
)

// TestOtherServersAreNotTheHouse: that a server of others is away says nothing of the house.
func TestOtherServersAreNotTheHouse(t *testing.T) {
	t.Parallel()
	for why, test := range map[string]struct{ part, outage string }{
		"not connected: hello, notes; all other servers and the local tools work": {"servers", ""},
		"not connected: hello, zwave; all other servers and the local tools work": {"house", "not connected: hello, zwave; all other servers and the local tools work"},
		"the Z-Wave stick does not answer":                                        {"house", "the Z-Wave stick does not answer"},
	} {
		v := &visit{Patient: Patient{Loaded: &configure.Loaded{}}, ready: doors.Readiness{Parts: []doors.Part{{Name: "mcp", Health: doors.Poor, Why: why}}}}
		v.MCP.Servers = map[string]mcpint.Server{"zwave": {House: true}, "hello": {}, "notes": {}}
		if got := v.agree(nil, "Look."); len(got) != 1 || got[0].Part != test.part || v.outage() != test.outage {
			t.Errorf("%s: found %+v, and %q of the house; expected %q, %q", why, got, v.outage(), test.part, test.outage)
		}
	}
}

// TestWhatMendsAServer checks that a server is only tried again where that can help.
func TestWhatMendsAServer(t *testing.T) {
	t.Parallel()
	v := &visit{Patient: Patient{Loaded: &configure.Loaded{}, Command: "voice-gateway"}}
	v.MCP.Servers = map[string]mcpint.Server{
		"secret": {Auth: mcpint.Auth{ClientID: "house", ClientSecretFile: "f"}},
		"signed": {Auth: mcpint.Auth{ClientID: "house", PrivateKeyFile: "f"}},
	}
	list := "/home/anna/claude.json"
	const (
		unknown = "failed: " + mcpint.KeyWanted + " (401); check the headers or auth set for it"
		denied  = "failed: " + mcpint.KeyRefused + " (403); check the headers or auth set for it"
		lacking = `failed: the program "notes" is neither at /usr/bin/notes nor in PATH; install it or set its full path`
	)
	for name, test := range map[string]struct {
		server   mcpint.Status
		why      string
		mend, do string
	}{
		"it hangs":           {mcpint.Status{ID: "notes", Transport: "stdio"}, "failed: no answer to initialize within 10s", "voice-gateway servers retry notes", ""},
		"no program":         {mcpint.Status{ID: "notes", Transport: "stdio", Fault: new(mcpint.FaultNotFound)}, lacking, "", "do without the server: voice-gateway config set mcp.servers.notes null"},
		"no right to start":  {mcpint.Status{ID: "notes", Transport: "stdio", Fault: new(mcpint.FaultNotExecutable)}, "failed: permission denied", "", "chmod +x"},
		"it ends":            {mcpint.Status{ID: "notes", Transport: "stdio", Fault: new(mcpint.FaultEnded)}, "failed: exit status 9", "voice-gateway servers retry notes", "What it wrote"},
		"another program":    {mcpint.Status{ID: "notes", Transport: "stdio", Fault: new(mcpint.FaultNotMCP)}, "failed: its output begins with \"hello\"", "", "under mcp.servers.notes"},
		"a wrong key":        {mcpint.Status{ID: "notes", Transport: "http"}, unknown, "voice-gateway config secret mcp.servers.notes.headers.Authorization", ""},
		"no right":           {mcpint.Status{ID: "notes", Transport: "http"}, denied, "voice-gateway config secret mcp.servers.notes.headers.Authorization", ""},
		"a wrong secret":     {mcpint.Status{ID: "secret", Transport: "http"}, unknown, "voice-gateway config secret mcp.servers.secret.auth.client_secret", ""},
		"a wrong signature":  {mcpint.Status{ID: "signed", Transport: "http"}, unknown, "voice-gateway config secret mcp.servers.signed.auth.private_key", ""},
		"a key in an import": {mcpint.Status{ID: "notes", Transport: "http", ImportedFrom: &list}, unknown, "", "Correct the key in /home/anna/claude.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := v.explainDisconnection("server", test.server, test.why)
			if f.Mend != test.mend || !strings.Contains(f.Do, test.do) || f.Text != test.why {
				t.Errorf("got %+v, expected %q, %q", f, test.mend, test.do)
			}
		})
	}
}
