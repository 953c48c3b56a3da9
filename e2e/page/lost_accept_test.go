//go:build accept

package page

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"voicegateway/internal/doors"
)

// TestAcceptPageThatHearsNothing: a connection may end without a word, so that no request fails.
// A page that was told nothing for 25 seconds says that what it shows is old, until it is answered.
func TestAcceptPageThatHearsNothing(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	url := newCrowd(t).url + "/"
	p := open(t, ctx, "about:blank")
	// The clock can be moved on, and what is done every five seconds can be done at once.
	const clock = `{
		const now = Date.now.bind(Date), every = setInterval;
		window.later = 0;
		Date.now = () => now() + later;
		window.setInterval = (task, ms, ...more) => { if (ms === 5000) window.look = task; return every(task, ms, ...more); };
	}`
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: clock}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(url))
	p.eventually("the page is loaded", `document.body.dataset.loaded > 0`)
	after := func(ms string) bool {
		t.Helper()
		p.do(chromedp.Evaluate[chromedp.Void](`later += ` + ms + `; look(); undefined`))
		return !p.holds(`document.getElementById("lost").hidden`)
	}
	w.silent.Store(true)
	if after("14000") {
		t.Error("after a quarter of a minute without a word the connection is said to be lost")
	}
	if !after("12000") {
		t.Error("after 26 seconds without a word nothing is said")
	}
	p.reads("#lost", "what you see is how it was at")
	w.silent.Store(false)
	p.click("#stop") // is answered: this gateway has no microphone
	p.reads("#notice", "without")
	if after("0") {
		t.Error("it was answered, and the connection is said to be lost")
	}
}

// limping is a gateway whose page is not served as it should be.
type limping struct{ manyTurnsView }

// Readiness says so.
func (limping) Readiness() doors.Readiness {
	return doors.Readiness{Parts: []doors.Part{{Name: "http", State: doors.PartDegraded, Why: "half of the page is missing"}}}
}

// TestAcceptPageReloads: where the page itself is not well, a button loads it again.
func TestAcceptPageReloads(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	p := loaded(t, ctx, serveCrowd(t, limping{}).url+"/")
	p.reads("#parts li", "This page")
	p.do(chromedp.Evaluate[chromedp.Void](`window.before = true; undefined`))
	p.click("[data-mend=http]")
	p.eventually("it is another page", `window.before === undefined && document.body.dataset.loaded > 0`)
	p.reads("#parts li", "This page")
}
