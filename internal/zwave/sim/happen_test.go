package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

// topics lists what was published as "topic payload", without times.
func (b *tape) topics() []string {
	var out []string
	for _, m := range b.taken() {
		content := said{m.topic, m.retained, m.payload, time.Now().UnixMilli()}.content()
		if o, ok := content.(map[string]any); ok {
			delete(o, "time")
			content = string(body(o))
		}
		out = append(out, fmt.Sprintf("%s %v", strings.TrimPrefix(m.topic, "zwave/"), content))
	}
	return out
}

// ask sends a call and returns its answer, after everything has settled.
func (b *tape) ask(call string, args ...any) map[string]any {
	base := "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/" + call
	b.taken()
	b.handle(base+"/set", body(map[string]any{"args": append([]any{}, args...)}), false)
	wait(10 * time.Second)
	return b.answered(base)
}

// answered returns the answer of a call; nil if there is none.
func (b *tape) answered(base string) map[string]any {
	for _, m := range b.taken() {
		if m.topic == base {
			var out map[string]any
			_ = json.Unmarshal(m.payload, &out)
			return out
		}
	}
	return nil
}

func status(answer map[string]any) any {
	result, _ := answer["result"].(map[string]any)
	return result["status"]
}

func on(node int) []any {
	return []any{map[string]any{"nodeId": node, "commandClass": 37, "endpoint": 0, "property": "targetValue"}, true}
}

// light returns the real state of the Kitchen Light, and what the gateway
// believes.
func (s *Sim) light(t *testing.T) (fact, belief any) {
	t.Helper()
	must(t, s.ask(t.Context(), func() {
		v := s.net.nodes[2].byText("37-0-currentValue")
		fact, belief = v.fact, v.believed
	}))
	return fact, belief
}

// TestFaults lets each fault happen to a write to the Kitchen Light and looks at
// the answer, the device, and what the gateway believes.
func TestFaults(t *testing.T) {
	tests := map[string]struct {
		fault  string
		status any // status of the answer; nil: no answer
		fact   any
		belief any
		again  any // status of the same write afterwards
	}{
		"none":          {`{"op":"clear"}`, 254.0, true, true, 254.0},
		"drop":          {`{"op":"drop","node":2}`, nil, false, false, 254.0},
		"drop twice":    {`{"op":"drop","node":"kitchen light","count":2}`, nil, false, false, nil},
		"lost report":   {`{"op":"lost_report","node":2,"for":"1h"}`, 254.0, true, true, 254.0},
		"refuse":        {`{"op":"refuse","node":2}`, 2.0, false, false, 254.0},
		"wrong":         {`{"op":"wrong","node":2,"value":false}`, 254.0, false, false, 254.0},
		"delay":         {`{"op":"delay","node":2,"for":"2s"}`, 254.0, true, true, 254.0},
		"delay, number": {`{"op":"delay","node":2,"for":2.5}`, 254.0, true, true, 254.0},
		"mute":          {`{"op":"mute"}`, nil, true, true, 254.0},
		"dead":          {`{"op":"dead","node":2}`, 2.0, false, false, 2.0},
		"deaf":          {`{"op":"deaf","node":2}`, 254.0, false, false, 254.0},
		"stick out":     {`{"op":"stick_out"}`, 2.0, false, false, nil}, // the second time the driver is down
		"driver down":   {`{"op":"driver_down"}`, nil, false, false, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				b.handle(s.cfg.ControlTopic(), []byte(tc.fault), false)
				wait(time.Second)
				if got := b.topics(); !slices.ContainsFunc(got, func(m string) bool {
					return strings.HasPrefix(m, "_SIM/ZWAVE_GATEWAY-Simulated_House/fault ") && strings.Contains(m, `"ok":true`)
				}) {
					t.Fatalf("the control topic answered %v", got)
				}
				if got := status(b.ask("writeValue", on(2)...)); got != tc.status {
					t.Errorf("answered with status %v, want %v", got, tc.status)
				}
				if fact, belief := s.light(t); fact != tc.fact || belief != tc.belief {
					t.Errorf("the device is %v and the gateway believes %v, want %v and %v", fact, belief, tc.fact, tc.belief)
				}
				if got := status(b.ask("writeValue", on(2)...)); got != tc.again {
					t.Errorf("the second time answered with status %v, want %v", got, tc.again)
				}
			})
		})
	}
}

