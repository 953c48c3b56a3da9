package process

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// launcher runs a launcher until the test ends, or end is called.
func launcher(t *testing.T) (socket string, end func()) {
	t.Helper()
	socket = "@launcher-" + strings.ReplaceAll(t.Name(), "/", "-") + newMark() // the path of a file here can be longer than a socket's name
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := ServeLaunches(ctx, l, "", append(SmallEnv(), "PLACE=there", "A=0")); err != nil {
			t.Error(err)
		}
	})
	end = func() { cancel(); serving.Wait() }
	t.Cleanup(end)
	return socket, end
}

// launched starts a script by a launcher.
func launched(t *testing.T, socket, script string, env ...string) *Child {
	t.Helper()
	c, err := Launch(t.Context(), socket, Program{Path: "sh", Args: []string{"-c", script}, Dir: "/", Env: env}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLaunch checks that a child which a launcher has started is like one of ours.
func TestLaunch(t *testing.T) {
	t.Setenv("PROCESS_TEST_KEY", "s3cret")
	socket, _ := launcher(t)
	for name, tt := range map[string]struct {
		script, input      string
		said, state, words string
		unread             int64
		signal             syscall.Signal
	}{
		"reads and writes":           {script: "cat", input: "hello\n", said: "hello\n", state: "exit status 0"},
		"has that place's variables": {script: "echo $PLACE$A$PROCESS_TEST_KEY; pwd", said: "there1\n/\n", state: "exit status 0"},
		"fails with words":           {script: "echo no key >&2; exit 3", state: "exit status 3", words: "no key\n"},
		"ends by a signal":           {script: "kill -SEGV $$", state: "signal: segmentation fault"},
		"reads nothing":              {script: "sleep 0.05; exit 1", input: "12345", state: "exit status 1", unread: 5},
		"is told to end":             {script: "exec 2>/dev/null; trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", said: "ready\n", state: "exit status 7", signal: syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			c := launched(t, socket, tt.script, "A=1")
			if _, err := c.Stdin().WriteString(tt.input); err != nil {
				t.Fatal(err)
			}
			if tt.unread == 0 && tt.signal == 0 {
				_ = c.CloseInput()
			}
			said := make([]byte, len(tt.said))
			if _, err := io.ReadFull(c, said); err != nil || string(said) != tt.said {
				t.Errorf("it said %q, %v", said, err)
			}
			if tt.signal != 0 {
				c.signal(tt.signal)
			}
			<-c.Ended()
			if c.State() != tt.state || (c.Err() == nil) != (tt.state == "exit status 0") || string(c.Stderr(100)) != tt.words || c.Unread() != tt.unread {
				t.Errorf("it ended with %q (%v), said %q, left %d bytes", c.State(), c.Err(), c.Stderr(100), c.Unread())
			}
			if !c.Ending() {
				t.Error("it is not known that it has ended")
			}
			if err := c.Stop(Grace{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLaunchIsRefused(t *testing.T) {
	socket, _ := launcher(t)
	for name, tt := range map[string]struct {
		socket string
		Program
		want string
	}{
		"no such program":   {socket, Program{Path: "no-such-program"}, `the program "no-such-program" is neither at`},
		"no such directory": {socket, Program{Path: "sh", Dir: "/no/such/place"}, "its working directory /no/such/place is not there"},
		"no launcher":       {"@no-such-launcher", Program{Path: "sh"}, "start it: systemctl start voice-gateway-servers.socket"},
		"too large":         {socket, Program{Path: "sh", Args: []string{strings.Repeat("x", maxLaunch)}}, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Launch(t.Context(), tt.socket, tt.Program, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Launch(ctx, socket, Program{Path: "sh"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("when it is called off: %v", err)
	}
}

// TestLaunchedChildrenEnd checks that nothing is left, whoever ends first.
func TestLaunchedChildrenEnd(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, c *Child, endLauncher func()){
		"it is stopped": func(t *testing.T, c *Child, _ func()) {
			t.Helper()
			if err := c.Stop(Grace{EOF: time.Millisecond, Term: time.Millisecond}); err != nil {
				t.Error(err)
			}
		},
		"its gateway is gone":  func(_ *testing.T, c *Child, _ func()) { _ = c.runner.(*there).conn.Close() },
		"its launcher is gone": func(_ *testing.T, _ *Child, endLauncher func()) { endLauncher() },
	} {
		t.Run(name, func(t *testing.T) {
			socket, endLauncher := launcher(t)
			file := filepath.Join(t.TempDir(), "pid")
			c := launched(t, socket, "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >"+file+"; while :; do sleep 1; done' & while :; do sleep 1; done")
			helper := noted(t, file)
			if c.Ending() {
				t.Error("it is taken for ended")
			}
			end(t, c, endLauncher)
			<-c.Ended()
			gone(t, c.Pid())
			gone(t, helper)
			if err := c.Stop(Grace{}); err != nil {
				t.Error(err)
			}
		})
	}
}
