//go:build accept

package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAcceptPageTakesBackAGroup: what one tap has done to several lights is taken back by the
// next one, and as a whole by a sentence, too.
func TestAcceptPageTakesBackAGroup(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Bedroom Lamp")+` === "off"`)
	lit := []string{"Kitchen Light", "Hallway Light", "Bedroom Lamp"}
	for _, name := range lit {
		order := map[string]any{"thing": name, "do": "on"}
		if name == "Bedroom Lamp" {
			order = map[string]any{"thing": name, "do": "level", "value": 60}
		}
		if err := g.post("/api/control", order, new(any)); err != nil {
			t.Fatal(err)
		}
	}
	all := func(state string) {
		t.Helper()
		for _, name := range lit {
			p.eventually(name+" is "+state, fmt.Sprintf(`%s?.startsWith(%s)`, stateOf(name), quoted(state)))
		}
	}
	all("on")
	const button = `#all button:not([hidden])`
	wide := value[float64](p, `document.querySelector("`+button+`").offsetWidth`)
	p.click(button)
	all("off")
	p.eventually("it can be taken back", `document.querySelector("`+button+`").ariaLabel === "Undo: All lights off"`)
	if now := value[float64](p, `document.querySelector("`+button+`").offsetWidth`); now < wide {
		t.Errorf("the button was %v wide and is %v, so that what is beside it moves", wide, now)
	}
	p.picture("group-undo")
	p.click(button)
	all("on")
	p.eventually("as bright as before", stateOf("Bedroom Lamp")+` === "on · 60 %"`)
	p.eventually("they can be switched off again", `document.querySelector("`+button+`").textContent === "All lights off"`)
	p.click(button)
	all("off")
	p.eventually("every act has ended", `document.querySelector("`+button+`").classList.contains("back")`)
	p.ask("undo", "as they were")
	all("on")

	// Pressed once more before the slowest has ended, it still takes back all.
	p.eventually("they can be switched off again", `document.querySelector("`+button+`").textContent === "All lights off"`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.slow = []; window.quick = window.fetch; window.fetch = (path, about) => (
	about?.body?.includes('"do":"off"') && about.body.includes(JSON.stringify(` + tile("Bedroom Lamp") + `.dataset.thing)))
	? new Promise((go) => slow.push(() => go(quick(path, about)))) : quick(path, about); undefined`))
	p.click(button)
	p.eventually("the others are off", stateOf("Kitchen Light")+` === "off" && `+stateOf("Hallway Light")+` === "off" && slow.length === 1`)
	p.click(button)
	p.eventually("the slowest was asked again", `slow.length === 2`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.fetch = quick; for (const go of slow) go(); undefined`))
	all("off")
	p.eventually("every act has ended", `document.querySelector("`+button+`").classList.contains("back")`)
	p.click(button)
	all("on")
}
