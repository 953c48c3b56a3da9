//go:build accept

package page

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// crowd is a gateway's HTTP interface and page before a house of 232 devices and a
// thousand turns, more than the gateway itself remembers.
type crowd struct {
	feed *httpapi.Feed
	url  string
}

const (
	manyTurns   = 1000
	manyDevices = 232
)

// turnOf is one turn of many.
func turnOf(i int) record.Record {
	some, all := 120.5, 260.0
	text := fmt.Sprintf("turn on the lamp number %d %s", i, nasty)
	return record.Record{
		ID: fmt.Sprintf("t-%d", i), Time: time.Unix(1_700_000_000+int64(i), 0), Source: record.FromMic, Area: "Kitchen", Route: record.RouteLocal,
		Wake:       &record.Wake{Word: "hey jarvis", Score: 0.9, Engine: "micro"},
		Endpoint:   &record.Endpoint{Reason: "sentence", Frames: &record.Frames{From: -40, Length: 20, Levels: []int{-30, -24, -20, -58, -60, -60, -60, -61, -60}, Judged: "iicrrrrrr"}},
		Transcript: &record.Transcript{Text: text, Engine: "moonshine"},
		Verdict: record.Verdict{Reply: "The lamp is on.", Outcome: record.Done, Calls: []record.CallMade{{
			Tool: "control", Server: "zwave", Args: json.RawMessage("{}"), OK: true, MS: 90,
			Receipt: &record.Receipt{Device: "Lamp", Property: "on_off", Value: "on", Outcome: tools.Confirmed},
		}}},
		Timings: record.Timings{SpeechEnd: &all, Endpoint: &some, Transcript: &some, FirstPublish: &some, Confirmed: &all, FirstAudio: &all, Total: &all},
	}
}

type manyTurnsView struct{}

func (manyTurnsView) Turns(limit int) []record.Record {
	var list []record.Record
	for i := manyTurns; i > manyTurns-limit; i-- {
		list = append(list, turnOf(i))
	}
	return list
}

func (manyTurnsView) Tasks() []record.Task { return nil }

func (manyTurnsView) Home(context.Context) (home.Snapshot, error) {
	var house home.Snapshot
	for i := range manyDevices {
		house.Entities = append(house.Entities, home.EntityState{
			Entity: home.Entity{ID: fmt.Sprintf("d-%d", i), Name: fmt.Sprintf("Lamp %d %s", i, nasty), Domain: "light", Area: fmt.Sprintf("Room %d", i%20)}, State: "off",
		})
	}
	return house, nil
}

func (manyTurnsView) Readiness() doors.Readiness { return doors.Readiness{MCP: "full"} }

// newCrowd serves it.
func newCrowd(t *testing.T) crowd {
	t.Helper()
	return serveCrowd(t, manyTurnsView{})
}

// serveCrowd serves it with a health.
func serveCrowd(t *testing.T, health doors.Health) crowd {
	t.Helper()
	var many manyTurnsView
	return servePage(t, "en", doors.Parts{Health: health, Turns: many, Home: many})
}

