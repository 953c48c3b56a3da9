//go:build accept || soak

package truth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/zwave/sim"
)

// bin holds the real programs, built once.
var bin string

func TestMain(m *testing.M) { os.Exit(rig.Main(m, &bin)) }

// world is a family's home: a broker, the simulated house in this process, and the
// real programs before it.
type world struct {
	testing.TB
	sets      *sets
	lang      string
	broker    string // host:port
	mosquitto *rig.Program
	program   *rig.Program // the gateway
	sim       *rig.House
	gateway   string // the name and prefix of its zwave-js-ui
	http      string // the gateway's address
	dead      []int  // nodes that are dead from the start
	marks     int
}

// newWorld starts everything; each change is made to the house before that.
func newWorld(tb testing.TB, s *sets, lang string, change ...func(*sim.Config)) *world {
	tb.Helper()
	w := newHouse(tb, s, lang, change...)
	w.startGateway([]string{"VOICE_GATEWAY_AI_ENABLED=false"})
	return w
}

// newHouse starts a house that has no gateway yet.
func newHouse(tb testing.TB, s *sets, lang string, change ...func(*sim.Config)) *world {
	tb.Helper()
	w := &world{TB: tb, sets: s, lang: lang}
	w.broker = fake.FreeAddr(tb)
	w.mosquitto = rig.MosquittoAt(w, w.broker)
	if err := w.startSim(change...); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.sim.Stop() })
	return w
}

// startGateway starts a gateway that remembers nothing, and waits until it knows the
// house. One that runs already is ended before.
func (w *world) startGateway(env []string, flags ...string) {
	w.Helper()
	if w.program != nil {
		w.program.Stop(w, syscall.SIGTERM)
	}
	w.http = fake.FreeAddr(w)
	w.program = rig.Start(w, rig.Environ(w, append([]string{
		"VOICE_GATEWAY_MQTT_BROKER=mqtt://" + w.broker, "VOICE_GATEWAY_HTTP_LISTEN=" + w.http, "VOICE_GATEWAY_GATEWAY_ID=truth-" + w.lang,
		"VOICE_GATEWAY_GATEWAY_LANGUAGE=" + w.lang, "VOICE_GATEWAY_GATEWAY_STATE_DIR=" + w.TempDir(),
	}, env...)...), filepath.Join(bin, "voice-gateway"), append(flags, "run")...)
	rig.Eventually(w, "the gateway knows the house", w.ready)
}

// startSim plays the calm house.
func (w *world) startSim(change ...func(*sim.Config)) (err error) {
	cfg := sim.DefaultConfig()
	cfg.House = w.sets.house.house(w.lang)
	for _, c := range change {
		c(&cfg)
	}
	w.gateway = strings.TrimSuffix(strings.Replace(cfg.ControlTopic(), "_SIM/", "_CLIENTS/", 1), "/fault/set")
	w.dead = nil
	for _, n := range cfg.House.Nodes {
		if n.Dead {
			w.dead = append(w.dead, n.ID)
		}
	}
	w.sim, err = rig.PlayHouse(cfg, "mqtt://"+w.broker)
	return err
}

// restartSim restarts the simulation of the calm house, as after a power cut of
// zwave-js-ui.
func (w *world) restartSim(change ...func(*sim.Config)) {
	w.Helper()
	w.sim.Stop()
	if err := w.startSim(change...); err != nil {
		w.Fatal(err)
	}
	w.sync()
}

// ready reports whether the gateway knows every device that lives. A sensor of
// several things is called by what it measures.
func (w *world) ready() bool {
	house, err := w.home()
	if err != nil {
		return false
	}
	for _, d := range w.sets.house.Nodes {
		if !d.isA("climate") && !slices.Contains(w.dead, d.ID) && !strings.Contains(house, d.called(w.lang)) {
			return false
		}
	}
	return true
}

// request asks the gateway over HTTP.
func (w *world) request(ctx context.Context, method, path string, body, into any) error {
	return rig.SendJSON(ctx, method, "http://"+w.http+path, body, into)
}

// home returns what the gateway knows of the house, as JSON.
func (w *world) home() (string, error) {
	var home json.RawMessage
	err := w.request(w.Context(), http.MethodGet, "/api/home", nil, &home)
	return string(home), err
}

