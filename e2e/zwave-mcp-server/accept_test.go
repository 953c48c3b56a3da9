//go:build accept

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/zwave/sim"
)

const (
	brokerRestarts = 5
	simRestarts    = 3
	deafOne        = 12 // a switch that acknowledges everything and does nothing
)

// house is the simulated house, whose devices keep their state while the gateway before
// them restarts.
type house struct {
	t   *testing.T
	url string

	mu   sync.Mutex
	spec sim.House
	sim  *rig.House    // nil while the gateway is down
	up   chan struct{} // closed while it is there
}

func (h *house) start() {
	cfg := sim.DefaultConfig()
	cfg.House, cfg.Scale = h.spec, 0.2
	played, err := rig.PlayHouse(cfg, h.url)
	if err != nil {
		h.t.Error(err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sim = played
	close(h.up)
}

// end stops the gateway as a restart does; what the devices are is kept.
func (h *house) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.spec.Nodes {
		n := &h.spec.Nodes[i]
		facts, err := h.sim.Facts(context.Background(), n.Name)
		if err != nil {
			h.t.Error(err)
			continue
		}
		n.Values = map[string]any{}
		for _, key := range []string{
			"37-0-currentValue", "38-0-currentValue", "106-0-currentValue-13", "98-0-currentMode", "67-0-setpoint-1", "64-0-mode",
		} {
			if v, has := facts[key]; has && v != nil {
				n.Values[key] = v
			}
		}
	}
	h.up = make(chan struct{})
	h.sim.Stop()
	h.sim = nil
}

// fact is what a device really is; it waits while the gateway restarts.
func (h *house) fact(device, key string) (any, error) {
	for {
		h.mu.Lock()
		up := h.up
		h.mu.Unlock()
		<-up
		h.mu.Lock()
		if h.sim != nil {
			defer h.mu.Unlock()
			facts, err := h.sim.Facts(context.Background(), device)
			return facts[key], err
		}
		h.mu.Unlock()
	}
}

// appliance is a device with what can be asked of it.
type appliance struct {
	kind, key string
	ask       func(*rand.Rand) (action string, value any, fact any)
}

var appliances = []appliance{
	{"switch", "37-0-currentValue", func(r *rand.Rand) (string, any, any) { on := r.IntN(2) == 1; return word(on), nil, on }},
	{"dimmer", "38-0-currentValue", func(r *rand.Rand) (string, any, any) { p := 1 + r.IntN(98); return "level", p, float64(p) }},
	{"blind", "106-0-currentValue-13", func(r *rand.Rand) (string, any, any) { p := 1 + r.IntN(98); return "position", p, float64(p) }},
	{"thermostat", "67-0-setpoint-1", func(r *rand.Rand) (string, any, any) { d := 10 + float64(r.IntN(20))/2; return "setpoint", d, d }},
}

func word(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// TestAcceptCommandsThroughRestarts gives three hundred commands; a thousand in the soak
// test.
func TestAcceptCommandsThroughRestarts(t *testing.T) { commandsThroughRestarts(t, 300) }

// commandsThroughRestarts gives so many commands to devices at random while the broker
// is killed five times and the gateway restarted three times. What is reported confirmed
// must be so in the device, every command must come back with an outcome, and every state
// must be right in the end.
func commandsThroughRestarts(t *testing.T, commands int64) {
	t.Helper()
	broker := newMosquitto(t)
	h := &house{t: t, url: broker.url(), spec: sim.House{HomeID: 7}, up: make(chan struct{})}
	const devices = 20
	for i := range devices {
		a := appliances[i%len(appliances)]
		spec := sim.NodeSpec{ID: 2 + i, Name: fmt.Sprintf("Thing %c", 'A'+i), Location: "Room", Kind: a.kind, Supervised: i%8 < 4 && a.kind == "switch", Ramp: 500 * time.Millisecond}
		spec.Deaf = i == deafOne
		h.spec.Nodes = append(h.spec.Nodes, spec)
	}
	h.start()
	server := startServer(t, []string{"MQTT_BROKER_URL=" + broker.url()})
	server.settled()

	var done atomic.Int64
	var count [6]atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var chaos, work sync.WaitGroup
	chaos.Go(func() { disturb(ctx, server, broker, h, commands, &done) })
	const workers = 10
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for w := range workers {
		work.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			for range commands / workers {
				i := w + workers*r.IntN(devices/workers)
				outcome := once(server, h, h.spec.Nodes[i].Name, appliances[i%len(appliances)], r)
				count[outcome].Add(1)
				done.Add(1)
				if outcome != 0 {
					server.untilAnswers()
				}
			}
		})
	}
	work.Wait()
	chaos.Wait()
	var total int64
	for i, name := range outcomes {
		t.Logf("%-9s %d", name, count[i].Load())
		total += count[i].Load()
	}
	if total != commands {
		t.Errorf("%d of %d commands came back with an outcome", total, commands)
	}
	if count[0].Load() < commands/2 {
		t.Errorf("only %d commands were confirmed", count[0].Load())
	}
	for i, n := range h.spec.Nodes {
		a := appliances[i%len(appliances)]
		server.until(n.Name+" is told as it is", func() bool { return server.tells(h, n.Name, a) })
	}
}

