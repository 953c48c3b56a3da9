package configure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/mcpint"
)

// foreignServer is an entry in the list of another MCP host. Keys that mean nothing here are
// ignored, because each host has its own.
type foreignServer struct {
	Type     string            `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Dir      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

// importServers adds the servers of the files in mcp.import that the configuration does
// not name itself, and returns what is wrong with the files. Each is trusted to read. One
// that the configuration sets to null is left out.
func (l *Loaded) importServers() (wrong config.Problems) {
	for n, file := range l.MCP.Import {
		list, bad := readForeign(file, l.Options.Getenv)
		wrong = append(wrong, bad...)
		for i, id := range slices.Sorted(maps.Keys(list)) {
			if _, named := l.MCP.Servers[id]; named || l.Origins.Names("mcp.servers."+id) {
				continue
			}
			server := list[id]
			server.ID, server.From, server.Place = id, file, (n+1)*1000+i
			if err := server.Validate(); err != nil {
				for line := range strings.Lines(err.Error()) {
					key, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
					wrong = append(wrong, config.Problem{Where: file, Key: strings.Replace(key, "mcp.servers.", "mcpServers.", 1), Text: text})
				}
				continue
			}
			l.MCP.Servers[id] = server
		}
	}
	return wrong
}

// readForeign reads the list of servers of another host: Claude Desktop's mcpServers, or
// servers, as VS Code calls them.
func readForeign(file string, env func(string) string) (map[string]mcpint.Server, config.Problems) {
	problem := func(key, format string, args ...any) config.Problems {
		return config.Problems{{Where: file, Key: key, Text: fmt.Sprintf(format, args...)}}
	}
	data, err := config.Read(file)
	if err != nil {
		return nil, problem("", "cannot be imported: %v; expected the file that another MCP host keeps its servers in", errors.Unwrap(err))
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, problem("", "%s", misshapen(data, err, "a JSON object with mcpServers"))
	}
	key := "mcpServers"
	raw, ok := lists[key]
	if !ok {
		key = "servers"
		raw, ok = lists[key]
	}
	if !ok {
		return nil, problem("", "it has no servers; expected an object mcpServers, or servers, with an entry for each server")
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, problem(key, "expected an object with an entry for each server, such as {\"notes\": {\"command\": \"notes-mcp\"}}")
	}
	servers, wrong := map[string]mcpint.Server{}, config.Problems(nil)
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		var f foreignServer
		at := key + "." + id
		if err := json.Unmarshal(entries[id], &f); err != nil {
			wrong = append(wrong, problem(at, "%s", misshapen(nil, err, "an object with command, args and env, or with url and headers"))...)
			continue
		}
		if f.Disabled {
			continue
		}
		server, bad := f.server(env)
		for _, one := range bad {
			wrong = append(wrong, problem(at+"."+one.Key, "%s", one.Text)...)
		}
		if len(bad) == 0 {
			servers[id] = server
		}
	}
	return servers, wrong
}

// misshapen says what is wrong with JSON, and on which line if that is known.
func misshapen(data []byte, err error, expected string) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && int(syntax.Offset) <= len(data) {
		return fmt.Sprintf("not valid JSON on line %d: %v; expected %s", 1+bytes.Count(data[:syntax.Offset], []byte{'\n'}), err, expected)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && kind.Field != "" {
		return fmt.Sprintf("%s is a %s; expected %s", kind.Field, kind.Value, expected)
	}
	return "expected " + expected
}

// server is the entry as one of our own. It is trusted to read, whatever it says.
func (f foreignServer) server(env func(string) string) (s mcpint.Server, wrong config.Problems) {
	fill := func(key, text string) string {
		filled, bad := expand(text, env)
		if bad != "" {
			wrong = append(wrong, config.Problem{Key: key, Text: bad})
		}
		return filled
	}
	all := func(key string, texts map[string]string) map[string]string {
		filled := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			filled[name] = fill(key+"."+name, texts[name])
		}
		return filled
	}
	s = mcpint.Server{Command: fill("command", f.Command), Dir: fill("cwd", f.Dir), URL: fill("url", f.URL), Env: all("env", f.Env), Headers: all("headers", f.Headers), Trust: mcpint.TrustRead}
	for i, arg := range f.Args {
		s.Args = append(s.Args, fill(fmt.Sprintf("args[%d]", i), arg))
	}
	switch f.Type {
	case "":
		if s.Transport = "stdio"; f.URL != "" {
			s.Transport = "http"
		}
	case "stdio", "http", "sse":
		s.Transport = f.Type
	case "streamable-http", "streamableHttp", "streamable_http":
		s.Transport = "http"
	default:
		wrong = append(wrong, config.Problem{Key: "type", Text: fmt.Sprintf("%q is unknown; expected stdio, http or sse", f.Type)})
	}
	return s.WithDefaults(), wrong
}

// variable is ${NAME}, with ${env:NAME} and ${NAME:-default} as other hosts write it.
var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

// expand replaces the variables of a text by those of our environment. wrong says what
// could not be replaced.
func expand(text string, env func(string) string) (filled, wrong string) {
	filled = variable.ReplaceAllStringFunc(text, func(found string) string {
		name, instead, has := strings.Cut(found[2:len(found)-1], ":-")
		name = strings.TrimPrefix(name, "env:")
		if strings.Contains(name, ":") {
			wrong = fmt.Sprintf("%s is known to the other host only; expected a variable of the environment, such as ${API_KEY}", found)
			return ""
		}
		if value := env(name); value != "" || has {
			if value == "" {
				value = instead
			}
			return value
		}
		wrong = fmt.Sprintf("%s is not set; expected it in the environment of the gateway, such as in the service's environment file", found)
		return ""
	})
	return filled, wrong
}

// readServerSecrets reads what servers get and what stands in files of its own: values of
// headers, and what the gateway shows a server of tokens.
func (l *Loaded) readServerSecrets() error {
	for _, id := range slices.Sorted(maps.Keys(l.MCP.Servers)) {
		server := l.MCP.Servers[id]
		if err := readAuth(&server.Auth); err != nil {
			return fmt.Errorf("reading a secret: mcp.servers.%s.auth.%w", id, err)
		}
		l.MCP.Servers[id] = server
		if len(server.HeaderFile) == 0 {
			continue
		}
		headers := maps.Clone(server.Headers)
		if headers == nil {
			headers = map[string]string{}
		}
		for _, name := range slices.Sorted(maps.Keys(server.HeaderFile)) {
			value, err := config.SecretFile(server.HeaderFile[name])
			if err != nil {
				return fmt.Errorf("reading a secret: mcp.servers.%s.header_file.%s: %w; expected a file with the value of the header, such as Bearer …", id, name, err)
			}
			headers[name] = value
		}
		server.Headers = headers
		l.MCP.Servers[id] = server
	}
	return nil
}

// readAuth reads the secret and the private key of a server's tokens. Its errors begin with
// the key.
func readAuth(a *mcpint.Auth) error {
	for _, file := range []struct {
		key, path string
		to        *string
	}{{"client_secret_file", a.ClientSecretFile, &a.ClientSecret}, {"private_key_file", a.PrivateKeyFile, &a.PrivateKey}} {
		if file.path == "" {
			continue
		}
		value, err := config.SecretFile(file.path)
		if err != nil {
			return fmt.Errorf("%s: %w", file.key, err)
		}
		*file.to = value
	}
	if a.PrivateKey == "" {
		return nil
	}
	if _, err := a.Key(); err != nil {
		return fmt.Errorf("private_key_file: %s: %w", a.PrivateKeyFile, err)
	}
	return nil
}
