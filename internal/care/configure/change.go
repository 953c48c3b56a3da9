package configure

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/keep"
)

// File is a configuration file that is changed. There need not be one yet.
type File struct {
	Path    string
	environ []string
	from    string // the file whose text a new one begins with, "" if there is none
}

// Open returns the file at a path, where there need not be one yet. If the path is empty,
// it returns the file that is used. The file that a clone of the repository brings is not
// changed, because git would show the change; Local beside it is changed instead.
func Open(path string, environ []string) (File, error) {
	path, from, err := ours(path)
	if err != nil {
		return File{}, UseError{err}
	}
	if path == "" {
		return File{}, UseError{errors.New("there is no configuration file yet; name one with --config FILE")}
	}
	return File{Path: path, environ: environ, from: from}, nil
}

// Place is Open for a configuration that may be new: without one, it returns the place
// where the caller's is kept.
func Place(path string, environ []string) (File, error) {
	path, from, err := ours(path)
	if err != nil {
		return File{}, UseError{err}
	}
	if path == "" {
		if path = Local; os.Geteuid() == 0 {
			path = Installed
		}
	}
	return File{Path: path, environ: environ, from: from}, nil
}

// ours returns the path of the file to change, and of the one that a new file begins with.
func ours(named string) (path, from string, err error) {
	if path, err = choose(named); err != nil {
		return "", "", err
	}
	if named == "" && path == Shipped {
		return Local, Shipped, nil
	}
	return path, "", nil
}

// read returns the content of the file, or of the one that it begins with. A path that is not a
// file is the user's mistake, and so is a file that is not YAML: it has no place for a value.
func (f File) read() ([]byte, error) {
	data, err := config.Read(f.Path)
	if errors.Is(err, fs.ErrNotExist) && f.from != "" {
		data, err = config.Read(f.from)
	}
	if errors.Is(err, config.ErrNoFile) {
		return nil, UseError{err}
	}
	if problems := config.CheckSyntax(f.Path, data); len(problems) > 0 {
		return nil, UseError{fmt.Errorf("%s cannot be changed before this is mended:\n%w", f.Path, problems)}
	}
	return data, err
}

// Set changes one value, and nothing else. A value with which the gateway could not work
// is an error, and the file stays as it is.
func (f File) Set(key, value string) (changed bool, err error) {
	old, err := f.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	text, err := f.replaceValue(string(old), key, value)
	if err != nil {
		return false, UseError{fmt.Errorf("%s was not changed:\n%w", f.Path, err)}
	}
	if text == string(old) {
		return false, nil
	}
	return true, keep.ReplaceOwn(f.Path, []byte(text))
}

// Change is another value of a key.
type Change struct{ Key, Value string }

// Apply makes several changes, one after the other, and writes the file once. If there is
// no file yet, the new one begins with base. It returns the changes that made a
// difference.
func (f File) Apply(base string, changes []Change) (made []Change, err error) {
	d, err := f.Draft(base)
	if err != nil {
		return nil, err
	}
	if made, err = d.Apply(changes...); err != nil || len(made) == 0 {
		return nil, err
	}
	return made, d.Write()
}