// ask says a text and returns the turn.
func (w *world) ask(text, area string) record.Record {
	w.Helper()
	if area != "" {
		area = w.sets.house.Areas[area].Names[w.lang]
	}
	ctx, cancel := context.WithTimeout(w.Context(), rig.Patience)
	defer cancel()
	var r record.Record
	if err := w.request(ctx, http.MethodPost, "/api/ask", map[string]string{"text": text, "area": area}, &r); err != nil {
		w.Errorf("asking %q: %v", text, err)
	}
	if r.Outcome == record.Failed {
		w.whole()
	}
	return r
}

// corrects reports whether a turn that was reported as done is corrected afterwards.
func (w *world) corrects(r record.Record) bool {
	w.Helper()
	return rig.Within(w.Context(), rig.Patience, func() bool {
		var list []record.Record
		return w.request(w.Context(), http.MethodGet, "/api/turns", nil, &list) == nil && slices.ContainsFunc(list, func(kept record.Record) bool {
			return kept.ID == r.ID && kept.Outcome == record.Failed
		})
	})
}

// whole waits until calls go through to the house again. A machine that stands still
// for seconds makes them time out, and then none is made for a minute.
func (w *world) whole() {
	var list struct {
		Servers []struct{ ID, Breaker string }
	}
	open := func() bool {
		return w.request(w.Context(), http.MethodGet, "/mcp/servers", nil, &list) == nil && slices.ContainsFunc(list.Servers, func(s struct{ ID, Breaker string }) bool {
			return s.ID == "zwave" && s.Breaker == "open"
		})
	}
	if !open() {
		return
	}
	w.Logf("the machine stood still: calls to the house are not made for a while")
	rig.Within(w.Context(), 90*time.Second, func() bool { return !open() })
}

// The sensor whose humidity shows that everything published before it has arrived.
const (
	marker   = 35
	humidity = "49-0-Humidity"
)

// sync waits until the gateway has heard all that the house has published so far:
// until it has heard a new value of the marker. One that is published while the
// house is not connected yet is lost, so they are tried until one arrives.
func (w *world) sync() {
	w.Helper()
	rig.Within(w.Context(), 10*time.Second, func() bool {
		w.marks++
		value := float64(4001+2*(w.marks%1000)) / 100 // never a whole number, which much in a house is
		if w.fault(fault{Op: "change", Node: marker, Value: value}, humidity) != nil {
			return true
		}
		return rig.Within(w.Context(), time.Second, func() bool {
			house, err := w.home()
			told := strings.Contains(house, fmt.Sprint(":", value, ",")) || strings.Contains(house, fmt.Sprint(":", value, "}")) // and no part of a time
			return err == nil && told
		})
	})
}

// fault makes something happen in the house; key is the value id of a change.
func (w *world) fault(f fault, key string) error {
	if f.Op == "ping" {
		return w.sim.Bus.Publish(w.Context(), w.gateway+"/api/pingNode/set", fmt.Appendf(nil, `{"args":[%d]}`, f.Node))
	}
	out := sim.Fault{Op: f.Op, Key: key, Value: f.Value, Count: f.Count, For: sim.Pause(f.For)}
	if f.Node != 0 {
		out.Node = f.Node
	}
	return w.sim.Fault(w.Context(), out)
}

// faults lets things go wrong.
func (w *world) faults(list []fault) {
	for _, f := range list {
		if f.Op == "dead_at_start" {
			continue
		}
		if err := w.fault(f, ""); err != nil {
			w.Errorf("%s of node %d: %v", f.Op, f.Node, err)
		}
	}
}

// set brings nodes to new values, as if a person or the world had changed them.
func (w *world) set(v values) {
	w.Helper()
	for node, changed := range v {
		for key, value := range changed {
			if err := w.fault(fault{Op: "change", Node: node, Value: value}, key); err != nil {
				w.Errorf("node %d, %s: %v", node, key, err)
			}
		}
	}
}

// facts are the real states of the devices at this moment.
func (w *world) facts() facts {
	w.Helper()
	now, err := w.sim.Truth(w.Context())
	if err != nil {
		w.Error(err)
	}
	all := facts{}
	for _, t := range now {
		all[t.ID] = t.Values
	}
	return all
}

// pause lets time pass that a fault needs.
func (w *world) pause(d time.Duration) {
	if d == 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-w.Context().Done():
	}
}

// killBroker kills the broker, as a power cut does.
func (w *world) killBroker() {
	w.Helper()
	w.mosquitto.Stop(w, syscall.SIGKILL)
}
