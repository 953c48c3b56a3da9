package client

import (
	"slices"
	"strings"
)

// inherited are the names a child inherits: where programs, home and temporary
// files are, language and time zone. Everything else, secrets above all, reaches
// a server only when it is configured for it.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// BaseEnv is what every child inherits of an environment.
func BaseEnv(environ []string) []string { return childEnv(environ, nil) }

// childEnv returns the environment of a child: the inherited names from environ,
// then the configured ones, in a stable order.
func childEnv(environ []string, configured map[string]string) []string {
	var env []string
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if _, set := configured[name]; ok && !set && (slices.Contains(inherited, name) || strings.HasPrefix(name, "LC_")) {
			env = append(env, entry)
		}
	}
	for name, value := range configured {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}
