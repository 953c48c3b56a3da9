//go:build accept

package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// witness is the only way from the browser to anywhere: a proxy that writes down every
// request, and lets only those to gateways of the test through.
type witness struct {
	mu    sync.Mutex
	asked []string
	way   httputil.ReverseProxy
	cut   func()      // breaks every connection of the browser
	down  atomic.Bool // nothing gets through
	// silent is that nothing new gets through, and nothing fails.
	silent atomic.Bool
}

// ServeHTTP notes a request and passes it on.
func (w *witness) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	if w.down.Load() {
		panic(http.ErrAbortHandler)
	}
	if w.silent.Load() {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	if !slices.Contains(ownAddresses, r.URL.Hostname()) {
		w.mu.Lock()
		w.asked = append(w.asked, r.Method+" "+r.URL.String())
		w.mu.Unlock()
	}
	if r.Method == http.MethodConnect || !strings.HasPrefix(r.URL.Host, "127.0.0.1:") {
		out.WriteHeader(http.StatusBadGateway)
		return
	}
	w.way.ServeHTTP(out, r)
}

// requests is what the browser asked for so far.
func (w *witness) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

// browser starts a Chromium that lives as long as the test.
func browser(t *testing.T, more ...chromedp.ExecAllocatorOption) (context.Context, *witness) {
	t.Helper()
	w := &witness{way: httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1}}
	proxy := httptest.NewServer(w)
	w.cut = proxy.CloseClientConnections
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ProxyServer(proxy.URL),
		chromedp.Flag("proxy-bypass-list", "<-loopback>"), chromedp.Flag("disable-component-update", true),
		chromedp.Env("GOOGLE_API_KEY=no", "GOOGLE_DEFAULT_CLIENT_ID=no", "GOOGLE_DEFAULT_CLIENT_SECRET=no"), chromedp.Flag("disable-domain-reliability", true), chromedp.Flag("no-pings", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-features", "OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,CertificateTransparencyComponentUpdater"),
		chromedp.WindowSize(1200, 1000))
	allocated, stop := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), append(options, more...)...)
	ctx, leave := chromedp.NewContext(allocated)
	t.Cleanup(func() {
		leave()
		stop()
		proxy.CloseClientConnections()
		proxy.Close()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium does not start (apt-get install chromium): %v", err)
	}
	return ctx, w
}

// tab is an open page.
type tab struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // it is the tab
}

// open opens a page in a new tab of a family's own browser, or of one that is open.
func open(t *testing.T, ctx context.Context, url string, options ...chromedp.ContextOption) *tab { //nolint:revive // the test comes first
	t.Helper()
	return openFor(t, ctx, 2*patience, url, options...)
}

// openFor opens a page as open does, and closes it after a time.
func openFor(t *testing.T, ctx context.Context, long time.Duration, url string, options ...chromedp.ContextOption) *tab { //nolint:revive // the test comes first
	t.Helper()
	own, leave := chromedp.NewContext(ctx, options...)
	bounded, cancel := context.WithTimeout(own, long)
	t.Cleanup(func() { cancel(); leave() })
	p := &tab{t, bounded}
	if err := chromedp.Listen(bounded, func(event any) {
		if thrown, ok := event.(*cdpruntime.EventExceptionThrown); ok {
			t.Errorf("the page threw %s %+v", thrown.ExceptionDetails.Text, thrown.ExceptionDetails.Exception)
		}
	}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(url))
	return p
}

