//go:build soak && accept

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
)

// mishap is one way in which a command can fail behind Home Assistant.
type mishap struct {
	what    string
	thing   string // the entity that is meant
	verb    verb
	service func(p *played, c fake.ServiceCall) *fake.ServiceError // what Home Assistant does; nil: nothing happens, and it says that all is well
	before  func(p *played, id string)                             // just before the sentence
	after   func(p *played, id string)                             // when the reply has come
	may     []record.Outcome                                       // how the turn may end
	belied  bool                                                   // the turn is corrected afterwards
	unseen  bool                                                   // nothing may be called
}

// verb is what is asked for: the words in each language, and the state that it means.
type verb struct {
	said  map[string]string
	state string
}

var (
	turnOn  = verb{inBoth("turn on the %s", "schalte %s ein"), "on"}
	lockIt  = verb{inBoth("lock the %s", "schließe %s ab"), "locked"}
	refusal = &fake.ServiceError{Code: "home_assistant_error", Message: "The device said no."}
)

// afterwards waits as long as a device takes.
func afterwards(d time.Duration) { <-time.After(d) }

// playStates makes a service that shows states, each after a while.
func playStates(err *fake.ServiceError, states ...any) func(*played, fake.ServiceCall) *fake.ServiceError {
	return func(p *played, c fake.ServiceCall) *fake.ServiceError {
		for i := 0; i+1 < len(states); i += 2 {
			d, _ := states[i].(time.Duration)
			state, _ := states[i+1].(string)
			afterwards(d)
			p.home.Set(c.Entity, state, nil, c.Context)
		}
		return err
	}
}

const milli = time.Millisecond

// mishaps are tried in this order; the last ones leave nothing that works.
func mishaps() []mishap {
	failed, notDone := []record.Outcome{record.Failed}, []record.Outcome{record.Failed, record.Asked, record.Ignored}
	return []mishap{
		{what: "nothing goes wrong", thing: "switch.kettle", verb: turnOn, service: playStates(nil, 60*milli, "on"), may: []record.Outcome{record.Done}},
		{what: "unavailable", thing: "switch.pump", verb: turnOn, may: failed},
		{what: "missing: gone a moment ago", thing: "switch.toaster", verb: turnOn, may: notDone, before: func(p *played, id string) { p.home.Remove(id) }},
		{what: "refused in time", thing: "switch.fountain", verb: turnOn, service: playStates(refusal), may: failed},
		{what: "refused after 3 s", thing: "switch.radio", verb: turnOn, service: func(*played, fake.ServiceCall) *fake.ServiceError { afterwards(3 * time.Second); return refusal }, may: failed},
		{what: "says yes, does nothing", thing: "switch.heater", verb: turnOn, service: playStates(nil), may: failed},
		{what: "takes 8 s", thing: "switch.printer", verb: turnOn, service: playStates(nil, 8*time.Second, "on"), may: []record.Outcome{record.Accepted}},
		{what: "only guesses its state", thing: "switch.shutter", verb: turnOn, service: playStates(nil, 60*milli, "on"), may: []record.Outcome{record.Accepted}},
		{what: "lit at once, dark again 0.7 s later, then refused", thing: "light.reading", verb: turnOn, service: playStates(refusal, 40*milli, "on", 700*milli, "off"), may: []record.Outcome{record.Done}, belied: true},
		{what: "lit at once, dark again 40 ms later", thing: "light.desk", verb: turnOn, service: playStates(nil, 40*milli, "on", 40*milli, "off"), may: []record.Outcome{record.Done, record.Failed}, belied: true},
		{what: "a lock that jams", thing: "lock.cellar", verb: lockIt, service: playStates(nil, 300*milli, "locking", 700*milli, "jammed"), may: failed},
		{what: "a lock that shows it before the bolt has failed", thing: "lock.back", verb: lockIt, service: playStates(refusal, 40*milli, "locked", time.Second, "unlocked"), may: failed},
		{what: "not shown any more for a tenth of a second", thing: "switch.secret", verb: turnOn, service: playStates(nil, 60*milli, "on"), may: notDone, unseen: true, before: func(p *played, id string) { p.home.Hide(id, true); afterwards(100 * milli) }},
		{what: "never shown", thing: "switch.hidden", verb: turnOn, service: playStates(nil, 60*milli, "on"), may: notDone, unseen: true},
		{what: "renamed while it is said", thing: "switch.coffee", verb: turnOn, service: playStates(nil, 60*milli, "on"), may: []record.Outcome{record.Done, record.Failed, record.Asked}, before: func(p *played, id string) {
			p.home.Set(id, "off", map[string]any{"friendly_name": "Espresso"}, nil)
		}},
		{
			what: "Home Assistant restarts in the middle, and it was not done", thing: "switch.kettle", verb: turnOn, may: failed,
			before:  func(p *played, id string) { p.home.Set(id, "off", nil, nil) },
			service: func(p *played, _ fake.ServiceCall) *fake.ServiceError { p.home.Drop(); return nil },
		},
		{
			what: "Home Assistant restarts in the middle, and it was done", thing: "switch.lamp", verb: turnOn, may: []record.Outcome{record.Done},
			service: func(p *played, c fake.ServiceCall) *fake.ServiceError {
				p.home.Drop()
				p.home.Set(c.Entity, "on", nil, nil)
				return nil
			},
		},
		{
			what: "the connection is half open", thing: "switch.kettle", verb: turnOn, may: failed,
			before: func(p *played, _ string) { p.awaitReach(true); p.home.Silence(true) },
			after:  func(p *played, _ string) { p.home.Silence(false); p.home.Drop(); p.awaitReach(true) },
		},
		{what: "the token is revoked", thing: "switch.kettle", verb: turnOn, may: failed, before: func(p *played, _ string) { p.home.Take("another") }},
	}
}

