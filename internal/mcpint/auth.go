package mcpint

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Auth is how the gateway gets tokens for a server over HTTP that wants them (OAuth): as a
// client that is known to the server of tokens, with a secret or a private key, and without
// a person at a browser.
type Auth struct {
	ClientID         string   `yaml:"client_id"`
	ClientSecretFile string   `yaml:"client_secret_file"` // names a file with the secret; or else
	PrivateKeyFile   string   `yaml:"private_key_file"`   // names a file with a key in PEM, whose signatures take the place of a secret
	KeyID            string   `yaml:"key_id"`             // which of the client's keys that is; empty: the server of tokens knows only one
	Scopes           []string `yaml:"scopes"`             // what is asked for; empty: what the server names in a refusal, else what is given
	TokenURL         string   `yaml:"token_url"`          // where the tokens are; empty: the server says where

	ClientSecret string `yaml:"-"` // what is in ClientSecretFile
	PrivateKey   string `yaml:"-"` // what is in PrivateKeyFile
}

// IsSet reports whether tokens are to be got.
func (a Auth) IsSet() bool {
	return a.ClientID != "" || a.ClientSecretFile != "" || a.PrivateKeyFile != "" || a.KeyID != "" || len(a.Scopes) > 0 || a.TokenURL != ""
}

// Key reads the private key: RSA, ECDSA or Ed25519, in PKCS #8 or the older forms of the
// first two.
func (a Auth) Key() (crypto.Signer, error) {
	for rest := []byte(a.PrivateKey); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, errors.New("there is no private key in PEM; expected a file that begins with -----BEGIN PRIVATE KEY-----")
		}
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "ENCRYPTED PRIVATE KEY":
			err = errors.New("it needs a passphrase; expected a key without one")
		default: // a certificate, or the parameters of a curve
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the private key cannot be read: %w", err)
		}
		signer, ok := key.(crypto.Signer)
		if !ok {
			return nil, fmt.Errorf("a key of type %T signs nothing; expected RSA, ECDSA or Ed25519", key)
		}
		return signer, nil
	}
}

// validateAuth says what is wrong with the settings of tokens.
func (s Server) validateAuth() []error {
	var errs []error
	bad := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf("mcp.servers.%s.auth%s: %w", s.ID, key, fmt.Errorf(format, args...)))
	}
	a := s.Auth
	if !a.IsSet() {
		return nil
	}
	if s.Transport == "stdio" {
		bad("", "a stdio server takes no tokens of this kind; expected transport http or sse, or a key in env")
	}
	if a.ClientID == "" {
		bad(".client_id", "it is missing; expected the name under which the server of tokens knows the gateway")
	}
	if key, why := a.contradiction(); why != "" {
		bad(key, "%s", why)
	}
	named := func(name string) bool { return strings.EqualFold(name, "Authorization") }
	if slices.ContainsFunc(slices.Concat(slices.Collect(maps.Keys(s.Headers)), slices.Collect(maps.Keys(s.HeaderFile))), named) {
		bad("", "the header Authorization is set as well; expected auth or the header")
	}
	if u, err := url.Parse(a.TokenURL); a.TokenURL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		bad(".token_url", "it is no address; expected something like https://login.example.org/token")
	}
	return errs
}

// contradiction says what is wrong with what the server of tokens is shown, and with which
// key.
func (a Auth) contradiction() (key, why string) {
	switch {
	case a.ClientSecretFile != "" && a.PrivateKeyFile != "":
		return "", "client_secret_file and private_key_file exclude each other; expected one of them"
	case a.ClientSecretFile == "" && a.PrivateKeyFile == "":
		return "", "client_secret_file or private_key_file is missing; expected one of them (config secret keeps a secret in a file of its own)"
	case a.KeyID != "" && a.PrivateKeyFile == "":
		return ".key_id", "there is no private_key_file that it could name"
	}
	return "", ""
}
