package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"voicegateway/internal/ground/secret"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

const (
	// MaxQuote bounds in bytes what an error quotes of a server's words.
	MaxQuote = secret.MaxQuote
	// versionShown bounds a version, in bytes; no real one is longer.
	versionShown = 100
)

// Secrets are configured values that must not appear in any text a server sends.
type Secrets = *secret.Set

// SecretsOf returns what must not be shown of a server: the secrets that the gateway
// passed on, or else those found in the server's settings.
func SecretsOf(s mcpint.Server) Secrets {
	if s.Secrets != nil {
		return s.Secrets
	}
	return SecretsIn(s)
}

// SecretsIn finds the secrets in a server's settings (REQUIREMENTS S7): every value
// of its environment, its headers and its query, what a server of tokens is shown, the
// passwords in addresses, and the arguments that follow a flag like --token or look like a key. Files that are there
// are none.
func SecretsIn(s mcpint.Server) Secrets {
	secrets := &secret.Set{}
	for _, values := range []map[string]string{s.Env, s.Headers} {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			secrets.AddAddresses(values[key])
			secrets.AddUsers(values[key])
			addValue(secrets, key, values[key])
		}
	}
	secrets.Add(s.Auth.ClientSecret)
	secrets.Add(s.Auth.PrivateKey)
	for _, address := range slices.Concat([]string{s.URL, s.Auth.TokenURL}, s.Requires, s.Args) {
		secrets.AddAddresses(address)
		secrets.AddUsers(address)
	}
	_, found := secret.Args(s.Args, "")
	for _, value := range found {
		if len(value) >= secret.Least && !exists(value) {
			secrets.Add(value)
		}
	}
	return secrets
}

// addValue adds a value of the environment or of a header.
func addValue(secrets Secrets, key, value string) {
	switch {
	case exists(value):
	case secret.Telling(key):
		secrets.Add(value)
		secrets.Add(secret.WithoutScheme(value))
	default:
		secrets.AddUnnamed(value)
	}
}

// exists reports whether a value names files or directories that are there.
func exists(value string) bool {
	paths := filepath.SplitList(value)
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool {
		if !filepath.IsAbs(path) {
			return true
		}
		_, err := os.Stat(path)
		return err != nil
	})
}

// hideInSpec returns a tool without secrets; ok is false for one whose name holds a
// secret, because a tool is called by its name.
func hideInSpec(secrets Secrets, spec tools.Spec) (_ tools.Spec, ok bool) {
	if secrets.In(spec.Name) {
		return spec, false
	}
	spec.Title, spec.Description = secrets.Hide(spec.Title), secrets.Hide(spec.Description)
	spec.Input, spec.Output = secrets.HideJSON(spec.Input), secrets.HideJSON(spec.Output)
	if spec.Input == nil {
		spec.Input = json.RawMessage(`{"type":"object"}`)
	}
	return spec, true
}

// unreadable is the result of an answer that cannot be read.
func unreadable(err error) tools.Result {
	return tools.Result{Failed: true, Text: fmt.Sprintf("the server's answer has the wrong shape%s; whoever made the server has to mend it", misshapen(err))}
}
