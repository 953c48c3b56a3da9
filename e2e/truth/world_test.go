//go:build accept || soak

package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/mqtt"
	"voicegateway/internal/record"
	"voicegateway/internal/zwave/sim"
)

// bin holds the real programs, built once.
var bin string

func TestMain(m *testing.M) {
	if script := os.Getenv(fake.PuppetVariable); script != "" {
		os.Exit(fake.Stage{Script: script, Environ: os.Environ(), Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Play())
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	flag.Parse()
	var err error
	if bin, err = fake.Programs(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// patience bounds every wait for something that must happen.
const patience = 60 * time.Second

// world is a family's home: a broker, the simulated house in this process, and the
// real programs before it.
type world struct {
	testing.TB
	sets    *sets
	lang    string
	broker  string // host:port
	running *program
	program *program // the gateway
	sim     *sim.Sim
	gateway string // the name and prefix of its zwave-js-ui
	bus     *mqtt.Client
	endSim  func()
	http    string // the gateway's address
	dead    []int  // nodes that are dead from the start
	marks   int
}

// program is a child of the test.
type program struct {
	*exec.Cmd
	said  bytes.Buffer
	ended chan struct{}
}

// start runs a program with all of its group until the test ends.
func start(tb testing.TB, env []string, path string, args ...string) *program {
	tb.Helper()
	p := &program{Cmd: exec.CommandContext(context.WithoutCancel(tb.Context()), path, args...), ended: make(chan struct{})}
	p.Env, p.Stderr = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir()}, env...), &p.said
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.WaitDelay = 5 * time.Second
	if err := p.Start(); err != nil {
		tb.Fatalf("starting %s: %v", path, err)
	}
	go func() { _ = p.Wait(); close(p.ended) }()
	tb.Cleanup(func() { p.stop(tb, syscall.SIGTERM) })
	return p
}

// stop ends a program; one that does not end is killed, and that is an error.
func (p *program) stop(tb testing.TB, s syscall.Signal) {
	tb.Helper()
	_ = p.Process.Signal(s)
	select {
	case <-p.ended:
	case <-time.After(patience):
		tb.Errorf("%s does not end", p.Path)
		_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	}
}

// eventually waits until something is so, and reports whether it came to it.
func eventually(ctx context.Context, within time.Duration, holds func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
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
	if err := errors.Join(w.startBroker(), w.startSim(change...)); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.endSim() })
	return w
}

// startGateway starts a gateway that remembers nothing, and waits until it knows the
// house. One that runs already is ended before.
func (w *world) startGateway(env []string, flags ...string) {
	w.Helper()
	if w.program != nil {
		w.program.stop(w, syscall.SIGTERM)
	}
	w.http = fake.FreeAddr(w)
	w.program = start(w, append([]string{
		"VOICE_GATEWAY_MQTT_BROKER=mqtt://" + w.broker, "VOICE_GATEWAY_HTTP_LISTEN=" + w.http, "VOICE_GATEWAY_GATEWAY_ID=truth-" + w.lang,
		"VOICE_GATEWAY_GATEWAY_LANGUAGE=" + w.lang, "VOICE_GATEWAY_GATEWAY_STATE_DIR=" + w.TempDir(),
	}, env...), filepath.Join(bin, "voice-gateway"), append(flags, "run")...)
	if !eventually(w.Context(), patience, w.ready) {
		w.Fatal("the gateway does not know the house")
	}
}

// startBroker starts a real broker at the world's address.
func (w *world) startBroker() error {
	w.Helper()
	path, err := exec.LookPath("mosquitto")
	if err != nil {
		path = "/usr/sbin/mosquitto"
	}
	_, port, _ := net.SplitHostPort(w.broker)
	conf := filepath.Join(w.TempDir(), "mosquitto.conf")
	if err := os.WriteFile(conf, []byte("listener "+port+" 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"), 0o600); err != nil {
		return err
	}
	w.running = start(w, nil, path, "-c", conf)
	if !eventually(w.Context(), patience, func() bool {
		c, err := (&net.Dialer{}).DialContext(w.Context(), "tcp", w.broker)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}) {
		return errors.New("the broker does not listen")
	}
	return nil
}

