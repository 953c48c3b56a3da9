package client

import (
	"slices"
	"strings"
)

// inherited are the names a child inherits: where programs, home and temporary
// files are, language and time zone. Everything else, secrets above all, is not
// the business of a server and has to be configured for it.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// childEnv is the environment of a child: the allow-list of ours, then what is
// configured, in a stable order.
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