// replaceValue returns the text of a file with another value for a key. A value that YAML
// would read as something other than the text it is meant to be is put in quotes.
func (f File) replaceValue(old, key, value string) (string, error) {
	quoted, err := yaml.Marshal(&yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: value})
	if err != nil {
		return "", fmt.Errorf("quoting the value: %w", err)
	}
	before := f.problems(old)
	var first error
	for _, as := range []string{value, strings.TrimSpace(string(quoted))} {
		text, err := Set(old, key, as)
		if err == nil {
			err = worse(key, before, f.problems(text))
		}
		if err == nil {
			return text, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}

// problems is everything that would be wrong with a text of the file.
func (f File) problems(text string) config.Problems {
	return empty(f.Path, f.environ).parse([]byte(text))
}

// worse returns the problems that a change has caused, or nil. Problems that other keys
// had before are ignored.
func worse(key string, before, after config.Problems) error {
	var bad config.Problems
	for _, p := range after {
		same := func(q config.Problem) bool { return q.Key == p.Key && q.Text == p.Text }
		if p.Key == key || strings.HasPrefix(p.Key, key+".") || !slices.ContainsFunc(before, same) {
			bad = append(bad, p)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return bad
}

// Secrets are the secrets that a file can hold. The key of that file is the secret's
// with _file behind it.
func Secrets() []string {
	return []string{"ai.api_key", "http.token", "mqtt.password", "stt.openai.api_key", "tools.search.key", "tts.openai.api_key"}
}

// ServerSecrets are the secrets of an MCP server of others, as they are described to a
// user.
func ServerSecrets() []string {
	return []string{
		"mcp.servers.NAME.headers.HEADER", "mcp.servers.NAME.auth.client_secret", "mcp.servers.NAME.auth.private_key",
		"mcp.servers.NAME.env.HASS_TOKEN",
	}
}

// fileKey returns the key that names the file of a secret; "" if the configuration has no
// secret of this key.
func fileKey(key string) string {
	if slices.Contains(Secrets(), key) {
		return key + "_file"
	}
	segments := strings.Split(key, ".")
	if len(segments) != 5 || segments[0] != "mcp" || segments[1] != "servers" || slices.ContainsFunc(segments, func(s string) bool { return !name.MatchString(s) }) {
		return ""
	}
	switch {
	case segments[3] == "headers":
		segments[3] = "header_file"
		return strings.Join(segments, ".")
	case segments[3] == "auth" && (segments[4] == "client_secret" || segments[4] == "private_key"):
		return key + "_file"
	case segments[3] == "env" && segments[4] == "HASS_TOKEN": // of our own server for Home Assistant
		return key + "_FILE"
	}
	return ""
}

// HasLines reports whether a secret has several lines, as a private key has.
func HasLines(key string) bool { return strings.HasSuffix(key, ".auth.private_key") }

// KeepSecret keeps a secret beside the configuration, where others cannot read it, and
// names its file there. Where the configuration holds the secret itself, that is emptied. It
// returns the file's path. It writes nothing if the configuration would not be valid with that
// name.
func (f File) KeepSecret(key, secret string) (string, error) {
	named := fileKey(key)
	if named == "" {
		return "", UseError{fmt.Errorf("%q is no secret of the configuration; expected one of %s", key, strings.Join(slices.Concat(Secrets(), ServerSecrets()), ", "))}
	}
	if secret == "" {
		return "", UseError{errors.New("standard input holds no secret; expected it on one line")}
	}
	place, err := f.placeOf(key)
	if err != nil {
		return "", err
	}
	if err := f.checkNaming(named, place); err != nil {
		return "", err
	}
	if _, err := f.keep(key, secret); err != nil {
		return "", err
	}
	changes := []Change{{named, place}}
	if text, err := f.read(); err == nil {
		if plain, missing := Get(string(text), key); missing == nil && plain != nil && plain != "" {
			changes = append(changes, Change{key, ""})
		}
	}
	_, err = f.Apply("", changes)
	return place, err
}

// checkNaming returns nil if the configuration can name the file of a secret; else an error
// that says why not, and what to do first.
func (f File) checkNaming(named, place string) error {
	old, err := f.read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = f.replaceValue(string(old), named, place)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s was not changed:\n%w", f.Path, err)
	if section, last, ofServer := strings.Cut(named, ".auth."); ofServer {
		if server, missing := Get(string(old), section); missing == nil && server != nil {
			err = fmt.Errorf("%w\nname the client first: config set %s.auth '{client_id: NAME, %s: %s}'", err, section, last, place)
		}
	}
	return UseError{err}
}

// placeOf returns the path of the file beside the configuration that holds a secret.
func (f File) placeOf(key string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(f.Path))
	if err != nil {
		return "", fmt.Errorf("finding a place for the secret: %w", err)
	}
	return filepath.Join(dir, "credentials", key), nil
}

// keep writes a secret into a file beside the configuration and returns its path.
func (f File) keep(key, secret string) (string, error) {
	place, err := f.placeOf(key)
	if err != nil {
		return "", err
	}
	return place, keep.ReplaceSecret(place, []byte(secret+"\n"))
}