var outcomes = []string{"confirmed", "accepted", "queued", "refused", "no_answer"}

// once gives one command and checks what became of it.
func once(s *host, h *house, device string, a appliance, r *rand.Rand) (outcome int) {
	action, value, want := a.ask(r)
	args := map[string]any{"device_name": device, "action": action}
	if value != nil {
		args["value"] = value
	}
	_, data := s.call(s.Context(), "control_zwave_device", args)
	var receipt struct {
		Outcome, Message string
		Value            any
	}
	if err := json.Unmarshal(data, &receipt); err != nil || receipt.Message == "" {
		s.Errorf("%s %v: no receipt: %s", device, args, data)
		return len(outcomes)
	}
	for i, name := range outcomes {
		if name == receipt.Outcome {
			outcome = i
		}
	}
	switch receipt.Outcome {
	case "refused":
		s.Errorf("%s: refused: %s", device, receipt.Message)
	case "accepted", "no_answer":
		s.Logf("%s %s %v: %s: %s", device, action, want, receipt.Outcome, receipt.Message)
	}
	if receipt.Outcome == "confirmed" {
		fact, err := h.fact(device, a.key)
		if err != nil || !nearly(fact, want) {
			s.Errorf("%s was confirmed to be %v, and is %v (%v)", device, want, fact, err)
		}
	}
	return outcome
}

// nearly takes a level for what it was set to with its rounding.
func nearly(got, want any) bool {
	g, ok1 := got.(float64)
	w, ok2 := want.(float64)
	if ok1 && ok2 {
		return g-w <= 1 && w-g <= 1
	}
	return got == want
}

// untilAnswers waits until commands work again, as a family would.
func (h *host) untilAnswers() {
	h.until("the gateway answers", func() bool {
		_, data := h.call(h.Context(), "check_zwave_health", nil)
		var health struct {
			Answers    bool
			WaitingFor string `json:"waiting_for"`
		}
		return json.Unmarshal(data, &health) == nil && health.Answers && health.WaitingFor == ""
	})
}

// tells compares what the server says of a device with what it is.
func (h *host) tells(house *house, device string, a appliance) bool {
	_, data := h.call(h.Context(), "get_device_state", map[string]any{"device_name": device})
	var state struct {
		State  any
		Values map[string]any
	}
	fact, err := house.fact(device, a.key)
	if err != nil || json.Unmarshal(data, &state) != nil {
		return false
	}
	switch a.kind {
	case "switch":
		return state.State == word(fact == true)
	case "dimmer":
		return nearly(state.Values["brightness"], fact)
	case "blind":
		return nearly(state.Values["position"], fact)
	default:
		return nearly(state.Values["setpoint"], fact)
	}
}

// disturb restarts broker and gateway in turn, spread over the commands. A broker
// stays away until commands have felt it.
func disturb(ctx context.Context, s *host, broker *mosquitto, h *house, commands int64, done *atomic.Int64) {
	plan := []string{"broker", "gateway", "broker", "gateway", "broker", "gateway", "broker", "broker"}
	if len(plan) != brokerRestarts+simRestarts {
		s.Error("the plan of disturbances is not what the test promises")
	}
	after := func(n int64) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for done.Load() < n {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}
	for i, what := range plan {
		at := int64(i+1) * commands / int64(len(plan)+1)
		after(at)
		switch what {
		case "broker":
			broker.kill()
			after(done.Load() + 2)
			broker.start()
		case "gateway":
			h.end()
			after(done.Load() + 2)
			h.start()
		}
	}
}
