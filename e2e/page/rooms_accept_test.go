//go:build accept

package page

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mostKeys is how many keys it takes to dim a light anywhere in the house, those that set how
// bright it is included.
const mostKeys = 14

// room is an expression for the link of the strip that leads to a room.
func room(name string) string {
	return `[...document.querySelectorAll("#rooms a")].find((e) => e.textContent === ` + quoted(name) + `)`
}

// atTop holds when a room begins right below the strip.
func atTop(name string) string {
	return `Math.abs(document.querySelector('[aria-label=' + CSS.escape(` + quoted(name) + `) + ']').getBoundingClientRect().top - document.getElementById("rooms").getBoundingClientRect().bottom) < 40`
}

// TestAcceptPageOfManyRooms: a strip leads to each room, by few keys and by a tap, shows which
// room is in view, and a reload leads back to it.
func TestAcceptPageOfManyRooms(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	if _, err := chromedp.Call(p.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	p.eventually("the house is shown", stateOf("Office Light")+` === "off"`)

	t.Log("by keys")
	keys := 0
	press := func(key string) { p.t.Helper(); p.do(chromedp.KeyEvent(key)); keys++ }
	press(kb.Tab)
	for range 2 {
		press(kb.Tab)
	}
	p.eventually("a link skips to the rooms", `document.activeElement.textContent === "Skip to the rooms"`)
	press(kb.Enter)
	p.eventually("the first room is chosen", `document.activeElement === document.querySelector("#rooms a")`)
	press("o")
	p.eventually("a letter chooses a room", `document.activeElement === `+room("Office"))
	press(kb.Enter)
	p.eventually("its name has the focus", `document.activeElement.textContent === "Office" && document.activeElement.tagName === "H3"`)
	p.eventually("it is in view", atTop("Office"))
	for range 3 {
		if p.holds(`document.activeElement.ariaLabel === "Brightness of Office Light"`) {
			break
		}
		press(kb.Tab)
	}
	for range 6 {
		press(kb.ArrowRight)
	}
	p.eventually("the light is dimmed", `/^on · 30 %/.test(`+stateOf("Office Light")+`)`)
	t.Logf("dimming the office took %d keys", keys)
	if keys > mostKeys {
		t.Errorf("dimming the office took %d keys, expected at most %d", keys, mostKeys)
	}

	t.Log("from tile to tile")
	const at = `document.activeElement.closest(".tile")?.querySelector(".name").textContent`
	p.do(chromedp.Evaluate[chromedp.Void](tile("Kitchen Light") + `.querySelector("button").focus(); undefined`))
	from := value[string](p, at)
	for _, way := range [][2]string{{kb.ArrowRight, kb.ArrowLeft}, {kb.ArrowDown, kb.ArrowUp}, {kb.PageDown, ""}} {
		p.do(chromedp.KeyEvent(way[0]))
		if p.holds(at + ` === ` + quoted(from)) {
			t.Errorf("the key %q leads nowhere", way[0])
		}
		if way[1] != "" {
			p.do(chromedp.KeyEvent(way[1]))
			p.eventually("and back", at+` === `+quoted(from))
		}
	}
	if next := value[string](p, `document.activeElement.closest(".room").ariaLabel`); next == "Kitchen" {
		t.Errorf("the next room is %s", next)
	}
	p.do(chromedp.KeyEvent(kb.PageUp))
	p.eventually("back in the kitchen", `document.activeElement.closest(".room").ariaLabel === "Kitchen"`)
	if !p.holds(`document.activeElement.getBoundingClientRect().top >= document.getElementById("rooms").getBoundingClientRect().bottom - 1`) {
		t.Error("the strip hides what has the focus")
	}

	t.Log("by touch")
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.do(chromedp.Evaluate[chromedp.Void](room("Living Room") + `.id = "tapped"; scrollTo(0, 0); undefined`))
	const now = `document.querySelector("#rooms [aria-current]").textContent`
	p.eventually("the strip is at its beginning", `scrollY === 0 && `+now+` === "Attic"`)
	p.click("#tapped")
	p.eventually("the room is in view", atTop("Living Room"))
	p.eventually("the strip says so", now+` === "Living Room"`)
	p.eventually("its link can be seen", `(({ left, right }) => left >= 0 && right <= innerWidth)(`+room("Living Room")+`.getBoundingClientRect())`)
	p.sight("rooms-telephone")
	p.turnTo("talk")
	p.turnTo("house")
	p.eventually("it is where it was", atTop("Living Room"))
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-label="Kitchen"]').scrollIntoView(); undefined`))
	p.eventually("scrolling shows another one", now+` === "Kitchen"`)
	p.eventually("it is kept", `history.state?.room === "Kitchen"`)
	p.do(chromedp.Reload())
	p.eventually("the page is loaded again", `document.body.dataset.loaded > 0`)
	p.eventually("and is where it was", atTop("Kitchen")+` && `+now+` === "Kitchen"`)
	if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 390 {
		t.Errorf("the page is %d wide", wide)
	}
	if names := value[string](p, `[...document.querySelectorAll("#rooms a")].map((e) => e.textContent).join()`); !strings.HasPrefix(names, "Attic,Bedroom,Cellar,Garage") {
		t.Errorf("the rooms are %s", names)
	}
}
