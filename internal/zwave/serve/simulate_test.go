package serve

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/mqtt"
)

// listener keeps the last message of every topic.
type listener struct {
	*mqtt.Client
	mu   sync.Mutex
	last map[string]string
	kept map[string]bool
}

// listen connects to a broker and hears everything.
func listen(t *testing.T, url string) *listener {
	t.Helper()
	c, err := mqtt.New(mqtt.Config{URL: url}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{Client: c, last: map[string]string{}, kept: map[string]bool{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	if err := c.AwaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	if err := c.Subscribe(ctx, "#", l.hear); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *listener) hear(topic string, payload []byte, retained bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last[topic] = string(payload)
	l.kept[topic] = retained
}

// await waits until a topic's last message has the text.
func (l *listener) await(t *testing.T, topic, text string) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		l.mu.Lock()
		last, heard := l.last[topic]
		topics := len(l.last)
		l.mu.Unlock()
		if heard && strings.Contains(last, text) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s never said %q; its last word is %q, and there are %d topics", topic, text, last, topics)
		}
	}
}

// simulate runs the command until the test ends or stop is called.
func simulate(t *testing.T, url string, args ...string) (stop func()) {
	t.Helper()
	p := Program{
		Args: append([]string{"simulate", "--broker", url, "--scale", "0.1"}, args...),
		In:   strings.NewReader(""), Out: io.Discard, Err: &words{}, Options: config.Options{Environ: []string{"X=1"}},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if status := p.Run(ctx); status != 0 {
			t.Errorf("the simulator ended with %d: %s", status, p.Err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// TestTwoSimulatedGatewaysOnOneBroker checks that two gateways of different kinds
// on one broker do not disturb each other.
func TestTwoSimulatedGatewaysOnOneBroker(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	house := filepath.Join(t.TempDir(), "house.yaml")
	text := "gateway: {name: Up Stairs, prefix: home/up, type: VALUEID, node_names: false, payload: just-value}\nnodes: [{id: 7, name: Lamp, location: Attic, kind: switch}]\n"
	if err := os.WriteFile(house, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := listen(t, url)
	simulate(t, url)
	simulate(t, url, "--house", house, "--start", "recorded")
	l.await(t, "zwave/Kitchen/Kitchen_Light/switch_binary/endpoint_0/currentValue", `"value":false`)
	l.await(t, "home/up/Attic/7/37/0/currentValue", "false")
	must(t, l.Publish(t.Context(), "home/up/_CLIENTS/ZWAVE_GATEWAY-Up_Stairs/api/getNodes/set", []byte(`{"args":[],"requestId":"mine"}`)))
	l.await(t, "home/up/_CLIENTS/ZWAVE_GATEWAY-Up_Stairs/api/getNodes", `"requestId":"mine"`)
	var answer struct{ Result []struct{ ID int } }
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := json.Unmarshal([]byte(l.last["home/up/_CLIENTS/ZWAVE_GATEWAY-Up_Stairs/api/getNodes"]), &answer); err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, n := range answer.Result {
		ids = append(ids, n.ID)
	}
	if !slices.Equal(ids, []int{255, 1, 7}) {
		t.Errorf("the nodes are %v", ids)
	}
}

func TestFaultsOverTheBroker(t *testing.T) {
	t.Parallel()
	url, _ := startBroker(t, fake.FreeAddr(t))
	l := listen(t, url)
	stop := simulate(t, url, "--name", "Sim", "--prefix", "zw", "--node-details", "--events")
	l.await(t, "zw/driver/status", "true")
	fault := func(payload, says string) {
		t.Helper()
		l.hear("zw/_SIM/ZWAVE_GATEWAY-Sim/fault", nil, false)
		must(t, l.Publish(t.Context(), "zw/_SIM/ZWAVE_GATEWAY-Sim/fault/set", []byte(payload)))
		l.await(t, "zw/_SIM/ZWAVE_GATEWAY-Sim/fault", says)
	}
	fault(`{"op":"change","node":"Kitchen Light","key":"37-0-currentValue","value":true}`, `"ok":true`)
	l.await(t, "zw/Kitchen/Kitchen_Light/switch_binary/endpoint_0/currentValue", `"value":true`)
	l.await(t, "zw/_EVENTS/ZWAVE_GATEWAY-Sim/node/node_value_updated", `"newValue":true`)
	must(t, l.Publish(t.Context(), "zw/_SIM/ZWAVE_GATEWAY-Sim/truth/set", []byte(`{"node":"Kitchen Light"}`)))
	l.await(t, "zw/_SIM/ZWAVE_GATEWAY-Sim/truth", `"on":true`)
	fault(`{"op":"dead","node":2}`, `"ok":true`)
	must(t, l.Publish(t.Context(), "zw/_CLIENTS/ZWAVE_GATEWAY-Sim/api/pingNode/set", []byte(`{"args":[2]}`)))
	l.await(t, "zw/Kitchen/Kitchen_Light/nodeinfo", `"status":"Dead"`)
	fault(`{"op":"flood","count":100}`, `"ok":true`)
	fault(`{"op":"explode"}`, "use one of")
	fault(`{"op":"crash","for":"20s"}`, `"ok":true`) // 2 s at this scale
	l.await(t, "zw/_CLIENTS/ZWAVE_GATEWAY-Sim/status", `{"value":false}`)
	l.await(t, "zw/_CLIENTS/ZWAVE_GATEWAY-Sim/status", `"value":true`)
	l.hear("zw/_CLIENTS/ZWAVE_GATEWAY-Sim/status", nil, false)
	stop()
	l.await(t, "zw/driver/status", "false")
	// When our own message has come back, everything that an orderly stop
	// publishes has arrived.
	must(t, l.Publish(t.Context(), "zw/end", []byte("true")))
	l.await(t, "zw/end", "true")
	l.mu.Lock()
	defer l.mu.Unlock()
	if said := l.last["zw/_CLIENTS/ZWAVE_GATEWAY-Sim/status"]; said != "" {
		t.Errorf("an ordered stop says status %s", said)
	}
}

func TestSimulateUsage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		says string
	}{
		"type":    {[]string{"--type", "NAME"}, "use NAMED, VALUEID or MANUAL"},
		"payload": {[]string{"--payload", "xml"}, "use time-value"},
		"start":   {[]string{"--start", "slow"}, "use instant or recorded"},
		"scale":   {[]string{"--scale", "-1"}, "use 0 to 100"},
		"house":   {[]string{"--house", filepath.Join(t.TempDir(), "none.yaml")}, "none.yaml"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := &words{}
			p := Program{Args: append([]string{"simulate"}, tc.args...), In: strings.NewReader(""), Out: io.Discard, Err: err, Options: config.Options{Environ: []string{"X=1"}}}
			if status := p.Run(t.Context()); status != 2 || !strings.Contains(err.String(), tc.says) {
				t.Errorf("ended with %d, saying %s", status, err)
			}
		})
	}
}
