package mcpint

import (
	"strings"
	"testing"
	"time"
)

func TestPatience(t *testing.T) {
	tests := map[string]struct {
		server Server
		took   time.Duration
		want   []int // seconds, after no silence, one, two …
	}{
		"default":               {Server{Command: "zwave-mcp-server"}, 0, []int{10, 30, 60, 60}},
		"configured":            {Server{Command: "x", ConnectTimeout: 4 * time.Second}, 0, []int{4, 12, 24, 24}},
		"configured, long":      {Server{Command: "x", ConnectTimeout: 25 * time.Second}, 0, []int{25, 60, 60}},
		"configured, very long": {Server{Command: "x", ConnectTimeout: 90 * time.Second}, 0, []int{90, 90, 90}},
		"launcher":              {Server{Command: "npx"}, 0, []int{30, 60, 60}},
		"launcher, configured":  {Server{Command: "npx", ConnectTimeout: 5 * time.Second}, 0, []int{5, 15, 30}},
		"over the network":      {Server{Command: "npx", Transport: "http"}, 0, []int{10, 30, 60}},
		"once took 20 s":        {Server{Command: "x"}, 20 * time.Second, []int{40, 40, 60}},
		"once took 50 s":        {Server{Command: "x"}, 50 * time.Second, []int{60, 60, 60}},
	}
	for name, tt := range tests {
		for silences, want := range tt.want {
			if got := tt.server.WithDefaults().Patience(silences, tt.took); got.Seconds() != float64(want) {
				t.Errorf("%s: after %d silences an attempt may take %v, expected %d s", name, silences, got, want)
			}
		}
	}
}

func TestSlowLaunchers(t *testing.T) {
	for line, want := range map[string]bool{
		"npx -y @modelcontextprotocol/server-everything": true,
		"/usr/local/bin/npx -y x":                        true,
		"uvx mcp-server-time":                            true,
		"docker run -i --rm mcp/time":                    true,
		"podman run -i x":                                true,
		"bunx x":                                         true,
		"pipx run x":                                     true,
		"uv run server.py":                               true,
		"uv --directory /srv/x run server.py":            true,
		"uv tool run x":                                  true,
		"deno run --allow-net x.ts":                      true,
		"npm exec x":                                     true,
		"env NODE_ENV=production npx -y x":               true,
		"/usr/bin/env -u HOME uvx x":                     true,
		"sudo -u mcp docker run -i x":                    true,
		"nice -n 10 npx x":                               true,
		"timeout -k 5 3600 docker run x":                 true,
		"sh -c|cd /srv && exec npx -y x":                 true,
		"bash -lc|FOO=1 uvx x 2>/dev/null":               true,
		"sh -c|/opt/start 'docker'":                      false,
		"node index.js":                                  false,
		"python3 -m mcp_server_time":                     false,
		"uv --version":                                   false,
		"pipx list":                                      false,
		"zwave-mcp-server --require-broker 2s":           false,
		"/srv/docker/start.sh":                           false,
		"env FOO=npx node x":                             false,
		"sh start.sh":                                    false,
		"sh -c":                                          false,
		"env -S|npx -y x":                                true,
		"bash --noprofile -c|true; podman run -i --rm x || :": true,
		"sh -c|echo the docker image is not there; exit 1":    false,
	} {
		line, script, _ := strings.Cut(line, "|")
		words := strings.Fields(line)
		if script != "" {
			words = append(words, script)
		}
		if got := isSlowLauncher(words[0], words[1:]); got != want {
			t.Errorf("%q %q: %v, expected %v", line, script, got, want)
		}
	}
}
