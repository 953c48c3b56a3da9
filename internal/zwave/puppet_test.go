package zwave_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"voicegateway/internal/zwave/wire"
)

// puppets plays some devices of the simulated house by hand: what the gateway is
// asked about them does not reach the simulator.
type puppets struct {
	*rig

	own   *client
	nodes map[int]puppet
	asked map[string]int // calls, by name and node
}

// puppet is one device as the gateway shows it. A function that is nil, or that
// returns nil, gives no answer.
type puppet struct {
	write func(to any) *written
	poll  func(id wire.ValueID) any
	ping  func() any
}

// written is the gateway's answer to a write; before it, the gateway says that
// the values are as claimed.
type written struct {
	status    int
	remaining int
	claims    map[string]any // by topic below the prefix
}

// puppeteer takes nodes out of the simulator's hands.
func (r *rig) puppeteer(nodes map[int]puppet) *puppets {
	r.Helper()
	p := &puppets{rig: r, own: r.mine.bus.client(r.T), nodes: nodes, asked: map[string]int{}}
	b := r.mine.bus
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.divert
	b.divert = func(topic string, payload []byte) bool {
		return p.take(topic, payload) || before != nil && before(topic, payload)
	}
	return p
}

// take answers an API call about a puppet. The bus holds its lock meanwhile.
func (p *puppets) take(topic string, payload []byte) bool {
	_, call, isCall := strings.Cut(topic, "/api/")
	api, isRequest := strings.CutSuffix(call, "/set")
	if !isCall || !isRequest || !strings.Contains(string(payload), `"vg-`) {
		return false // what another program asks is answered by the simulator
	}
	var in struct {
		Args []json.RawMessage
	}
	if json.Unmarshal(payload, &in) != nil || len(in.Args) == 0 {
		return false
	}
	var id wire.ValueID
	if json.Unmarshal(in.Args[0], &id) != nil || id.Node == 0 {
		_ = json.Unmarshal(in.Args[0], &id.Node)
	}
	it, ours := p.nodes[id.Node]
	if !ours {
		return false
	}
	p.asked[fmt.Sprint(api, " ", id.Node)]++
	base := strings.TrimSuffix(topic, "/set")
	time.AfterFunc(50*time.Millisecond, func() { p.answer(api, base, it, id, in.Args, payload) })
	return true
}

func (p *puppets) answer(api, base string, it puppet, id wire.ValueID, args []json.RawMessage, payload []byte) {
	var result any
	switch {
	case api == "writeValue" && it.write != nil:
		var to any
		_ = json.Unmarshal(args[1], &to)
		w := it.write(to)
		if w == nil {
			return
		}
		for topic, value := range w.claims {
			p.publish(topic, value)
		}
		answer := map[string]any{"status": w.status}
		if w.remaining > 0 {
			answer["remainingDuration"] = map[string]any{"value": w.remaining, "unit": "seconds"}
		}
		result = answer
	case api == "pollValue" && it.poll != nil:
		result = it.poll(id)
	case api == "pingNode" && it.ping != nil:
		result = it.ping()
	}
	if result == nil {
		return
	}
	body, _ := json.Marshal(map[string]any{"success": true, "result": result, "origin": json.RawMessage(payload)})
	_ = p.own.Publish(p.ctx, base, body)
}

// publish says of a value what the gateway would say.
func (p *puppets) publish(topic string, value any) {
	body, _ := json.Marshal(map[string]any{"time": time.Now().UnixMilli(), "value": value})
	_ = p.own.Publish(p.ctx, "zwave/"+topic, body)
}

// times returns how often the gateway was asked something about a node.
func (p *puppets) times(api string, node int) int {
	p.mine.bus.mu.Lock()
	defer p.mine.bus.mu.Unlock()
	return p.asked[fmt.Sprint(api, " ", node)]
}

// after returns a value that changes when a time has passed since it was asked
// for first.
func after(d time.Duration, before, then any) func() any {
	var began time.Time
	return func() any {
		if began.IsZero() {
			began = time.Now()
		}
		if time.Since(began) < d {
			return before
		}
		return then
	}
}
