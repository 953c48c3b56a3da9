//go:build soak && accept

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestSoakHeardFreely says orders in words that no sentence of ours has to the microphone
// of the real programs. What the neural recogniser writes by itself is asked about and done after
// a yes. What PocketSphinx hears is never read, because it makes sentences of ours of everything.
func TestSoakHeardFreely(t *testing.T) {
	t.Parallel()
	const unsure = "would you extinguish the kitchen light."
	models := filepath.Join(fake.Models(t), "moonshine-tiny-en")
	open := func(t *testing.T, engine string) *porch {
		t.Helper()
		p := newPorch(t, "VOICE_GATEWAY_STT_ENGINES="+engine, "VOICE_GATEWAY_STT_MOONSHINE_DIR="+models)
		for range 5 { // until the recogniser knows the house
			if r := p.saysFreely(p.jarvis(), p.by("slt", "turn on the kitchen light.")); confirmed(r) {
				return p
			}
		}
		t.Fatal("a sentence of ours is not heard")
		return nil
	}
	t.Run("moonshine", func(t *testing.T) {
		t.Parallel()
		p := open(t, "moonshine")
		before := p.sent()
		r := p.saysUntilHeard(p.jarvis(), p.by("slt", unsure))
		if r.Reading == nil || r.Reading.Verdict != "ask" || r.Outcome != record.Asked || r.Reply != "Turn off the Kitchen Light?" || p.sent() != before {
			t.Fatalf("%q: heard %+v, read as %+v, %s %q, %d writes", unsure, r.Transcript, r.Reading, r.Outcome, r.Reply, p.sent()-before)
		}
		passes(t, 400*time.Millisecond) // a person takes a breath
		if r = p.saysFreely(p.by("slt", "yes please.")); !confirmed(r) || p.sent() != before+1 {
			t.Errorf("the yes: heard %+v, %s %q, %d writes", r.Transcript, r.Outcome, r.Reply, p.sent()-before)
		}
	})
	t.Run("pocketsphinx", func(t *testing.T) {
		t.Parallel()
		p := open(t, "pocketsphinx")
		before := p.sent()
		if r := p.saysFreely(p.jarvis(), p.by("slt", unsure)); r.Reading != nil || r.Outcome == record.Done || p.sent() != before {
			t.Errorf("%q: heard %+v, read as %+v, %s %q, %d writes", unsure, r.Transcript, r.Reading, r.Outcome, r.Reply, p.sent()-before)
		}
	})
}

// saysFreely lets the microphone hear sounds and returns the turn that comes of it.
func (p *porch) saysFreely(sounds ...[]int16) record.Record {
	p.t.Helper()
	before := len(p.turns())
	p.says(sounds...)
	eventually(p.t, "the turn is over", func() bool { return len(p.turns()) > before })
	eventually(p.t, "it is idle or listens", func() bool { return p.idle() || strings.HasSuffix(p.ear.states(), "listening") })
	return p.turns()[before]
}

// saysUntilHeard says it again if it is not heard: on a machine that is busy, the card loses
// sound.
func (p *porch) saysUntilHeard(sounds ...[]int16) (r record.Record) {
	p.t.Helper()
	for range 5 {
		if r = p.saysFreely(sounds...); r.Reading != nil {
			break
		}
	}
	return r
}

// sent is how often something was written to a device.
func (p *porch) sent() (n int) {
	p.house.mu.Lock()
	defer p.house.mu.Unlock()
	for topic, all := range p.house.heard {
		if strings.HasSuffix(topic, "/writeValue/set") {
			n += len(all)
		}
	}
	return n
}
