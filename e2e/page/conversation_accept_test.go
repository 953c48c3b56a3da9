//go:build accept

package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"voicegateway/e2e/rig"
	"voicegateway/internal/doors/httpapi"
)

// The conversation begins with sentences that work in this house and has the newest turn at the
// bottom. A reader who has scrolled up keeps the place.
func TestAcceptPageConversation(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p := loaded(t, ctx, g.url+"/")
	p.eventually("three sentences are offered", `document.querySelectorAll("#examples button").length === 3`)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.turnTo("talk")
	p.sight("talk-empty")
	first := p.text("#examples button")
	p.click("#examples button")
	p.eventually("a tap says it", fmt.Sprintf(`document.querySelector("#turns li:last-child summary")?.textContent.includes(%s)`, quoted(first)))
	p.eventually("it was done", `document.querySelector("#turns li:last-child").dataset.outcome === "done"`)
	p.eventually("the sentences make room", `!document.getElementById("turns-none").checkVisibility()`)
	for _, sentence := range []string{"is the front door locked", "turn off the kitchen light", "turn on the nonsense", "how warm is it in the kitchen", "what time is it", "turn on the hallway light"} {
		p.types("#ask-text", sentence+"\r")
		p.reads("#turns li:last-child summary", sentence)
		p.eventually("there is an answer", `document.getElementById("pending").hidden`)
	}
	const bottom = `document.querySelector("#turns li:last-child").getBoundingClientRect().bottom <= document.getElementById("said").getBoundingClientRect().bottom + 1`
	p.eventually("the newest is in view", bottom)
	p.sight("talk-telephone")
	if !p.holds(`document.getElementById("ask-text").getBoundingClientRect().bottom < document.querySelector(".tabs").getBoundingClientRect().top && document.documentElement.scrollHeight <= innerHeight`) {
		t.Error("the line to write in is not above the tabs")
	}
	p.likesDark()
	p.sight("talk-telephone-dark")

	t.Log("a reader who has scrolled up keeps the place")
	p.do(chromedp.EmulateViewport(390, 500, chromedp.EmulateMobile), chromedp.Evaluate[chromedp.Void](`document.getElementById("said").scrollTop = 0; undefined`))
	p.eventually("it is scrolled up", `!(`+bottom+`)`)
	if err := g.post("/api/ask", map[string]string{"text": "turn off the hallway light"}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#turns li:last-child summary", "turn off the hallway light")
	p.eventually("a button says that there is something new", `document.getElementById("below").checkVisibility() && document.getElementById("said").scrollTop === 0`)
	p.click("#below")
	p.eventually("it leads there", bottom+` && document.getElementById("below").hidden && document.activeElement.matches("#turns li:last-child summary")`)
	p.do(chromedp.KeyEvent("\r"))
	p.reads("#turns li:last-child .waterfall", "Command sent")
	w.stayedHome(t, g.url)
}

// The sentences fit the house, even if the house becomes known only after the page was opened.
func TestAcceptPageSentencesOfALateHouse(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	broker := mosquitto(t)
	g := run(t, "gateway: {id: home, area: Kitchen}\n", broker)
	p := loaded(t, ctx, g.url+"/")
	p.reads("#examples", "what time is it")
	rig.StartHouse(t, broker)
	p.reads("#examples", "turn on the Kitchen Light")
}

// An alarm that is stopped on one page cannot be stopped again on another one, or on a page that
// is opened later.
func TestAcceptPageWarnsOnce(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\n")
	p, q := loaded(t, ctx, g.url+"/"), loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
	g.fault(`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`)
	const stop = `document.getElementById("ringing-stop").checkVisibility()`
	for _, page := range []*tab{p, q} {
		page.reads("#ringing li", "detected")
		page.eventually("it can be stopped", stop)
	}
	p.click("#ringing-stop")
	for _, page := range []*tab{p, q} {
		page.eventually("it is stopped, and still shown", `!(`+stop+`) && document.getElementById("ringing").checkVisibility()`)
	}
	late := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
	late.reads("#ringing li", "detected")
	late.eventually("a later page knows it", `!(`+stop+`)`)
}

// The meter is shown while the microphone listens.
func TestAcceptPageMeter(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	c := newCrowd(t)
	p := loaded(t, ctx, c.url+"/")
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindState, Body: map[string]string{"state": "listening"}})
	p.eventually("the meter is shown", `document.getElementById("hearing").checkVisibility()`)
	eventually(t, "the page asks for the meter", c.feed.Metered)
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindMeter, Body: map[string]any{"level": -30, "floor": -50}})
	p.eventually("it shows how loud it is", `document.getElementById("hearing").style.getPropertyValue("--level") === "0.5"`)
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindState, Body: map[string]string{"state": "idle"}})
	p.eventually("it is gone", `document.getElementById("hearing").hidden`)
	eventually(t, "the page does not ask for the meter any more", func() bool { return !c.feed.Metered() })
}
