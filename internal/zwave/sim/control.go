package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/zwave/wire"
)

// Pause is a time in a fault, spelled "2s" or in seconds.
type Pause time.Duration

// maxPause is the longest time that makes sense in a fault.
const maxPause = Pause(24 * time.Hour)

// UnmarshalJSON reads "1m30s" or a number of seconds, up to a day.
func (p *Pause) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("reading a pause: %w", err)
	}
	switch v := v.(type) {
	case nil:
		*p = 0
		return nil
	case float64:
		if v < 0 || v > maxPause.seconds() {
			return fmt.Errorf("the pause is %v seconds; use 0 to a day", v)
		}
		*p = Pause(v * float64(time.Second))
		return nil
	case string:
		d, err := time.ParseDuration(v)
		if err != nil || d < 0 || Pause(d) > maxPause {
			return fmt.Errorf("the pause is %q; use a time such as \"2s\", up to a day", v)
		}
		*p = Pause(d)
		return nil
	default:
		return errors.New(`a pause is a time such as "2s", or a number of seconds`)
	}
}

func (p Pause) seconds() float64 { return time.Duration(p).Seconds() }

// ControlTopic returns the topic on which faults of the simulated gateway are
// requested. The answer comes on the same topic without "/set": {"ok":true} or
// {"ok":false,"error":…}.
func (c Config) ControlTopic() string {
	return c.Prefix + "/_SIM/" + wire.GatewayLevel(c.Gateway) + "/fault/set"
}

// ParseFault reads the payload of the control topic.
func ParseFault(payload []byte) (Fault, error) {
	var f Fault
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return Fault{}, fmt.Errorf("reading a fault: %w", err)
	}
	if d.More() {
		return Fault{}, errors.New("reading a fault: there is more than one JSON object")
	}
	if f.Op == "" {
		return Fault{}, errors.New(`a fault needs its operation, such as {"op":"dead","node":"Kitchen Light"}`)
	}
	if f.Count < 0 {
		return Fault{}, fmt.Errorf("the count is %d; use 1 or more", f.Count)
	}
	return f, nil
}

// parseNode reads one node in the form of house files.
func parseNode(text string) (NodeSpec, error) {
	var spec NodeSpec
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&spec); err != nil && !errors.Is(err, io.EOF) {
		return NodeSpec{}, fmt.Errorf("reading the node to join: %w", err)
	}
	return spec, nil
}

// controlMessage takes a message of the control topic.
func (s *Sim) controlMessage(payload []byte) {
	f, err := ParseFault(payload)
	if err == nil {
		err = s.apply(f)
	}
	out := map[string]any{"ok": err == nil, "op": f.Op}
	if err != nil {
		out["error"] = err.Error()
	}
	s.mqtt.send(strings.TrimSuffix(s.cfg.ControlTopic(), "/set"), body(out))
}

// Fault makes something go wrong or happen, as the control topic does. Run must
// be running.
func (s *Sim) Fault(ctx context.Context, f Fault) error {
	var err error
	if asked := s.ask(ctx, func() { err = s.apply(f) }); asked != nil {
		return asked
	}
	return err
}

// ask runs do in the simulator's goroutine and waits for it.
func (s *Sim) ask(ctx context.Context, do func()) error {
	done := make(chan struct{})
	s.enqueue(func() {
		defer close(done)
		do()
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("asking the simulated house: %w", ctx.Err())
	}
}

// Facts returns the real state of a device, whatever the gateway claims, by value
// id without node: "37-0-currentValue".
func (s *Sim) Facts(ctx context.Context, device string) (map[string]any, error) {
	var facts map[string]any
	err := s.ask(ctx, func() {
		n := s.net.find(device)
		if n == nil {
			return
		}
		facts = map[string]any{}
		for _, v := range n.values {
			n.settle(v)
			facts[v.id.String()] = v.fact
		}
	})
	if err == nil && facts == nil {
		err = fmt.Errorf("the simulated house has no device %q", device)
	}
	return facts, err
}
