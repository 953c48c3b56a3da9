package client

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// FindCommand turns a configured command into a path. One without a slash is
// looked up in dir, where our own executable lies, then in PATH. The error names
// the places looked at.
func FindCommand(command, dir string) (string, error) {
	if strings.ContainsRune(command, '/') {
		if err := executable(command); err != nil {
			return "", fmt.Errorf("the program %s cannot be started: %w", command, err)
		}
		return command, nil
	}
	if dir != "" {
		beside := filepath.Join(dir, command)
		if executable(beside) == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("the program %q is neither at %s nor in PATH; install it or set its full path: %w",
			command, filepath.Join(dir, command), exec.ErrNotFound)
	}
	return path, nil
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%w: it is no executable file", os.ErrPermission)
	}
	return nil
}

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
