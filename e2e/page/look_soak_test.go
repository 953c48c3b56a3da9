//go:build soak && accept

package page

import (
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// screens are those that a family has.
var screens = map[string]struct {
	wide, high int64
	options    []chromedp.EmulateViewportOption
}{
	"telephone": {390, 844, []chromedp.EmulateViewportOption{chromedp.EmulateMobile}},
	"tablet":    {820, 1180, []chromedp.EmulateViewportOption{chromedp.EmulateMobile}},
	"desktop":   {1280, 900, nil},
}

// look keeps what a person sees of a page on a screen.
func (p *tab) look(name, screen string) {
	p.t.Helper()
	s := screens[screen]
	p.do(chromedp.EmulateViewport(s.wide, s.high, s.options...), chromedp.Evaluate[chromedp.Void]("scrollTo(0, 0)"))
	p.sight("look-" + name + "-" + screen)
}

// TestSoakPageLooks makes the pictures that a person looks at, in dist/page: each kind of screen,
// and the house in each bad moment.
func TestSoakPageLooks(t *testing.T) {
	ctx, w := browser(t)
	addr := fake.FreeAddr(t)
	broker := rig.MosquittoAt(t, addr)
	rig.StartHouse(t, "mqtt://"+addr)
	g := run(t, "gateway: {id: Home, area: Kitchen}\nsafety: {dangerous: challenge}\n", "mqtt://"+addr)
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Front Door")+` === "unlocked"`)
	p.watch()
	p.press("Front Door", ".face")
	p.proves("Front Door", "confirmed", "locked")
	for _, lit := range []map[string]any{{"thing": "Mood Light", "do": "colour", "value": "orange"}, {"thing": "Bedroom Lamp", "do": "level", "value": 60}, {"thing": "Coffee Machine", "do": "on"}} {
		if err := g.post("/api/control", lit, new(any)); err != nil {
			t.Fatal(err)
		}
	}
	p.press("Mood Light", "[aria-expanded]")
	p.ask("is the front door locked", "Yes")
	p.eventually("the lamp is lit", stateOf("Bedroom Lamp")+` === "on · 60 %"`)
	for screen := range screens {
		p.look("light", screen)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-label="Guest Room"]').scrollIntoView(); undefined`))
	p.sight("look-colours")
	dark := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
	dark.likesDark()
	dark.eventually("the house is shown", stateOf("Front Door")+` === "locked"`)
	for screen := range screens {
		dark.look("dark", screen)
	}
	german := run(t, "gateway: {id: Zuhause, language: de}\n", "mqtt://"+addr)
	q := loaded(t, ctx, german.url+"/", chromedp.WithNewBrowserContext())
	q.eventually("the house is shown", stateOf("Front Door")+` === "verriegelt"`)
	for screen := range screens {
		q.look("german", screen)
	}

	t.Log("a slow node, and a challenge")
	g.fault(`{"op":"delay","node":"Hallway Light","for":"8s"}`)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.press("Hallway Light", ".face")
	p.eventually("it is pending", tile("Hallway Light")+`.dataset.proof === "pending"`)
	p.do(chromedp.Evaluate[chromedp.Void](tile("Hallway Light") + `.scrollIntoView(); undefined`))
	p.sight("look-slow-telephone")
	p.turnTo("talk")
	p.types("#ask-text", "unlock the front door"+kb.Enter)
	p.eventually("it answers", `document.getElementById("pending").hidden`)
	p.look("challenge", "telephone")
	p.look("challenge", "desktop")

	t.Log("ringing")
	g.fault(`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`)
	if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": "pasta", "seconds": 1}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#ringing li", "Attic Smoke Alarm")
	p.reads("#ringing li", "pasta")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.turnTo("house")
	for screen := range screens {
		p.look("ringing", screen)
	}
	p.click("#ringing-stop")

	t.Log("offline, and the broker away")
	w.down.Store(true)
	w.cut()
	p.eventually("it says so", `!document.getElementById("lost").hidden`)
	p.look("offline", "telephone")
	w.down.Store(false)
	p.eventually("it is back, and nothing says otherwise", `document.getElementById("lost").hidden && document.getElementById("notice").textContent === ""`)
	broker.Stop(t, syscall.SIGTERM)
	p.eventually("it is seen that the broker is away", `/MQTT/.test(document.getElementById("level").innerText)`)
	p.look("broker-away", "telephone")
	p.turnTo("system")
	p.look("broker-away-system", "telephone")
	p.look("broker-away", "desktop")

	t.Log("empty, and large")
	empty := loaded(t, ctx, run(t, "gateway: {id: empty}\n", "").url+"/", chromedp.WithNewBrowserContext())
	large := loaded(t, ctx, newCrowd(t).url+"/", chromedp.WithNewBrowserContext())
	for screen := range screens {
		empty.look("empty", screen)
		large.look("large", screen)
	}
	if strings.Contains(empty.text("#areas"), "undefined") {
		t.Error("something is undefined")
	}
}
