//go:build accept

package page

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"voicegateway/internal/doors"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// appliances is a house with what Home Assistant brings. It notes each act and confirms it.
type appliances struct {
	manyTurnsView

	mu   sync.Mutex
	acts []string
}

// Home lists one thing of each kind.
func (*appliances) Home(context.Context) (home.Snapshot, error) {
	var house home.Snapshot
	add := func(name, domain string, state any, values, attributes map[string]any, abilities ...home.Ability) {
		house.Entities = append(house.Entities, home.EntityState{
			Entity: home.Entity{
				ID: strings.ToLower(strings.ReplaceAll(name, " ", "-")), Name: name, Domain: domain, Area: "Living Room", Attributes: attributes,
				Abilities: abilities, Control: &home.Control{Tool: "control_home_device", ID: name},
			},
			State: state, Values: values,
		})
	}
	list := func(words ...any) []any { return words }
	add("Speaker", "media_player", "playing", map[string]any{"volume": 30.0, "mute": false, "source": "Radio", "media_title": "So What", "media_artist": "Miles Davis"},
		map[string]any{"sources": list("Radio", "Bluetooth")}, "on_off", "play", "skip", "volume", "mute", "source")
	add("Robot", "vacuum", "docked", map[string]any{"battery": 96.0}, nil, "start", "pause", "stop", "dock")
	add("Mower", "lawn_mower", "mowing", nil, nil, "start", "pause", "dock")
	add("Humidifier", "humidifier", "on", map[string]any{"humidity": 41.0, "target_humidity": 50.0, "mode": "eco"}, map[string]any{"modes": list("eco", "boost")}, "on_off", "target_humidity", "mode")
	add("Tower Fan", "fan", "on", map[string]any{"speed": 40.0, "preset": "breeze"}, map[string]any{"presets": list("breeze", "sleep")}, "on_off", "speed", "preset")
	add("Boiler", "water_heater", "eco", map[string]any{"temperature": 48.0, "setpoint": 55.0, "unit": "°C"}, map[string]any{"min": 40.0, "max": 65.0, "unit": "°C"}, "on_off", "setpoint", "temperature")
	add("Movie Night", "scene", nil, nil, nil, "on_off")
	add("Good Night", "script", "off", nil, nil, "on_off")
	add("Shopping", "todo", 3.0, nil, nil, "list")
	return house, nil
}

// Control notes an act, and confirms it as Home Assistant would.
func (a *appliances) Control(_ context.Context, r doors.ControlRequest) (record.Record, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	act := r.Thing + " " + r.Do
	if r.Value != nil {
		act += fmt.Sprintf(" %v", r.Value)
	}
	if r.Confirmed {
		act += " confirmed"
	}
	a.acts = append(a.acts, act)
	properties := map[string]struct {
		property string
		value    any
	}{
		"play": {"play", "playing"}, "pause": {"play", "paused"}, "mute": {"mute", true}, "next": {"skip", nil}, "start": {"start", "cleaning"}, "dock": {"start", "returning"},
		"level": {"volume", r.Value}, "humidity": {"target_humidity", r.Value}, "on": {"on_off", "on"}, "off": {"on_off", "off"},
	}
	was, known := properties[r.Do]
	if !known {
		was.property, was.value = r.Do, r.Value
	}
	if r.Thing == "mower" && r.Do == "pause" {
		was.property = "start"
	}
	receipt := &record.Receipt{Device: r.Thing, Property: was.property, Value: was.value, Outcome: tools.Confirmed}
	return record.Record{
		ID: "t", Control: &record.Control{Thing: r.Thing, Name: r.Thing, Do: r.Do},
		Verdict: record.Verdict{Outcome: record.Done, Reply: "Done.", Calls: []record.CallMade{{OK: true, Receipt: receipt}}},
	}, nil
}

// last is the newest act.
func (a *appliances) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.acts) == 0 {
		return ""
	}
	return a.acts[len(a.acts)-1]
}

