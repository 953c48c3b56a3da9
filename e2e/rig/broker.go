package rig

import (
	"context"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/mqtt"
)

// Mosquitto starts a real broker at a free address, waits until it listens, and returns
// its URL. Where another program has taken the address meanwhile, it is another one.
func Mosquitto(tb testing.TB) string {
	tb.Helper()
	for range addressTries {
		addr := fake.FreeAddr(tb)
		p := StartMosquitto(tb, addr)
		Eventually(tb, "the broker listens, or has ended", func() bool {
			return p.isOver() || strings.Contains(p.Log.String(), " running") && Listens(tb.Context(), addr)
		})
		if !p.isOver() {
			return "mqtt://" + addr
		}
	}
	tb.Fatalf("the broker ended at each of %d free addresses", addressTries)
	return ""
}

// addressTries is at how many free addresses a broker is started before a test gives up.
const addressTries = 5

// MosquittoAt starts a real broker at an address, host:port, as StartMosquitto does, and
// waits until it listens.
func MosquittoAt(tb testing.TB, addr string, settings ...string) *Program {
	tb.Helper()
	p := StartMosquitto(tb, addr, settings...)
	Eventually(tb, "the broker listens", func() bool { return Listens(tb.Context(), addr) })
	return p
}

// StartMosquitto starts a real broker at an address, host:port, and does not wait for it.
// The settings are lines of its configuration about who is let in; without them everybody
// is. The broker keeps nothing on disk, and its queues are not bounded: it drops nothing,
// however slowly a subscriber on a busy machine reads.
func StartMosquitto(tb testing.TB, addr string, settings ...string) *Program {
	tb.Helper()
	program, err := exec.LookPath("mosquitto")
	if err != nil {
		program = "/usr/sbin/mosquitto" // which is not in everybody's search path
	}
	if len(settings) == 0 {
		settings = []string{"allow_anonymous true"}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		tb.Fatal(err)
	}
	conf := filepath.Join(tb.TempDir(), "mosquitto.conf")
	lines := append([]string{"listener " + port + " " + host, "persistence false", "max_queued_messages 0"}, settings...)
	if err := os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	return Start(tb, Environ(tb), program, "-c", conf)
}

// Listens reports whether something listens at an address, host:port.
func Listens(ctx context.Context, addr string) bool {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// Subscribe connects another client to the broker at a URL until the test ends, and
// returns it when the broker has agreed to every filter. hear is called for every message,
// one after the other.
func Subscribe(tb testing.TB, broker string, hear mqtt.Handler, filters ...string) *mqtt.Client {
	tb.Helper()
	c, err := mqtt.New(mqtt.Config{URL: broker}, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	for _, filter := range filters {
		if err := c.Subscribe(tb.Context(), filter, hear); err != nil {
			tb.Fatal(err)
		}
	}
	running, stop := context.WithCancel(context.WithoutCancel(tb.Context()))
	var ran sync.WaitGroup
	ran.Go(func() { _ = c.Run(running) })
	tb.Cleanup(func() { stop(); ran.Wait() })
	ctx, cancel := context.WithTimeout(tb.Context(), Patience)
	defer cancel()
	if err := c.AwaitConnected(ctx); err != nil {
		tb.Fatal(err)
	}
	return c
}
