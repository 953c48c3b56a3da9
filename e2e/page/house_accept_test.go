//go:build accept

package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// tile is the tile of a thing in the page, by its name.
func tile(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#areas .tile")].find((e) => e.querySelector(".name").textContent === %s)`, quoted(name))
}

// stateOf is what the tile of a thing says of it.
func stateOf(name string) string { return tile(name) + `?.querySelector(".value").textContent` }

// press clicks on a part of a tile, as a finger does.
func (p *tab) press(name, part string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelectorAll("[data-pressed]").forEach((e) => delete e.dataset.pressed); %s.querySelector(%s).dataset.pressed = "1"; undefined`, tile(name), quoted(part))))
	p.click("[data-pressed]")
}

// watch notes each proof that a tile has had, with what the tile said then: on a slow machine
// a confirmation may be over before it is looked at.
func (p *tab) watch() {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`window.proofs = []; new MutationObserver((all) => {
		for (const { target } of all) if (target.dataset.proof) proofs.push([target.querySelector(".name").textContent, target.dataset.proof, target.querySelector(".value").textContent]);
	}).observe(document.getElementById("areas"), { subtree: true, attributeFilter: ["data-proof"] }); undefined`))
}

// proves waits until a tile has had a proof and said something with it, since it was last
// asked for.
func (p *tab) proves(name, proof, state string) {
	p.t.Helper()
	p.eventually(name+" is "+proof+" and "+state, fmt.Sprintf(`proofs.some(([name, proof, state]) => name === %s && proof === %s && state.includes(%s))`, quoted(name), quoted(proof), quoted(state)))
	p.do(chromedp.Evaluate[chromedp.Void](`proofs.length = 0; undefined`))
}

// arranges moves a room and hides a thing by keys, moves a room by drag, and finds all of that
// again after a reload.
func (p *tab) arranges() {
	p.t.Helper()
	p.t.Log("the order of the rooms")
	const rooms = `[...document.querySelectorAll("#areas h3")].map((e) => e.textContent).slice(0, 4).join()`
	p.eventually("the rooms are in the order of their names", rooms+` === "Attic,Bedroom,Cellar,Garage"`)
	p.do(chromedp.Focus(chromedp.CSS("#arrange")), chromedp.KeyEvent(kb.Enter))
	p.eventually("they can be moved", `document.querySelector('[aria-label="Move Garage up"]')`)
	p.do(chromedp.Focus(chromedp.CSS(`[aria-label="Move Garage up"]`)))
	for _, want := range []string{"Attic,Bedroom,Garage,Cellar", "Attic,Garage,Bedroom,Cellar", "Garage,Attic,Bedroom,Cellar"} {
		p.do(chromedp.KeyEvent(kb.Enter))
		p.eventually(want, rooms+` === `+quoted(want))
		p.eventually("the focus stays with it", `document.activeElement.getAttribute("aria-label")?.startsWith("Move Garage")`)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`{
		const [over, , dragged] = document.querySelectorAll("#areas .room"), data = new DataTransfer();
		for (const [at, kind] of [[dragged, "dragstart"], [over, "dragover"], [over, "drop"], [dragged, "dragend"]]) at.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
	} undefined`))
	p.eventually("a room is dragged", rooms+` === "Bedroom,Garage,Attic,Cellar"`)
	p.do(chromedp.Focus(chromedp.CSS(`[aria-label="Hide Garage Door"]`)), chromedp.KeyEvent(" "))
	p.eventually("it is hidden", `document.querySelector('[aria-label="Show Garage Door"]')`)
	p.do(chromedp.Focus(chromedp.CSS("#arrange")), chromedp.KeyEvent(kb.Enter))
	p.eventually("it is gone", `!(`+tile("Garage Door")+`)`)
	p.do(chromedp.Reload())
	p.eventually("the page is loaded again", `document.body.dataset.loaded > 0`)
	p.eventually("the order is kept", rooms+` === "Bedroom,Garage,Attic,Cellar"`)
	p.eventually("and what is hidden, which is behind details", `!(`+tile("Garage Door")+`) && [...document.querySelectorAll("#areas details li")].some((e) => e.textContent.startsWith("Garage Door"))`)
}

// timesTaps taps a tile again and again, and prints how long it takes from the tap to the
// receipt on the tile.
func (p *tab) timesTaps(name string, taps int) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`window.times = []; (async () => {
		const tile = %s;
		for (let i = 0; i < %d; i++) {
			const began = performance.now(), proven = new Promise((go) => {
				const watch = new MutationObserver(() => { if (tile.dataset.proof === "confirmed") { watch.disconnect(); go(); } });
				watch.observe(tile, { attributeFilter: ["data-proof"] });
			});
			tile.querySelector(".face").click();
			await proven;
			times.push(performance.now() - began);
		}
	})(); undefined`, tile(name), taps)))
	p.eventually("every tap is proven", fmt.Sprintf("times.length === %d", taps))
	all := value[[]float64](p, "times")
	slices.Sort(all)
	p.t.Logf("from the tap to the receipt on the tile: median %.0f ms, p95 %.0f ms of %d taps", all[taps/2], all[taps*95/100], taps)
}

// turnTo shows a part of the page on a telephone.
func (p *tab) turnTo(part string) {
	p.t.Helper()
	p.click(`.tabs [data-tab=` + part + `]`)
	p.eventually(part+" is shown", `document.body.dataset.tab === `+quoted(part))
}

// The house comes first, and each thing in it is a tile that acts and says what the thing
// itself has reported.
func TestAcceptPageHouse(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Hallway Light")+` === "off"`)

	p.watch()

	t.Log("it comes first")
	if !p.holds(`document.querySelector("main").firstElementChild.id === "house" && document.getElementById("house").getBoundingClientRect().left < document.getElementById("talk").getBoundingClientRect().left`) {
		t.Error("the house is not the first on the page")
	}
	p.eventually("a room says what is measured in it", `document.querySelector('[aria-label="Kitchen"] .measured').textContent === "21.2° · 47 %"`)
	for _, hidden := range []string{"Front Door Battery", "Coffee Machine Energy", "Workshop Remote Button 1"} {
		if p.holds(fmt.Sprintf(`[...document.querySelectorAll("#areas .tile .name")].some((e) => e.textContent === %s)`, quoted(hidden))) {
			t.Errorf("%s is a tile", hidden)
		}
	}
	p.reads("#areas details li", "Front Door Battery")

	t.Log("a tap, with its proof")
	p.press("Hallway Light", ".face")
	p.eventually("it is confirmed", `proofs.some(([, proof]) => proof === "confirmed")`)
	if seen := value[string](p, `proofs.map(([, proof, state]) => proof + " " + state).join(", ")`); seen != "pending off, confirmed on" {
		t.Errorf("the tile said %q", seen)
	}
	p.eventually("it is told above", `[...document.querySelectorAll("#glance a")].some((e) => e.textContent === "Hallway Light: on")`)
	p.reads("#turns li:last-child summary", "Hallway Light: on")
	p.eventually("the proof fades", tile("Hallway Light")+`.dataset.proof === ""`)

	t.Log("an undo takes it back")
	p.ask("undo", "The hallway light is off again.")
	p.eventually("the lamp is off", stateOf("Hallway Light")+` === "off"`)

	p.timesTaps("Hallway Light", 20)

	t.Log("a slider, by keys")
	p.types(`[aria-label="Brightness of Office Light"]`, kb.ArrowRight)
	p.proves("Office Light", "confirmed", "on · 5 %")
	p.do(chromedp.KeyEvent(kb.End))
	p.proves("Office Light", "confirmed", "on")
	p.do(chromedp.KeyEvent(kb.Home))
	p.proves("Office Light", "confirmed", "off")

	t.Log("a blind, a thermostat, a fan")
	p.press("Bedroom Curtains", "[data-act=tile_close]")
	p.eventually("the curtains close", stateOf("Bedroom Curtains")+` === "closed"`)
	g.fault(`{"op":"delay","node":"Thermostat","for":"1s"}`) // the last press comes before the receipt of those before it
	p.press("Thermostat", "[data-act=tile_warmer]")
	p.press("Thermostat", "[data-act=tile_warmer]")
	p.eventually("it is asked", tile("Thermostat")+`.dataset.proof === "pending"`)
	p.press("Thermostat", "[data-act=tile_warmer]")
	p.proves("Thermostat", "confirmed", "20.5° · set to 22.5°")
	g.fault(`{"op":"clear","node":"Thermostat"}`)
	p.press("Ceiling Fan", ".face")
	p.proves("Ceiling Fan", "confirmed", "on")

	t.Log("a lock is locked, and not unlocked")
	p.press("Front Door", ".face")
	p.proves("Front Door", "confirmed", "locked")
	p.press("Front Door", ".face")
	p.proves("Front Door", "failed", "locked")
	p.eventually("it is said why, and offers nothing", tile("Front Door")+`.querySelector(".note").textContent === "Unlocking is switched off here."`)

	t.Log("what does not answer")
	g.fault(`{"op":"dead","node":"Bedroom Lamp"}`)
	p.press("Bedroom Lamp", ".face")
	p.proves("Bedroom Lamp", "failed", "")
	p.eventually("it is said, with a way to try again", tile("Bedroom Lamp")+`.querySelector(".note").textContent.startsWith("I can't reach the bedroom lamp.") && `+tile("Bedroom Lamp")+`.querySelector(".note button")`)
	p.reads("#wrong", "Bedroom Lamp (Bedroom): does not answer")
	p.reads("#glance a", "Bedroom Lamp (Bedroom): does not answer")
	p.eventually("with the last state and its time", `/does not answer · last off, \d/.test(`+stateOf("Bedroom Lamp")+`)`)
	p.picture("house-failed")
	g.fault(`{"op":"alive","node":"Bedroom Lamp"}`)
	p.eventually("it is back", stateOf("Bedroom Lamp")+` === "off"`)
	p.eventually("nothing above speaks of it", `!["wrong", "glance"].some((id) => document.getElementById(id).textContent.includes("Bedroom Lamp"))`)
	p.press("Bedroom Lamp", ".note button")
	p.proves("Bedroom Lamp", "confirmed", "on")

	t.Log("without a connection")
	w.down.Store(true)
	p.press("Kitchen Light", ".face")
	p.proves("Kitchen Light", "failed", "off")
	p.eventually("it says that the connection is lost", tile("Kitchen Light")+`.querySelector(".note").textContent.includes("connection")`)
	w.down.Store(false)
	p.press("Kitchen Light", ".note button")
	p.proves("Kitchen Light", "confirmed", "on")

	t.Log("two at once")
	q := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
	q.watch()
	q.eventually("the other page sees it", stateOf("Kitchen Light")+` === "on"`)
	q.press("Kitchen Light", ".face")
	q.proves("Kitchen Light", "confirmed", "off")
	p.eventually("the first page sees it, too", stateOf("Kitchen Light")+` === "off"`)

	t.Log("what stands above leads there")
	p.click("#glance a")
	if at := value[string](p, `document.activeElement.closest(".tile")?.dataset.thing ?? document.activeElement.tagName`); !strings.HasPrefix(at, "zw-") {
		t.Errorf("the first link leads to %s", at)
	}
	q.arranges()

	if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 1200 {
		t.Errorf("the page is %d wide", wide)
	}
	p.press("Mood Light", ".face")
	p.proves("Mood Light", "confirmed", "on")
	p.picture("house")
	p.likesDark()
	p.picture("house-dark")
	q.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	q.eventually("the house comes first, and alone", `document.getElementById("house").checkVisibility() && !document.getElementById("talk").checkVisibility()`)
	q.eventually("the rest is a tab away", `document.querySelector(".tabs").getBoundingClientRect().bottom === innerHeight`)
	q.picture("house-phone")
	for _, tab := range []string{"talk", "timers", "system"} {
		q.turnTo(tab)
		q.picture("house-phone-" + tab)
	}
	q.turnTo("house")
	q.likesDark()
	q.picture("house-phone-dark")
	w.stayedHome(t, g.url)
}
