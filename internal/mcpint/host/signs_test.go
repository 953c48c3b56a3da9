package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/mcpint"
)

// TestWhatIsASign lists the signs of servers.
func TestWhatIsASign(t *testing.T) {
	for name, tt := range map[string]struct {
		server mcpint.Server
		want   []string
	}{
		"a program in PATH": {mcpint.Server{Transport: "stdio", Command: "npx", Args: []string{"-y", "server", "--flag=/x/y", "https://mcp.example/a"}}, []string{"npx"}},
		"with files":        {mcpint.Server{Transport: "stdio", Command: "/opt/s", Dir: "/var/s", Args: []string{"./house.json", "/etc/s.yaml"}}, []string{"/opt/s", "/var/s", "/var/s/house.json", "/etc/s.yaml"}},
		"with a broker":     {mcpint.Server{Transport: "stdio", Command: "s", Env: map[string]string{"MQTT_BROKER_URL": "mqtts://me:secret@box"}}, []string{"tcp://box:8883", "s"}},
		"with requirements": {mcpint.Server{Transport: "stdio", Command: "s", Requires: []string{"mqtt", "tcp://db:5432", "http://u:p@x/health?key=1"}}, []string{"tcp://db:5432", "http://x/health", "s"}},
		"on the web":        {mcpint.Server{Transport: "http", URL: "https://u:p@mcp.example/x?key=1"}, []string{"tcp://mcp.example:443"}},
		"at a port":         {mcpint.Server{Transport: "sse", URL: "http://[::1]:8080/sse"}, []string{"tcp://[::1]:8080"}},
		"nowhere":           {mcpint.Server{Transport: "http", URL: "nonsense"}, nil},
	} {
		var got []string
		for _, s := range (Watched{Server: tt.server}).signs() {
			got = append(got, s.name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the signs are %q, want %q", name, got, tt.want)
		}
	}
}

// TestWatch lets things come, change and go: only arrivals and changes are reported.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		program := filepath.Join(dir, "program")
		write := func(text string) {
			if err := os.WriteFile(program, []byte(text), 0o700); err != nil { //nolint:gosec // it has to be executable
				t.Fatal(err)
			}
		}
		var open atomic.Bool
		var told []string
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Watched{
				Server: mcpint.Server{Transport: "stdio", Command: program, Requires: []string{"tcp://db:1"}, Dir: dir},
				Probe: func(context.Context, string) error {
					if open.Load() {
						return nil
					}
					return errors.New("refused")
				},
			}.Watch(ctx, func(what string) { told = append(told, what) })
		}()
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		pass(time.Minute)
		if len(told) > 0 {
			t.Errorf("nothing came, and told is %q", told)
		}
		open.Store(true)
		pass(3 * time.Second)
		open.Store(false)
		pass(3 * time.Second)
		write("one")
		pass(3 * time.Second)
		write("another")
		pass(time.Hour)
		open.Store(true)
		pass(lookLater)
		cancel()
		<-ended
		if want := []string{"tcp://db:1", program, program, "tcp://db:1"}; !slices.Equal(told, want) {
			t.Errorf("told is %q, want %q", told, want)
		}
	})
}
