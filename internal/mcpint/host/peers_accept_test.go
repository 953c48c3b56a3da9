//go:build accept

package host

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// everything returns the command of the protocol's own reference server.
func everything(t *testing.T) (node, script string) {
	t.Helper()
	dir := fake.InstallOthers(t, "peers.sh", "peers")
	return filepath.Join(dir, "node_modules", ".bin", "peer-node"),
		filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
}

// atPort runs the reference server over HTTP until the test ends or stop is called.
func atPort(t *testing.T, port string) (stop func()) {
	t.Helper()
	node, script := everything(t)
	cmd := exec.CommandContext(t.Context(), node, script, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	var said logged
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	stop = func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("the reference server:\n%s", said.tail())
		}
	})
	return stop
}

// TestAcceptReferenceServer connects the protocol's own reference server over
// both transports at once, uses it, and kills it.
func TestAcceptReferenceServer(t *testing.T) {
	node, script := everything(t)
	_, port, _ := strings.Cut(fake.FreeAddr(t), ":")
	stop := atPort(t, port)
	reg := tools.NewRegistry()
	h := runHost(t, Config{
		Servers: []mcpint.Server{
			{ID: "pipe", Trust: mcpint.TrustFull, Command: node, Args: []string{script, "stdio"}, ConnectTimeout: long},
			{ID: "web", Trust: mcpint.TrustFull, Transport: "http", URL: "http://127.0.0.1:" + port + "/mcp", ConnectTimeout: long},
		},
		Retry: Retry{Enabled: true, Schedule: mcpint.Schedule{Attempts: 3, BaseDelay: 500 * time.Millisecond, Multiplier: 2, MaxDelay: time.Second, SlowInterval: time.Second}},
	}, reg, &logged{})
	ctx := patience(t)
	until(ctx, t, "both connections", func() bool { return h.Overall() == "full" })
	for _, s := range h.Status() {
		t.Logf("%s: %d tools, version %s", s.ID, *s.Tools, *s.Version)
		if *s.Tools < 10 {
			t.Errorf("%s: %d tools, expected those of the reference", s.ID, *s.Tools)
		}
	}
	// Both servers have tools of the same names, and both sets must be offered.
	for _, server := range []string{"pipe", "web"} {
		useReference(t, reg, server)
	}

	pid := *h.Status()[0].PID
	kill(t, pid)
	stop()
	until(ctx, t, "the loss of both", func() bool {
		s := h.Status()
		return (s[0].PID == nil || *s[0].PID != pid) && s[1].Status != mcpint.Connected
	})
	atPort(t, port)
	until(ctx, t, "both connections again", func() bool { return h.Overall() == "full" })
	for _, server := range []string{"pipe", "web"} {
		useReference(t, reg, server)
	}
	gone(t, pid)
}

// useReference calls what the reference server offers.
func useReference(t *testing.T, reg *tools.Registry, server string) {
	t.Helper()
	call := func(tool, args string) (tools.Result, error) {
		return reg.Call(patience(t), tools.Call{Server: server, Tool: tool, Args: json.RawMessage(args)})
	}
	if r, err := call("echo", `{"message":"hello"}`); err != nil || !strings.Contains(r.Text, "hello") {
		t.Errorf("%s: echo: %+v, %v", server, r, err)
	}
	if r, err := call("get-sum", `{"a":"2","b":3}`); err != nil || !strings.Contains(r.Text, "5") {
		t.Errorf("%s: the sum, with a number written as a text: %+v, %v", server, r, err)
	}
	if r, err := call("get-structured-content", `{"location":"New York"}`); err != nil || len(r.Data) == 0 {
		t.Errorf("%s: structured content: %+v, %v", server, r, err)
	}
	if r, err := call("get-tiny-image", `{}`); err != nil || !strings.Contains(r.Text, "image") {
		t.Errorf("%s: an image: %+v, %v", server, r, err)
	}
	// Sixteen at once, each with its own answer.
	answers := make(chan error, 16)
	for i := range 16 {
		go func() {
			want := "number " + strconv.Itoa(i)
			r, err := call("echo", `{"message":"`+want+`"}`)
			if err == nil && !strings.HasSuffix(r.Text, want) {
				err = fmt.Errorf("%q instead of %q", r.Text, want)
			}
			answers <- err
		}()
	}
	for range 16 {
		if err := <-answers; err != nil {
			t.Errorf("%s: at once: %v", server, err)
		}
	}
}