// appliances are what the things of the mishaps are called.
var appliances = map[string]map[string]string{
	"switch.kettle": inBoth("kettle", "Wasserkocher"), "switch.pump": inBoth("pump", "Pumpe"), "switch.toaster": inBoth("toaster", "Toaster"),
	"switch.fountain": inBoth("fountain", "Springbrunnen"), "switch.radio": inBoth("radio", "Radio"), "switch.heater": inBoth("mangle", "Mangel"),
	"switch.printer": inBoth("printer", "Drucker"), "switch.shutter": inBoth("projector", "Beamer"), "light.reading": inBoth("reading lamp", "Leselampe"),
	"light.desk": inBoth("desk lamp", "Schreibtischlampe"), "lock.cellar": inBoth("cellar door", "Kellertür"), "lock.back": inBoth("back door", "Hintertür"),
	"switch.secret": inBoth("aquarium", "Aquarium"), "switch.hidden": inBoth("safe", "Tresor"), "switch.coffee": inBoth("coffee machine", "Kaffeemaschine"),
	"switch.lamp": inBoth("lantern", "Laterne"),
}

// articles are those of the German names, as the thing that something is done to.
var articles = map[string]string{
	"Wasserkocher": "den", "Pumpe": "die", "Toaster": "den", "Springbrunnen": "den", "Radio": "das", "Mangel": "die", "Drucker": "den", "Beamer": "den",
	"Leselampe": "die", "Schreibtischlampe": "die", "Kellertür": "die", "Hintertür": "die", "Aquarium": "das", "Tresor": "den", "Kaffeemaschine": "die", "Laterne": "die",
}

// played is a gateway in one language before a scripted Home Assistant.
type played struct {
	*testing.T

	language, http string
	home           *fake.HomeAssistant
	mu             sync.Mutex
	service        func(*played, fake.ServiceCall) *fake.ServiceError
}

// startPlayed starts it with these things.
func startPlayed(t *testing.T, language string, things map[string]fake.Thing) *played {
	t.Helper()
	p := &played{T: t, language: language, home: fake.NewHomeAssistant(things)}
	p.home.OnCall = func(c fake.ServiceCall) *fake.ServiceError {
		p.mu.Lock()
		do := p.service
		p.mu.Unlock()
		if do == nil {
			return nil
		}
		return do(p, c)
	}
	config := filepath.Join(t.TempDir(), "voice-gateway.yaml")
	text := fmt.Sprintf("mcp:\n  servers:\n    zwave: null\n    homeassistant: {command: home-assistant-mcp-server, env: {HASS_URL: %q, HASS_TOKEN: %q}}\n", p.home.Listen(t), fake.HomeAssistantToken)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, p.http, _ = daemonWith(t, []string{"--config", config}, mosquitto(t), "VOICE_GATEWAY_GATEWAY_STATE_DIR="+t.TempDir(), "VOICE_GATEWAY_GATEWAY_LANGUAGE="+language)
	return p
}

