package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/mcpint"
)

// TestEachFaultHasItsOwnWords reaches for servers that fail in different ways. The words are
// part of the error, and the fault decides what a person is told to check.
func TestEachFaultHasItsOwnWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	answer := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	stdio := func(command string) mcpint.Server {
		return mcpint.Server{ID: "notes", Transport: "stdio", Command: command, ConnectTimeout: time.Second}
	}
	web := func(url string) mcpint.Server {
		return mcpint.Server{ID: "notes", Transport: "http", URL: url, ConnectTimeout: time.Minute}
	}
	for name, tt := range map[string]struct {
		server mcpint.Server
		fault  mcpint.Fault
		says   string
	}{
		"exits":             {stdio(script("exits", "#!/bin/sh\necho no key >&2; exit 4\n", 0o755)), mcpint.FaultEnded, "the process ended before it answered (exit status 4)"},
		"no such command":   {stdio("no-such-server"), mcpint.FaultNotFound, "install it"},
		"no such file":      {stdio(filepath.Join(dir, "none")), mcpint.FaultNotFound, "no such file"},
		"no executable":     {stdio(script("plain", "#!/bin/sh\n", 0o644)), mcpint.FaultNotExecutable, "it is no executable file"},
		"for no machine":    {stdio(script("foreign", "\x7fELF and no more", 0o755)), mcpint.FaultNotExecutable, "exec format error"},
		"silent":            {stdio(script("silent", "#!/bin/sh\nexec sleep 60\n", 0o755)), mcpint.FaultSlow, "no answer to initialize within 1s"},
		"other text":        {stdio(script("text", "#!/bin/sh\nprintf 'Content-Length: 5\\r\\n\\r\\n{}'; exec sleep 60\n", 0o755)), mcpint.FaultNotMCP, `it writes Content-Length headers, as language servers do, and MCP wants one message a line: "Content-Length: 5  {}"`},
		"wants a key":       {web(answer(http.StatusUnauthorized)), mcpint.FaultKey, "wants to know who we are (401 "},
		"nothing there":     {web(answer(http.StatusNotFound)), mcpint.FaultNoPage, "there is no MCP server at this address (404 Not Found)"},
		"unknown name":      {web("http://no-such-host.invalid/mcp"), mcpint.FaultNoName, "does not know the name no-such-host.invalid"},
		"nobody listens":    {web(nobody), mcpint.FaultRefused, "connection refused"},
		"unknown authority": {web(secure.URL), mcpint.FaultTLS, "certificate"},
		"no TLS":            {web(strings.Replace(answer(http.StatusOK), "http:", "https:", 1)), mcpint.FaultTLS, "does not speak TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), tt.server.ConnectTimeout)
			defer cancel()
			session, err := Dial(ctx, tt.server, Options{Environ: os.Environ()})
			if err == nil {
				_ = session.Close()
				t.Fatal("it was reached")
			}
			if got := FaultOf(err); got != tt.fault || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("fault %q, want %q; it says %q, want %q", got, tt.fault, err, tt.says)
			}
		})
	}
}

// TestAForbiddenConnectionIsNoProgram: what the system forbids at the network is told apart from
// a program that may not be started.
func TestAForbiddenConnectionIsNoProgram(t *testing.T) {
	t.Parallel()
	for _, number := range []syscall.Errno{syscall.EPERM, syscall.EACCES, syscall.ENOENT} {
		err := &DialError{Server: "notes", Transport: "http", Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", number)}}
		if got := FaultOf(err); got != mcpint.FaultOther {
			t.Errorf("%v is %q", number, got)
		}
	}
}
