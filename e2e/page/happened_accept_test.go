//go:build accept

package page

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// What happened is one tap away on a telephone: what was tapped and said, and what a thing reported
// by itself, each with its time, room and who it was. It can be narrowed to a time of day and a room.
func TestAcceptPageOfWhatHappened(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	p.watch()
	p.press("Hallway Light", ".face")
	p.proves("Hallway Light", "confirmed", "on")
	if err := g.post("/api/ask", map[string]string{"text": "turn on the coffee machine"}, new(any)); err != nil {
		t.Fatal(err)
	}
	g.fault(`{"op":"change","node":"Front Door","key":"98-0-currentMode","value":255}`)
	p.eventually("the door shows it", stateOf("Front Door")+` === "locked"`)
	p.turnTo("happened")
	const list = `[...document.querySelectorAll("#happened-list > li")].filter((e) => e.checkVisibility()).map((e) => e.innerText.replace(/\s+/g, " ").trim())`
	p.eventually("all of it is listed, the newest first", `(([door, coffee, light, more]) => /^\d.*Front Door: locked .*by itself/.test(door) && /Coffee Machine: on .*Kitchen · HTTP/.test(coffee) && /Hallway Light: on Hallway · by a tap/.test(light) && !more)(`+list+`)`)
	p.do(chromedp.Evaluate[chromedp.Void](`const choose = (id, value) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event("change")); };
		window.choose = choose; choose("happened-area", "Hallway"); undefined`))
	p.eventually("one room", list+`.length > 0 && `+list+`.every((text) => text.includes("Hallway"))`)
	p.do(chromedp.Evaluate[chromedp.Void](`choose("happened-area", ""); const then = new Date(Date.now() + 6 * 3600 * 1000); choose("happened-at", then.toTimeString().slice(0, 5)); undefined`))
	p.eventually("nothing at another time", list+`.length === 0 && document.getElementById("happened-none").checkVisibility()`)
	p.do(chromedp.Evaluate[chromedp.Void](`choose("happened-at", new Date().toTimeString().slice(0, 5)); undefined`))
	p.eventually("all of it about now", list+`.length === 3`)
	p.sight("happened-telephone")
	if !p.holds(`document.documentElement.scrollWidth <= innerWidth`) {
		t.Error("it is wider than the telephone")
	}
	w.stayedHome(t, g.url)
}
