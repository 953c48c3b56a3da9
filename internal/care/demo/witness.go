package demo

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/ground/mqtt"
)

// witness reads the devices of the simulated house over MQTT with a connection of
// its own, so that the proof does not come from the memory of the gateway or the
// server.
type witness struct {
	bus    *mqtt.Client
	prefix string // of the Z-Wave gateway's API topics

	mu      sync.Mutex
	waiting map[string]chan apiAnswer
	api     string
	found   chan struct{}
}

type apiAnswer struct {
	Success bool            `json:"success"`
	Message string          `json:"message"`
	Result  json.RawMessage `json:"result"`
	Origin  struct {
		RequestID string `json:"requestId"`
	} `json:"origin"`
}

// seenNode is the part of a node in getNodes that a witness uses.
type seenNode struct {
	ID      int                  `json:"id"`
	Name    string               `json:"name"`
	Loc     string               `json:"loc"`
	Virtual bool                 `json:"virtual"`
	Values  map[string]seenValue `json:"values"`
}

type seenValue struct {
	CommandClass int    `json:"commandClass"`
	Endpoint     int    `json:"endpoint"`
	Property     any    `json:"property"`
	PropertyKey  any    `json:"propertyKey"`
	Value        any    `json:"value"`
	Unit         string `json:"unit"`
	Readable     bool   `json:"readable"`
}

// newWitness makes a witness; run connects it.
func newWitness(url, prefix string, log *slog.Logger) (*witness, error) {
	bus, err := mqtt.New(mqtt.Config{URL: url}, log)
	if err != nil {
		return nil, fmt.Errorf("preparing the witness: %w", err)
	}
	return &witness{bus: bus, prefix: prefix, waiting: map[string]chan apiAnswer{}, found: make(chan struct{})}, nil
}

// run connects and listens until ctx ends.
func (w *witness) run(ctx context.Context) error {
	clients := w.prefix + "/_CLIENTS/"
	if err := w.bus.Subscribe(ctx, clients+"+/status", w.meet); err != nil {
		return fmt.Errorf("finding the Z-Wave gateway: %w", err)
	}
	if err := w.bus.Subscribe(ctx, clients+"+/api/+", w.answer); err != nil {
		return fmt.Errorf("listening to the Z-Wave gateway: %w", err)
	}
	return w.bus.Run(ctx)
}

// meet learns the gateway's topic from its status.
func (w *witness) meet(topic string, _ []byte, _ bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.api == "" {
		w.api = strings.TrimSuffix(topic, "/status") + "/api/"
		close(w.found)
	}
}

func (w *witness) answer(_ string, payload []byte, _ bool) {
	var a apiAnswer
	if json.Unmarshal(payload, &a) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if to, ok := w.waiting[a.Origin.RequestID]; ok {
		delete(w.waiting, a.Origin.RequestID)
		to <- a
	}
}

// call asks the Z-Wave gateway's API.
func (w *witness) call(ctx context.Context, name string, args ...any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := w.bus.AwaitConnected(ctx); err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	select {
	case <-w.found:
	case <-ctx.Done():
		return nil, fmt.Errorf("finding the Z-Wave gateway: %w", ctx.Err())
	}
	var b [8]byte
	_, _ = rand.Read(b[:])
	id := hex.EncodeToString(b[:])
	got := make(chan apiAnswer, 1)
	w.mu.Lock()
	w.waiting[id] = got
	topic := w.api + name + "/set"
	w.mu.Unlock()
	if args == nil {
		args = []any{}
	}
	payload, err := json.Marshal(map[string]any{"args": args, "requestId": id})
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", name, err)
	}
	if err := w.bus.Publish(ctx, topic, payload); err != nil {
		return nil, fmt.Errorf("asking %s: %w", name, err)
	}
	select {
	case a := <-got:
		if !a.Success {
			return nil, fmt.Errorf("%s was refused: %s", name, a.Message)
		}
		return a.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for %s: %w", name, ctx.Err())
	}
}

// nodes lists the devices by area and name, without the broadcast pseudo-node.
func (w *witness) nodes(ctx context.Context) ([]seenNode, error) {
	result, err := w.call(ctx, "getNodes")
	if err != nil {
		return nil, err
	}
	var all []seenNode
	if err := json.Unmarshal(result, &all); err != nil {
		return nil, fmt.Errorf("reading getNodes: %w", err)
	}
	all = slices.DeleteFunc(all, func(n seenNode) bool { return n.Virtual || n.Name == "" })
	slices.SortFunc(all, func(a, b seenNode) int { return strings.Compare(a.Loc+"/"+a.Name, b.Loc+"/"+b.Name) })
	return all, nil
}

// read makes the device report a value and returns it.
func (w *witness) read(ctx context.Context, node, key string) (any, error) {
	all, err := w.nodes(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		v, ok := n.Values[key]
		if n.Name != node || !ok {
			continue
		}
		id := map[string]any{"nodeId": n.ID, "commandClass": v.CommandClass, "endpoint": v.Endpoint, "property": v.Property}
		if v.PropertyKey != nil {
			id["propertyKey"] = v.PropertyKey
		}
		result, err := w.call(ctx, "pollValue", id)
		if err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(result, &value); err != nil {
			return nil, fmt.Errorf("reading the answer of pollValue: %w", err)
		}
		return value, nil
	}
	return nil, fmt.Errorf("no node %q with the value %s in the house", node, key)
}
