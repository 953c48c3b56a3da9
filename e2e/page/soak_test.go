//go:build soak && accept

package page

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/home"
)

var (
	seed     = flag.Uint64("seed", 0, "not used here: what changes is always the same")
	duration = flag.Duration("for", 20*time.Minute, "how long the pages are open")
)

// holdings are what a page holds after its garbage is collected: its heap in kB, and the nodes
// and listeners of its document.
type holdings struct {
	heap             float64
	nodes, listeners int64
}

// measure collects the garbage of a page and measures what is left.
func (p *tab) measure() holdings {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		p.t.Fatal(err)
	}
	heap, err := chromedp.Call(p.ctx, cdpruntime.GetHeapUsage, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	counters, err := chromedp.Call(p.ctx, memory.GetDOMCounters, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	return holdings{heap.UsedSize / 1000, counters.Nodes, counters.JsEventListeners}
}

// TestSoakPageOfTenBrowsers keeps ten browsers open before a house of 232 devices and a thousand
// turns. Something changes every second, and a turn ends every five. Every page shows the truth,
// and grows only by the turns that it remembers.
func TestSoakPageOfTenBrowsers(t *testing.T) {
	_ = *seed
	ctx, _ := browser(t, chromedp.Flag("process-per-site", true))
	c := newCrowd(t)
	var all []*tab
	for range 10 {
		p := openFor(t, ctx, *duration+2*patience, c.url+"/", chromedp.WithNewBrowserContext())
		p.eventually("the house is shown", `document.body.dataset.loaded > 0 && document.querySelectorAll("#areas li").length === 232`)
		all = append(all, p)
	}
	house, err := (manyTurnsView{}).Home(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(*duration)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var first, last holdings
	turns := 0 // since the first measurement; a page remembers a thousand of them
	for second := 0; time.Now().Before(end); second++ {
		<-tick.C
		e := &house.Entities[second*7%manyDevices]
		if e.State = "on"; second/manyDevices%2 == 1 {
			e.State = "off"
		}
		c.feed.Publish(httpapi.Event{Kind: httpapi.KindHouse, Body: display.Changes{Entities: []home.EntityState{*e}, Gone: []string{}}})
		if second%5 == 4 {
			turns++
			c.feed.Publish(httpapi.Event{Kind: httpapi.KindTurn, Body: turnOf(manyTurns + second)})
		}
		if second%60 != 59 {
			continue
		}
		for i, p := range all {
			p.eventually("what changed is shown", fmt.Sprintf(`document.querySelector("#thing-%s .value").textContent === %s`, e.ID, quoted(e.State.(string))))
			var want []string
			for _, e := range house.Entities {
				want = append(want, e.ID+" "+e.State.(string))
			}
			if wrong := value[[]string](p, fmt.Sprintf(`%s.filter((one) => { const [id, state] = one.split(" "); return document.querySelector("#thing-" + id + " .value").textContent !== state; })`, quoted(want))); len(wrong) > 0 {
				t.Errorf("page %d does not show %q", i, wrong)
			}
		}
		last = all[0].measure()
		if second == 5*60-1 { // all turns that are kept have come, and every tile has changed
			first, turns = last, 0
		}
		fmt.Fprintf(os.Stderr, "after %d minutes: %.0f kB, %d nodes, %d listeners\n", second/60+1, last.heap, last.nodes, last.listeners)
	}
	if first.heap > 0 && (last.heap > 1.2*first.heap+2*float64(min(turns, manyTurns)) || last.nodes > first.nodes+500 || last.listeners > first.listeners+100) {
		t.Errorf("a page grows: after five minutes %+v, after %v %+v", first, *duration, last)
	}
	t.Attr("shows", fmt.Sprintf("ten browsers showed the truth for %v; a page held %.0f kB after five minutes, %.0f kB at the end", *duration, first.heap, last.heap))
}
