package ai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// perByte is what the charging server takes to read a byte it has not read before: a
// small model on a small computer reads at best twenty thousand bytes in a second.
const perByte = 50 * time.Microsecond

// charging is a model's server that keeps the last prompts and counts how much of a new
// prompt it need not read, because a kept prompt begins with the same text.
type charging struct {
	keeps int // prompts

	mu     sync.Mutex
	kept   []string
	shared []int // bytes it need not read, by request
	whole  []int // bytes of the request
}

// ServeHTTP answers a completion.
func (c *charging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Messages []json.RawMessage
		Tools    json.RawMessage
	}
	if err := json.Unmarshal(body, &req); err != nil || len(req.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var prompt strings.Builder // as most templates put it: the tools after the instructions
	for i, m := range req.Messages {
		prompt.Write(m)
		if i == 0 {
			prompt.Write(req.Tools)
		}
	}
	known := c.read(prompt.String())
	wait := time.NewTimer(time.Duration(prompt.Len()-known) * perByte)
	defer wait.Stop()
	<-wait.C
	stream(w, content("Whales nap. "), finish("stop"), done)
}

// read returns how much of a prompt is known, and keeps the prompt.
func (c *charging) read(prompt string) (known int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := -1
	for i, old := range c.kept {
		if n := shared(old, prompt); n > known {
			known, at = n, i
		}
	}
	c.shared, c.whole = append(c.shared, known), append(c.whole, len(prompt))
	switch {
	case at >= 0 && known > len(prompt)/2: // it goes on with that one
		c.kept[at] = prompt
	case c.keeps > 0:
		c.kept = append(c.kept, prompt)
		c.kept = c.kept[max(0, len(c.kept)-c.keeps):]
	}
	return known
}

// family is a toolbox and a house of a family's size.
func family() (Toolbox, *home.House) {
	b := &many{}
	for i := range 14 {
		risk := tools.Read
		if i%3 == 0 {
			risk = tools.Reversible
		}
		b.specs = append(b.specs, tools.Spec{
			Name: fmt.Sprintf("tool_%c", 'a'+i), Risk: risk, Description: strings.Repeat("It does something with a device of the house. ", 6),
			Input: json.RawMessage(`{"type":"object","properties":{"device_name":{"type":"string","description":"the exact name"},"value":{"type":"number"}}}`),
		})
	}
	h := &home.House{}
	for i := range 50 {
		h.Entities = append(h.Entities, home.Entity{Name: fmt.Sprintf("Ceiling Light %d", i), Domain: "light", Area: fmt.Sprintf("Room %d", i%8), Abilities: []home.Ability{home.OnOff, home.Brightness}})
	}
	return b, h
}

// many is a toolbox of any tools.
type many struct {
	box
	specs []tools.Spec
}

// Specs lists the tools.
func (m *many) Specs() []tools.Spec { return m.specs }

// BenchmarkFirstToken is the time from a request to the first sentence over ten
// turns of both kinds, with a server that charges for what it has not read: one that
// keeps what it has read, and one that does not. The bytes are those of the last
// turn: of the whole request, and of those as in an earlier one.
func BenchmarkFirstToken(b *testing.B) {
	for name, keeps := range map[string]int{"kept": 2, "not kept": 0} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			server := &charging{}
			for b.Loop() {
				server = &charging{keeps: keeps}
				took = append(took, tenTurns(b, server)...)
			}
			last := len(server.whole) - 1
			b.ReportMetric(float64(server.whole[last])/1000, "request-kB")
			b.ReportMetric(float64(server.shared[last])/1000, "known-kB")
			fake.Spread(b, "first-sentence", took, 50, 95)
		})
	}
}

// tenTurns returns how long each turn after the first of its kind waited for its
// first sentence.
func tenTurns(b *testing.B, server http.Handler) (took []time.Duration) {
	b.Helper()
	s := httptest.NewServer(server)
	defer s.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	cfg := testConfig(s.URL + "/v1")
	m, err := NewOpenAI(cfg, "", transport)
	if err != nil {
		b.Fatal(err)
	}
	world, h := family()
	a := found(b, cfg, m, world)
	for n := range 10 {
		began := time.Now()
		p := dialogue.Prompt{Text: fmt.Sprintf("question %d about whales", n), Area: fmt.Sprintf("Room %d", n%3), House: h, MayAct: n%2 == 0}
		for part, err := range a.Reply(b.Context(), p) {
			if err != nil {
				b.Fatal(err)
			}
			if n > 1 && part.Sentence != "" {
				took = append(took, time.Since(began))
			}
		}
	}
	return took
}
