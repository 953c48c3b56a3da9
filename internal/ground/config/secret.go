package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Secret returns the secret of a key such as mqtt.password. It looks at the
// variable of that name (VOICE_GATEWAY_MQTT_PASSWORD), then at file, which is
// what the key mqtt.password_file holds, then for the systemd credential
// mqtt.password. When there is none of them the secret is empty, without an
// error; a named file that cannot be read is an error. Line ends at the end are
// not part of the secret.
func (o Options) Secret(key, file string) (string, error) {
	if secret, ok := o.lookup(o.Prefix + variable(key)); ok && secret != "" {
		return secret, nil
	}
	if file != "" {
		secret, err := readSecret(file)
		if err != nil {
			return "", fmt.Errorf("%s_file: %w", key, err)
		}
		return secret, nil
	}
	dir := o.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return "", nil
	}
	secret, err := readSecret(filepath.Join(dir, key))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("systemd credential %s: %w", key, err)
	}
	return secret, nil
}

// SecretFile returns the secret in a file, without line ends at its end.
func SecretFile(path string) (string, error) { return readSecret(path) }

func readSecret(path string) (string, error) {
	data, err := readBounded(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(data), "\r\n")
	if secret == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return secret, nil
}

// StateDir is where a program keeps its state: the configured directory, else
// systemd's $STATE_DIRECTORY, else the one the XDG rules name for app.
func (o Options) StateDir(configured, app string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	if dirs := o.Getenv("STATE_DIRECTORY"); dirs != "" {
		first, _, _ := strings.Cut(dirs, ":") // systemd lists several with colons
		return first, nil
	}
	if dir := o.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, app), nil
	}
	home := o.Getenv("HOME")
	if home == "" && o.Environ == nil {
		home, _ = os.UserHomeDir()
	}
	if home == "" {
		return "", errors.New("no place for the state: set gateway.state_dir, or HOME")
	}
	return filepath.Join(home, ".local", "state", app), nil
}
