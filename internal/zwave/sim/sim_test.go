package sim

import (
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

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape is a bus that records what is published, and passes on the messages of a
// test.
type tape struct {
	mu     sync.Mutex
	out    []message
	when   []time.Time
	handle func(string, []byte, bool)
}

func (b *tape) keep(m message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out = append(b.out, m)
	b.when = append(b.when, time.Now())
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
	b.out, b.when = nil, nil
	return out
}

// play runs a house in virtual time; do runs once everything is announced.
func play(t *testing.T, cfg Config, do func(t *testing.T, b *tape, s *Sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &tape{}
		s, err := New(cfg, b, quiet())
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
		if _, err := newNode(n, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestGreetingAndGoodbye(t *testing.T) {
	b := &tape{}
	synctest.Test(t, func(t *testing.T) {
		s, err := New(DefaultConfig(), b, quiet())
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
			"zwave/driver/status", "zwave/Broadcast/switch_binary/endpoint_0/targetValue",
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
			if _, err := newNode(n, 0); err != nil {
				t.Error(err)
			}
		}
	}
}
