//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/keep/record"
)

// TestAcceptACrowdOfCommands: a thousand asks for one lamp from twenty sources that
// each say it as fast as they can, half over HTTP and half over MQTT. Each is answered,
// the server stays healthy, and the lamp is at last as the last admitted command said;
// another lamp is reached meanwhile.
func TestAcceptACrowdOfCommands(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, http, _ := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
	began := time.Now()
	var mu sync.Mutex
	ends := map[record.Outcome]int{}
	slowest := time.Duration(0)
	var people sync.WaitGroup
	for source := range 20 {
		text := fmt.Sprintf("set the bedroom lamp to %d percent", 20+2*source)
		if source%2 == 0 {
			for i := range 50 {
				stranger.say(t, "ask", fmt.Sprintf(`{"id":"c%d-%d","text":%q}`, source, i, text))
			}
			continue
		}
		people.Go(func() {
			for range 50 {
				asked := time.Now()
				r, err := tryAsk(t, http, text)
				if err != nil || !sentence(r.Reply) {
					t.Errorf("%q: %+v, %v", text, r, err)
				}
				mu.Lock()
				ends[r.Outcome]++
				slowest = max(slowest, time.Since(asked))
				mu.Unlock()
			}
		})
	}
	people.Wait()
	told := func() (all []record.Record) {
		for _, payload := range stranger.on("voice/test/turn") {
			var r record.Record
			if err := json.Unmarshal([]byte(payload), &r); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		return all
	}
	eventually(t, "all are answered", func() bool { return len(told()) >= 1000 })
	var last string // how bright the last command made the lamp
	for _, r := range told() {
		if r.Source == record.FromMQTT {
			ends[r.Outcome]++
		}
		if r.Outcome == record.Done && len(r.Calls) > 0 && r.Calls[0].Receipt != nil {
			last = fmt.Sprintf("at %v percent", r.Calls[0].Receipt.Value)
		}
	}
	t.Logf("1000 asks in %v: %v, the slowest over HTTP %v", time.Since(began).Round(time.Millisecond), ends, slowest.Round(time.Millisecond))
	if n := ends[record.Done] + ends[record.Interrupted]; n < 100 || n > 120 {
		t.Errorf("%d commands were admitted, expected the 60 of a minute of each of the two ways", n)
	}
	healthy(t, http)
	if r := ask(t, http, "how bright is the bedroom lamp"); last == "" || !strings.Contains(r.Reply, last) {
		t.Errorf("the last command said %q: %q", last, r.Reply)
	}
}

// healthy fails the test unless the house's server is connected and its breaker closed.
func healthy(t *testing.T, http string) {
	t.Helper()
	var got struct {
		Servers []struct{ ID, Status, Breaker string }
	}
	if err := get(t, http, "/mcp/servers", &got); err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Servers {
		if s.Status != "connected" || s.Breaker != "closed" {
			t.Errorf("%+v", s)
		}
	}
	if len(got.Servers) == 0 {
		t.Error("no server is listed")
	}
}
