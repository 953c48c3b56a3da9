//go:build soak && accept

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// TestSoakFrameTimes prints how long a typed command takes to its frame at Home Assistant, in all
// and above the same sentence in a rehearsal, which is understood and planned and nothing more;
// how long the reply takes from the state that shows it done; and how long a question takes,
// which sends nothing. The programs are the real ones, Home Assistant is scripted. By hand, on a
// quiet machine, a minute: it fails only if something is not done.
func TestSoakFrameTimes(t *testing.T) {
	house, server := newHomeAssistant(t, false)
	rooms := []string{"Kitchen", "Hall", "Study", "Attic", "Cellar", "Nursery"}
	things := []string{"Floor Lamp", "Reading Light", "Desk Lamp", "Night Light", "Heater Fan", "Radio Plug"}
	var names []string
	for i, room := range rooms {
		for j, thing := range things {
			name := room + " " + thing
			names = append(names, name)
			house.Add(fmt.Sprintf("light.n%d_%d", i, j), fake.Thing{State: "off", Area: "hall", Attributes: map[string]any{"friendly_name": name, "supported_color_modes": []any{"brightness"}}})
		}
	}
	var mu sync.Mutex
	var arrived, shown time.Time
	house.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
		now := time.Now()
		state := map[string]string{"light.turn_on": "on", "light.turn_off": "off"}[c.Service]
		mu.Lock()
		arrived = now
		mu.Unlock()
		<-time.After(20 * milli) // the lamp
		mu.Lock()
		shown = time.Now()
		mu.Unlock()
		house.Set(c.Entity, state, nil, c.Context)
		return nil
	}
	file, config := filepath.Join(t.TempDir(), "token"), filepath.Join(t.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf("mcp: {servers: {zwave: null, homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: %q, HASS_TOKEN_FILE: %q}}}}\n", server.URL, file)
	for name, text := range map[string]string{file: rightToken, config: text} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, address, _ := daemonWith(t, []string{"--config", config}, mosquitto(t), "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir())
	eventually(t, "the lamps are known", func() bool {
		var told home.Snapshot
		return get(t, address, "/api/home", &told) == nil && slices.ContainsFunc(told.Entities, func(e home.EntityState) bool { return e.Name == names[len(names)-1] })
	})
	say := func(text string, dry bool) (began, ended time.Time) {
		t.Helper()
		var r record.Record
		began = time.Now()
		if err := rig.SendJSON(t.Context(), http.MethodPost, "http://"+address+"/api/ask", map[string]any{"text": text, "dry_run": dry}, &r); err != nil {
			t.Fatal(err)
		}
		ended = time.Now()
		if r.Outcome != record.Done && !dry {
			t.Fatalf("%q: %s, %q", text, r.Outcome, r.Reply)
		}
		return began, ended
	}
	var frames, above, replies, questions []time.Duration
	const rounds = 4
	for i := range rounds * len(names) {
		name := names[i%len(names)]
		order := fmt.Sprintf("turn %s the %s", []string{"on", "off"}[i/len(names)%2], name)
		began, ended := say(order, true)
		rehearsal := ended.Sub(began)
		began, ended = say(order, false)
		mu.Lock()
		frame, reply := arrived.Sub(began), ended.Sub(shown)
		mu.Unlock()
		frames, above, replies = append(frames, frame), append(above, frame-rehearsal), append(replies, reply)
		calls := len(house.Calls())
		began, ended = say(fmt.Sprintf("is the %s on", name), false)
		questions = append(questions, ended.Sub(began))
		if got := len(house.Calls()); got != calls {
			t.Errorf("a question has called %d services", got-calls)
		}
		<-time.After(1100 * milli) // sixty commands a minute are taken from one source
	}
	load, _ := os.ReadFile("/proc/loadavg")
	for name, all := range map[string][]time.Duration{"text to frame": frames, "above the rehearsal": above, "state to reply": replies, "a question": questions} {
		t.Logf("%s: median %s, p95 %s, slowest %s of %d", name, quantile(all, 0.5), quantile(all, 0.95), quantile(all, 1), len(all))
	}
	t.Logf("load %s", load)
}
