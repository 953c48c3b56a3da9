//go:build accept

package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is the element that has the focus, by its id or else its text.
const focused = `(document.activeElement.id || document.activeElement.textContent || document.activeElement.tagName).trim()`

// tabTo presses the tabulator until something has the focus.
func (p *tab) tabTo(what string) {
	p.t.Helper()
	var seen []string
	for range 60 {
		p.do(chromedp.KeyEvent(kb.Tab))
		at := value[string](p, focused)
		if strings.Contains(at, what) {
			if !p.holds(`document.activeElement.matches(":focus-visible")`) {
				p.t.Errorf("nobody sees that %s has the focus", what)
			}
			return
		}
		seen = append(seen, at)
	}
	p.t.Fatalf("the tabulator never came to %s, only to %q", what, seen)
}

// Everything is done with the keyboard alone, and a screen reader has a name for
// everything.
func TestAcceptPageByKeyboardAndByEar(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\nmcp:\n  servers:\n    zwave: {essential: true}\n"+puppets(t))
	p := loaded(t, ctx, g.url+"/")
	// Its window has the focus, whatever else happens on the machine.
	if _, err := chromedp.Call(p.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	p.tabTo("Skip to content")
	p.tabTo("Skip to talk") // past the house, which comes first
	p.do(chromedp.KeyEvent(kb.Enter))
	p.eventually("it leads to where one talks", `document.activeElement.id === "ask-text"`)
	p.do(chromedp.KeyEvent("turn on the hallway light" + kb.Enter))
	p.reads("#reply", "The hallway light is on.")
	p.reads("#turns li:last-child summary", "turn on the hallway light")
	p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))) // what was said stands above
	p.eventually("the last turn has the focus", `document.activeElement.matches("#turns li:last-child summary")`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.reads("#turns .waterfall", "Command sent")
	p.tabTo("volume")
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.reads("#volume-value", "95 %")
	p.tabTo("timer-minutes")
	p.tabTo("timer-name")
	p.do(chromedp.KeyEvent("tea" + kb.Enter))
	p.reads("#timers", "tea")
	p.eventually("there is a button for the timer", `document.querySelector("#timers [data-action=cancel]")`)
	for range 12 { // the buttons of the timer stand before the form
		if value[string](p, `document.activeElement.dataset.action ?? ""`) == "cancel" {
			break
		}
		p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)))
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.eventually("it is cancelled", `document.querySelectorAll("#timers li").length === 0`)
	p.tabTo("Accept")
	p.do(chromedp.KeyEvent(" "))
	p.eventually("the tool is accepted", `!document.querySelector("[data-key^=accept]")`)

	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	var names []string
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role := strings.Trim(string(node.Role.Value), `"`)
		name := ""
		if node.Name != nil {
			name = strings.Trim(string(node.Name.Value), `"`)
		}
		found[role]++
		names = append(names, role+" "+name)
		if slices.Contains([]string{"button", "textbox", "slider", "spinbutton", "link", "heading", "region", "table", "rowheader"}, role) && strings.TrimSpace(name) == "" {
			t.Errorf("a %s has no name", role)
		}
	}
	for role, least := range map[string]int{"button": 6, "textbox": 2, "slider": 1, "spinbutton": 1, "heading": 15, "region": 6, "status": 3, "alert": 1, "main": 1, "banner": 1, "table": 1, "list": 8} {
		if found[role] < least {
			t.Errorf("%d of the role %s, expected %d: %v", found[role], role, least, found)
		}
	}
	for _, want := range []string{"textbox Say or ask something", "slider Volume", "heading House", "region Hallway", "region Services", "button Mute the microphone", "status State"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %q among %q", want, names)
		}
	}
}