// startSim plays the calm house.
func (w *world) startSim(change ...func(*sim.Config)) error {
	quiet := slog.New(slog.DiscardHandler)
	bus, err := mqtt.New(mqtt.Config{URL: "mqtt://" + w.broker}, quiet)
	if err != nil {
		return err
	}
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
	if w.sim, err = sim.New(cfg, bus, quiet); err != nil {
		return err
	}
	playing, end := context.WithCancel(context.Background())
	connected, disconnect := context.WithCancel(context.Background())
	var played, carried sync.WaitGroup
	carried.Go(func() { _ = bus.Run(connected) })
	played.Go(func() { _ = w.sim.Run(playing) })
	w.bus = bus
	w.endSim = func() { end(); played.Wait(); disconnect(); carried.Wait() }
	return nil
}

// restartSim plays the calm house anew, as after a power cut of zwave-js-ui.
func (w *world) restartSim(change ...func(*sim.Config)) {
	w.Helper()
	w.endSim()
	if err := w.startSim(change...); err != nil {
		w.Error(err)
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
func (w *world) request(ctx context.Context, method, path string, body any) ([]byte, error) {
	payload, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+w.http+path, bytes.NewReader(payload))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = errors.New(resp.Status + ": " + string(answer))
	}
	return answer, err
}

func (w *world) home() (string, error) {
	body, err := w.request(w.Context(), http.MethodGet, "/api/home", nil)
	return string(body), err
}

// ask says a text and returns the turn.
func (w *world) ask(text, area string) record.Record {
	w.Helper()
	if area != "" {
		area = w.sets.house.Areas[area].Names[w.lang]
	}
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	body, err := w.request(ctx, http.MethodPost, "/api/ask", map[string]string{"text": text, "area": area})
	var r record.Record
	if err == nil {
		err = json.Unmarshal(body, &r)
	}
	if err != nil {
		w.Errorf("asking %q: %v", text, err)
	}
	if r.Outcome == record.Failed {
		w.whole()
	}
	return r
}

// whole waits until calls go through to the house again. A machine that stands still
// for seconds makes them time out, and then none is made for a minute.
func (w *world) whole() {
	var list struct {
		Servers []struct{ ID, Breaker string }
	}
	open := func() bool {
		body, err := w.request(w.Context(), http.MethodGet, "/mcp/servers", nil)
		return err == nil && json.Unmarshal(body, &list) == nil && slices.ContainsFunc(list.Servers, func(s struct{ ID, Breaker string }) bool {
			return s.ID == "zwave" && s.Breaker == "open"
		})
	}
	if !open() {
		return
	}
	w.Logf("the machine stood still: calls to the house are not made for a while")
	eventually(w.Context(), 90*time.Second, func() bool { return !open() })
}

// The sensor whose humidity tells that everything published before it has arrived.
const (
	marker   = 35
	humidity = "49-0-Humidity"
)

// sync waits until the gateway has heard all that the house has published so far:
// until it has heard a new value of the marker. One that is published while the
// house is not connected yet is lost, so they are tried until one arrives.
func (w *world) sync() {
	w.Helper()
	eventually(w.Context(), 10*time.Second, func() bool {
		w.marks++
		value := 40 + float64(w.marks%1000)/50
		if w.fault(fault{Op: "change", Node: marker, Value: value}, humidity) != nil {
			return true
		}
		return eventually(w.Context(), time.Second, func() bool {
			house, err := w.home()
			return err == nil && strings.Contains(house, fmt.Sprint(value))
		})
	})
}

// fault makes something happen in the house; key is the value id of a change.
func (w *world) fault(f fault, key string) error {
	if f.Op == "ping" {
		return w.bus.Publish(w.Context(), w.gateway+"/api/pingNode/set", fmt.Appendf(nil, `{"args":[%d]}`, f.Node))
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

// set brings nodes to new values as if somebody pressed them or the world changed.
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

// facts are what the devices are at this moment, whatever anybody believes.
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
	w.running.stop(w, syscall.SIGKILL)
}