// servePage serves a gateway of some parts in a language.
func servePage(t *testing.T, language string, parts doors.Parts) crowd {
	t.Helper()
	parts.About = &doors.About{ID: "crowd", Language: language}
	feed := httpapi.NewFeed(func() []httpapi.Event {
		return []httpapi.Event{{Kind: httpapi.KindState, Body: map[string]string{"state": "idle"}}}
	}, slog.New(slog.DiscardHandler))
	shown, err := display.NewPage(language, "crowd")
	if err != nil {
		t.Fatal(err)
	}
	server, err := httpapi.New(httpapi.Config{Listen: "127.0.0.1:0"}, httpapi.Deps{
		Parts: parts, Page: shown, Events: feed,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	listener := httptest.NewUnstartedServer(server)
	listener.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	listener.Start()
	t.Cleanup(func() { stop(); listener.Close() })
	return crowd{feed, listener.URL}
}

// longTask is how long a task of the page may be, during which it reacts to nothing, in
// microseconds.
const longTask = 50_000

// traced is a task in a trace.
type traced struct {
	Name     string  `json:"name"`
	Phase    string  `json:"ph"`
	Duration float64 `json:"dur"`
	Worked   float64 `json:"tdur"` // without waiting for a processor
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	Args     struct {
		Name string `json:"name"`
	} `json:"args"`
}

// trace begins to write down what a browser does; end returns it.
func (p *tab) trace() (end func() []traced) {
	p.t.Helper()
	var mu sync.Mutex
	var all []traced
	complete := make(chan struct{})
	if err := chromedp.Listen(p.ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, raw := range e.Value {
				text, err := json.Marshal(raw)
				var one traced
				if err == nil && json.Unmarshal(text, &one) == nil {
					all = append(all, one)
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReportEvents,
		TraceConfig:  &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "devtools.timeline", "__metadata"}, ExcludedCategories: []string{"*"}},
	}); err != nil {
		p.t.Fatal(err)
	}
	return func() []traced {
		p.t.Helper()
		if _, err := chromedp.Call(p.ctx, tracing.End, cdp.Empty{}); err != nil {
			p.t.Fatal(err)
		}
		select {
		case <-complete:
		case <-time.After(patience):
			p.t.Fatal("the trace never came to an end")
		}
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// longest returns how many tasks the threads that draw pages had, how many of them were
// long, and the longest, in milliseconds. A task is as long as the thread worked: what
// else the machine does is not the page's.
func longest(all []traced) (count, long int, most float64) {
	drawing := map[[2]int]bool{}
	for _, e := range all {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			drawing[[2]int{e.Process, e.Thread}] = true
		}
	}
	for _, e := range all {
		if e.Phase != "X" || !drawing[[2]int{e.Process, e.Thread}] || e.Name != "RunTask" && e.Name != "ThreadControllerImpl::RunTask" {
			continue
		}
		count++
		if e.Worked > longTask {
			long++
		}
		most = max(most, e.Worked/1000)
	}
	return count, long, most
}

// A thousand turns and 232 devices are not all in the document at once, and names that
// would be markup stay text. Times are printed, beside their budgets.
func TestAcceptPageOfACrowd(t *testing.T) {
	ctx, w := browser(t)
	c := newCrowd(t)
	p := open(t, ctx, "about:blank")
	end := p.trace()
	p.do(chromedp.Navigate(c.url + "/"))
	p.eventually("the page is loaded", `document.body.dataset.loaded > 0`)
	p.eventually("the house is shown", `document.querySelectorAll("#areas li").length === 232`)
	first := value[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
	for i := range manyTurns {
		c.feed.Publish(httpapi.Event{Kind: httpapi.KindTurn, Body: turnOf(manyTurns + i + 1)})
		if i%40 == 39 { // a page that reads is never so far behind that it is dropped
			p.eventually("the turns have come", fmt.Sprintf(`[...document.querySelectorAll("#turns summary")].at(-1).textContent.includes("number %d ")`, manyTurns+i+1))
		}
	}
	var changed []home.EntityState
	house, err := (manyTurnsView{}).Home(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range house.Entities {
		e.State = "on"
		changed = append(changed, e)
	}
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindState, Body: map[string]string{"state": "listening"}})
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindPartial, Body: map[string]string{"text": "turn on the " + nasty}})
	p.reads("#state", "listening")
	p.reads("#partial", "turn on the "+nasty)
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindState, Body: map[string]string{"state": "thinking"}})
	p.reads("#state", "thinking")
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindHouse, Body: display.Changes{Entities: changed, Gone: []string{}}})
	p.eventually("every lamp is on", `[...document.querySelectorAll("#areas .value")].every((e) => e.textContent === "on")`)
	p.eventually("few turns are drawn", `document.querySelectorAll("#turns li").length === 25`)
	for _, drawn := range []int{50, 75} {
		p.click("#turns-more")
		p.eventually("more are drawn when they are wanted", fmt.Sprintf(`document.querySelectorAll("#turns li").length === %d`, drawn))
	}
	p.click("#turns li:last-child summary")
	p.reads("#turns .waterfall", "First sound")
	for _, stage := range []string{"Wake word", "Speech", "End noticed", "Transcript", "Command sent", "Device's own report"} {
		p.reads("#turns .waterfall", stage)
	}
	if !p.holds(`(() => {
		const { backgroundImage, clipPath } = getComputedStyle(document.querySelector("#turns .frames"));
		return backgroundImage.match(/rgb/g).length >= 2 * 9 && clipPath.match(/calc/g).length === 2;
	})()`) {
		t.Error("the frames around the end of speech are not drawn, with a mark at its end")
	}
	p.reads("#turns figure", "Command sent: 121 ms")
	count, long, most := longest(end())
	nodes := value[int](p, `document.querySelectorAll("*").length`)
	if nodes > 2500 {
		t.Errorf("the document has %d elements", nodes)
	}
	if count < 50 {
		t.Errorf("the trace has %d tasks only", count)
	}
	if !p.holds(`document.images.length === 0 && document.title === "crowd · voice-gateway"`) {
		t.Error("a name became markup")
	}
	t.Logf("first paint after %.0f ms (budget 1000); of %d tasks %d were over 50 ms (budget 0), the longest %.0f ms; %d elements", first, count, long, most, nodes)
	p.picture("in-a-turn")
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindState, Body: map[string]string{"state": "idle"}})
	p.eventually("the words are gone with the turn", `document.getElementById("partial").hidden`)
	w.stayedHome(t, c.url)
}

