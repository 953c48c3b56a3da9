package zwave_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/tools"
	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// bus is a broker in memory: ordered per subscriber, with retained messages.
type bus struct {
	divert    func(topic string, payload []byte) bool // removes a message, so that it reaches no client
	mu        sync.Mutex
	retained  map[string][]byte
	clients   []*client
	forgetful bool // it retains nothing, as with a gateway whose retain setting is off
}

// client is one connection to the bus.
type client struct {
	bus    *bus
	filter string
	handle func(string, []byte, bool)
	mu     sync.Mutex
	queue  []func()
	wake   chan struct{}
	done   chan struct{}
	seen   []string // topics this client published
}

func newBus() *bus { return &bus{retained: map[string][]byte{}} }

func (b *bus) client(t *testing.T) *client {
	t.Helper()
	c := &client{bus: b, wake: make(chan struct{}, 1), done: make(chan struct{})}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			c.mu.Lock()
			work := c.queue
			c.queue = nil
			c.mu.Unlock()
			for _, do := range work {
				do()
			}
			if len(work) > 0 {
				continue
			}
			select {
			case <-c.wake:
			case <-c.done:
				return
			}
		}
	}()
	t.Cleanup(func() { close(c.done); <-finished })
	return c
}

func (c *client) push(do func()) {
	c.mu.Lock()
	c.queue = append(c.queue, do)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *client) publish(topic string, payload []byte, retain bool) error {
	b := c.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	c.seen = append(c.seen, topic)
	if b.divert != nil && b.divert(topic, payload) {
		return nil
	}
	if retain && !b.forgetful {
		b.retained[topic] = payload
	}
	for _, other := range b.clients {
		if strings.HasPrefix(topic, strings.TrimSuffix(other.filter, "#")) {
			other.push(func() { other.handle(topic, payload, false) })
		}
	}
	return nil
}

func (c *client) Publish(_ context.Context, topic string, payload []byte) error {
	return c.publish(topic, payload, false)
}

func (c *client) PublishRetained(_ context.Context, topic string, payload []byte) error {
	return c.publish(topic, payload, true)
}

func (c *client) Subscribe(_ context.Context, filter string, handle func(string, []byte, bool)) error {
	b := c.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	c.filter, c.handle = filter, handle
	b.clients = append(b.clients, c)
	for topic, payload := range b.retained {
		if strings.HasPrefix(topic, strings.TrimSuffix(filter, "#")) {
			c.push(func() { handle(topic, payload, true) })
		}
	}
	return nil
}

// rig is a simulated house with a client on it.
type rig struct {
	*testing.T
	house *zwave.House
	sim   *sim.Sim
	mine  *client
	ctx   context.Context //nolint:containedctx // the deadline of one test
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// start runs the house and the simulator on one bus and waits until the house is
// known.
func start(t *testing.T, change func(*zwave.Config, *sim.Config), prefix ...string) *rig {
	t.Helper()
	return startOn(t, func(*bus, *client) {}, change, prefix...)
}

// startOn is start on a bus that is prepared before its first use.
func startOn(t *testing.T, prepare func(*bus, *client), change func(*zwave.Config, *sim.Config), prefix ...string) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	b := newBus()
	prepare(b, b.client(t))
	cfg, simulated := zwave.DefaultConfig(), sim.DefaultConfig()
	cfg.Patience = 20 * time.Second // long enough that tests wait for facts and not for time-outs
	simulated.Scale = 0.2
	if change != nil {
		change(&cfg, &simulated)
	}
	for _, p := range prefix {
		cfg.Prefix = p
	}
	r := &rig{T: t, ctx: ctx, mine: b.client(t)}
	var err error
	if r.house, err = zwave.New(cfg, r.mine, quiet()); err != nil {
		t.Fatal(err)
	}
	if r.sim, err = sim.New(simulated, b.client(t), quiet()); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.house.Run(ctx) })
	wg.Go(func() { _ = r.sim.Run(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	select {
	case <-r.house.Loaded():
	case <-ctx.Done():
		t.Fatal("the house was not loaded")
	}
	return r
}

// receipt mirrors the data of a control call.
type receipt struct {
	Device, Property, Outcome, Reason, Message string
	Before, Value                              any
	BeforeLevel                                any `json:"before_level"`
	ValueLevel                                 any `json:"value_level"`
	MS                                         int64
	Suggestions                                []string
	Limits                                     []float64
	Devices                                    []receipt
}

func (r *rig) tool(name string) tools.Tool {
	r.Helper()
	for _, tool := range r.house.Tools() {
		if tool.Spec().Name == name {
			return tool
		}
	}
	r.Fatalf("there is no tool %s", name)
	return nil
}

func (r *rig) call(name string, args any, data any) tools.Result {
	r.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.Fatal(err)
	}
	result, err := r.tool(name).Call(r.ctx, raw)
	if err != nil {
		r.Fatalf("%s %s: %v", name, raw, err)
	}
	if data != nil && result.Data != nil {
		if err := json.Unmarshal(result.Data, data); err != nil {
			r.Fatal(err)
		}
	}
	return result
}

func (r *rig) control(device, action string, value any) (receipt, tools.Result) {
	r.Helper()
	args := map[string]any{"device_name": device, "action": action}
	if value != nil {
		args["value"] = value
	}
	var out receipt
	result := r.call("control_zwave_device", args, &out)
	return out, result
}

func (r *rig) fact(device, key string) any {
	r.Helper()
	facts, err := r.sim.Facts(r.ctx, device)
	if _, has := facts[key]; err != nil || !has {
		r.Fatalf("%s has no value %s: %v", device, key, err)
	}
	return facts[key]
}
