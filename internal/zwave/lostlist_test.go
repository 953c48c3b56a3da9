package zwave_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAListThatNeverArrivesIsTold swallows the gateway's largest answer, as a broker with a
// limit does, while the gateway answers everything else: the health says so and what to
// do, and is well again when the list arrives.
func TestAListThatNeverArrivesIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := start(t, nil)
		b := r.mine.bus
		refuse := func(yes bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.divert = func(topic string, _ []byte) bool { return yes && strings.HasSuffix(topic, "/api/getNodes") }
		}
		if waiting, _ := r.health(); waiting != "" {
			t.Errorf("at first it waits for %q", waiting)
		}
		refuse(true)
		pass(6 * time.Minute)
		var health struct {
			Healthy, Answers bool
			Waiting          string `json:"waiting_for"`
			Message          string
		}
		r.call("check_zwave_health", map[string]any{}, &health)
		if health.Healthy || !health.Answers || health.Waiting != "large messages" || !strings.Contains(health.Message, "message_size_limit") {
			t.Errorf("while the list is refused: %+v", health)
		}
		refuse(false)
		pass(time.Minute)
		if waiting, message := r.health(); waiting != "" || strings.Contains(message, "message_size_limit") {
			t.Errorf("when it arrives again, it waits for %q: %s", waiting, message)
		}
	})
}
