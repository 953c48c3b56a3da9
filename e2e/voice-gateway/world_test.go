package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"voicegateway/e2e/rig"
	"voicegateway/internal/ground/mqtt"
)

// The rig by the names that these tests use.
const patience = rig.Patience

var (
	environ    = rig.Environ
	eventually = rig.Eventually
	mosquitto  = rig.Mosquitto
)

type safeBuffer = rig.Output

// child is a program under test.
type child struct {
	*rig.Program
	stderr *rig.Output
	ended  <-chan struct{}
}

func newChild(p *rig.Program) *child { return &child{p, p.Log, p.Ended} }

// wait says whether the program has ended within the patience.
func (c *child) wait() bool { return c.HasEnded() }

// start runs a program until the test ends.
func start(tb testing.TB, env []string, program string, args ...string) *child {
	tb.Helper()
	return newChild(rig.Start(tb, env, program, args...))
}

// mosquittoAt starts a real broker at an address.
func mosquittoAt(tb testing.TB, addr string) *child {
	tb.Helper()
	return newChild(rig.MosquittoAt(tb, addr))
}

// simulate starts a simulated Z-Wave house at the broker.
func simulate(tb testing.TB, broker string, more ...string) *child {
	tb.Helper()
	return newChild(rig.StartHouse(tb, broker, more...))
}

// ear hears the messages at the broker.
type ear struct {
	*mqtt.Client
	mu    sync.Mutex
	heard map[string][]string
}

// listen connects a stranger to the broker, who hears the gateway or what the
// filter says.
func listen(t *testing.T, broker string, filter ...string) *ear {
	t.Helper()
	e := &ear{heard: map[string][]string{}}
	e.Client = rig.Subscribe(t, broker, func(topic string, payload []byte, _ bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard[topic] = append(e.heard[topic], string(payload))
	}, append(filter, "voice/#")[0])
	return e
}

// on is everything heard on a topic.
func (e *ear) on(topic string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.heard[topic]...)
}

// has says whether a message with these words came on a topic.
func (e *ear) has(topic string, words ...string) bool {
	for _, m := range e.on(topic) {
		all := true
		for _, w := range words {
			all = all && strings.Contains(m, w)
		}
		if all {
			return true
		}
	}
	return false
}

// get reads a JSON document of the daemon.
func get(tb testing.TB, addr, path string, into any) error {
	tb.Helper()
	return rig.SendJSON(tb.Context(), http.MethodGet, "http://"+addr+path, nil, into)
}

// command runs voice-gateway to its end and returns what it printed.
func command(tb testing.TB, env []string, args ...string) (stdout, stderr string, status int) {
	tb.Helper()
	return rig.Run(tb, env, filepath.Join(bin, "voice-gateway"), args...)
}
