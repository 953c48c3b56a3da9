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
	p.reads("#state", "idle")
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
	p.reads("#state", "idle")

	byKey := func() { p.do(chromedp.Focus(chromedp.CSS("#listen")), chromedp.KeyEvent(kb.Enter)) }
	p.talks(g, byKey, "turn off the kitchen light", said)
	p.eventually("the lamp is dark", lamp+` === "off"`)
	p.reads("#reply", "The kitchen light is off.")
	p.reads("#state", "idle")

	p.click("#listen")
	p.reads("#state", "listening")
	p.click("#stop")
	p.reads("#state", "idle")
	p.click("#mute")
	p.reads("#state", "muted")
	p.reads("#mute", "Muted – open the microphone")
	p.click("#listen")
	p.reads("#notice", "muted")
	p.reads("#parts li", "muted")
	p.click("[data-mend=mute]") // the health has a button for it
	p.reads("#state", "idle")
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
		p.reads("#state", "idle")
	}
	p.t.Fatalf("%q was not understood", sentence)
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
