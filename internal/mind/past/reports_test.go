package past

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
)

// TestReportsRememberTheLastChanges checks what is remembered of what things reported,
// and that neither a flickering lamp nor a thousand things grow it.
func TestReportsRememberTheLastChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r Reports
		note := func(device string, state any, change func(*home.Event)) {
			e := home.Event{Kind: home.Reported, Entity: device, State: state, Property: "on_off", Time: time.Now()}
			if change != nil {
				change(&e)
			}
			r.Note(e)
		}
		any := func(*Change) bool { return true }
		note("lamp", "on", nil)
		note("lamp", "off", func(e *home.Event) { e.First = true })
		note("lamp", "off", func(e *home.Event) { e.Kind = home.Pressed })
		if c, ok := r.Last("lamp", any); !ok || c.State != "on" {
			t.Errorf("the lamp: %+v", c)
		}
		<-time.After(time.Second)
		for i := range 1000 {
			note("flicker", i, nil)
		}
		if c, _ := r.Newest(func(c *Change) bool { return c.State == "on" }); c.Device != "lamp" {
			t.Errorf("a lamp that flickers has taken the place of another: %+v", c)
		}
		if len(r.kept["flicker"]) > changesKept {
			t.Errorf("%d changes of one lamp", len(r.kept["flicker"]))
		}
		for i := range 2 * mostReported {
			note(fmt.Sprint("thing ", i), "on", nil)
		}
		if len(r.kept) > mostReported {
			t.Errorf("%d things", len(r.kept))
		}
		<-time.After(ledgerTime)
		if c, ok := r.Last("lamp", any); ok {
			t.Errorf("of yesterday: %+v", c)
		}
	})
}