// appliancesIn are the things of the mishaps, named in a language.
func appliancesIn(language string) map[string]fake.Thing {
	things := map[string]fake.Thing{}
	for id, name := range appliances {
		domain, _, _ := strings.Cut(id, ".")
		thing := fake.Thing{State: "off", Area: "kitchen", Attributes: map[string]any{"friendly_name": name[language]}}
		switch domain {
		case "light":
			thing.Attributes["supported_color_modes"] = []any{"onoff"}
		case "lock":
			thing.State = "unlocked"
		}
		things[id] = thing
	}
	change := func(id string, do func(*fake.Thing)) {
		thing := things[id]
		do(&thing)
		things[id] = thing
	}
	change("switch.pump", func(t *fake.Thing) { t.State = "unavailable" })
	change("switch.hidden", func(t *fake.Thing) { t.Hidden = true })
	change("switch.shutter", func(t *fake.Thing) { t.Attributes["assumed_state"] = true })
	return things
}

// awaitReach waits until the gateway can reach the kettle.
func (p *played) awaitReach(can bool) {
	p.Helper()
	eventually(p, "the kettle can be reached", func() bool {
		var house home.Snapshot
		return get(p, p.http, "/api/home", &house) == nil && slices.ContainsFunc(house.Entities, func(e home.EntityState) bool {
			return e.ID == "switch.kettle" && e.Reachable != nil && *e.Reachable == can
		})
	})
}

// say asks the gateway.
func (p *played) say(text string) (r record.Record) {
	p.Helper()
	if err := rig.SendJSON(p.Context(), http.MethodPost, "http://"+p.http+"/api/ask", map[string]string{"text": text}, &r); err != nil {
		p.Fatalf("%s: %v", text, err)
	}
	return r
}

// try lets one mishap happen and writes it down.
func (p *played) try(m mishap) (line string) {
	p.Helper()
	p.mu.Lock()
	p.service = m.service
	p.mu.Unlock()
	called := len(p.home.Calls())
	if m.before != nil {
		m.before(p, m.thing)
	}
	name := appliances[m.thing][p.language]
	if p.language == "de" {
		name = articles[name] + " " + name
	}
	text := fmt.Sprintf(m.verb.said[p.language], name)
	began := time.Now()
	r := p.say(text)
	took, so := time.Since(began), p.home.State(m.thing) == m.verb.state
	told := fmt.Sprintf("%s: “%s”", r.Outcome, r.Reply)
	if r.Outcome == record.Done && m.belied {
		r = p.awaitCorrection(r)
		told += fmt.Sprintf("; a moment later the turn is %s: “%s”", r.Outcome, r.Error)
	} else if r.Outcome == record.Done && !so {
		p.Errorf("%s: it says that %q is done, and it is %s", m.what, text, p.home.State(m.thing))
	}
	if first, _, _ := strings.Cut(told, ":"); !slices.Contains(m.may, record.Outcome(first)) {
		p.Errorf("%s: %q ends as %s, want one of %v", m.what, text, told, m.may)
	}
	for _, c := range p.home.Calls()[called:] {
		if m.unseen || c.Entity != m.thing {
			p.Errorf("%s: %q called %s for %s", m.what, text, c.Service, c.Entity)
		}
	}
	if r.Outcome == record.Asked {
		p.say(map[string]string{"en": "no", "de": "nein"}[p.language])
	}
	if m.after != nil {
		m.after(p, m.thing)
	}
	p.Logf("%s: %q: %s [%s] after %v", m.what, text, told, receiptsOf(r), took)
	return fmt.Sprintf("%s (%.1f s) | %s", told, took.Seconds(), receiptsOf(r))
}

