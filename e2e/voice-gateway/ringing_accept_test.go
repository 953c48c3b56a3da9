//go:build accept

package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// ringingWords are said to a timer that rings, in the quiet between two of its rounds
// and without a wake word, and what the timer has become after them.
var ringingWords = []struct {
	text string
	want timers.State // "": it is over
}{
	{"stop.", ""},
	{"okay.", ""},
	{"snooze.", timers.Running},
	{"five more minutes.", timers.Running},
	{"dinner is ready.", timers.Ringing},
	{"where are my keys.", timers.Ringing},
}

// TestAcceptWordsForARingingTimer rings a timer through the card, says a few words in
// the quiet between its rounds in two voices, and tells what was heard.
func TestAcceptWordsForARingingTimer(t *testing.T) {
	t.Parallel()
	p := newPorch(t)
	right := 0
	voices := []string{"rms", "slt"}
	var table strings.Builder
	for _, voice := range voices {
		for _, w := range ringingWords {
			p.ring()
			p.says(p.by(voice, w.text))
			got := p.timer()
			within(t, 3*time.Second, func() bool { got = p.timer(); return got != timers.Ringing })
			fmt.Fprintf(&table, "  %-8s %-28s %s\n", voice, w.text, cmp.Or(string(got), "over"))
			if got == w.want {
				right++
			}
			p.silence()
		}
	}
	t.Logf("said in the quiet of a ringing timer, and what it is then:\n%s", table.String())
	if all := len(voices) * len(ringingWords); right < all-2 {
		t.Errorf("%d of %d are right", right, all)
	}
}

// ring starts a timer and waits for the quiet after the words of its first round.
func (p *porch) ring() {
	p.t.Helper()
	eventually(p.t, "it is idle", p.idle)
	n := len(p.spoken())
	p.commands++
	p.ear.say(p.t, "timer", fmt.Sprintf(`{"id":"ring%d","action":"start","seconds":1,"name":"pasta"}`, p.commands))
	eventually(p.t, "the timer is told", func() bool { return len(p.spoken()) > n })
	passes(p.t, 1500*time.Millisecond) // the words take a second
}

// silence ends what the test has begun.
func (p *porch) silence() {
	p.t.Helper()
	eventually(p.t, "no timer is left", func() bool {
		p.commands++
		p.ear.say(p.t, "timer", fmt.Sprintf(`{"id":"ring%d","action":"cancel","name":"pasta"}`, p.commands))
		return p.timer() == ""
	})
}

// timer is the state of the only timer, "" without one.
func (p *porch) timer() timers.State {
	p.t.Helper()
	var all []timers.Timer
	if err := get(p.t, p.http, "/api/timers", &all); err != nil {
		p.t.Fatal(err)
	}
	if len(all) == 0 {
		return ""
	}
	return all[0].State
}

// spoken is what the voice was given so far.
func (p *porch) spoken() []string {
	p.t.Helper()
	text, err := os.ReadFile(p.log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
