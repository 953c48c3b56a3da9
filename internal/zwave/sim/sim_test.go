package sim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape is a bus that keeps what is published, and hands in what a test says.
type tape struct {
	mu     sync.Mutex
	out    []message
	handle func(string, []byte, bool)
}

func (b *tape) keep(m message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out = append(b.out, m)
	return nil
}

func (b *tape) Publish(_ context.Context, topic string, payload []byte) error {
	return b.keep(message{topic: topic, payload: payload})
}

func (b *tape) PublishRetained(_ context.Context, topic string, payload []byte) error {
	return b.keep(message{topic: topic, payload: payload, retained: true})
}

func (b *tape) Subscribe(_ context.Context, _ string, handle func(string, []byte, bool)) error {
	b.handle = handle
	return nil
}

// taken returns and forgets what was published.
func (b *tape) taken() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.out
	b.out = nil
	return out
}

// play runs a house in virtual time; do runs once everything is announced.
func play(t *testing.T, cfg Config, do func(t *testing.T, b *tape, s *Sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &tape{}
		s, err := New(cfg, b, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := s.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		do(t, b, s)
		cancel()
		wg.Wait()
	})
}

// wait lets virtual time pass.
func wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestDefaultHouse(t *testing.T) {
	h := DefaultHouse()
	if len(h.Nodes) < 14 {
		t.Fatalf("the embedded house has %d nodes", len(h.Nodes))
	}
	for _, n := range h.Nodes {
		if _, err := newNode(n); err != nil {
			t.Error(err)
		}
	}
}

func TestGreetingAndGoodbye(t *testing.T) {
	b := &tape{}
	synctest.Test(t, func(t *testing.T) {
		s, err := New(DefaultConfig(), b, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = s.Run(ctx) })
		synctest.Wait()
		first := b.taken()
		want := []string{
			"zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/version", "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/status",
			"zwave/driver/status", "zwave/Kitchen/Kitchen_Light/status",
		}
		for i, topic := range want {
			if first[i].topic != topic || !first[i].retained {
				t.Errorf("message %d is %s, want %s, retained", i, first[i].topic, topic)
			}
		}
		cancel()
		wg.Wait()
		last := b.taken()
		if len(last) != 1 || last[0].topic != "zwave/driver/status" || string(last[0].payload) != "false" {
			t.Errorf("the goodbye is %v, want only driver/status false", last)
		}
	})
}

func TestAPIManners(t *testing.T) {
	base := "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/"
	tests := map[string]struct{ call, payload, want string }{
		"unknown":          {"getNode", `{"args":[2]}`, `{"success":false,"message":"Unknown API","args":[2],"origin":{"args":[2]}}`},
		"args no array":    {"writeValue", `{"args":{"a":1}}`, `{"success":false,"message":"Args must be an array","origin":{"args":{"a":1}}}`},
		"null":             {"getInfo", `null`, ``},
		"origin":           {"pingNode", `{"args":[2],"requestId":"x"}`, `{"success":true,"message":"Success zwave api call","result":true,"args":[2],"origin":{"args":[2],"requestId":"x"}}`},
		"id as text":       {"pingNode", `{"args":["2"]}`, `{"success":false,"message":"Cannot read properties of undefined (reading 'ping')","args":["2"],"origin":{"args":["2"]}}`},
		"no such node":     {"setNodeName", `{"args":[99,"x"]}`, `{"success":false,"message":"Invalid Node ID","args":[99,"x"],"origin":{"args":[99,"x"]}}`},
		"malformed":        {"refreshValues", `{"args":[`, `{"success":false,"message":"Cannot read properties of undefined (reading 'refreshValues')","args":[],"origin":"{\"args\":["}`},
		"write, no node":   {"writeValue", `{"args":[{"nodeId":99,"commandClass":37,"property":"targetValue"},true]}`, `status 2`},
		"write, no class":  {"writeValue", `{"args":[{"nodeId":2,"commandClass":38,"property":"targetValue"},1]}`, `status 2`},
		"write, read-only": {"writeValue", `{"args":[{"nodeId":2,"commandClass":37,"property":"currentValue"},true]}`, `status 5`},
		"write, endpoint":  {"writeValue", `{"args":[{"nodeId":2,"commandClass":37,"endpoint":3,"property":"targetValue"},true]}`, `status 3`},
		"write, wrong":     {"writeValue", `{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},"true"]}`, `status 5`},
		"write":            {"writeValue", `{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},true]}`, `status 254`},
		"write, lock":      {"writeValue", `{"args":[{"nodeId":13,"commandClass":98,"property":"targetMode"},255]}`, `status 1`},
		"write, lock same": {"writeValue", `{"args":[{"nodeId":13,"commandClass":98,"property":"targetMode"},0]}`, `status 255`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, _ *Sim) {
				t.Helper()
				b.taken()
				b.handle(base+tc.call+"/set", []byte(tc.payload), false)
				wait(time.Second)
				answer := ""
				for _, m := range b.taken() {
					if m.topic == base+tc.call && !m.retained {
						answer = string(m.payload)
					}
				}
				if status, ok := strings.CutPrefix(tc.want, "status "); ok {
					if !strings.Contains(answer, `"result":{`) || !strings.Contains(answer, `"status":`+status) || !strings.Contains(answer, `"success":true`) {
						t.Errorf("answer %s, want status %s", answer, status)
					}
					return
				}
				if !sameJSON(answer, tc.want) {
					t.Errorf("answer %s\nwant   %s", answer, tc.want)
				}
			})
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	_ = json.Unmarshal([]byte(a), &x)
	_ = json.Unmarshal([]byte(b), &y)
	return reflect.DeepEqual(x, y)
}

