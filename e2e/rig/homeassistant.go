package rig

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// signingKeys are the keys of the two valid tokens, by the names of the tokens.
var signingKeys = map[string]string{
	"token":  "0123456789abcdef0123456789abcdef0123456789abcdef",
	"second": "fedcba9876543210fedcba9876543210fedcba9876543210",
}

// HomeAssistantToken is a long-lived token of the only user, by its name: token or second.
func HomeAssistantToken(name string) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	now := time.Now().Unix()
	text := part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(fmt.Sprintf(`{"iss":%q,"iat":%d,"exp":%d}`, name, now-60, now+24*60*60))
	sum := hmac.New(sha256.New, []byte(signingKeys[name]))
	_, _ = sum.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// LayHomeAssistant lays out a Home Assistant with one user and one integration, and returns
// its directory and the address that it will have.
func LayHomeAssistant(t *testing.T, integration, data, more string) (dir, addr string) {
	t.Helper()
	dir, addr = t.TempDir(), fake.FreeAddr(t)
	_, port, _ := strings.Cut(addr, ":")
	if err := os.MkdirAll(filepath.Join(dir, ".storage"), 0o700); err != nil {
		t.Fatal(err)
	}
	var tokens []string
	for _, name := range slices.Sorted(maps.Keys(signingKeys)) {
		tokens = append(tokens, `{"id":"`+name+`","user_id":"user","client_id":null,"client_name":"`+name+`","client_icon":null,"token_type":"long_lived_access_token","created_at":"2025-01-01T00:00:00+00:00",
			"access_token_expiration":315360000.0,"token":"`+name+`","jwt_key":"`+signingKeys[name]+`","last_used_at":null,"last_used_ip":null,"expire_at":null,"credential_id":null,"version":null}`)
	}
	for name, text := range map[string]string{
		"configuration.yaml": "http: {server_host: 127.0.0.1, server_port: " + port + "}\nlogger: {default: warning}\n" +
			"homeassistant: {name: house, time_zone: UTC, unit_system: metric, currency: EUR, country: DE}\n" + more,
		".storage/core.config_entries": `{"version":1,"minor_version":1,"key":"core.config_entries","data":{"entries":[{"data":` + data + `,
			"disabled_by":null,"domain":"` + integration + `","entry_id":"entry","options":{},"pref_disable_new_entities":false,"pref_disable_polling":false,"source":"user","title":"entry","unique_id":null,"version":1}]}}`,
		".storage/onboarding": `{"version":4,"minor_version":1,"key":"onboarding","data":{"done":["user","core_config","analytics","integration"]}}`,
		".storage/auth": `{"version":1,"minor_version":1,"key":"auth","data":{"users":[{"id":"user","group_ids":["system-admin"],"is_owner":true,"is_active":true,"name":"Test","system_generated":false,"local_only":false}],
			"groups":[{"id":"system-admin","name":"Administrators"},{"id":"system-users","name":"Users"},{"id":"system-read-only","name":"Read Only"}],"credentials":[],
			"refresh_tokens":[` + strings.Join(tokens, ",") + `]}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, addr
}

// InstallHomeAssistants installs Home Assistant for each of these versions of Python that this
// machine has, and returns the programs that run it, by version. There is at least one: on a
// machine that has none of these versions the test ends as fake.Lack says.
func InstallHomeAssistants(tb testing.TB, versions ...string) (pythons map[string]string) {
	tb.Helper()
	pythons = map[string]string{}
	for _, version := range versions {
		dir, err := fake.TryInstall(tb, "homeassistant.sh", version)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
			continue // the script has said that this Python is missing
		}
		if err != nil {
			tb.Fatal(err)
		}
		pythons[version] = filepath.Join(dir, "bin", "python")
	}
	if len(pythons) == 0 {
		fake.Lack(tb, "no Home Assistant can be started here: this machine has no Python %s", strings.Join(versions, " or "))
	}
	return pythons
}

// RobotOfHomeAssistant is the part of a configuration that makes a robot called Dusty, which
// says that it is where it was sent.
const RobotOfHomeAssistant = `
input_select: {dusty: {name: Whereabouts, options: [docked, cleaning, paused, returning]}}
vacuum:
  - platform: template
    vacuums:
      dusty:
        unique_id: dusty
        friendly_name: Dusty
        value_template: "{{ states('input_select.dusty') }}"
        start: [{service: input_select.select_option, target: {entity_id: input_select.dusty}, data: {option: cleaning}}]
        pause: [{service: input_select.select_option, target: {entity_id: input_select.dusty}, data: {option: paused}}]
        return_to_base: [{service: input_select.select_option, target: {entity_id: input_select.dusty}, data: {option: returning}}]
`
