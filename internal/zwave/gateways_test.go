package zwave_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// open runs a house on a bus and does not wait until it is known.
func open(t *testing.T, b *bus, change func(*zwave.Config)) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	cfg := zwave.DefaultConfig()
	cfg.Patience = 20 * time.Second
	if change != nil {
		change(&cfg)
	}
	r := &rig{T: t, ctx: ctx, mine: b.client(t)}
	var err error
	if r.house, err = zwave.New(cfg, r.mine, quiet()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.house.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return r
}

// play runs a simulated gateway on a bus.
func play(t *testing.T, b *bus, change func(*sim.Config)) *sim.Sim {
	t.Helper()
	s, _ := playUntil(t, b, change)
	return s
}

// playUntil is play with a gateway that can be stopped.
func playUntil(t *testing.T, b *bus, change func(*sim.Config)) (*sim.Sim, func()) {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Scale = 0.2
	if change != nil {
		change(&cfg)
	}
	s, err := sim.New(cfg, b.client(t), quiet())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Run(ctx) }()
	stop := func() { cancel(); <-done }
	t.Cleanup(stop)
	return s, stop
}

func (r *rig) loaded() {
	r.Helper()
	select {
	case <-r.house.Loaded():
	case <-r.ctx.Done():
		r.Fatal("the house was not loaded")
	}
}

func (r *rig) health() (waiting, message string) {
	r.Helper()
	var out struct {
		WaitingFor string `json:"waiting_for"`
		Message    string
	}
	r.call("check_zwave_health", map[string]any{}, &out)
	return out.WaitingFor, out.Message
}

func TestTwoGatewaysOnOneBroker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		cellar := sim.House{HomeID: 2, Nodes: []sim.NodeSpec{
			{ID: 2, Name: "Pump Switch", Location: "Cellar", Kind: "switch"},
			{ID: 3, Name: "Kitchen Light", Location: "Kitchen", Kind: "switch"}, // shares its topics with the other house's
		}}
		home := play(t, b, func(c *sim.Config) { c.Gateway = "Home" })
		other := play(t, b, func(c *sim.Config) { c.Gateway, c.House = "Cellar", cellar })
		r := open(t, b, nil)
		r.until("the choice is asked for", func() bool {
			waiting, message := r.health()
			return waiting == "choice of a gateway" && strings.Contains(message, "Cellar or Home") && strings.Contains(message, "ZWAVE_GATEWAY_NAME")
		})
		r = open(t, b, func(c *zwave.Config) { c.Gateway = "Cellar" })
		r.loaded()
		if n := len(r.house.Home().Entities); n != 2 {
			t.Errorf("%d entities of the cellar", n)
		}
		if got, _ := r.control("Pump Switch", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("%+v", got)
		}
		// The other house's light of the same name says that it is on.
		if err := home.Fault(r.ctx, sim.Fault{Op: "change", Node: "Kitchen Light", Key: "37-0-currentValue", Value: true}); err != nil {
			t.Fatal(err)
		}
		var state struct{ State any }
		r.call("get_device_state", map[string]any{"device_name": "Kitchen Light"}, &state)
		if state.State != "off" {
			t.Errorf("the cellar's light is %v by the word of another house", state.State)
		}
		if err := other.Fault(r.ctx, sim.Fault{Op: "deaf", Node: "Kitchen Light"}); err != nil {
			t.Fatal(err)
		}
		r2 := open(t, b, func(c *zwave.Config) { c.Gateway, c.Patience = "Cellar", 4*time.Second })
		r2.loaded()
		if got, _ := r2.control("Kitchen Light", "on", nil); got.Outcome != "accepted" {
			t.Errorf("%+v, want accepted", got)
		}
	})
}

func TestGatewayRenamedInItsSettings(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		before := b.client(t)
		if err := before.PublishRetained(t.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Old_Name/status", []byte(`{"value":true,"time":1}`)); err != nil {
			t.Fatal(err)
		}
		play(t, b, nil)
		r := open(t, b, nil)
		r.loaded()
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("%+v", got)
		}
	})
}

// TestGatewayThatRetainsNothing covers a gateway whose retain setting is off,
// which shows its name only when it sends its first message.
func TestGatewayThatRetainsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		b.forgetful = true
		play(t, b, nil)
		r := open(t, b, func(c *zwave.Config) { c.Gateway = "Simulated House" })
		r.loaded()
		found := open(t, b, nil)
		if err := b.client(t).Publish(r.ctx, "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/getInfo/set", []byte(`{"args":[]}`)); err != nil {
			t.Fatal(err)
		}
		found.loaded()
		for _, r := range []*rig{r, found} {
			if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
				t.Errorf("%+v", got)
			}
		}
	})
}

