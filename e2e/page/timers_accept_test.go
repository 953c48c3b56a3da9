//go:build accept

package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAcceptPageOfTimers: each timer by its own words, with a ring and seconds that run, or with
// its time of day; what rings is a band at the top, with one button that ends all of it.
func TestAcceptPageOfTimers(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home}\n")
	p := loaded(t, ctx, g.url+"/")
	for _, timer := range []map[string]any{
		{"kind": "timer", "seconds": 600},
		{"kind": "timer", "seconds": 5000, "name": "roast"},
		{"kind": "alarm", "at": "07:15", "every": "weekday"},
		{"kind": "reminder", "at": "18:30", "text": "take the bins out", "day": "tomorrow"},
	} {
		timer["action"] = "start"
		if err := g.post("/api/timers", timer, new(any)); err != nil {
			t.Fatal(err)
		}
	}
	p.eventually("there are four", `document.querySelectorAll("#timers li").length === 4`)
	for _, words := range []string{"take the bins out", "18:30|06:30 PM", "tomorrow", "07:15", "On weekdays", "roast", "1:2"} {
		p.eventually(words, `new RegExp(`+quoted(words)+`).test(document.getElementById("timers").innerText)`)
	}
	const first = `document.querySelector("#timers .dial")`
	title := value[string](p, first+`.parentElement.querySelector("strong").textContent`)
	if said := p.text("#timers"); title != "Timer" || value[int](p, `document.getElementById("timers").innerText.split("Timer").length`) != 3 {
		t.Errorf("a timer without a name is %q in\n%s", title, said)
	}

	t.Log("the ring shrinks, and the seconds run")
	const ring = `parseFloat(` + first + `.querySelector("circle + circle").getAttribute("stroke-dasharray"))`
	full := value[float64](p, ring)
	p.eventually("it shrinks", ring+` < `+fmt.Sprint(full))
	p.click("#timers [data-action=add]")
	p.eventually("it has five minutes more", first+`.innerText.startsWith("14:")`)
	p.click("#timers [data-action=pause]")
	p.eventually("it is paused", `document.querySelector("#timers .paused").parentElement.innerText.includes("paused")`)
	p.picture("timers")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.turnTo("timers")
	p.sight("timers-telephone")
	p.click("#timers [data-action=resume]")
	p.eventually("it goes on", `!document.querySelector("#timers .paused")`)

	t.Log("what rings and warns")
	g.fault(`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`)
	p.reads("#ringing li", "Attic Smoke Alarm (Attic)")
	for _, name := range []string{"egg", "tea"} {
		if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": name, "seconds": 1}, new(any)); err != nil {
			t.Fatal(err)
		}
		p.reads("#ringing li", name)
	}
	p.reads("#ringing li", "ringing")
	p.turnTo("house")
	if !p.holds(`document.getElementById("ringing-stop").checkVisibility() && document.getElementById("ringing-stop").innerText === "Stop"`) {
		t.Error("it cannot be stopped from another part of the page")
	}
	p.sight("ringing-telephone")
	p.likesDark()
	p.sight("ringing-telephone-dark")
	p.do(chromedp.Focus(chromedp.CSS("#ringing-stop")), chromedp.KeyEvent("\r"))
	p.eventually("nothing rings", `!/egg|tea/.test(document.getElementById("ringing").innerText)`)
	p.eventually("the smoke is still told, without a button", `document.getElementById("ringing").innerText.includes("Smoke") && document.getElementById("ringing-stop").hidden`)
	g.fault(`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":0}`)
	p.eventually("the band is gone", `document.getElementById("ringing").hidden`)
	if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": "rice", "seconds": 1}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#ringing li", "rice")
	p.click("#ringing li button")
	p.turnTo("timers")
	p.eventually("it rings again later", `document.getElementById("timers").innerText.includes("rice")`)
	w.stayedHome(t, g.url)
}