// TestAcceptPageOfAppliances: players, robots, fans with presets, humidifiers, water heaters,
// scenes, scripts and lists have tiles that say how they are, and act.
func TestAcceptPageOfAppliances(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	house := &appliances{}
	parts := doors.Parts{Health: house, Turns: house, Home: house, Controller: house}
	p := loaded(t, ctx, servePage(t, "en", parts).url+"/")
	for name, said := range map[string]string{
		"Speaker": "playing · So What – Miles Davis", "Robot": "docked · battery 96 %", "Mower": "mowing", "Humidifier": "on · 41 % · set to 50 %",
		"Tower Fan": "on · 40 %", "Boiler": "eco · 48° · set to 55°", "Movie Night": "Run", "Good Night": "Run", "Shopping": "3 to do",
	} {
		p.eventually(name+" is shown", stateOf(name)+` === `+quoted(said))
	}
	p.picture("appliances")
	choose := func(label, word string) func() {
		return func() {
			t.Helper()
			p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const e = document.querySelector('[aria-label=%s]'); e.value = %s; e.dispatchEvent(new Event("change")); } undefined`, quoted(label), quoted(word))))
		}
	}
	named := func(name string) func() { return func() { t.Helper(); p.click(`[aria-label="` + name + `"]`) } }
	for _, act := range []struct {
		do         func()
		asks       string // what the gateway is asked for
		name, said string // then
	}{
		{named("Speaker: pause"), "speaker pause", "Speaker", "paused"},
		{named("Speaker: play"), "speaker play", "Speaker", "playing"},
		{func() { p.press("Speaker", ".face") }, "speaker pause", "Speaker", "paused"},
		{named("Speaker: next"), "speaker next", "Speaker", "paused"},
		{named("Speaker: mute"), "speaker mute", "Speaker", "paused"},
		{choose("Volume of Speaker", "45"), "speaker level 45", "Speaker", "paused"},
		{choose("Volume of Speaker", "0"), "speaker level 0", "Speaker", "paused"},
		{choose("Source of Speaker", "Bluetooth"), "speaker source Bluetooth", "Speaker", "paused"},
		{named("Robot: start"), "robot start", "Robot", "cleaning"},
		{named("Robot: send home"), "robot dock", "Robot", "driving home"},
		{named("Mower: pause"), "mower pause", "Mower", "paused"},
		{choose("Humidity of Humidifier", "55"), "humidifier humidity 55", "Humidifier", "on · 41 % · set to 55 %"},
		{choose("Mode of Humidifier", "boost"), "humidifier mode boost", "Humidifier", "on"},
		{choose("Preset of Tower Fan", "sleep"), "tower-fan preset sleep", "Tower Fan", "on"},
		{named("Boiler: warmer"), "boiler setpoint 55.5", "Boiler", "eco · 48° · set to 55.5°"},
		{func() { p.press("Movie Night", ".face") }, "movie-night on", "Movie Night", "Run"}, // it was started, and is not on
	} {
		act.do()
		eventually(t, act.asks, func() bool { return house.last() == act.asks })
		p.eventually(act.asks+" is confirmed", tile(act.name)+`.dataset.proof === "confirmed" && `+stateOf(act.name)+`.startsWith(`+quoted(act.said)+`)`)
	}
	p.eventually("the speaker is muted", `document.querySelector('[aria-label="Speaker: mute"]').ariaPressed === "true"`)

	t.Log("a script is asked about")
	before := house.last()
	p.press("Good Night", ".face")
	p.eventually("it is asked", tile("Good Night")+`.querySelector(".note").textContent.startsWith("Run Good Night?")`)
	p.eventually("the answer has the focus", `document.activeElement.textContent === "Run"`)
	p.picture("appliances-asked")
	if got := house.last(); got != before {
		t.Errorf("%s was done without an answer", got)
	}
	p.press("Good Night", ".note button")
	eventually(t, "it is run", func() bool { return house.last() == "good-night on confirmed" })

	script := axeRules(t)
	p.press("Good Night", ".face")
	p.eventually("it is asked again", tile("Good Night")+`.dataset.proof === "asked"`)
	p.checkRules(script, "appliances")
	german := loaded(t, ctx, servePage(t, "de", parts).url+"/", chromedp.WithNewBrowserContext())
	german.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	german.likesDark()
	german.eventually("the house is shown", stateOf("Robot")+` === "in der Station · Akku 96 %"`)
	german.checkRules(script, "appliances in German, on a telephone in the dark")
	german.picture("appliances-german-telephone")
	if wide := value[int](german, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("the page is %d wide on a telephone of 360", wide)
	}
}
