package zwave_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/zwave"
	"voicegateway/internal/zwave/sim"
)

// interviewed is a house in which the gateway still interviews one node; known says
// whether it knows some values already.
func interviewed(t *testing.T, node int, known bool) *rig {
	t.Helper()
	ctx := t.Context()
	hold := func(b *bus, own *client) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.divert = func(topic string, payload []byte) bool {
			if !strings.HasSuffix(topic, "/api/getNodes") || strings.Contains(string(payload), `"held"`) {
				return false
			}
			var in map[string]any
			if json.Unmarshal(payload, &in) != nil {
				return false
			}
			nodes, _ := in["result"].([]any)
			for _, n := range nodes {
				n, _ := n.(map[string]any)
				if n["id"] != float64(node) {
					continue
				}
				n["ready"], n["interviewStage"], n["status"] = false, "NodeInfo", "Alive"
				if !known {
					n["values"] = map[string]any{}
				}
			}
			in["held"] = true
			body, _ := json.Marshal(in)
			time.AfterFunc(time.Millisecond, func() { _ = own.Publish(ctx, topic, body) })
			return true
		}
	}
	return startOn(t, hold, func(c *zwave.Config, s *sim.Config) { c.Patience, s.Scale = zwave.DefaultConfig().Patience, 1 })
}

// TestAnInterviewIsNotTheStick commands a device that the gateway is still asking what it
// can do, whatever it and its neighbours answer meanwhile: the device is not ready yet,
// and neither the stick nor the power of a device is to blame.
func TestAnInterviewIsNotTheStick(t *testing.T) {
	t.Parallel()
	const light, neighbours = 2, 40
	atOnce := puppet{ping: func() any { return false }, write: func(any) *written { return &written{status: 2} }}
	fine := puppet{ping: func() any { return true }, write: func(any) *written { return &written{status: 255} }}
	tests := map[string]struct {
		itself, others *puppet
		known          bool
	}{
		"it answers a ping":                        {&fine, nil, false},
		"it is refused at once":                    {&atOnce, nil, false},
		"it never answers":                         {&puppet{}, nil, false},
		"nobody answers, the radio is busy":        {&puppet{}, &puppet{}, false},
		"some values are known, refused at once":   {&atOnce, nil, true},
		"some values are known, no answer":         {&puppet{}, nil, true},
		"some values are known, nobody answers":    {&puppet{}, &puppet{}, true},
		"refused at once, and nobody else answers": {&atOnce, &puppet{}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := interviewed(t, light, test.known)
				nodes := map[int]puppet{light: *test.itself}
				for id := 3; test.others != nil && id < neighbours; id++ {
					nodes[id] = *test.others
				}
				r.puppeteer(nodes)
				got, _ := r.control("Kitchen Light", "on", nil)
				if got.Outcome != "no_answer" || got.Reason != "not_ready" || strings.Contains(strings.ToLower(got.Message), "stick") {
					t.Errorf("the receipt is %+v, expected that the device is not ready yet", got)
				}
				if waiting, message := r.health(); waiting == "stick" || strings.Contains(message, "stick") {
					t.Errorf("the health is %s, %q; the stick is fine", waiting, message)
				}
				if state := r.state("Kitchen Light"); !test.known && state.Reason != "not_ready" {
					t.Errorf("the state is %+v, expected not_ready", state)
				}
			})
		})
	}
}

// TestSilenceIsNotTheStick commands a device of a network in which no device answers
// for a while: without a stick, every write would be refused at once.
func TestSilenceIsNotTheStick(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		nodes := map[int]puppet{}
		for id := 2; id < 40; id++ {
			nodes[id] = puppet{}
		}
		r.puppeteer(nodes)
		got, _ := r.control("Kitchen Light", "on", nil)
		if got.Outcome != "no_answer" || got.Reason != "silent" {
			t.Errorf("the receipt is %+v, expected that it was silent", got)
		}
	})
}