// TestAnothersClaimIsNotTakenForTheFact has another client write, which makes the
// gateway claim a state that our device has not reached.
func TestAnothersClaimIsNotTakenForTheFact(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, func(c *zwave.Config, _ *sim.Config) { c.Patience = 3 * time.Second })
		r.fault(sim.Fault{Op: "deaf", Node: "Kitchen Light"})
		other := r.mine.bus.client(t)
		ctx, stop := context.WithCancel(r.ctx)
		var wg sync.WaitGroup
		defer wg.Wait()
		defer stop()
		wg.Go(func() {
			tick := time.NewTicker(300 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					_ = other.Publish(ctx, "zwave/Kitchen/Kitchen_Light/switch_binary/endpoint_0/targetValue/set", []byte("true"))
				case <-ctx.Done():
					return
				}
			}
		})
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome == "confirmed" {
			t.Errorf("confirmed by a claim: %+v", got)
		}
	})
}

func TestGroupsReportPerDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		house := sim.House{HomeID: 1, Nodes: []sim.NodeSpec{
			{ID: 2, Name: "Ceiling Light", Location: "Kitchen", Kind: "switch"},
			{ID: 3, Name: "Counter Light", Location: "Kitchen", Kind: "dimmer"},
			{ID: 4, Name: "Stove Light", Location: "Kitchen", Kind: "switch"},
		}}
		r := start(t, func(_ *zwave.Config, c *sim.Config) { c.House = house })
		r.fault(sim.Fault{Op: "dead", Node: "Stove Light"})
		var got struct {
			receipt
			Devices []receipt
		}
		result := r.call("control_zwave_device", map[string]any{"device_name": "kitchen lights", "action": "on"}, &got)
		if got.Outcome != "no_answer" || !result.Failed || len(got.Devices) != 3 || !strings.HasPrefix(got.Message, "2 of 3 have done it. Stove Light does not answer.") {
			t.Errorf("%+v", got)
		}
		for _, d := range got.Devices[:2] {
			if d.Outcome != "confirmed" {
				t.Errorf("%+v", d)
			}
		}
		var answer struct{ Outcome string }
		r.call("control_zwave_device", map[string]any{"device_name": "cellar lights", "action": "on"}, &answer)
		if answer.Outcome != "refused" {
			t.Errorf("an unknown area: %+v", answer)
		}
	})
}

func TestFiltersThatFitNothingSaySo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		tests := map[string]struct {
			args map[string]any
			says string
		}{
			"area": {map[string]any{"area": "Kichen"}, "The areas are"},
			"type": {map[string]any{"type": "toaster"}, "The types are light"},
		}
		for name, tc := range tests {
			if got := r.call("list_devices", tc.args, nil); !got.Failed || !strings.Contains(got.Text, tc.says) {
				t.Errorf("%s: %+v", name, got)
			}
		}
		for _, kind := range []string{"Lights", "light", "binary sensor", "binary sensors"} {
			var page struct{ Total int }
			if got := r.call("list_devices", map[string]any{"type": kind}, &page); got.Failed || page.Total == 0 {
				t.Errorf("%s: %+v", kind, got)
			}
		}
		raw, err := json.Marshal(map[string]any{"page": 1 << 62})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.tool("list_devices").Call(r.ctx, raw); err != nil || got.Failed {
			t.Errorf("a page beyond the end: %+v, %v", got, err)
		}
	})
}

// TestAWrongGatewayNameIsToldWithTheNamesInSight sets the name of a gateway that
// does not exist.
func TestAWrongGatewayNameIsToldWithTheNamesInSight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		play(t, b, func(c *sim.Config) { c.Gateway = "Cellar" })
		play(t, b, func(c *sim.Config) { c.Gateway = "Home" })
		r := open(t, b, func(c *zwave.Config) { c.Gateway = "Hoem" })
		right := func(message string) bool {
			return strings.Contains(message, "Hoem") && strings.Contains(message, "Cellar or Home") &&
				strings.Contains(message, "ZWAVE_GATEWAY_NAME") && !strings.Contains(message, "running")
		}
		waiting, message := r.health()
		if waiting != "choice of a gateway" || !right(message) {
			t.Errorf("the health check says %q, %q", waiting, message)
		}
		if result := r.call("get_device_state", map[string]any{"device_name": "Kitchen Light"}, nil); !result.Failed || !right(result.Text) {
			t.Errorf("a question is answered %q", result.Text)
		}
		play(t, b, func(c *sim.Config) { c.Gateway = "Hoem" })
		r.loaded()
		if got, _ := r.control("Kitchen Light", "on", nil); got.Outcome != "confirmed" {
			t.Errorf("with the gateway of that name: %+v", got)
		}
	})
}