func TestParseSet(t *testing.T) {
	boolean, number, text := meta{Type: "boolean"}, meta{Type: "number"}, meta{Type: "string"}
	tests := map[string]struct {
		payload string
		meta    meta
		want    any
	}{
		"true": {"true", boolean, true}, "wrapped": {`{"value":false}`, boolean, false}, "word": {"ON", boolean, true},
		"quoted word": {`"false"`, boolean, false}, "zero": {"0", boolean, false}, "fraction": {"0.4", boolean, true},
		"255": {"255", boolean, true}, "garbage": {"garbage", boolean, nil}, "empty": {"", boolean, nil},
		"broken": {`{"value":tru`, boolean, nil}, "null": {"null", boolean, nil}, "other member": {`{"val":false}`, boolean, nil},
		"number": {"50", number, 50.0}, "out of range": {"150", number, 150.0}, "percent": {"50%", number, nil},
		"on for a number": {"on", number, 255.0}, "off for a number": {"off", number, 0.0}, "lock": {"lock", number, 255.0},
		"a word for a number": {"Cool", number, nil}, "code": {`{"value":"0123"}`, text, "0123"}, "bare code": {"1234", text, nil},
	}
	for name, tc := range tests {
		got, ok := parseSet([]byte(tc.payload), tc.meta)
		if ok != (tc.want != nil) || ok && got != tc.want {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, tc.want)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add("zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set", []byte(`{"args":[{"nodeId":2,"commandClass":37,"property":"targetValue"},true]}`))
	f.Add("zwave/Kitchen/Kitchen_Light/switch_binary/endpoint_0/targetValue/set", []byte(`on`))
	f.Add("zwave/Living_Room/Living_Room_Light/switch_multilevel/endpoint_0/targetValue/set", []byte(`{"value":1e9}`))
	f.Fuzz(func(t *testing.T, topic string, payload []byte) {
		cfg := DefaultConfig()
		cfg.Scale = 0
		s, err := New(cfg, &tape{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s.greet()
		s.setMessage(topic, payload)
		s.timers.run(time.Now().Add(time.Hour))
	})
}

func TestFromHome(t *testing.T) {
	for file, left := range map[string]int{"speech/clips/home.json": 3, "intents/natural_home.json": 4} {
		data, err := os.ReadFile(fake.Shared(t, strings.Split(file, "/")...))
		if err != nil {
			t.Fatal(err)
		}
		var h home.House
		if err := json.Unmarshal(data, &h); err != nil {
			t.Fatal(err)
		}
		house, without := FromHome(h)
		if len(without) != left || len(house.Nodes)+left != len(h.Entities) {
			t.Errorf("%s: %d nodes of %d entities, without %v", file, len(house.Nodes), len(h.Entities), without)
		}
		if err := house.Validate(); err != nil {
			t.Error(err)
		}
		for _, n := range house.Nodes {
			if _, err := newNode(n); err != nil {
				t.Error(err)
			}
		}
	}
}

// line is one line of a recording.
type line struct {
	T       int64
	Topic   string
	Retain  bool
	Payload json.RawMessage
	Raw     *string
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

// recordedHouse is the part of the recorded house that has switches.
func recordedHouse() Config {
	cfg := DefaultConfig()
	cfg.Gateway = "Zwave MCP"
	cfg.House = House{HomeID: 0x7e57abcd, Nodes: []NodeSpec{
		{ID: 2, Name: "Kitchen Lamp", Location: "Kitchen", Kind: "switch"},
		{ID: 12, Name: "Power Strip", Location: "Office", Kind: "strip"},
		{ID: 13, Kind: "switch"},
		{ID: 14, Name: "Desk Lamp", Location: "Office", Kind: "switch", Supervised: true},
		{ID: 15, Name: "Desk_Lamp", Location: "Office", Kind: "switch"},
	}}
	return cfg
}

// TestReplaySwitchWrites repeats every recorded write by topic at its recorded
// time and compares what each topic then said, in order.
func TestReplaySwitchWrites(t *testing.T) {
	lines := recording(t, "02-switch-writes.jsonl")
	play(t, recordedHouse(), func(t *testing.T, b *tape, _ *Sim) {
		t.Helper()
		b.taken()
		want := map[string][]string{}
		start := time.Now()
		for _, l := range lines {
			switch {
			case strings.HasSuffix(l.Topic, "/set"):
				payload := []byte(l.Payload)
				if l.Raw != nil {
					payload = []byte(*l.Raw)
				}
				wait(time.Until(start.Add(time.Duration(l.T-lines[0].T) * time.Millisecond)))
				b.handle(l.Topic, payload, false)
			case strings.HasSuffix(l.Topic, "Value"):
				want[l.Topic] = append(want[l.Topic], valueOf(l.Payload))
			}
		}
		wait(10 * time.Second)
		got := map[string][]string{}
		for _, m := range b.taken() {
			if strings.HasSuffix(m.topic, "Value") {
				got[m.topic] = append(got[m.topic], valueOf(m.payload))
			}
		}
		for topic := range want {
			if !reflect.DeepEqual(got[topic], want[topic]) {
				t.Errorf("%s said\n%v, recorded\n%v", topic, got[topic], want[topic])
			}
			delete(got, topic)
		}
		if len(got) > 0 {
			t.Errorf("said besides: %v", got)
		}
	})
}

// valueOf returns the value of a payload, or nothing where it is unknown.
func valueOf(payload []byte) string {
	var in struct{ Value json.RawMessage }
	_ = json.Unmarshal(payload, &in)
	return string(in.Value)
}
