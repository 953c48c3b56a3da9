// Package mqttapi is the gateway as seen over MQTT: its state, turns and replies
// go out, commands come in (DESIGN 2.3). It exists apart from the MQTT client so
// that the contract stands in one place. A new command is a line in shapes and a
// case in do.
package mqttapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// Bus is the broker.
type Bus interface {
	Publish(ctx context.Context, topic string, payload []byte) error
	PublishRetained(ctx context.Context, topic string, payload []byte) error
	Subscribe(ctx context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error
}

// Gateway does what commands ask for.
type Gateway interface {
	// Ask answers a text; the turn is published by whoever observes turns.
	Ask(ctx context.Context, id, text, area string)
	Say(ctx context.Context, id, text string) error
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetVolume(ctx context.Context, level int) error
}

// atOnce bounds how many commands are worked on at the same time, and remembered
// how many ids are known as already used.
const (
	atOnce     = 8
	remembered = 1024
	sendBudget = 2 * time.Second
)

// Topics of a gateway.
func base(id string) string { return "voice/" + id }

// Availability is the topic that says whether the gateway is there; the MQTT
// client's last will goes to it.
func Availability(id string) string { return base(id) + "/availability" }

// API publishes a gateway's news and obeys commands.
type API struct {
	base string
	bus  Bus
	gw   Gateway
	log  *slog.Logger
	now  func() time.Time

	work chan func(context.Context)
	out  chan message

	mu    sync.Mutex
	state string
	seen  map[string]bool
	order []string
}

type message struct {
	topic    string
	payload  []byte
	retained bool
}

// New makes the interface of the gateway with this id; it does no I/O.
func New(id string, bus Bus, gw Gateway, log *slog.Logger) (*API, error) {
	if id == "" || bus == nil || gw == nil || log == nil {
		return nil, errors.New("mqtt interface: a gateway id, a bus, a gateway and a logger are needed")
	}
	return &API{
		base: base(id), bus: bus, gw: gw, log: log.With("part", "mqttapi"), now: time.Now,
		work: make(chan func(context.Context), 64), out: make(chan message, 256),
		state: "idle", seen: map[string]bool{},
	}, nil
}

// Run subscribes and works until ctx ends; then it says that it is offline.
func (a *API) Run(ctx context.Context) error {
	if err := a.bus.Subscribe(ctx, a.base+"/cmd/+", a.receive); err != nil {
		return fmt.Errorf("subscribing to the commands: %w", err)
	}
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for {
				select {
				case do := <-a.work:
					do(ctx)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	for {
		select {
		case m := <-a.out:
			a.send(ctx, m)
		case <-ctx.Done():
			wg.Wait()
			a.flush(ctx)
			return nil
		}
	}
}

// flush sends what is still waiting and the farewell, after the end of ctx.
func (a *API) flush(ctx context.Context) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 300*time.Millisecond)
	defer cancel()
	for {
		select {
		case m := <-a.out:
			a.send(last, m)
		default:
			a.send(last, message{a.base + "/availability", []byte("offline"), true})
			return
		}
	}
}

// Connected is called at each connection to the broker: a broker may have lost
// what was retained.
func (a *API) Connected() {
	a.mu.Lock()
	state := a.state
	a.mu.Unlock()
	a.put(message{a.base + "/availability", []byte("online"), true})
	a.put(message{a.base + "/state", []byte(state), true})
}

// State publishes the gateway's state.
func (a *API) State(s string) {
	a.mu.Lock()
	a.state = s
	a.mu.Unlock()
	a.put(message{a.base + "/state", []byte(s), true})
}

// Turn publishes the record of a turn.
func (a *API) Turn(record any) { a.putJSON("/turn", record) }

// Reply publishes what is answered, Transcript what was heard.
func (a *API) Reply(turn, text string) {
	a.putJSON("/reply", map[string]string{"turn": turn, "text": text})
}

// Transcript publishes what was heard.
func (a *API) Transcript(turn, text string) {
	a.putJSON("/transcript", map[string]string{"turn": turn, "text": text})
}

func (a *API) putJSON(topic string, v any) {
	payload, err := json.Marshal(v)
	if err != nil {
		a.log.Error("message not published", "topic", topic, "err", err)
		return
	}
	a.put(message{topic: a.base + topic, payload: payload})
}

// put never blocks: a broker that is away must not hold up a turn.
func (a *API) put(m message) {
	select {
	case a.out <- m:
	default:
		a.log.Warn("message dropped: too many are waiting for the broker", "topic", m.topic)
	}
}

func (a *API) send(ctx context.Context, m message) {
	ctx, cancel := context.WithTimeout(ctx, sendBudget)
	defer cancel()
	publish := a.bus.Publish
	if m.retained {
		publish = a.bus.PublishRetained
	}
	if err := publish(ctx, m.topic, m.payload); err != nil {
		a.log.Debug("message not published", "topic", m.topic, "err", err)
	}
}

// receive takes one command in.
func (a *API) receive(topic string, payload []byte, retained bool) {
	verb := topic[strings.LastIndexByte(topic, '/')+1:]
	if verb == "error" {
		return
	}
	c, err := Parse(verb, payload, retained, a.now())
	if err == nil && !a.first(c.ID) {
		err = fmt.Errorf("the id %q was used before; give every command an id of its own", c.ID)
	}
	if err != nil {
		a.refuse(topic, c.ID, err)
		return
	}
	select {
	case a.work <- func(ctx context.Context) { a.do(ctx, topic, c) }:
	default:
		a.refuse(topic, c.ID, errors.New("too many commands are waiting; try again in a moment"))
	}
}

func (a *API) do(ctx context.Context, topic string, c Command) {
	var err error
	switch c.Verb {
	case "ask":
		a.gw.Ask(ctx, c.ID, c.Text, c.Area)
	case "say":
		err = a.gw.Say(ctx, c.ID, c.Text)
	case "listen":
		err = a.gw.Listen(ctx)
	case "stop":
		err = a.gw.Stop(ctx)
	case "volume":
		err = a.gw.SetVolume(ctx, c.Level)
	}
	if err != nil {
		a.refuse(topic, c.ID, err)
	}
}

func (a *API) refuse(topic, id string, err error) {
	a.putJSON("/cmd/error", map[string]string{"topic": topic, "id": id, "error": err.Error()})
}

// first notes an id and says whether it is new.
func (a *API) first(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen[id] {
		return false
	}
	a.seen[id] = true
	a.order = append(a.order, id)
	if len(a.order) > remembered {
		delete(a.seen, a.order[0])
		a.order = a.order[1:]
	}
	return true
}
