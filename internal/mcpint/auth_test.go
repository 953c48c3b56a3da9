package mcpint

import (
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
)

// TestSettingsOfTokens says what is wrong with the settings, with the key and what would be
// right.
func TestSettingsOfTokens(t *testing.T) {
	t.Parallel()
	secret := Auth{ClientID: "house", ClientSecretFile: "f"}
	for name, tt := range map[string]struct {
		change func(*Server)
		want   string // empty: nothing is wrong
	}{
		"a secret":        {func(*Server) {}, ""},
		"a key":           {func(s *Server) { s.Auth = Auth{ClientID: "house", PrivateKeyFile: "f", KeyID: "k"} }, ""},
		"none":            {func(s *Server) { s.Auth = Auth{} }, ""},
		"a place":         {func(s *Server) { s.Auth.TokenURL = "https://login.example.org/token" }, ""},
		"no place":        {func(s *Server) { s.Auth.TokenURL = "login.example.org" }, ".auth.token_url: it is no address; expected something like https://"},
		"no name":         {func(s *Server) { s.Auth.ClientID = "" }, ".auth.client_id: it is missing; expected the name"},
		"nothing to show": {func(s *Server) { s.Auth.ClientSecretFile = "" }, ".auth: client_secret_file or private_key_file is missing; expected one"},
		"both":            {func(s *Server) { s.Auth.PrivateKeyFile = "k" }, ".auth: client_secret_file and private_key_file exclude each other"},
		"no key to name":  {func(s *Server) { s.Auth.KeyID = "k" }, ".auth.key_id: there is no private_key_file"},
		"over stdio":      {func(s *Server) { s.Transport, s.Command = "stdio", "x" }, ".auth: a stdio server takes no tokens of this kind; expected transport http"},
		"a header too":    {func(s *Server) { s.HeaderFile = map[string]string{"authorization": "f"} }, ".auth: the header Authorization is set as well; expected auth or the header"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Server{ID: "n", Transport: "http", URL: "http://x", Auth: secret}.WithDefaults()
			tt.change(&s)
			err := s.Validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), "mcp.servers.n"+tt.want)) {
				t.Errorf("got %v, expected %q", err, tt.want)
			}
		})
	}
}

// TestKeysThatCannotBeRead says why a file has no usable private key.
func TestKeysThatCannotBeRead(t *testing.T) {
	t.Parallel()
	signsNothing, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	body, err := x509.MarshalPKCS8PrivateKey(signsNothing)
	if err != nil {
		t.Fatal(err)
	}
	in := func(kind string, body []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: body}))
	}
	for text, want := range map[string]string{
		"none":                                   "there is no private key in PEM; expected a file that begins with -----BEGIN PRIVATE KEY-----",
		in("CERTIFICATE", []byte("x")):           "there is no private key in PEM",
		in("PRIVATE KEY", []byte("x")):           "the private key cannot be read",
		in("ENCRYPTED PRIVATE KEY", []byte("x")): "it needs a passphrase; expected a key without one",
		in("PRIVATE KEY", body):                  "signs nothing; expected RSA, ECDSA or Ed25519",
	} {
		if _, err := (Auth{PrivateKey: text}).Key(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %s", text, err, want)
		}
	}
}
