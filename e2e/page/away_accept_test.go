//go:build accept

package page

import (
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
)

// While the broker or the gateway is away nothing on the page looks current: every tile shows how
// it was and when, a line says why, a tap says that it fails, and all of that goes when they are back.
func TestAcceptPageOfAHouseThatIsAway(t *testing.T) {
	t.Parallel()
	script := axeRules(t)
	ctx, w := browser(t)
	addr := fake.FreeAddr(t)
	broker := rig.MosquittoAt(t, addr)
	rig.StartHouse(t, "mqtt://"+addr)
	g := run(t, "gateway: {id: home, area: Kitchen}\n", "mqtt://"+addr)
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Hallway Light")+` === "off"`)
	const (
		allOld = `[...document.querySelectorAll("#areas .tile")].length > 10 && [...document.querySelectorAll("#areas .tile")].every((e) => e.dataset.tone === "old")`
		noneIs = `!document.querySelector("#areas [data-tone=old], #areas [aria-describedby]")`
	)
	described := func(by string) string {
		return `document.getElementById(` + tile("Hallway Light") + `.querySelector("button").getAttribute("aria-describedby"))?.textContent.includes(` + quoted(by) + `)`
	}
	p.watch()
	p.press("Hallway Light", ".face")
	p.proves("Hallway Light", "confirmed", "on")

	p.do(chromedp.Evaluate[chromedp.Void](`window.blamed = []; new MutationObserver(() => {
		for (const e of document.querySelectorAll("#areas [data-tone=away]")) blamed.push(e.querySelector(".name").textContent);
	}).observe(document.getElementById("areas"), { subtree: true, attributeFilter: ["data-tone"] }); undefined`))
	broker.Stop(t, syscall.SIGTERM) // before the lamp could be asked whether it is on
	const since = `/^The devices have not been reachable since \d.*; this is how they were\.$/.test(document.getElementById("away").innerText)`
	p.eventually("it is said since when", since)
	p.eventually("every tile is old", allOld)
	if blamed := value[[]string](p, "blamed"); len(blamed) > 0 {
		t.Errorf("before it was said that the house is away, it was said of %d things that they do not answer", len(blamed))
	}
	p.eventually("a tile shows how it was", `/^last on, \d/.test(`+stateOf("Hallway Light")+`)`)
	p.eventually("a screen reader hears why", described("The devices"))
	p.eventually("nothing above the rooms looks current", `!/lights? on|unlocked$/.test(document.getElementById("glance").innerText)`)
	p.press("Hallway Light", ".face")
	p.proves("Hallway Light", "failed", "on")
	p.eventually("a tap says why it fails", `/reach/.test(`+tile("Hallway Light")+`.querySelector(".note").textContent)`)
	p.checkRules(script, "away")
	p.picture("away")
	q := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
	q.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	q.likesDark()
	q.eventually("a page that is opened now says it, too", since+` && `+allOld)
	q.checkRules(script, "away, on a telephone in the dark")
	q.sight("away-telephone-dark")

	rig.MosquittoAt(t, addr)
	for _, page := range []*tab{p, q} {
		page.eventually("it is back", `document.getElementById("away").textContent === "" && `+noneIs)
		page.eventually("it is as it is", tile("Hallway Light")+`.dataset.tone === "lit"`)
	}
	p.eventually("what a tap was told is gone", tile("Hallway Light")+`.dataset.proof === ""`)

	w.down.Store(true)
	w.cut()
	p.eventually("the gateway is away, and every tile is old", allOld)
	p.eventually("a tile shows how it was, and a screen reader hears why", `/^last on, \d/.test(`+stateOf("Hallway Light")+`) && `+described("No connection"))
	p.checkRules(script, "offline")
	w.down.Store(false)
	p.eventually("nothing is old", noneIs+` && `+tile("Hallway Light")+`.dataset.tone === "lit"`)
	w.stayedHome(t, g.url)
}