func TestControlTopicSaysWhatIsWrong(t *testing.T) {
	tests := map[string]struct{ payload, says string }{
		"malformed":   {`{"op":`, "reading a fault"},
		"no op":       {`{}`, "needs its operation"},
		"unknown op":  {`{"op":"explode","node":2}`, "use one of alive, asleep, awake"},
		"unknown key": {`{"op":"dead","knot":2}`, "unknown field"},
		"no node":     {`{"op":"dead","node":99}`, "no device 99"},
		"no value":    {`{"op":"change","node":2,"key":"38-0-currentValue"}`, "it has 37-0-currentValue"},
		"pause":       {`{"op":"delay","node":2,"for":"soon"}`, "a time such as"},
		"long pause":  {`{"op":"delay","node":2,"for":1e12}`, "use 0 to a day"},
		"count":       {`{"op":"drop","node":2,"count":-1}`, "use 1 or more"},
		"two":         {`{"op":"dead","node":2}{}`, "more than one"},
		"button":      {`{"op":"scene","node":41,"key":"9"}`, "buttons are 001"},
		"no buttons":  {`{"op":"scene","node":2,"key":"001"}`, "no button"},
		"join, taken": {`{"op":"join","spec":"{id: 2, kind: switch}"}`, "there is a node 2"},
		"join, kind":  {`{"op":"join","spec":"{id: 200, kind: spoon}"}`, "known are"},
		"notify":      {`{"op":"notify","node":2,"key":"low"}`, "128-0-battery_low"},
	}
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		for name, tc := range tests {
			b.taken()
			b.handle(s.cfg.ControlTopic(), []byte(tc.payload), false)
			wait(time.Millisecond)
			got := b.topics()
			if len(got) != 1 || !strings.Contains(got[0], `"ok":false`) || !strings.Contains(got[0], tc.says) {
				t.Errorf("%s: answered %v, want one that says %q", name, got, tc.says)
			}
		}
	})
}

func TestNodesComeAndGo(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		ctx := t.Context()
		b.taken()
		must(t, s.Fault(ctx, Fault{Op: "join", House: "{id: 90, name: New Lamp, location: Kitchen, kind: switch}"}))
		wait(500 * time.Millisecond)
		nodes, _ := b.ask("getNodes")["result"].([]any)
		if n := nodeIn(nodes, 90); n == nil {
			t.Error("the new node is not in getNodes")
		}
		if status(b.ask("writeValue", on(90)...)) != 254.0 {
			t.Error("the new node cannot be switched")
		}
		b.taken()
		must(t, s.Fault(ctx, Fault{Op: "leave", Node: 90}))
		wait(time.Second)
		if got := b.topics(); len(got) != 0 {
			t.Errorf("an exclusion published %v, want nothing: retained messages stay", got)
		}
		b.handle("zwave/Kitchen/New_Lamp/switch_binary/endpoint_0/targetValue/set", []byte("true"), false)
		if got := status(b.ask("writeValue", on(90)...)); got != 2.0 {
			t.Errorf("a write to the excluded node has the status %v", got)
		}
	})
}

func nodeIn(nodes []any, id float64) map[string]any {
	for _, n := range nodes {
		if o, _ := n.(map[string]any); o["id"] == id {
			return o
		}
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLostReports checks that a lost report changes nothing: neither the
// read-back nor a poll publishes anything.
func TestLostReports(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		light := map[string]any{"nodeId": 2, "commandClass": 37, "property": "currentValue"}
		must(t, s.Fault(t.Context(), Fault{Op: "deaf", Node: 2}))
		must(t, s.Fault(t.Context(), Fault{Op: "lost_report", Node: 2, For: Pause(time.Minute)}))
		b.ask("writeValue", on(2)...)
		if fact, belief := s.light(t); belief != true || fact != false {
			t.Errorf("the gateway believes %v of a lamp that is %v", belief, fact)
		}
		if got := b.ask("pollValue", light); got["success"] != false || !strings.Contains(fmt.Sprint(got["message"]), "Timed out") {
			t.Errorf("a poll said %v", got)
		}
		must(t, s.Fault(t.Context(), Fault{Op: "clear", Node: 2}))
		if got := b.ask("pollValue", light); got["result"] != false {
			t.Errorf("the poll after it said %v", got)
		}
	})
}

