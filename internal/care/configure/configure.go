// Package configure reads the configuration of voice-gateway as its commands do, says
// everything that is wrong with it, and changes single values of its file. The file is the user's own text, so a change leaves
// every other line, every comment and the order as they are (settings.go).
package configure

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/ground/trust"
)

// The paths where the configuration is looked for. Those in the working directory are
// meant for a clone of the repository.
const (
	Installed = "/etc/voice-gateway/voice-gateway.yaml" // the service's
	Local     = "configs/local.yaml"                    // the caller's own; git ignores it
	Shipped   = "configs/voice-gateway.yaml"            // the one in the repository
)

// Places are the paths where the configuration is looked for; the first that exists is
// used.
func Places() []string { return []string{Installed, Local, Shipped} }

// Invocation is how a user calls our program so that it uses the configuration at a path,
// which is empty for none: by its name if it is found by that, by its path in a clone of
// the repository, with --config unless the configuration is found without.
func Invocation(executable, path string) string {
	command := "voice-gateway"
	clone := Clone(executable)
	here, err := os.Getwd()
	if _, missing := process.Find(command, ""); err == nil && clone == here && clone != "" {
		command = filepath.Join("bin", filepath.Base(executable))
	} else if missing != nil || clone != "" {
		command = process.ShellWord(executable) // it is not installed
	}
	if path == "" || path == Places()[0] {
		return command
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return command + " --config " + process.ShellWord(path)
}

// prefix begins the variables that override keys.
const prefix = "VOICE_GATEWAY_"

// UseError is a mistake of the user's, which no second try mends.
type UseError struct{ error }

// Unwrap returns the mistake.
func (e UseError) Unwrap() error { return e.error }

// AsUseError makes an error a mistake of the user's.
func AsUseError(err error) error { return UseError{err} }

// Loaded is a configuration with its origin and its secrets.
type Loaded struct {
	gateway.Config
	Path    string // empty: defaults only
	Origins *config.Origins
	Options config.Options
	Secrets gateway.Secrets
	// Locked is why a secret cannot be read that only a gateway needs. A command that
	// asks a running gateway may ignore it.
	Locked error
}

// Load reads and checks the configuration in the file, or in the first of Places if path
// is empty. With an error it returns what it has read so far, because that says which
// texts must not be shown.
func Load(path string, environ []string) (*Loaded, error) {
	path, refused := choose(path)
	l := empty(path, environ)
	if refused != nil {
		return l, UseError{refused}
	}
	return load(l, l.readFile, "")
}

// load fills a configuration with the text that read returns. A password is the one at the
// broker, in place of the one that is kept.
func load(l *Loaded, read func() ([]byte, error), password string) (_ *Loaded, err error) {
	if err := l.read(read); err != nil {
		return l, UseError{err}
	}
	once, err := disablesRetry(l.Options.Getenv("DISABLE_RETRY"))
	if err != nil {
		return l, UseError{err}
	}
	l.MCP.Retry.Enabled = l.MCP.Retry.Enabled && !once
	if l.Gateway.StateDir, err = l.stateDir(); err != nil {
		return l, fmt.Errorf("finding the state directory: %w", err)
	}
	if l.Wake.ModelsDir == "" {
		l.Wake.ModelsDir = filepath.Join(l.Gateway.StateDir, "models")
	}
	if password != "" {
		l.MQTT.PasswordFile = ""
	}
	l.Locked = l.readSecrets()
	if password != "" {
		l.Secrets.MQTTPassword = password
	}
	if l.Secrets.HTTPToken, err = l.Options.Secret("http.token", l.HTTP.TokenFile); err != nil {
		return l, fmt.Errorf("reading a secret: %w", mayRead(err))
	}
	return l, nil
}

// mayRead adds to the error of a secret that others may not read which group may.
func mayRead(err error) error {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	dir, statErr := os.Stat(filepath.Dir(path.Path))
	if statErr != nil || dir.Mode().Perm()&0o010 == 0 {
		return err
	}
	owner, ok := dir.Sys().(*syscall.Stat_t)
	if !ok {
		return err
	}
	group, lookErr := user.LookupGroupId(strconv.FormatUint(uint64(owner.Gid), 10))
	if lookErr != nil {
		return err
	}
	return fmt.Errorf("%w; members of the group %s may read it: sudo usermod -aG %s USER, and log in again; or use sudo", err, group.Name, group.Name)
}

// installedState is where the service keeps its state: systemd makes it for the unit.
const installedState = "/var/lib/voice-gateway"

// stateDir returns the directory of the state. A command that uses the service's
// configuration uses the service's state too, whichever user runs it.
func (l *Loaded) stateDir() (string, error) {
	if l.Gateway.StateDir == "" && l.Path == Installed && l.Options.Getenv("STATE_DIRECTORY") == "" {
		if info, err := os.Stat(installedState); err == nil && info.IsDir() {
			return installedState, nil
		}
	}
	return l.Options.StateDir(l.Gateway.StateDir, "voice-gateway")
}

// empty is a configuration of defaults.
func empty(path string, environ []string) *Loaded {
	return &Loaded{Config: gateway.Default(), Path: path, Options: config.Options{Prefix: prefix, Environ: environ, Known: []string{
		prefix + "MQTT_PASSWORD", prefix + "AI_API_KEY", prefix + "HTTP_TOKEN", prefix + "TOOLS_SEARCH_KEY",
	}}}
}

// choose is the path of the configuration that is used: the one that is named, else the
// one that is found.
func choose(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	return Find()
}

// Find returns the configuration file that is used if the user names none. It is "" if
// no such file exists. A file in the working directory is refused if users other than the
// caller and root can decide what it holds, because it names programs to start and
// addresses for secrets.
func Find() (string, error) {
	for _, place := range Places() {
		if _, err := os.Stat(place); err != nil {
			continue
		}
		if filepath.IsAbs(place) {
			return place, nil
		}
		if _, err := trust.File(place); err != nil {
			return "", refusal(place, err)
		}
		return place, nil
	}
	return "", nil
}

// refusal says why a configuration in the working directory is not read, and what to do.
func refusal(place string, err error) error {
	why := ""
	if doubt, ok := errors.AsType[*trust.DoubtError](err); ok {
		why = "others can say what is in it: "
		if whole, absErr := filepath.Abs(doubt.Path); absErr == nil {
			err = &trust.DoubtError{Path: whole, Why: doubt.Why}
		}
	}
	return fmt.Errorf("%s in this directory is not read: %s%w. Where you trust it, name it: --config %s; else remove it, or call this in another directory", place, why, err, place)
}

// readFile returns the text of the configuration file. Without a file there is no text.
func (l *Loaded) readFile() ([]byte, error) {
	if l.Path == "" {
		return nil, nil
	}
	return config.Read(l.Path)
}

// read fills the configuration and tells everything that is wrong with it.
func (l *Loaded) read(text func() ([]byte, error)) error {
	data, err := text()
	if err != nil {
		return fmt.Errorf("the configuration cannot be used:\n%w", err)
	}
	if problems := l.parse(data); len(problems) > 0 {
		return fmt.Errorf("the configuration%s cannot be used:\n%w", From(l.Path), problems)
	}
	return nil
}

// parse fills the configuration and returns everything that is wrong with it in one
// round: what cannot be read, and what the parts cannot work with, each with the place
// where it is mended.
func (l *Loaded) parse(data []byte) config.Problems {
	origins, err := config.Parse(l.Path, data, &l.Config, l.Options)
	problems, _ := errors.AsType[config.Problems](err)
	l.Origins = origins
	for _, one := range gateway.Mistakes(l.Config) {
		if !slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Key == one.Key }) {
			problems = append(problems, config.Problem{Where: l.Origins.Near(one.Key), Key: one.Key, Text: one.Text})
		}
	}
	problems = append(problems, l.importServers()...)
	slices.SortStableFunc(problems, func(a, b config.Problem) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	return problems
}

