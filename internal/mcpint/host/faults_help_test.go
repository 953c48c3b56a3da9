package host

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"testing"

	"voicegateway/internal/tools"
)

// runHost runs a host until the test ends, and demands that it then ends well.
func runHost(t *testing.T, cfg Config, reg *tools.Registry, log io.Writer) *Host {
	t.Helper()
	cfg.Options.Name, cfg.Options.Version = "test", "0"
	h, err := New(cfg, reg, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the host ended with %v", err)
		}
	})
	return h
}

// kill sends SIGKILL to a process that must be there.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatalf("killing %d: %v", pid, err)
	}
}

// logged collects a log that can be read while it is being written.
type logged struct {
	mu   sync.Mutex
	kept []byte
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	return len(p), nil
}

func (l *logged) tail() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.kept)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