// In each language, on a telephone and in the dark.
func TestAcceptPageInFourLanguages(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	first := house(t, "gateway: {id: en, language: en}\n")
	gateways := []string{first.url}
	for language, words := range map[string][]string{
		"en": {"What was said", "No timer is running.", "The microphone is missing or in use."},
		// Spoken commands are English only, so no other gateway misses a microphone.
		"de": {"Was gesagt wurde", "Kein Timer läuft.", "Der Lautsprecher fehlt oder ist belegt."},
		"fr": {"Ce qui a été dit", "Aucun minuteur en cours.", "Le haut-parleur est absent ou occupé."},
		"es": {"Lo que se ha dicho", "No hay ningún temporizador en marcha.", "El altavoz falta o está ocupado."},
	} {
		g := first
		if language != "en" {
			g = run(t, "gateway: {id: "+language+", language: "+language+"}\n", first.broker)
			gateways = append(gateways, g.url)
		}
		p := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
		p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
		p.eventually(language+": the house is shown", `document.querySelectorAll("#areas li").length > 40`)
		for _, word := range words {
			p.reads("body", word)
		}
		if got := value[string](p, "document.documentElement.lang"); got != language {
			t.Errorf("%s: the page says it is %s", language, got)
		}
		p.turnTo("timers")
		p.types("#timer-name", strings.Repeat("Schiffahrtsgesellschaft", 2)+kb.Enter)
		p.reads("#timers", "Schiffahrt")
		for _, part := range []string{"system", "talk", "timers", "house"} {
			p.turnTo(part)
			if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 360 {
				t.Errorf("%s, %s: the page is %d wide on a telephone of 360", language, part, wide)
			}
			if small := value[[]string](p, `[...document.querySelectorAll("button, input, select, .glance a")].filter((e) => e.checkVisibility() && e.type !== "range" && e.getBoundingClientRect().height < 40).map((e) => e.id || e.textContent)`); len(small) > 0 {
				t.Errorf("%s, %s: too small for a finger: %q", language, part, small)
			}
		}
		ground := value[string](p, "getComputedStyle(document.body).backgroundColor")
		p.picture("phone-" + language)
		p.likesDark()
		if dark := value[string](p, "getComputedStyle(document.body).backgroundColor"); dark == ground || dark != "rgb(18, 21, 26)" {
			t.Errorf("%s: in the dark the ground is %s, by day %s", language, dark, ground)
		}
		p.picture("dark-" + language)
	}
	w.stayedHome(t, gateways...)
}

// If there is a token, a browser has to log in.
func TestAcceptPageLogIn(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := run(t, fmt.Sprintf("gateway: {id: home, language: de}\nmcp: {servers: {zwave: {command: sleep, args: [\"3600\"]}}}\nhttp: {token_file: %q}\n", writeToken(t)), "")
	p := open(t, ctx, g.url+"/")
	p.reads("h1", "home")
	if at := value[string](p, "location.pathname"); at != "/login" {
		t.Errorf("a stranger is at %s", at)
	}
	p.types("#token", "guessed"+kb.Enter)
	p.reads("[role=alert]", "Das ist nicht das Token.")
	p.picture("login")
	p.types("#token", pageToken+kb.Enter)
	p.eventually("the page is loaded", `document.body.dataset.loaded > 0`)
	if p.holds("document.cookie") {
		t.Errorf("a script reads the cookie %s", value[string](p, "document.cookie"))
	}
	cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(cookies.Cookies) != 1 {
		t.Fatalf("cookies %+v, %v", cookies, err)
	}
	if c := cookies.Cookies[0]; !c.HTTPOnly || c.SameSite != network.CookieSameSiteStrict || strings.Contains(c.Value, pageToken) {
		t.Errorf("the cookie is %+v", c)
	}
	p.ask("wie spät ist es", "Uhr")
	p.click("header form button")
	p.reads("label", "Token")
	if status := value[int](p, `(() => { const x = new XMLHttpRequest(); x.open("GET", "/api/turns", false); x.send(); return x.status; })()`); status != 401 {
		t.Errorf("after the log-out the turns are answered with %d", status)
	}
	w.stayedHome(t, g.url)
}