// awaitCorrection waits until a turn that was told as done is corrected.
func (p *played) awaitCorrection(told record.Record) (r record.Record) {
	p.Helper()
	eventually(p, "what was told as done is corrected", func() bool {
		var turns []record.Record
		if get(p, p.http, "/api/turns", &turns) != nil {
			return false
		}
		i := slices.IndexFunc(turns, func(t record.Record) bool { return t.ID == told.ID })
		if i >= 0 {
			r = turns[i]
		}
		return i >= 0 && r.Outcome == record.Failed
	})
	return r
}

// TestSoakFailuresBehindHomeAssistant lets each thing that can go wrong behind Home Assistant
// go wrong, in two languages, and writes down what is said. Nothing that is not so is told as
// done and left so, and nothing is done to what is not shown. By hand, two minutes; -facts
// writes the table into docs/facts/assist.md.
func TestSoakFailuresBehindHomeAssistant(t *testing.T) {
	lines := map[string][]string{}
	var mu sync.Mutex
	t.Run("languages", func(t *testing.T) {
		for _, language := range []string{"en", "de"} {
			t.Run(language, func(t *testing.T) {
				t.Parallel()
				p := startPlayed(t, language, appliancesIn(language))
				p.awaitReach(true)
				var told []string
				for _, m := range mishaps() {
					told = append(told, p.try(m))
				}
				mu.Lock()
				lines[language] = told
				mu.Unlock()
			})
		}
	})
	var b strings.Builder
	b.WriteString("| what happens | English: outcome, what is said, after | receipt | German | receipt |\n|---|---|---|---|---|\n")
	for i, m := range mishaps() {
		if i < len(lines["en"]) && i < len(lines["de"]) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", m.what, lines["en"][i], lines["de"][i])
		}
	}
	b.WriteString("\n" + tryCrowd(t) + "\n")
	t.Logf("\n%s", b.String())
	if *writeFacts && !t.Failed() {
		writeBetween(t, filepath.Join("..", "..", "docs", "facts", "assist.md"), "failures", b.String())
	}
}

// tryCrowd has a house of 10,000 entities, of which 2,000 are shown, change 300 times a second,
// and says how commands fare meanwhile.
func tryCrowd(t *testing.T) string {
	t.Helper()
	things := appliancesIn("en")
	for i := range 10_000 {
		things[fmt.Sprintf("light.lamp_%d", i)] = fake.Thing{
			State: "off", Hidden: i >= 2000, Area: "kitchen",
			Attributes: map[string]any{"friendly_name": fmt.Sprintf("Lamp %d", i), "supported_color_modes": []any{"onoff"}},
		}
	}
	p := startPlayed(t, "en", things)
	eventually(t, "the last of the lamps is known", func() bool {
		var house home.Snapshot
		return get(t, p.http, "/api/home", &house) == nil && slices.ContainsFunc(house.Entities, func(e home.EntityState) bool { return e.ID == "light.lamp_1999" })
	})
	p.service = playStates(nil, 50*milli, "on")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	changed := 0
	wg.Go(func() {
		tick := time.NewTicker(time.Second / 100)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			for range 3 {
				p.home.Set(fmt.Sprintf("light.lamp_%d", 100+changed%9000), []string{"on", "off"}[changed/9000%2], nil, nil)
				changed++
			}
		}
	})
	began := time.Now()
	var took []time.Duration
	for i := range 20 {
		began := time.Now()
		r := p.say(fmt.Sprintf("turn on lamp %d", i))
		took = append(took, time.Since(began))
		if id := fmt.Sprintf("light.lamp_%d", i); r.Outcome != record.Done || p.home.State(id) != "on" {
			t.Errorf("in the crowd, lamp %d: %s, %q; it is %s", i, r.Outcome, r.Reply, p.home.State(id))
		}
	}
	rate := time.Since(began)
	cancel()
	wg.Wait()
	for _, c := range p.home.Calls() {
		if !strings.HasPrefix(c.Entity, "light.lamp_") || len(c.Entity) > len("light.lamp_00") {
			t.Errorf("in the crowd it called %s for %s", c.Service, c.Entity)
		}
	}
	return fmt.Sprintf("Among 10,000 entities, of which 2,000 are shown, at %.0f changes a second: 20 commands, each done by a lamp that takes 50 ms; text to reply: median %s, slowest %s.",
		float64(changed)/rate.Seconds(), quantile(took, 0.5), quantile(took, 1))
}
