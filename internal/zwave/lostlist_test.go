package zwave_test

import (
	"context"
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

// TestASlowListIsNoRefusedOne delays the gateway's largest answer, as a busy machine does, or
// loses it once: large messages are not blamed.
func TestASlowListIsNoRefusedOne(t *testing.T) {
	t.Parallel()
	for name, delay := range map[string]time.Duration{"twelve seconds": 12 * time.Second, "fifty seconds": 50 * time.Second, "lost": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := start(t, nil)
				b, late := r.mine.bus, map[string]bool{}
				b.mu.Lock()
				b.divert = func(topic string, payload []byte) bool {
					if !strings.HasSuffix(topic, "/api/getNodes") || late[string(payload)] || delay == 0 && len(late) > 0 {
						return false
					}
					late[string(payload)] = true
					if delay > 0 {
						time.AfterFunc(delay, func() { _ = r.mine.Publish(r.ctx, topic, payload) })
					}
					return true
				}
				b.mu.Unlock()
				pass(5 * time.Minute)
				for range 80 {
					if waiting, message := r.health(); waiting != "" || strings.Contains(message, "message_size_limit") {
						t.Errorf("it waits for %q: %s", waiting, message)
					}
					pass(time.Second)
				}
				if len(late) == 0 {
					t.Error("no list was asked for")
				}
			})
		})
	}
}

// TestASlowListIsTaken starts where each list takes twelve seconds.
func TestASlowListIsTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, late := time.Now(), map[string]bool{}
		startOn(t, func(b *bus, own *client) {
			b.divert = func(topic string, payload []byte) bool {
				if !strings.HasSuffix(topic, "/api/getNodes") || late[string(payload)] {
					return false
				}
				late[string(payload)] = true
				time.AfterFunc(12*time.Second, func() { _ = own.Publish(context.Background(), topic, payload) })
				return true
			}
		}, nil)
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("the house is known after %s", took)
		}
	})
}
