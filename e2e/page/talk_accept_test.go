//go:build accept

package page

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicegateway/e2e/rig"
	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// Push to talk: the user presses the button, speaks into the microphone, and sees the
// words, the lamp and the reply; then again by keyboard, and once without speech.
func TestAcceptPagePushToTalk(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	dir := t.TempDir()
	said, open := filepath.Join(dir, "said.wav"), filepath.Join(dir, "open")
	silence := filepath.Join(dir, "silence.wav")
	save(t, silence, make([]int16, audio.SpeechRate)) // the card is silent after it, too
	card, _ := fake.SoundCard(t, fmt.Sprintf("wav %q say %q open %q", silence, said, open))
	broker := mosquitto(t)
	rig.StartHouse(t, broker)
	g := run(t, "gateway: {id: home, area: Kitchen}\nwake: {engine: none}\n", broker, card)
	p := loaded(t, ctx, g.url+"/")
	lamp := stateOf("Kitchen Light")
	p.eventually("the lamp is off", lamp+` === "off"`)
	p.reads("#state", "ready")
	eventually(t, "the microphone is open", func() bool { _, err := os.Stat(open); return err == nil })

	// The last words may be on the page for less time than it takes to look.
	p.do(chromedp.Evaluate[chromedp.Void](`window.partials = []; new MutationObserver(() => partials.push(document.getElementById("partial").textContent)).
		observe(document.getElementById("partial"), { childList: true, characterData: true, subtree: true }); undefined`))
	press := func() { p.click("#listen") }
	p.talks(g, press, "turn on the kitchen light", said)
	p.eventually("the lamp is lit", lamp+` === "on"`)
	p.reads("#reply", "The kitchen light is on.")
	p.eventually("the words were shown as they were spoken", `partials.includes("turn on the kitchen light")`)
	p.picture("push-to-talk")
	p.reads("#turns li:last-child summary", "turn on the kitchen light")
	p.click("#turns li:last-child summary")
	for _, stage := range []string{"Speech", "End noticed", "Transcript", "Command sent", "Device's own report"} {
		p.reads("#turns li:last-child .waterfall", stage)
	}
	p.reads("#turns li:last-child dl", "microphone")
	p.picture("push-to-talk-waterfall")
	p.reads("#state", "ready")

	byKey := func() { p.do(chromedp.Focus(chromedp.CSS("#listen")), chromedp.KeyEvent(kb.Enter)) }
	p.talks(g, byKey, "turn off the kitchen light", said)
	p.eventually("the lamp is dark", lamp+` === "off"`)
	p.reads("#reply", "The kitchen light is off.")
	p.reads("#state", "ready")

	p.holdsToTalk(g, said)
	p.click("#listen")
	p.reads("#state", "listening")
	p.click("#stop")
	p.reads("#state", "ready")
	p.button(input.DispatchMouseEventTypeMousePressed)
	p.reads("#state", "listening")
	w.down.Store(true)
	p.eventually("without a connection, the button is not held", `!document.getElementById("listen").classList.contains("held")`)
	p.button(input.DispatchMouseEventTypeMouseReleased)
	w.down.Store(false)
	eventually(t, "the gateway hears no more of it, either", func() bool { return g.lastTurn().Endpoint != nil && g.lastTurn().Endpoint.Reason == "no_speech" })
	p.reads("#state", "ready")
	p.click("#mute")
	p.reads("#state", "muted")
	p.reads("#mute", "Muted – open the microphone")
	p.click("#listen")
	p.reads("#notice", "muted")
	p.reads("#parts li", "muted")
	p.click("[data-mend=mute]") // the health has a button for it
	p.reads("#state", "ready")
	p.reads("#mute", "Mute the microphone")
	p.eventually("the health has nothing to mend", `!document.querySelector("[data-mend=mute]")`)
	w.stayedHome(t, g.url)
}

// talks presses the button and speaks. If the speech is not understood, as while the
// recogniser still learns the names of the house, it is repeated.
func (p *tab) talks(g gateway, press func(), sentence, said string) {
	p.t.Helper()
	for try := range 3 {
		before := len(g.turns())
		press()
		p.reads("#state", "listening")
		speak(p.t, sentence, said)
		eventually(p.t, "there is a turn", func() bool { return len(g.turns()) > before })
		turn := g.turns()[0]
		if turn.Source != record.FromMic || turn.Wake != nil {
			p.t.Errorf("a turn of the button: %+v", turn)
		}
		if turn.Outcome == record.Done {
			return
		}
		if len(turn.Calls) > 0 {
			p.t.Fatalf("%q did something else: %+v", sentence, turn)
		}
		p.t.Logf("try %d of %q: %s, heard %+v", try+1, sentence, turn.Outcome, turn.Transcript)
		p.click("#stop")
		p.reads("#state", "ready")
	}
	p.t.Fatalf("%q was not understood", sentence)
}

