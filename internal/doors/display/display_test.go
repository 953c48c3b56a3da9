package display

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/httpapi"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestThePageOverHTTP(t *testing.T) {
	p, err := NewPage("de", "kitchen")
	if err != nil {
		t.Fatal(err)
	}
	for trouble, want := range map[httpapi.LoginTrouble]int{httpapi.LoginFine: 200, httpapi.LoginWrong: 401, httpapi.LoginTooMany: 429} {
		w := httptest.NewRecorder()
		if p.Login(w, trouble); w.Code != want || !strings.Contains(w.Body.String(), `lang="de"`) || strings.Contains(w.Body.String(), `role="alert"`) != (trouble != httpapi.LoginFine) {
			t.Errorf("log-in, %q: %d %s", trouble, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	if p.Main(w, true); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Abmelden") {
		t.Errorf("the page: %d %s", w.Code, w.Body)
	}
	for name, want := range map[string]bool{"main.js": true, "words.js": true, "main.html": false, "../display.go": false} {
		w := httptest.NewRecorder()
		if got := p.File(w, nil, name); got != want || (w.Body.Len() > 0) != want {
			t.Errorf("the file %s: %t, %d bytes", name, got, w.Body.Len())
		}
	}
}

// mixer is a double of the tool for the volume.
func mixer(t *testing.T, do func(args string) (tools.Result, error)) Volume {
	t.Helper()
	registry := tools.NewRegistry()
	tool := tools.New(tools.Spec{Name: "set_volume", Input: json.RawMessage(`{"type":"object"}`), Risk: tools.Reversible},
		func(_ context.Context, args json.RawMessage) (tools.Result, error) { return do(string(args)) })
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	return Volume{Tools: registry}
}

func TestTheVolume(t *testing.T) {
	var asked []string
	v := mixer(t, func(args string) (tools.Result, error) {
		asked = append(asked, args)
		return tools.Result{Data: []byte(`{"level":40,"muted":true,"backend":"x"}`)}, nil
	})
	if level, err := v.Volume(t.Context()); err != nil || level != (doors.Level{Percent: 40, Muted: true}) {
		t.Errorf("%+v, %v", level, err)
	}
	if err := v.SetVolume(t.Context(), 70); err != nil || !slices.Equal(asked, []string{`{"action":"get"}`, `{"action":"set","level":70}`}) {
		t.Errorf("%q, %v", asked, err)
	}
	v = mixer(t, func(string) (tools.Result, error) { return tools.Result{Failed: true, Text: "no mixer"}, nil })
	if err := v.SetVolume(t.Context(), 70); err == nil || err.Error() != "no mixer" {
		t.Errorf("a failure: %v", err)
	}
	v = mixer(t, func(string) (tools.Result, error) { return tools.Result{}, errors.New("gone") })
	if _, err := v.Volume(t.Context()); err == nil {
		t.Error("no error")
	}
}

func thing(id, state string) home.EntityState {
	return home.EntityState{Entity: home.Entity{ID: id, Name: id}, State: state}
}

func TestWhatHasChanged(t *testing.T) {
	h := NewHouse()
	for i, step := range []struct {
		house         []home.EntityState
		changed, gone []string
	}{
		{[]home.EntityState{thing("lamp", "on"), thing("door", "shut")}, []string{"lamp", "door"}, nil}, // all is new
		{[]home.EntityState{thing("door", "shut"), thing("lamp", "on")}, nil, nil},
		{[]home.EntityState{thing("lamp", "off"), thing("door", "shut")}, []string{"lamp"}, nil},
		{[]home.EntityState{thing("lamp", "off"), thing("fan", "on")}, []string{"fan"}, []string{"door"}},
		{[]home.EntityState{thing("lamp", "off"), thing("door", "shut")}, []string{"door"}, []string{"fan"}},
		{nil, nil, []string{"door", "lamp"}},
	} {
		changes, some := h.changes(home.Snapshot{Entities: step.house})
		if some != (len(step.changed)+len(step.gone) > 0) {
			t.Errorf("step %d is told: %t", i, some)
		}
		var changed []string
		for _, e := range changes.Entities {
			changed = append(changed, e.ID)
		}
		slices.Sort(changes.Gone)
		if !slices.Equal(changed, step.changed) || !slices.Equal(changes.Gone, step.gone) {
			t.Errorf("step %d told %q and %q, want %q and %q", i, changed, changes.Gone, step.changed, step.gone)
		}
	}
}

// TestAHouseThatIsAwayIsTold checks that it is told once that it is away, and once that it is back.
func TestAHouseThatIsAwayIsTold(t *testing.T) {
	h, lamp := NewHouse(), []home.EntityState{thing("lamp", "on")}
	since := time.Date(2026, 1, 2, 19, 42, 0, 0, time.UTC)
	away := func() []home.Absence {
		at := since
		return []home.Absence{{Server: "zwave", Name: "Z-Wave", Since: &at}}
	}
	h.changes(home.Snapshot{Entities: lamp})
	for i, step := range []struct {
		away []home.Absence
		told bool
	}{{nil, false}, {away(), true}, {away(), false}, {nil, true}, {nil, false}} {
		changes, told := h.changes(home.Snapshot{Entities: lamp, Away: step.away})
		if told != step.told || len(changes.Away) != len(step.away) || changes.Away == nil {
			t.Errorf("step %d: told %t, %+v", i, told, changes.Away)
		}
	}
}

// TestTheHouseIsLookedAt checks when the house is looked at, and that many reports at
// once are one look.
func TestTheHouseIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, feed := NewHouse(), httpapi.NewFeed(nil, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		var looks atomic.Int32
		var fails atomic.Bool
		running.Go(func() {
			if err := h.Run(ctx, feed, func(context.Context) (home.Snapshot, error) {
				if looks.Add(1); fails.Load() {
					return home.Snapshot{}, errors.New("no house")
				}
				return home.Snapshot{Entities: []home.EntityState{thing("lamp", "on")}}, nil
			}); err != nil {
				t.Error(err)
			}
		})
		after := func(pause time.Duration, want int32, when string) {
			t.Helper()
			<-time.After(pause)
			if synctest.Wait(); looks.Load() != want {
				t.Errorf("%s it was looked at %d times, want %d", when, looks.Load(), want)
			}
		}
		h.Stir()
		after(3*lookEvery+time.Second, 0, "while nobody follows")
		w := httptest.NewRecorder()
		running.Go(func() { feed.Follow(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody), false) })
		synctest.Wait()
		for range 5 {
			h.Reported(home.Event{})
		}
		after(lookSettle, 1, "after five reports at once")
		after(lookEvery, 2, "now and then")
		fails.Store(true)
		after(2*lookEvery, 4, "while it cannot be seen")
		cancel()
		running.Wait()
		if n := strings.Count(w.Body.String(), "event: house\ndata: {\"entities\":[{\"id\":\"lamp\""); n != 1 {
			t.Errorf("it was told %d times: %s", n, w.Body)
		}
	})
}
