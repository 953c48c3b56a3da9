package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"voicegateway/internal/doors"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/reach"
	"voicegateway/internal/tools"
)

// zwaveServer is the id of our own server, the only one that gets the broker's
// address and password.
const zwaveServer = "zwave"

// newHost prepares the MCP servers, and the tools that show and reconnect them. troubles
// says what else is wrong with the gateway.
func (s setup) newHost(registry *tools.Registry, link link, events serverEvents, troubles func() []string) (*host.Host, error) {
	cfg := s.cfg.MCP.Config()
	cfg.Command = s.opts.Command
	cfg.MQTT, cfg.Pins, cfg.Observer = link.bus.Connected, s.newPins(), events.observer()
	cfg.Options = client.Options{
		Name: "voice-gateway", Version: s.version(), ExecDir: filepath.Dir(s.opts.Executable),
		Environ: s.opts.Environ, Log: s.log.With("part", "mcp"), Launcher: s.cfg.MCP.Launcher,
	}
	cfg.Servers = s.servers(link, s.cfg.MCP)
	registry.Trust(s.cfg.MCP.Houses()...)
	mcp, err := host.New(cfg, registry, s.log.With("part", "mcp"))
	if err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if err := registry.Add(reach.NewTools(s.serverList(mcp), troubles)...); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	return mcp, nil
}

// servers are the servers of a configuration, with what the gateway gives them.
func (s setup) servers(link link, settings host.Settings) []mcpint.Server {
	servers := settings.Config().Servers
	broker := s.brokerEnv(link.url)
	for i := range servers {
		server := &servers[i]
		server.Program = filepath.Base(server.Command)
		if server.Command == mcpint.HomeAssistantServer {
			server.Own = true
			server.Env = s.hassEnv(server.Env)
		}
		if server.ID != zwaveServer {
			continue
		}
		// The hint to install a program names our own program, whatever command is
		// configured.
		server.Own = server.Command == DefaultServer().Command
		server.Program = DefaultServer().Command
		maps.Copy(broker, server.Env)
		server.Env = broker
	}
	s.discreet.hideSecrets(servers)
	return servers
}

// Servers are the servers of a configuration, with what the gateway gives them, for commands
// that start one of them beside the gateway.
func Servers(cfg Config, opts Options) []mcpint.Server {
	url := cmp.Or(cfg.MQTT.URL, ownBroker(cfg.MQTT.Embedded.Listen))
	s := setup{cfg: cfg, opts: opts, discreet: discreet{SecretsOf(cfg, opts.Secrets)}}
	return s.servers(link{url: url}, cfg.MCP)
}

// defaultTopic is the prefix of the topics of zwave-js-ui where nothing names another.
const defaultTopic = "zwave"

// brokerEnv returns the environment for our own server: the broker, the topics of
// zwave-js-ui, and whether dangerous acts are allowed. The topics are those that our
// environment names, else the default; a server with a configuration file of its own is
// not told the default, because the environment overrides the file.
func (s setup) brokerEnv(url string) map[string]string {
	env := map[string]string{
		"MQTT_BROKER_URL": url, "MQTT_USERNAME": s.cfg.MQTT.Username, "MQTT_PASSWORD": s.opts.Secrets.MQTTPassword,
		"MQTT_CA_FILE": s.cfg.MQTT.CAFile,
	}
	const topic = "ZWAVE_MQTT_TOPIC"
	if !slices.ContainsFunc(s.cfg.MCP.Servers[zwaveServer].Args, func(a string) bool { return strings.HasPrefix(a, "--config") }) {
		env[topic] = defaultTopic
	}
	for _, entry := range s.opts.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && name == topic && value != "" {
			env[topic] = value
		}
	}
	if s.cfg.limits().Challenges() {
		env["ZWAVE_ALLOW_DANGEROUS"] = "true"
	}
	maps.DeleteFunc(env, func(_, v string) bool { return v == "" })
	return env
}

// hassEnv returns the environment of our server for Home Assistant: what the entry says, that
// we ask a person before a script runs, and whether dangerous acts are allowed.
func (s setup) hassEnv(env map[string]string) map[string]string {
	all := map[string]string{"HASS_HOST_ASKS": "true"}
	if s.cfg.limits().Challenges() {
		all["HASS_ALLOW_DANGEROUS"] = "true"
	}
	maps.Copy(all, env)
	return all
}

// serverList shows and retries the MCP servers for HTTP and for the tools.
type serverList struct{ mcp *host.Host }

func (s setup) serverList(mcp *host.Host) serverList { return serverList{mcp} }

// ids are the configured servers, sorted.
func (l serverList) ids() (ids []string) {
	for _, s := range l.mcp.Status() {
		ids = append(ids, s.ID)
	}
	return ids
}

// serverIDs are the ids of the configured servers, sorted.
func (s setup) serverIDs() []string { return slices.Sorted(maps.Keys(s.cfg.MCP.Servers)) }

// List is the state of every MCP server.
func (l serverList) List() mcpint.StatusList { return mcpint.ListOf(l.mcp.Status()) }

// Status is the state of one server.
func (l serverList) Status(id string) (mcpint.Status, error) {
	for _, s := range l.mcp.Status() {
		if s.ID == id {
			return s, nil
		}
	}
	return mcpint.Status{}, fmt.Errorf("%w; configured are: %s", doors.ErrNotFound, strings.Join(l.ids(), ", "))
}

// Retry connects one server afresh.
func (l serverList) Retry(ctx context.Context, id string) (s mcpint.Status, connected bool, err error) {
	if s, err = l.Status(id); err != nil {
		return s, false, err
	}
	connected = s.Status == mcpint.Connected // a retry of a connected server still closes its breaker halfway (M9)
	if err = l.mcp.Retry(ctx, id); err != nil {
		return s, false, fmt.Errorf("retrying: %w", err)
	}
	s, err = l.Status(id)
	return s, connected, err
}

// RetryAll connects every server afresh that is not connected.
func (l serverList) RetryAll(ctx context.Context) (mcpint.StatusList, error) {
	if err := l.mcp.RetryAll(ctx); err != nil {
		return mcpint.StatusList{}, fmt.Errorf("retrying: %w", err)
	}
	return l.List(), nil
}

// Stderr is what a server's process wrote last to its stderr.
func (l serverList) Stderr(id string) (string, error) {
	words, err := l.mcp.Stderr(id)
	if err != nil {
		return "", fmt.Errorf("%w; configured are: %s", doors.ErrNotFound, strings.Join(l.ids(), ", "))
	}
	return words, nil
}

// Accept lets tools be used that are new or not what they were.
func (l serverList) Accept(id, tool string) (mcpint.Status, error) {
	if s, err := l.Status(id); err != nil {
		return s, err
	}
	if _, err := l.mcp.Accept(id, tool); err != nil {
		if _, ok := errors.AsType[*host.NotRestingError](err); ok {
			return mcpint.Status{}, fmt.Errorf("%w: %w", doors.ErrNotFound, err)
		}
		return mcpint.Status{}, fmt.Errorf("accepting: %w", err)
	}
	return l.Status(id)
}