// button presses the left button of the mouse on the microphone's button, or lets it go.
func (p *tab) button(what input.DispatchMouseEventType) {
	p.t.Helper()
	at := value[[]float64](p, `(() => { const e = document.getElementById("listen"); e.scrollIntoView({ block: "nearest" }); const { left, top, width, height } = e.getBoundingClientRect(); return [left + width / 2, top + height / 2]; })()`)
	p.do(chromedp.MouseEvent(what, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
}

// space presses the space key, or lets it go.
func (p *tab) space(what input.DispatchKeyEventType) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: what, Key: " ", Code: "Space", WindowsVirtualKeyCode: 32}); err != nil {
		p.t.Fatal(err)
	}
}

// holdsToTalk speaks while the button is held, by the mouse and by the space key, and loses the
// button in every other way: nothing sticks.
func (p *tab) holdsToTalk(g gateway, said string) {
	p.t.Helper()
	const isHeld = `document.getElementById("listen").classList.contains("held")`
	for _, way := range []struct {
		sentence, lamp string
		down, up       func()
	}{
		{"turn on the kitchen light", "on", func() { p.button(input.DispatchMouseEventTypeMousePressed) }, func() { p.button(input.DispatchMouseEventTypeMouseReleased) }},
		{"turn off the kitchen light", "off", func() { p.do(chromedp.Focus(chromedp.CSS("#listen"))); p.space(input.DispatchKeyEventTypeKeyDown) }, func() { p.space(input.DispatchKeyEventTypeKeyUp) }},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](`partials.length = 0; undefined`))
		before := len(g.turns())
		way.down()
		p.reads("#state", "listening")
		p.reads("#listen", "Let go when you are done")
		speak(p.t, way.sentence, said)
		p.eventually("the words are shown", `partials.includes(`+quoted(way.sentence)+`)`)
		if len(g.turns()) > before || !p.holds(isHeld) {
			p.t.Error("it has ended by itself")
		}
		way.up()
		p.eventually("the lamp is "+way.lamp, stateOf("Kitchen Light")+` === `+quoted(way.lamp))
		eventually(p.t, "there is a turn", func() bool { return len(g.turns()) > before })
		if turn := g.turns()[0]; turn.Endpoint == nil || turn.Endpoint.Reason != "let_go" {
			p.t.Errorf("the turn ended by %+v", turn.Endpoint)
		}
		p.reads("#state", "ready")
		p.reads("#listen", "Tap or hold to talk")
	}

	p.space(input.DispatchKeyEventTypeKeyDown)
	p.space(input.DispatchKeyEventTypeKeyUp)
	p.reads("#state", "listening") // a tap
	p.click("#stop")
	p.reads("#state", "ready")
	for what, lose := range map[string]string{
		"the focus goes":     `document.getElementById("ask-text").focus()`,
		"the page is hidden": `Object.defineProperty(document, "hidden", { value: true, configurable: true }); document.dispatchEvent(new Event("visibilitychange")); delete document.hidden; document.dispatchEvent(new Event("visibilitychange"))`,
		"a finger scrolls":   `document.getElementById("listen").dispatchEvent(new PointerEvent("pointercancel", { pointerId: 1 }))`,
	} {
		p.button(input.DispatchMouseEventTypeMousePressed)
		p.reads("#state", "listening")
		p.eventually("a press is no tap any more", `(window.pressed ??= performance.now()) + 500 < performance.now()`)
		p.do(chromedp.Evaluate[chromedp.Void](`delete window.pressed; document.getElementById("listen").dispatchEvent(new PointerEvent("pointerup", { pointerId: 99 })); undefined`))
		if !p.holds(isHeld) {
			p.t.Error("another finger has let go of the button")
		}
		p.do(chromedp.Evaluate[chromedp.Void](lose + `; undefined`))
		if p.holds(isHeld) {
			p.t.Errorf("%s, and the button is held", what)
		}
		p.reads("#state", "ready") // there was no speech
		p.button(input.DispatchMouseEventTypeMouseReleased)
	}
}

// speak lets the microphone hear a sentence, with a breath before and after it.
func speak(t *testing.T, sentence, said string) {
	t.Helper()
	part := said + ".part"
	if out, err := exec.CommandContext(t.Context(), "flite", "-voice", "slt", "-o", part, "-t", sentence).CombinedOutput(); err != nil {
		t.Fatalf("saying %q: %v: %s", sentence, err, out)
	}
	clip, err := file.Load(part)
	if err == nil {
		clip, err = audio.Resample(clip, audio.SpeechRate)
	}
	if err != nil {
		t.Fatal(err)
	}
	breath := make([]int16, audio.SpeechRate/2)
	save(t, part, slices.Concat(breath, clip.Samples, breath))
	if err := os.Rename(part, said); err != nil { // the card reads it once it is there
		t.Fatal(err)
	}
}

// save writes sound to a file.
func save(t *testing.T, path string, samples []int16) {
	t.Helper()
	var text bytes.Buffer
	err := audio.WriteWAV(&text, audio.Clip{Rate: audio.SpeechRate, Samples: samples})
	if err == nil {
		err = os.WriteFile(path, text.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
