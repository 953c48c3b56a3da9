//go:build accept

package page

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"voicegateway/internal/doors"
	"voicegateway/internal/home"
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

// burning is a house whose detector has told of smoke, and does not answer since.
type burning struct{ manyTurnsView }

// Home lists it.
func (burning) Home(context.Context) (home.Snapshot, error) {
	reached, told := false, time.Now().Add(-time.Minute)
	return home.Snapshot{Entities: []home.EntityState{{
		Entity: home.Entity{ID: "smoke", Name: "Smoke Alarm", Area: "Attic", Domain: "binary_sensor", Attributes: map[string]any{"device_class": "smoke"}},
		State:  "detected", Reachable: &reached, Told: &told,
	}}}, nil
}

// TestAcceptPageOfADetectorThatIsGone: what a detector has told last stands at the top of the page
// also when it does not answer any more, as one in a fire.
func TestAcceptPageOfADetectorThatIsGone(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	var house burning
	p := loaded(t, ctx, servePage(t, "en", doors.Parts{Health: house, Turns: house, Home: house}).url+"/")
	p.reads("#ringing li", "Smoke Alarm (Attic)")
	p.reads("#ringing li", "does not answer · last detected, ")
}
