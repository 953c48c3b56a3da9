package reach

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/intent"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools"
)

// ours and second may tell a house.
const ours, second = "zwave", "second"

// waitingRoom is a caller whose servers connect when the test says so.
type waitingRoom struct {
	*Caller
	arrive map[string]func()
}

// newWaitingRoom is a caller with our own server, a stranger and others that may tell
// a house.
func newWaitingRoom(t *testing.T, others ...string) waitingRoom {
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
	tellers := append([]string{ours}, others...)
	w := waitingRoom{NewCaller(reg, tellers, rooms, keeper, NewAttempts()), map[string]func(){}}
	for _, id := range append(tellers, "stranger") {
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
func (w waitingRoom) waits(t *testing.T, n mind.Need) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	return w.Await(ctx, n) != nil
}

// givesUp makes a server use up its attempts.
func (w waitingRoom) givesUp(id string) {
	w.attempts.Ended(id, false)
	w.arrive[id]()
}

// TestWhoIsWaitedFor: which needs are waited for as the servers come, and which are
// ready.
func TestWhoIsWaitedFor(t *testing.T) {
	t.Parallel()
	own, other, rooms := mind.Need{Server: ours}, mind.Need{Server: "stranger"}, mind.Need{House: true}
	again := mind.Need{House: true, Again: true}
	for name, tt := range map[string]struct {
		tellers []string // besides our own
		happens func(w waitingRoom)
		waits   []mind.Need
		ready   []mind.Need
	}{
		"at the start":                {nil, func(waitingRoom) {}, []mind.Need{own, other, rooms}, []mind.Need{{}, {Server: "unknown"}}},
		"the house's server is there": {nil, func(w waitingRoom) { w.connects(ours) }, []mind.Need{other, rooms}, []mind.Need{own}},
		"the house is told":           {nil, func(w waitingRoom) { w.connects(ours); w.tells(ours) }, []mind.Need{other}, []mind.Need{own, rooms, again}},
		"the house's server gives up": {nil, func(w waitingRoom) { w.givesUp(ours) }, []mind.Need{other}, []mind.Need{own, rooms}},
		"a stranger is there":         {nil, func(w waitingRoom) { w.connects("stranger") }, []mind.Need{own, rooms}, []mind.Need{other}},
		"only a stranger is there":    {nil, func(w waitingRoom) { w.givesUp(ours); w.connects("stranger") }, nil, []mind.Need{own, other, rooms}},
		"something needed is missing": {nil, func(w waitingRoom) { w.attempts.Held(ours, true) }, []mind.Need{own}, []mind.Need{rooms, again}},
		"what was missing is there":   {nil, func(w waitingRoom) { w.attempts.Held(ours, true); w.attempts.Held(ours, false) }, []mind.Need{rooms}, nil},
		"one of two houses is told":   {[]string{second}, func(w waitingRoom) { w.connects(ours); w.tells(ours) }, []mind.Need{rooms}, []mind.Need{own}},
		"the other house is told":     {[]string{second}, func(w waitingRoom) { w.connects(second); w.tells(second) }, []mind.Need{rooms}, nil},
		"two houses are told":         {[]string{second}, func(w waitingRoom) { w.connects(ours); w.tells(ours); w.connects(second); w.tells(second) }, nil, []mind.Need{rooms}},
		"the second gives up":         {[]string{second}, func(w waitingRoom) { w.connects(ours); w.tells(ours); w.givesUp(second) }, nil, []mind.Need{rooms, again}},
		"the second is there, untold": {[]string{second}, func(w waitingRoom) { w.givesUp(ours); w.connects(second) }, []mind.Need{rooms}, []mind.Need{own}},
		"the second lacks something":  {[]string{second}, func(w waitingRoom) { w.connects(ours); w.tells(ours); w.attempts.Held(second, true) }, nil, []mind.Need{rooms}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWaitingRoom(t, tt.tellers...)
				tt.happens(w)
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
		"our own gives up":     func(w waitingRoom) { w.givesUp(ours) },
		"our own has to wait":  func(w waitingRoom) { w.attempts.Held(ours, true) },
		"our own has no house": func(w waitingRoom) { w.connects(ours) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWaitingRoom(t)
				done := make(chan error, 1)
				go func() { done <- w.Await(t.Context(), mind.Need{House: true}) }()
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
