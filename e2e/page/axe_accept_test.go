//go:build accept

package page

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicegateway/internal/fake"
)

// axeRules installs the rules of axe, and returns them as a script.
func axeRules(t *testing.T) string {
	t.Helper()
	dir, err := fake.TryInstall(t, "peers.sh", "axe")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// checkRules checks what a page shows now by every rule of axe, and returns how many rules had
// something to judge.
func (p *tab) checkRules(script, what string) int {
	p.t.Helper()
	if !p.holds(`window.axe`) {
		p.do(chromedp.Evaluate[chromedp.Void](script + "; undefined"))
	}
	type judgement struct {
		Passed   int
		Violated []string
	}
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[judgement](`axe.run(document, { resultTypes: ["violations"] }).then(({ passes, violations }) => ({
		Passed: passes.length,
		Violated: violations.flatMap(({ id, help, nodes }) => nodes.map((node) => id + ": " + help + ": " + node.html.slice(0, 200) + " " + (node.any[0]?.message ?? ""))),
	}))`, awaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	for _, violated := range got.Violated {
		p.t.Errorf("%s: %s", what, violated)
	}
	return got.Passed
}

// No rule of axe is violated: on a telephone and a wide screen, by day and in the dark, in German
// with a house that has something of everything, with nothing at all, while something rings, and
// where a token is asked for.
func TestAcceptPageByAxe(t *testing.T) {
	t.Parallel()
	script := axeRules(t)
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: Zuhause, language: de, area: Kitchen}\nmcp:\n  servers:\n    zwave: {essential: true}\n"+puppets(t))
	judged, least := 0, 100
	judge := func(p *tab, what string) {
		t.Helper()
		least = min(least, p.checkRules(script, what))
		judged++
	}
	parts := func(p *tab, what string) {
		t.Helper()
		for _, part := range []string{"talk", "timers", "happened", "system", "house"} {
			p.turnTo(part)
			judge(p, what+", "+part)
		}
	}

	empty := loaded(t, ctx, run(t, "gateway: {id: empty}\n", "").url+"/", chromedp.WithNewBrowserContext())
	judge(empty, "empty")

	guarded := run(t, fmt.Sprintf("gateway: {id: guarded}\nhttp: {token_file: %q}\n", writeToken(t)), "")
	login := open(t, ctx, guarded.url+"/", chromedp.WithNewBrowserContext())
	login.types("#token", "guessed"+kb.Enter)
	login.reads("[role=alert]", "token")
	judge(login, "log-in")
	login.likesDark()
	judge(login, "log-in in the dark")

	p := loaded(t, ctx, g.url+"/")
	p.eventually("the house is shown", stateOf("Hallway Light")+` === "aus"`)
	p.watch()
	p.press("Front Door", ".face") // locked
	p.proves("Front Door", "confirmed", "verriegelt")
	p.press("Front Door", ".face") // and not unlocked
	p.proves("Front Door", "failed", "verriegelt")
	p.press("Mood Light", "[aria-expanded]")
	p.press("Mood Light", ".face")
	p.proves("Mood Light", "confirmed", "an")
	p.press("Reading Lamp", ".face")
	p.proves("Reading Lamp", "confirmed", "an")
	for _, timer := range []map[string]any{{"kind": "timer", "seconds": 600, "name": "Nudeln"}, {"kind": "alarm", "at": "07:15", "every": "weekday"}, {"kind": "reminder", "at": "18:30", "text": "Müll", "day": "tomorrow"}} {
		timer["action"] = "start"
		if err := g.post("/api/timers", timer, new(any)); err != nil {
			t.Fatal(err)
		}
	}
	p.reads("#timers", "Nudeln")
	p.ask("wie spät ist es", "Uhr")
	p.ask("schließ die Haustür auf", "")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("#areas details, #turns details, #system details").forEach((e) => { e.open = true; }); undefined`))
	judge(p, "German and wide")
	p.click("#arrange")
	p.eventually("it is arranged", `document.querySelector(".hider")`)
	judge(p, "while it is arranged")
	p.click("#arrange")
	g.fault(`{"op":"change","node":"Attic Smoke Alarm","key":"113-0-Smoke Alarm-Sensor status","value":2}`)
	if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": "Ei", "seconds": 1}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#ringing li", "Attic Smoke Alarm")
	p.reads("#ringing li", "Ei")
	judge(p, "ringing")
	p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	parts(p, "telephone")
	p.likesDark()
	judge(p, "telephone in the dark")
	p.do(chromedp.EmulateViewport(1200, 1000)) // where all parts are seen at once
	judge(p, "wide in the dark")
	if least < 10 {
		t.Errorf("only %d rules had something to judge", least)
	}
	t.Logf("%d views, at least %d rules each", judged, least)
}
