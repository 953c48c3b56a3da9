package reach

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/answer"
	"voicegateway/internal/house"
	"voicegateway/internal/intent"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/tools"
)

// ours is the id of our own server.
const ours = "zwave"

// waitingRoom is a caller whose servers connect when the test says so.
type waitingRoom struct {
	*Caller
	arrive map[string]func()
}

func newWaitingRoom(t *testing.T) waitingRoom {
	t.Helper()
	reg, log := tools.NewRegistry(), slog.New(slog.DiscardHandler)
	rooms, err := house.New(intent.English(), nil, log)
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := host.New(host.Config{}, reg, log)
	if err != nil {
		t.Fatal(err)
	}
	w := waitingRoom{NewCaller(reg, ours, rooms, keeper, NewAttempts()), map[string]func(){}}
	for _, id := range []string{ours, "stranger"} {
		w.arrive[id] = reg.Expect(id)
	}
	return w
}

// connects makes a server connect.
func (w waitingRoom) connects(id string) {
	w.attempts.Ended(id, true)
	w.arrive[id]()
}

// tells makes a server tell of a lamp.
func (w waitingRoom) tells(id string) {
	w.house.Tell(id, []byte(`{"entities":[{"id":"light.lamp","name":"Lamp","domain":"light"}]}`))
}

// waits reports whether a need is still waited for when nothing more happens by
// itself within a second.
func (w waitingRoom) waits(t *testing.T, n answer.Need) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return w.Await(ctx, n) != nil
}

// TestWhoIsWaitedFor: which needs are waited for as the servers come, and which are
// ready.
func TestWhoIsWaitedFor(t *testing.T) {
	t.Parallel()
	own, other, rooms := answer.Need{Server: ours}, answer.Need{Server: "stranger"}, answer.Need{House: true}
	for name, tt := range map[string]struct {
		before func(w waitingRoom)
		waits  []answer.Need
		ready  []answer.Need
	}{
		"at the start":                  {func(waitingRoom) {}, []answer.Need{own, other, rooms}, []answer.Need{{}, {Server: "unknown"}}},
		"the house's server is there":   {func(w waitingRoom) { w.connects(ours) }, []answer.Need{other, rooms}, []answer.Need{own}},
		"the house is told":             {func(w waitingRoom) { w.connects(ours); w.tells(ours) }, []answer.Need{other}, []answer.Need{own, rooms}},
		"the house's server gives up":   {func(w waitingRoom) { w.arrive[ours]() }, []answer.Need{other}, []answer.Need{own, rooms}},
		"a stranger is there":           {func(w waitingRoom) { w.connects("stranger") }, []answer.Need{own, rooms}, []answer.Need{other}},
		"a stranger has told a house":   {func(w waitingRoom) { w.connects("stranger"); w.tells("stranger") }, []answer.Need{own, rooms}, []answer.Need{other}},
		"only a stranger may tell one":  {func(w waitingRoom) { w.arrive[ours](); w.connects("stranger") }, []answer.Need{rooms}, []answer.Need{own, other}},
		"a stranger told, ours gave up": {func(w waitingRoom) { w.arrive[ours](); w.connects("stranger"); w.tells("stranger") }, nil, []answer.Need{own, other, rooms}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWaitingRoom(t)
				tt.before(w)
				for _, n := range tt.waits {
					if !w.waits(t, n) {
						t.Errorf("%+v is not waited for", n)
					}
				}
				for _, n := range tt.ready {
					if w.waits(t, n) {
						t.Errorf("%+v is waited for", n)
					}
				}
			})
		})
	}
}

// TestTheNewsEndsTheWait: the wait for a house ends at once when any server tells
// one, and after a while when a connected server has none.
func TestTheNewsEndsTheWait(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(w waitingRoom){
		"our own tells":        func(w waitingRoom) { w.connects(ours); w.tells(ours) },
		"a stranger tells":     func(w waitingRoom) { w.tells("stranger") },
		"our own gives up":     func(w waitingRoom) { w.arrive[ours]() },
		"our own has no house": func(w waitingRoom) { w.connects(ours) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWaitingRoom(t)
				done := make(chan error, 1)
				go func() { done <- w.Await(t.Context(), answer.Need{House: true}) }()
				synctest.Wait()
				select {
				case <-done:
					t.Fatal("nothing was waited for")
				default:
				}
				happens(w)
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