// TestInterviewOfANewNode checks that a new node is announced in steps and has no
// values until its interview ends.
func TestInterviewOfANewNode(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		b.taken()
		must(t, s.Fault(t.Context(), Fault{Op: "join", Spec: &NodeSpec{Name: "New Lamp", Kind: "switch"}}))
		wait(time.Second)
		var n map[string]any
		must(t, s.ask(t.Context(), func() { n = generic(t, s.net.find("New Lamp").describe()) }))
		if n["ready"] != false || len(n["values"].(map[string]any)) != 0 {
			t.Errorf("within the interview: ready %v, %d values", n["ready"], len(n["values"].(map[string]any)))
		}
		wait(2 * time.Second)
		got := b.topics()
		if got[0] != `New_Lamp/status {"nodeId":55,"status":"Unknown","value":true}` {
			t.Errorf("began with %s", got[0])
		}
		if !slices.Contains(got, `New_Lamp/switch_binary/endpoint_0/currentValue {"value":false}`) {
			t.Errorf("the values were not published: %v", got)
		}
	})
}

func TestRestartAndCrash(t *testing.T) {
	for op, says := range map[string]string{"restart": "driver/status false", "crash": `_CLIENTS/ZWAVE_GATEWAY-Simulated_House/status {"value":false}`} {
		t.Run(op, func(t *testing.T) {
			cfg := DefaultConfig()
			cfg.Settings.Driver = RecordedDriver
			play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				wait(5 * time.Second)
				if got := b.ask("pingNode", 2)["result"]; got != true {
					t.Fatalf("pingNode before: %v", got)
				}
				must(t, s.Fault(t.Context(), Fault{Op: op, For: Pause(30 * time.Second)}))
				wait(time.Second)
				if got := b.topics(); len(got) != 1 || got[0] != says {
					t.Errorf("it went with %v, want %s", got, says)
				}
				if got := b.ask("getInfo"); got != nil {
					t.Errorf("answered while it was down: %v", got)
				}
				wait(25 * time.Second)
				if got := b.ask("getInfo"); got["success"] != true {
					t.Errorf("after its return: %v", got)
				}
				if got := status(b.ask("writeValue", on(2)...)); got != 254.0 {
					t.Errorf("after its return a write has the status %v", got)
				}
			})
		})
	}
}

// TestRecordedStart checks that the gateway answers before its driver is up, but
// not to calls about Z-Wave.
func TestRecordedStart(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Settings.Driver, cfg.Settings.Node = RecordedDriver, RecordedNode
	play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
		t.Helper()
		if got := b.topics(); len(got) != 2 {
			t.Errorf("the connection published %v", got)
		}
		base := "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/getNodes"
		b.handle(base+"/set", []byte(`{"args":[]}`), false)
		wait(time.Second)
		if got := b.topics(); len(got) != 1 || !strings.Contains(got[0], "Z-Wave client not connected") {
			t.Errorf("before the driver is up: %v", got)
		}
		wait(1200 * time.Millisecond) // the first node has answered, the last has not
		ready := func(id int) (ready bool) {
			must(t, s.ask(t.Context(), func() { ready = s.net.nodes[id].view.ready }))
			return ready
		}
		if first, last := ready(2), ready(54); !first || last {
			t.Errorf("node 2 ready: %v, node 54 ready: %v", first, last)
		}
		wait(10 * time.Second)
		if !ready(54) {
			t.Error("node 54 never came")
		}
	})
}

