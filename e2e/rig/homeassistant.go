package rig

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
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
