package sim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
)

// line is one line of a recording.
type line struct {
	T       int64
	Note    string
	Topic   string
	Retain  bool
	Payload json.RawMessage
	Raw     *string
}

func (l line) body() []byte {
	if l.Raw != nil {
		return []byte(*l.Raw)
	}
	return l.Payload
}

func recording(t *testing.T, name string) []line {
	t.Helper()
	data, err := os.ReadFile(fake.Shared(t, "zwave", "recordings", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// disagreement is a known difference from a recording, with its reason.
type disagreement struct {
	what   string
	topic  string // the end of the topic
	count  int
	reason string
}

// take is one recording with what it does not hold: the state of the house at its
// start, and what its notes mean.
type take struct {
	file     string
	set      func(*Config)
	state    map[int]map[string]any // values at the start, by node
	told     map[int][]string       // values at the start that the device itself had reported
	prelude  func(t *testing.T, r *player)
	acts     map[string][]Fault // by the beginning of the note
	running  bool               // the gateway runs when the recording begins
	expected []disagreement
}

// player plays one recording in virtual time.
type player struct {
	take
	lines []line
	bus   *wireTap
	sim   *Sim
	stop  func()
	base  time.Time
}

// wireTap is a tape whose connection comes and goes, and which keeps retained
// commands as a broker does.
type wireTap struct {
	tape
	changed  func(up bool)
	retained map[string][]byte
}

func (b *wireTap) OnConnection(changed func(up bool)) { b.changed = changed }

// connect plays a new MQTT connection of the gateway.
func (b *wireTap) connect() {
	b.changed(true)
	for topic, payload := range b.retained {
		b.handle(topic, payload, true)
	}
}

func (p *player) start(t *testing.T, rest []line) {
	t.Helper()
	data, err := os.ReadFile("testdata/recorded.yaml")
	if err != nil {
		t.Fatal(err)
	}
	house, err := ParseHouse(data)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{House: house, Scale: 1}
	if err := house.Gateway.Apply(&cfg); err != nil {
		t.Fatal(err)
	}
	for i, n := range house.Nodes {
		for key, v := range p.state[n.ID] {
			if house.Nodes[i].Values == nil {
				house.Nodes[i].Values = map[string]any{}
			}
			house.Nodes[i].Values[key] = v
		}
	}
	cfg.Settings.Driver, cfg.Settings.ReadyOrder, cfg.Settings.answers = startOf(rest)
	if p.running {
		cfg.Settings.Node, cfg.Settings.Driver, cfg.Settings.ReadyOrder = 0, 0, []int{6, 9, 8, 7, 3, 13, 12, 14, 2, 15, 10}
	}
	if p.set != nil {
		p.set(&cfg)
	}
	if p.sim, err = New(cfg, p.bus, quiet()); err != nil {
		t.Fatal(err)
	}
	for id, keys := range p.told {
		for _, key := range keys {
			p.sim.net.nodes[id].byText(key).reported = true
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.sim.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	p.stop = func() { cancel(); wg.Wait(); p.sim = nil }
	synctest.Wait()
	p.bus.connect()
	synctest.Wait()
}

// startOf reads from the rest of a recording what the recorded machine and radio
// decided: how long the driver took, and when each node answered.
func startOf(rest []line) (driver time.Duration, order []int, answers map[int]time.Duration) {
	driver, answers = time.Hour, map[int]time.Duration{} // it may never come up
	var greeted, ready int64
	first := map[string]int64{} // lastActive by node topic
	for _, l := range rest {
		node, _, _ := strings.Cut(l.Topic, "/lastActive")
		if _, seen := first[node]; node != l.Topic && !seen {
			var in struct{ Time int64 }
			_ = json.Unmarshal(l.Payload, &in)
			first[node] = in.Time
		}
		switch {
		case strings.HasPrefix(l.Note, "==="):
			if greeted > 0 {
				return driver, order, answers
			}
		case l.Topic == recordedBase+"/status":
			greeted = l.T
		case l.Topic == "zwave/driver/status" && string(l.Payload) == "true":
			ready = l.T
			driver = time.Duration(l.T-greeted) * time.Millisecond
		case strings.HasSuffix(l.Topic, "/nodeinfo"):
			var info struct {
				ID    int
				Ready bool
			}
			if json.Unmarshal(l.Payload, &info) == nil && info.Ready && !slices.Contains(order, info.ID) {
				order = append(order, info.ID)
				at := first[strings.TrimSuffix(l.Topic, "/nodeinfo")]
				if l.T-at > 100 { // its lastActive was cut, has no time, or is that of its namesake
					at = l.T
				}
				answers[info.ID] = time.Duration(at-ready) * time.Millisecond
			}
		}
	}
	return driver, order, answers
}

// will publishes what the broker publishes when the gateway's connection is lost.
func (p *player) will(t *testing.T) {
	t.Helper()
	_ = p.bus.keep(message{topic: recordedBase + "/status", payload: []byte(`{"value":false}`), retained: true})
}

// step plays one line of the recording.
func (p *player) step(t *testing.T, i int) {
	t.Helper()
	l := p.lines[i]
	switch {
	case l.Topic == recordedBase+"/version":
		if p.sim == nil {
			p.start(t, p.lines[i:])
		} else {
			p.bus.connect()
		}
	case strings.HasSuffix(l.Topic, "/set"):
		if l.Retain {
			p.bus.retained[l.Topic] = l.body()
		}
		if l.Retain && len(l.body()) == 0 {
			delete(p.bus.retained, l.Topic)
		}
		if p.sim != nil {
			p.bus.handle(l.Topic, l.body(), false)
		}
	case strings.HasPrefix(l.Note, "=== GRACEFUL STOP"):
		p.stop()
	case strings.HasPrefix(l.Note, "=== CRASH"):
		if err := p.sim.Fault(t.Context(), Fault{Op: "crash", For: maxPause}); err != nil {
			t.Error(err)
		}
		p.stop()
	case strings.HasPrefix(l.Note, "=== BROKER RESTART"), strings.HasPrefix(l.Note, "another client connects with the gateway's"):
		p.will(t)
	case l.Note != "":
		p.act(t, l.Note)
	}
	synctest.Wait()
}

func (p *player) act(t *testing.T, note string) {
	t.Helper()
	var chosen string
	for begin := range p.acts {
		if strings.HasPrefix(note, begin) && len(begin) > len(chosen) {
			chosen = begin
		}
	}
	if chosen == "" {
		return
	}
	if chosen == "answered after" { // the recorder let the dead node report a moment later
		wait(150 * time.Millisecond)
	}
	for _, f := range p.acts[chosen] {
		if err := p.sim.Fault(t.Context(), f); err != nil {
			t.Errorf("%s: %v", note, err)
		}
	}
}

// play runs the recording and returns what the simulated gateway said.
func (p *player) play(t *testing.T) []said {
	t.Helper()
	p.bus = &wireTap{retained: map[string][]byte{}}
	if p.running {
		p.start(t, nil)
		p.running = false // further starts are in the recording
	}
	if p.prelude != nil {
		p.prelude(t, p)
	}
	wait(10 * time.Second)
	p.bus.taken()
	p.base = time.Now()
	for i, l := range p.lines {
		wait(time.Until(p.base.Add(time.Duration(l.T-p.lines[0].T) * time.Millisecond)))
		p.step(t, i)
	}
	if end := p.lines[len(p.lines)-1]; end.Note != "" {
		wait(time.Millisecond)
	} else {
		wait(200 * time.Millisecond) // the last message may be a moment later here
	}
	var out []said
	times := p.bus.when
	for i, m := range p.bus.taken() {
		out = append(out, said{m.topic, m.retained, m.payload, times[i].UnixMilli()})
	}
	if p.stop != nil {
		p.stop()
	}
	return out
}

func TestReplay(t *testing.T) {
	total, whole := 0, 0
	for _, tk := range takes() {
		t.Run(tk.file, func(t *testing.T) {
			lines := recording(t, tk.file+".jsonl")
			var got []said
			synctest.Test(t, func(t *testing.T) {
				got = (&player{take: tk, lines: lines}).play(t)
			})
			want := published(lines)
			same, differences := compare(want, cut(got))
			total, whole = total+len(want), whole+same
			t.Logf("%d of %d recorded messages agree in topic, retain flag, shape, order and value", same, len(want))
			explain(t, tk.expected, differences)
		})
	}
	t.Logf("all recordings: %d of %d messages agree", whole, total)
}
