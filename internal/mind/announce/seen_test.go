package announce_test

import (
	"slices"
	"testing"
	"time"

	"voicegateway/internal/mind/announce"
)

// A person who sees an alarm on a page ends it, also where no speaker has made it heard; it
// stays seen over a restart, until the house reports it again.
func TestAlarmsAreSeenOnAPage(t *testing.T) {
	live(t, announce.Config{}, func(f *family) {
		seen := func(when string, want ...string) {
			t.Helper()
			if got := f.a.AcknowledgedThings(); !slices.Equal(got, want) || got == nil {
				t.Errorf("%s %q are seen, want %q", when, got, want)
			}
		}
		seen("at first")
		f.tell(smoke("detected", "clear"))
		f.tell(thing("Tap", "moisture", "detected", "clear"))
		seen("while both ring")
		if alerts := f.a.AcknowledgeThings([]string{"n7", "nobody", ""}); len(alerts) != 1 {
			t.Errorf("the alerts %q are to end", alerts)
		}
		seen("after one was seen", "n7")
		if alerts := f.a.AcknowledgeThings([]string{"n7"}); len(alerts) != 0 {
			t.Errorf("the second time the alerts %q are to end", alerts)
		}
		f.wait(time.Second)
		f.restart()
		seen("after a restart", "n7")
		f.sayStop()
		f.tell(smoke("clear", "detected"))
		seen("after its end")
		f.tell(smoke("detected", "clear"))
		seen("when it comes again")
	})
}
