package configure

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// DISABLE_RETRY is a word for yes or no, or the start ends.
func TestDisableRetryIsReadByItsWords(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"true": true, "1": true, "YES": true, "on": true, "false": false, "0": false, "No": false, "off": false, "": false, " ": false,
	} {
		if once, err := disablesRetry(value); err != nil || once != want {
			t.Errorf("%q is %v, %v; expected %v", value, once, err, want)
		}
	}
	for _, value := range []string{"maybe", "2", "ja", "tru"} {
		if _, err := disablesRetry(value); err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%q: %v, expected an error that names it", value, err)
		}
	}
}

// A value that YAML would read as something other than text is put in quotes. A value
// with which the gateway could not work is not written. Other faults of the file may
// stay.
func TestSet(t *testing.T) {
	t.Parallel()
	const own = "gateway:\n  id: kitchen # ours\nmcp: {retry: {attempts: many}}\n"
	for _, c := range []struct{ key, value, want, wrong string }{
		{"gateway.id", "hall", "gateway:\n  id: hall # ours\nmcp: {retry: {attempts: many}}\n", ""},
		{"gateway.id", "true", "gateway:\n  id: \"true\" # ours\nmcp: {retry: {attempts: many}}\n", ""},
		{"gateway.area", "12", "gateway:\n  id: kitchen # ours\n  area: \"12\"\nmcp: {retry: {attempts: many}}\n", ""},
		{"audio.input", "", "gateway:\n  id: kitchen # ours\nmcp: {retry: {attempts: many}}\naudio:\n  input: \"\"\n", ""},
		{"mcp.retry.attempts", "3", "gateway:\n  id: kitchen # ours\nmcp: {retry: {attempts: 3}}\n", ""},
		{"gateway.id", "a/b", own, "gateway.id: \"a/b\" is not usable"},
		{"gateway.idd", "x", own, "unknown key; did you mean id?"},
		{"mcp.retry.attempts", "several", own, "expected a whole number"},
		{"stt.engines", "[whisper]", own, "\"whisper\" is unknown"},
	} {
		t.Run(c.key+" "+c.value, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "voice-gateway.yaml")
			if err := os.WriteFile(path, []byte(own), 0o640); err != nil { //nolint:gosec // as an installed one
				t.Fatal(err)
			}
			f, err := Open(path, []string{})
			if err != nil {
				t.Fatal(err)
			}
			changed, err := f.Set(c.key, c.value)
			got, readErr := os.ReadFile(path)
			if readErr != nil || string(got) != c.want || changed != (c.want != own) {
				t.Errorf("changed %v, %v:\n%s\nwant\n%s", changed, readErr, got, c.want)
			}
			if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v, want %q", err, c.wrong)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("%v, %v: who may read it has changed", info, err)
			}
		})
	}
}

// testKey makes a private key as a file has it.
func testKey(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: body}))
}

// A secret is kept where others cannot read it, and its file is named.
func TestKeepSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	f, err := Open(path, []string{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range Secrets() {
		place, err := f.KeepSecret(key, "planted "+key)
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if info, err := os.Stat(place); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", place, info, err)
		}
	}
	l, err := Load(path, []string{"HOME=" + t.TempDir()})
	if err != nil || l.Locked != nil || l.Secrets.MQTTPassword != "planted mqtt.password" || l.Secrets.HTTPToken != "planted http.token" {
		t.Errorf("%v, %v, %+v", err, l.Locked, l.Secrets)
	}
	key := testKey(t)
	if _, err := f.Set("mcp.servers.notes", `{transport: http, url: "http://127.0.0.1:9/mcp", auth: {client_id: house, private_key_file: /nowhere}}`); err != nil {
		t.Fatal(err)
	}
	if !HasLines("mcp.servers.notes.auth.private_key") || HasLines("mqtt.password") {
		t.Error("a private key has several lines, and a password has one")
	}
	if _, err := f.KeepSecret("mcp.servers.notes.auth.private_key", key); err != nil {
		t.Fatal(err)
	}
	l, err = Load(path, []string{"HOME=" + t.TempDir()})
	if err != nil || l.MCP.Servers["notes"].Auth.PrivateKey != strings.TrimSpace(key) {
		t.Errorf("%v, the key is %q", err, l.MCP.Servers["notes"].Auth.PrivateKey)
	}
	// The secret does not stay in the configuration beside its file.
	if _, err := f.Set("mcp.servers.house", `{transport: stdio, command: home-assistant-mcp-server}`); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"mcp.servers.house.env.HASS_TOKEN", "mcp.servers.notes.headers.X-Key"} {
		if _, err := f.Set(key, "plain "+key); err != nil {
			t.Fatal(err)
		}
		if _, err := f.KeepSecret(key, "planted "+key); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "plain mcp") || !strings.Contains(string(text), "HASS_TOKEN_FILE") {
		t.Errorf("%v, the file says\n%s", err, text)
	}
	for key, secret := range map[string]string{"mqtt.username": "x", "mqtt.password": ""} {
		if _, err := f.KeepSecret(key, secret); err == nil {
			t.Errorf("%s %q: no error", key, secret)
		}
	}
}