// A page whose connection breaks says so, reconnects, and gets what it missed without
// asking for everything again. That a turn has happened may have it ask for what happened.
func TestAcceptPageComesBack(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	c := newCrowd(t)
	p := loaded(t, ctx, c.url+"/")
	for i := range 3 {
		before := len(w.requests())
		w.cut()
		c.feed.Publish(httpapi.Event{Kind: httpapi.KindTurn, Body: turnOf(manyTurns + i + 1)})
		p.eventually("it says that the connection is lost", `!document.getElementById("lost").hidden`)
		p.reads("#turns summary", fmt.Sprintf("number %d ", manyTurns+i+1))
		p.eventually("it is back", `document.getElementById("lost").hidden`)
		asked := slices.DeleteFunc(slices.Clone(w.requests()[before:]), func(request string) bool { return strings.HasSuffix(request, "/api/happened") })
		if len(asked) != 1 || !strings.HasSuffix(asked[0], "/api/events") {
			t.Errorf("to come back it asked for %q", asked)
		}
	}
	if n := value[string](p, "document.body.dataset.loaded"); n != "1" {
		t.Errorf("it was loaded %s times", n)
	}
}

// Fifty pages are open at once, and all get the events.
func TestAcceptPageFifty(t *testing.T) {
	ctx, _ := browser(t, chromedp.Flag("process-per-site", true))
	c := newCrowd(t)
	const families, pages = 5, 10
	var all []*tab
	for range families {
		p := open(t, ctx, c.url+"/", chromedp.WithNewBrowserContext())
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`window.pages = [window]; for (let i = 1; i < %d; i++) pages.push(open("/")); undefined`, pages)))
		all = append(all, p)
	}
	for _, p := range all {
		p.eventually("the pages are loaded", `pages.every((page) => page.document.body?.dataset.loaded > 0)`)
	}
	c.feed.Publish(httpapi.Event{Kind: httpapi.KindTurn, Body: turnOf(manyTurns + 7)})
	for _, p := range all {
		p.eventually("all are told", fmt.Sprintf(`pages.length === %d && pages.every((page) => [...page.document.querySelectorAll("#turns summary")].at(-1).textContent.includes("number %d "))`, pages, manyTurns+7))
	}
	n := c.feed.Clients()
	if n < families || n > families*pages {
		t.Errorf("%d pages keep %d connections", families*pages, n)
	}
	t.Logf("%d pages keep %d connections", families*pages, n)
}