// loaded opens a gateway's page and waits until it shows everything.
func loaded(t *testing.T, ctx context.Context, url string, options ...chromedp.ContextOption) *tab { //nolint:revive // the test comes first
	t.Helper()
	p := open(t, ctx, url, options...)
	p.eventually("the page is loaded", `document.body.dataset.loaded > 0`)
	return p
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// awaitPromise makes an evaluation wait for the promise that its expression returns.
func awaitPromise(how *cdpruntime.EvaluateParams) { how.AwaitPromise = new(true) }

// rests waits until something has stayed in its place for longer than the page collects changes
// (soon in dom.js: 30 ms).
func (p *tab) rests(selector string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(async () => {
		const place = () => { const at = document.querySelector(%s)?.getBoundingClientRect(); return at && [at.x, at.y, at.width, at.height].join(); };
		for (let before, now = place(); !now || now !== before; before = now, now = place()) await new Promise((go) => setTimeout(go, 60));
	})()`, quoted(selector)), awaitPromise))
	if err != nil {
		p.t.Fatalf("%s does not rest: %v", selector, err)
	}
}

// click clicks on something once it rests: a click goes to a place, and a line that comes or goes
// above moves what is there. It looks for it again if the page has put another one in its place
// since it was found: nothing has been clicked then.
func (p *tab) click(selector string) {
	p.t.Helper()
	for range 10 {
		p.rests(selector)
		err := chromedp.Do(p.ctx, chromedp.Click(chromedp.CSS(selector)))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Could not find node with given id") {
			p.t.Fatal(err)
		}
	}
	p.t.Fatalf("%s is replaced all the time", selector)
}

// types puts the focus somewhere and types there.
func (p *tab) types(selector, keys string) {
	p.t.Helper()
	p.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(keys))
}

// value is what an expression gives in the page.
func value[T any](p *tab, expression string) T {
	p.t.Helper()
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

func (p *tab) holds(expression string) bool {
	p.t.Helper()
	return value[bool](p, "Boolean("+expression+")")
}

// text returns the text that an element shows. It is empty if no element matches.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf("document.querySelector(%s)?.innerText ?? ''", quoted(selector)))
}

func quoted[T string | []string](text T) string {
	q, _ := json.Marshal(text) // of texts, which never fails
	return string(q)
}

// eventually waits until an expression holds in the page.
func (p *tab) eventually(what, expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		held, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if held {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			all, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			p.t.Fatalf("the page never came to this: %s (%v). It shows:\n%s", what, err, all)
		}
	}
}

// reads waits until an element's text has some words.
func (p *tab) reads(selector, words string) {
	p.t.Helper()
	p.eventually(fmt.Sprintf("%s reads %q", selector, words),
		fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quoted(selector), quoted(words)))
}

// ask types a sentence and sends it, and waits for the reply.
func (p *tab) ask(sentence, reply string) {
	p.t.Helper()
	p.types("#ask-text", sentence+kb.Enter)
	p.reads("#reply", reply)
}

// picture keeps what the whole page looks like, sight what a person sees of it.
func (p *tab) picture(name string) { p.t.Helper(); p.keep(name, chromedp.FullScreenshot(100)) }

func (p *tab) sight(name string) { p.t.Helper(); p.keep(name, chromedp.CaptureScreenshot()) }

func (p *tab) keep(name string, take chromedp.Action[[]byte]) {
	p.t.Helper()
	image, err := chromedp.Run(p.ctx, take)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(shots, 0o750), os.WriteFile(filepath.Join(shots, name+".png"), image, 0o600)); err != nil {
		p.t.Error(err)
	}
	if len(image) < 5000 {
		p.t.Errorf("the picture %s has %d bytes", name, len(image))
	}
}

// ownAddresses are what Chromium requests whatever page it shows: the time, its updates,
// its accounts. None of these requests gets past the witness.
var ownAddresses = []string{"update.googleapis.com", "clients2.google.com", "accounts.google.com", "redirector.gvt1.com", "optimizationguide-pa.googleapis.com", "android.clients.google.com"}

// stayedHome checks that no request of a browser has left the machine.
func (w *witness) stayedHome(t *testing.T, gateways ...string) {
	t.Helper()
	all := w.requests()
	if len(all) < 15 {
		t.Errorf("the browser was seen to ask %d times only", len(all))
	}
	for _, asked := range all {
		_, url, _ := strings.Cut(asked, " ")
		if !slices.ContainsFunc(gateways, func(g string) bool { return strings.HasPrefix(url, g+"/") }) {
			t.Errorf("the browser asked for %s", asked)
		}
	}
	t.Logf("%d requests, all to %v", len(all), gateways)
}

// likesDark shows the page as a user with the dark colour scheme sees it.
func (p *tab) likesDark() {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	}); err != nil {
		p.t.Fatal(err)
	}
}