// lineOf is the line of the file where a problem is; those of elsewhere come last.
func lineOf(p config.Problem) int {
	line, err := strconv.Atoi(p.Where[strings.LastIndexByte(p.Where, ':')+1:])
	if err != nil {
		return math.MaxInt
	}
	return line
}

// disablesRetry reads DISABLE_RETRY: whether there is exactly one attempt to connect
// to an MCP server (REQUIREMENTS M2). Empty leaves it to the configuration.
func disablesRetry(value string) (bool, error) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off", "":
		return false, nil
	}
	return false, fmt.Errorf("DISABLE_RETRY is %q; expected true, 1, yes or on for one attempt, false, 0, no or off to let mcp.retry decide, or nothing", value)
}

func (l *Loaded) readSecrets() error {
	for _, s := range []struct {
		key, file string
		to        *string
	}{
		{"mqtt.password", l.MQTT.PasswordFile, &l.Secrets.MQTTPassword},
		{"ai.api_key", l.AI.APIKeyFile, &l.Secrets.AIKey},
		{"stt.openai.api_key", l.STT.OpenAI.APIKeyFile, &l.Secrets.STTKey},
		{"tts.openai.api_key", l.TTS.OpenAI.APIKeyFile, &l.TTS.OpenAI.Key},
		{"tools.search.key", l.Tools.Search.KeyFile, &l.Secrets.SearchKey},
	} {
		secret, err := l.Options.Secret(s.key, s.file)
		if err != nil {
			return fmt.Errorf("reading a secret: %w", err)
		}
		*s.to = secret
	}
	return l.readServerSecrets()
}

// From says where a configuration comes from, for an error.
func From(path string) string {
	if path == "" {
		return ""
	}
	return " of " + path
}

// Unusable returns the error for a configuration from which a part cannot be built. It is
// the user's mistake, which no restart corrects, unless the cause is a file or a
// directory.
func (l *Loaded) Unusable(err error) error {
	wrapped := fmt.Errorf("the configuration%s cannot be used: %w", From(l.Path), err)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped
	}
	return UseError{wrapped}
}