// TestSettings compares the topic and payload of one value in every setting.
func TestSettings(t *testing.T) {
	tests := map[string]struct {
		gateway string
		want    string // topic and payload of the Kitchen Sensor's humidity
		retain  bool
	}{
		"named":        {`{}`, `zwave/Kitchen/Kitchen_Sensor/sensor_multilevel/endpoint_0/Humidity {"value":47}`, true},
		"entire":       {`{payload: entire}`, `zwave/Kitchen/Kitchen_Sensor/sensor_multilevel/endpoint_0/Humidity {"ccSpecific":`, true},
		"just value":   {`{payload: "2"}`, `zwave/Kitchen/Kitchen_Sensor/sensor_multilevel/endpoint_0/Humidity 47`, true},
		"value id":     {`{type: VALUEID, node_names: false, prefix: home/zw}`, `home/zw/Kitchen/4/49/0/Humidity {"value":47}`, true},
		"by name":      {`{type: valueid, ignore_location: true}`, `zwave/Kitchen_Sensor/49/0/Humidity {"value":47}`, true},
		"not retained": {`{retain: false}`, `zwave/Kitchen/Kitchen_Sensor/sensor_multilevel/endpoint_0/Humidity {"value":47}`, false},
		"node info":    {`{node_info: true}`, `zwave/Kitchen/Kitchen_Sensor/sensor_multilevel/endpoint_0/Humidity {"nodeLocation":"Kitchen","nodeName":"Kitchen Sensor","value":47}`, true},
		"own topic":    {`{values: [{node: 4, value: 49-0-Humidity, topic: a b/wet, no_retain: true}]}`, `zwave/Kitchen/Kitchen_Sensor/a_b/wet {"value":47}`, false},
		"manual":       {`{type: MANUAL, values: [{node: 4, value: 49-0-Humidity, topic: wet}]}`, `zwave/Kitchen/Kitchen_Sensor/wet {"value":47}`, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			house, err := ParseHouse([]byte("gateway: " + tc.gateway + "\nnodes: [{id: 4, name: Kitchen Sensor, location: Kitchen, kind: climate_sensor, values: {49-0-Humidity: 47}}]"))
			must(t, err)
			cfg := DefaultConfig()
			cfg.House = house
			must(t, house.Gateway.Apply(&cfg))
			play(t, cfg, func(t *testing.T, b *tape, s *Sim) {
				t.Helper()
				must(t, s.Fault(t.Context(), Fault{Op: "report", Node: 4, Key: "49-0-Humidity"}))
				wait(time.Millisecond)
				for _, m := range b.taken() {
					o, ok := said{m.topic, m.retained, m.payload, 0}.content().(map[string]any)
					content := string(m.payload)
					if ok {
						delete(o, "time")
						content = string(body(o))
					}
					if strings.HasPrefix(m.topic+" "+content, tc.want) {
						if m.retained != tc.retain {
							t.Errorf("retained: %v, want %v", m.retained, tc.retain)
						}
						return
					}
				}
				t.Errorf("never published: %s", tc.want)
			})
		})
	}
}

// TestPropertyNamesInTopics checks that NAMED topics spell a property by its name
// and VALUEID topics do not.
func TestPropertyNamesInTopics(t *testing.T) {
	play(t, DefaultConfig(), func(t *testing.T, b *tape, _ *Sim) {
		t.Helper()
		if !slices.ContainsFunc(b.topics(), func(m string) bool {
			return strings.HasPrefix(m, "Attic/Attic_Light/configuration/endpoint_0/LED_indicator ")
		}) {
			t.Error("the parameter is not published by its name")
		}
	})
}

// TestUserCodesAreNotLogged lets a code pass through, with everything logged.
func TestUserCodesAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		b := &tape{}
		s, err := New(DefaultConfig(), b, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = s.Run(ctx) })
		synctest.Wait()
		b.handle("zwave/Cellar/Cellar_Door/user_code/endpoint_0/userCode/2/set", []byte(`{"value":"8642"}`), false)
		wait(5 * time.Second)
		if !slices.Contains(b.topics(), `Cellar/Cellar_Door/user_code/endpoint_0/userCode/2 {"value":"8642"}`) {
			t.Error("the code was not set")
		}
		cancel()
		wg.Wait()
	})
	for _, code := range []string{"8642", "4711"} {
		if strings.Contains(log.String(), code) {
			t.Errorf("the log has a user code: %s", log.String())
		}
	}
}
