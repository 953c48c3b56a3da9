//go:build accept

package page

import (
	"testing"

	"github.com/chromedp/cdproto/cdp"
	chromepage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Chromium finds nothing that keeps the page from being installed. A page whose connection is
// lost says from when it is.
func TestAcceptPageIsInstallable(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	c := newCrowd(t)
	p := loaded(t, ctx, c.url+"/")
	got, err := chromedp.Call(p.ctx, chromepage.GetInstallabilityErrors, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range got.InstallabilityErrors {
		t.Errorf("it cannot be installed: %s %+v", problem.ErrorID, problem.ErrorArguments)
	}
	manifest, err := chromedp.Call(p.ctx, chromepage.GetAppManifest, chromepage.GetAppManifestParams{})
	if err != nil || manifest.Data == "" || len(manifest.Errors) > 0 {
		t.Errorf("the manifest is %q, %+v, %v", manifest.Data, manifest.Errors, err)
	}
	if !p.holds(`[...document.querySelectorAll("meta[name=theme-color]")].filter((e) => matchMedia(e.media).matches).length === 1`) {
		t.Error("the page has no colour of its own for the frame")
	}
	w.down.Store(true)
	w.cut()
	p.eventually("it says from when it is", `!document.getElementById("lost").hidden && /how it was at \d+:\d\d/.test(document.getElementById("lost").textContent)`)
	w.down.Store(false)
	p.eventually("it is back", `document.getElementById("lost").hidden`)
	w.stayedHome(t, c.url)
}

// Written from the right, nothing is wider than a small telephone, and nothing that stands at an
// end of a line is cut off.
func TestAcceptPageFromTheRight(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\nmcp:\n  servers:\n    zwave: {essential: true}\n"+puppets(t))
	p := loaded(t, ctx, g.url+"/")
	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile), chromedp.Evaluate[chromedp.Void](`document.documentElement.dir = "rtl"; undefined`))
	p.turnTo("talk")
	p.ask("turn on the hallway light", "The hallway light is on.")
	p.click("#turns li:last-child summary")
	p.reads("#turns .waterfall", "Command sent")
	p.reads("#servers", "connected")
	for _, part := range []string{"talk", "timers", "system", "house"} {
		p.turnTo(part)
		if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s: the page is %d wide on a telephone of 360", part, wide)
		}
		if out := value[[]string](p, `[...document.querySelectorAll("main *, header *")].filter((e) => {
			const { left, right, width } = e.getBoundingClientRect();
			return e.checkVisibility() && width > 1 && (left < -1 || right > 361) && !e.closest("pre, .skip, .rooms a"); // what scrolls sideways by itself
		}).map((e) => e.id || e.className || e.textContent.slice(0, 40))`); len(out) > 0 {
			t.Errorf("%s: outside the screen: %q", part, out)
		}
		p.sight("rtl-" + part)
	}
	if !p.holds(`document.querySelector(".tile .name").getBoundingClientRect().right < document.querySelector(".tile svg").getBoundingClientRect().left`) {
		t.Error("the icon of a tile does not come first")
	}
}
