//go:build soak && accept

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// isMisheard is the verdict on an act that fits what was heard, where other words were heard
// than were said. The reply tells what was done.
const isMisheard verdict = "misheard"

// inWords are the numbers of the sentences as a recogniser writes them.
var inWords = strings.NewReplacer("40", "forty", "50", "fifty", "60", "sixty", "21", "twenty one")

// TestSoakSpokenToHomeAssistant says the forty English sentences of TestSoakBesideAssist to a
// microphone, each after a wake word of a person and in one of four voices, before a real Home
// Assistant, and asks Home Assistant how the thing is afterwards. Each recogniser hears them.
// Misheard sentences count apart. Even so, no reply may be untrue, no door may open, and no thing
// that is hidden from assistants may be switched. By hand, ten minutes, on a machine that has time
// to hear.
func TestSoakSpokenToHomeAssistant(t *testing.T) {
	dir, err := fake.TryInstall(t, "homeassistant.sh", "3.13")
	if err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(fake.Models(t), "moonshine-tiny-en")
	for _, engine := range []string{"moonshine", "pocketsphinx"} {
		t.Run(engine, func(t *testing.T) {
			speaksToHomeAssistant(t, dir, "VOICE_GATEWAY_STT_ENGINES="+engine, "VOICE_GATEWAY_STT_MOONSHINE_DIR="+models)
		})
	}
}

// speaksToHomeAssistant says the sentences to a gateway with these settings.
func speaksToHomeAssistant(t *testing.T, dir string, env ...string) {
	t.Helper()
	at := t.TempDir()
	p := &porch{t: t, said: filepath.Join(at, "said.wav")}
	started := filepath.Join(at, "started")
	card, _ := fake.SoundCard(t, fmt.Sprintf("say %q started %q", p.said, started))
	broker := mosquitto(t)
	p.ear = listen(t, broker)
	h := startBeside(t, filepath.Join(dir, "bin", "python"), "en", broker, slices.Concat(microWords(t), env, []string{card, "GOGC="})...)
	eventually(t, "the card captures", func() bool { return len(starts(t, started)) > 0 })

	voices := []string{"slt", "rms", "awb", "kal16"}
	count := map[verdict]int{}
	domains, receipts, heardRight := map[string]bool{}, map[string]int{}, 0
	for i, o := range familyOrders() {
		if h.entity(o.entity).State == "" {
			continue
		}
		eventually(t, "it is idle", p.idle)
		began := h.arrange(o)
		before := len(p.turns())
		p.says(p.jarvis(), p.by(voices[i%len(voices)], o.said["en"]))
		var of taken
		asSaid := false
		if within(t, 20*time.Second, func() bool { return len(p.turns()) > before }) {
			r := p.turns()[before]
			of.said, of.claim = r.Reply, claimOf(r, o.aim)
			if r.Transcript != nil && r.Transcript.Text == inWords.Replace(o.said["en"]) {
				heardRight++
				asSaid = true
			}
			if got := receiptsOf(r); got != "" {
				receipts[strings.Fields(got)[0]]++
			}
			if r.Transcript != nil {
				t.Logf("heard %q", r.Transcript.Text)
			}
			if r.Outcome == record.Asked {
				h.ask("no", new(taken))
			}
		} else {
			of.claim = claimsNot
		}
		h.settle(o, began, &of)
		if of.verdict == isImpostor && !asSaid {
			of.verdict = isMisheard
		}
		count[of.verdict]++
		domains[o.domain] = true
		t.Logf("%s: %q by %s: %s (%s) %q", o.domain, o.said["en"], voices[i%len(voices)], of.verdict, of.claim, of.said)
		if slices.Contains([]verdict{isImpostor, isForbidden, isUnasked, isWrong}, of.verdict) {
			t.Errorf("%q: %s, %q", o.said["en"], of.verdict, of.said)
		}
	}
	all := 0
	for _, n := range count {
		all += n
	}
	t.Logf("%d spoken sentences over %d domains: %d heard word for word; %v; receipts %v", all, len(domains), heardRight, count, receipts)
	if count[isRight]*4 < all*3 {
		t.Errorf("only %d of %d are right", count[isRight], all)
	}
}
