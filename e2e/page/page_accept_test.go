//go:build accept

package page

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicegateway/internal/fake"
)

// nasty would be markup, and run, where a text is not kept a text.
const nasty = `<img src=/x onerror="document.title='hacked'">`

// puppets are the servers beside the house, as the configuration has them: one whose
// tool changes, and one that may not write.
func puppets(t *testing.T) string {
	t.Helper()
	tool := func(name, about string, reads bool) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":%t}}`, name, about, reads))
	}
	weather := fake.Puppet{Tools: []json.RawMessage{tool("forecast", "The weather.", true)}, Then: []json.RawMessage{tool("forecast", "The weather, and more.", true)}}
	notes := fake.Puppet{Stderr: "ready " + nasty, Tools: []json.RawMessage{tool("read_note", "Reads.", true), tool("write_note", "Writes.", false)}}
	text := ""
	for id, p := range map[string]fake.Puppet{"weather": weather, "notes": notes} {
		command, env := p.Pull(t)
		variables, _ := json.Marshal(env) // of texts
		text += fmt.Sprintf("    %s: {command: %q, trust: read, env: %s}\n", id, command, variables)
	}
	return text
}

// The whole of an ordinary day on one page.
func TestAcceptPageOfADay(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	g := house(t, "gateway: {id: home, area: Kitchen}\nmcp:\n  servers:\n    zwave: {essential: true}\n"+puppets(t))
	p := loaded(t, ctx, g.url+"/")
	p.eventually("the lamp is off", stateOf("Hallway Light")+` === "off"`)
	p.picture("idle")

	t.Log("a lamp")
	p.ask("turn on the hallway light", "The hallway light is on.")
	p.eventually("the lamp is lit", stateOf("Hallway Light")+` === "on"`)
	if err := g.post("/api/ask", map[string]string{"text": "turn off the hallway light"}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.eventually("what somebody else did is seen", stateOf("Hallway Light")+` === "off"`)

	t.Log("its waterfall")
	p.reads("#turns li:first-child summary", "turn on the hallway light")
	p.click("#turns li:first-child summary")
	for _, words := range []string{"Command sent", "Call: Hallway Light", "Device's own report", "All"} {
		p.reads("#turns li:first-child .waterfall", words)
	}
	p.reads("#turns li:first-child dl", "this page")
	p.reads("#turns li:first-child dl", "Hallway Light: on, confirmed by the device")
	if !p.holds(`document.querySelector("#turns .bar").getBoundingClientRect().width > 0`) {
		t.Error("the waterfall has no bars")
	}
	p.picture("waterfall")

	p.marksWrong(g)

	t.Log("a device that is dead")
	g.fault(`{"op":"dead","node":"Reading Lamp"}`)
	p.ask("turn on the reading lamp", "I can't reach the reading lamp.")
	p.reads("#wrong", "Reading Lamp (Living Room): does not answer")
	p.eventually("it is seen in its room", stateOf("Reading Lamp")+`?.startsWith("does not answer")`)

	t.Log("a lamp that lies")
	g.fault(`{"op":"liar","node":"Kitchen Light"}`)
	p.types("#ask-text", "turn on the kitchen light"+kb.Enter)
	p.reads("#reply", "The kitchen light did not come on after all.")
	p.reads("#turns li:last-child summary .bad", "failed")

	t.Log("a timer")
	p.types("#timer-name", "pasta")
	p.click("#timer-new button")
	p.reads("#timers li", "pasta")
	before := p.text("#timers .value")
	p.eventually("it counts down", fmt.Sprintf(`document.querySelector("#timers .value").innerText !== %q`, before))
	if after := p.text("#timers .value"); after >= before {
		t.Errorf("from %s it went to %s", before, after)
	}
	p.picture("timer")
	p.click(`#timers [data-action=cancel]`)
	p.eventually("it is cancelled", `document.querySelectorAll("#timers li").length === 0`)
	if err := g.post("/api/timers", map[string]any{"action": "start", "kind": "timer", "name": "egg", "seconds": 1}, new(any)); err != nil {
		t.Fatal(err)
	}
	p.reads("#ringing li", "ringing")
	p.click("#ringing-stop")
	p.eventually("it is stopped", `document.getElementById("ringing").hidden`)

	t.Log("trust")
	p.reads("#servers .allow", "config set mcp.servers.notes.risk.write_note costly")
	p.reads("#servers li li", "it is not what it was when it was accepted")
	p.picture("trust")
	p.click(`[data-key="accept weather forecast"]`)
	p.eventually("the tool is accepted", `!document.querySelector('[data-key="accept weather forecast"]')`)
	var status struct {
		ToolsUnused []any `json:"toolsUnused"`
	}
	if err := g.get("/mcp/servers/weather/status", &status); err != nil || len(status.ToolsUnused) != 0 {
		t.Errorf("the gateway says %+v, %v", status, err)
	}

	t.Log("words of strangers")
	p.click(`[data-key="words notes"]`)
	p.reads("#servers pre", "ready "+nasty)
	p.types("#ask-text", nasty+kb.Enter)
	p.reads("#turns li:last-child summary", nasty)
	p.click("#turns li:last-child summary")
	p.reads("#turns li:last-child dl", nasty)
	if !p.holds(`document.images.length === 0 && document.title === "home · voice-gateway"`) {
		t.Error("a text became markup")
	}
	w.stayedHome(t, g.url)
}

// marksWrong marks the open turn as wrong, if this gateway keeps marks; if it does not,
// there must be no button for it.
func (p *tab) marksWrong(g gateway) {
	p.t.Helper()
	var about struct{ Routes []string }
	if err := g.get("/api/gateway", &about); err != nil || len(about.Routes) < 20 {
		p.t.Fatalf("the gateway says %+v, %v", about, err)
	}
	const form = "#turns li:first-child form"
	if keeps := slices.Contains(about.Routes, "POST /api/turns/{id}/wrong"); keeps != p.holds(`document.querySelector("`+form+`")`) {
		p.t.Errorf("the gateway keeps what was wrong: %t, and the page has the other", keeps)
	} else if keeps {
		p.types(form+" input", "the bedroom light"+kb.Enter)
		p.reads("#turns li:first-child [role=status]", "It is marked.")
		var kept []any
		if err := g.get("/api/marks", &kept); err != nil || len(kept) != 1 {
			p.t.Errorf("the gateway has kept %v, %v", kept, err)
		}
		p.picture("marked")
	}
}

// A server that does not come is tried again when a person says so.
func TestAcceptPageRetriesAServer(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	mended, script, runs := filepath.Join(t.TempDir(), "mended"), filepath.Join(t.TempDir(), "server"), filepath.Join(t.TempDir(), "runs")
	command, env := fake.Puppet{Stderr: "at last", Tools: []json.RawMessage{}}.Pull(t)
	text := fmt.Sprintf("#!/bin/sh\necho run >>%q\n[ -e %q ] && exec %q\necho 'the stick is not plugged in' >&2\nexit 9\n", runs, mended, command)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	variables, _ := json.Marshal(env) // of texts
	g := run(t, fmt.Sprintf("gateway: {id: home}\nmcp:\n  servers:\n    zwave: {command: %q, args: [], essential: true, env: %s, retry: {base_delay: 1h, max_delay: 1h}}\n", script, variables), "")
	p := loaded(t, ctx, g.url+"/")
	p.reads("#servers", "trying again")
	for _, words := range []string{"The program for Z-Wave has stopped.", "The MQTT broker is away.", "The microphone is missing or in use."} {
		p.reads("#level", words) // this machine has neither
	}
	p.eventually("the pill is red", `document.getElementById("level").classList.contains("bad")`)
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.click("#level")
	p.eventually("the pill leads to the health", `document.body.dataset.tab === "system" && document.activeElement.id === "health" && document.getElementById("parts").checkVisibility()`)
	p.sight("health-telephone")
	p.do(chromedp.EmulateViewport(1200, 1000))
	const copier = `[aria-label="Copy: voice-gateway devices"]`
	p.do(chromedp.Evaluate[chromedp.Void](`window.copied = ""; document.addEventListener("copy", () => { window.copied = String(document.activeElement.value ?? getSelection()); }); navigator.clipboard.writeText = async (text) => { window.copied = text; }; undefined`))
	p.click(copier)
	p.eventually("a command is copied", `copied === "voice-gateway devices" && document.querySelector(`+quoted(copier)+`).textContent === "Copied"`)
	p.do(chromedp.Evaluate[chromedp.Void](`window.copied = ""; Object.defineProperty(navigator, "clipboard", { value: undefined }); undefined`)) // as without a secure connection
	p.click(copier)
	p.eventually("it is copied in the old way", `copied === "voice-gateway devices" && document.activeElement.matches(`+quoted(copier)+`)`)
	p.reads("#servers", "the stick is not plugged in")
	const seconds = `Number(document.querySelector(".countdown").innerText.match(/\d+/)[0])`
	before := value[int](p, seconds)
	p.eventually("it counts down", fmt.Sprintf("%s < %d", seconds, before))
	p.click(`[data-key="words zwave"]`)
	p.reads("#servers pre", "the stick is not plugged in")
	p.picture("retrying")
	tried := func() int { text, _ := os.ReadFile(runs); return len(text) }
	once := tried()
	p.click("[data-mend=mcp]")
	eventually(t, "the button beside the health tries again, in vain", func() bool {
		var server struct{ Status string }
		return tried() > once && g.get("/mcp/servers/zwave/status", &server) == nil && server.Status == "retrying"
	})
	if err := os.WriteFile(mended, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.click(`[data-key="retry zwave"]`)
	p.reads("#servers .pill", "connected")
	p.eventually("the pill is as bad as the rest", `!document.getElementById("level").innerText.includes("zwave") && document.getElementById("level").classList.contains("bad")`)
	p.eventually("there is nothing to retry", `!document.querySelector("[data-key^=retry]")`)
	w.stayedHome(t, g.url)
}

// A server that the configuration has no more leaves an open page.
func TestAcceptPageDropsAServer(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	const one = "gateway: {id: home}\nmcp:\n  servers:\n    zwave: {command: /nowhere/server}\n"
	g := run(t, one+"    attic: {command: /nowhere/attic}\n", "")
	p := loaded(t, ctx, g.url+"/")
	p.reads("#servers", "attic")
	if err := os.WriteFile(g.config, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := g.program.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.eventually("it is gone", `document.getElementById("servers").innerText.includes("zwave") && !document.getElementById("servers").innerText.includes("attic")`)
	w.stayedHome(t, g.url)
}

// The two words of a challenge have to be spoken; typed text never counts, and a
// dangerous act cannot be done from the page.
func TestAcceptPageAnswersNoChallenge(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	g := house(t, "gateway: {id: home}\nsafety: {dangerous: challenge}\n")
	p := loaded(t, ctx, g.url+"/")
	p.ask("lock the front door", "lock")
	for _, sentence := range []string{"unlock the front door", "yes", "amber window", "open the garage door", "yes"} {
		p.types("#ask-text", sentence+kb.Enter)
		p.reads("#turns li:last-child summary", sentence)
		said, outcome := p.text("#turns li:last-child summary"), value[string](p, `document.querySelector("#turns li:last-child").dataset.outcome`)
		if outcome == "done" && !strings.Contains(said, "I did not ask anything.") || outcome == "accepted" {
			t.Errorf("%q became %q, %s", sentence, said, outcome)
		}
	}
	var known struct {
		Entities []struct {
			Name  string
			State any
		}
	}
	if err := g.get("/api/home", &known); err != nil {
		t.Fatal(err)
	}
	for _, e := range known.Entities {
		if e.Name == "Front Door" && e.State != "locked" || e.Name == "Garage Door" && e.State != "closed" {
			t.Errorf("%s is %v", e.Name, e.State)
		}
	}
}
