//go:build accept

package page

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAcceptPageOfATimerThatRang: a timer that has rung to its end, here in an earlier run, stands
// at the top of the page until its button is pressed, and not in the list of coming timers.
func TestAcceptPageOfATimerThatRang(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	dir := t.TempDir()
	kept := `{"last":1,"timers":[],"unseen":[{"id":"timer-1","kind":"timer","name":"egg","text":"","command":"","area":"Kitchen",` +
		`"state":"unseen","due":"2026-11-28T15:46:34Z","left":0,"length":1,"every":"","at":""}]}`
	if err := os.WriteFile(filepath.Join(dir, "timers.json"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	g := run(t, "gateway: {id: home, state_dir: "+dir+"}\n", "")
	p := loaded(t, ctx, g.url+"/")
	p.reads("#ringing li", "egg")
	p.reads("#ringing li", "has rung")
	if n := p.text("#timers"); n != "" {
		t.Errorf("among those to come is %q", n)
	}
	p.click("#ringing button")
	p.eventually("it is gone", `document.querySelector("#ringing").hidden`)
}
