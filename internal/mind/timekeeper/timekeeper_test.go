package timekeeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// room is everything around a keeper: a bell, a mind, a voice and those who follow it.
type room struct {
	mu      sync.Mutex
	log     []string // what happened, in order
	rings   map[string]bool
	shown   [][]timers.Timer
	deaf    bool          // the voice takes nothing
	holds   chan struct{} // not nil: a command is under way until it is closed
	answers record.Record // of every sentence
}

func newRoom() *room {
	return &room{rings: map[string]bool{}, answers: record.Record{
		Route: record.RouteLocal, Verdict: record.Verdict{Risk: "reversible", Outcome: record.Done, Reply: "The lamp is off.", Calls: []record.CallMade{{Tool: "control", Server: "zwave"}}},
	}}
}

func (r *room) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *room) Ring(_ context.Context, a Alert) error {
	r.note("ring %s %s", a.ID, a.Text)
	return nil
}

func (r *room) Quiet(_ context.Context, ids ...string) error {
	r.note("quiet %s", strings.Join(ids, " "))
	return nil
}

func (r *room) Weigh(_ context.Context, q record.Request) record.Record {
	r.mu.Lock()
	answer := r.answers
	r.mu.Unlock()
	answer.Outcome = record.Ignored
	switch {
	case strings.HasPrefix(q.Text, "unlock"):
		answer.Risk, answer.Route, answer.Outcome = "dangerous", record.RouteRefused, record.Failed
	case q.Text == "turn on everything" && !q.Confirmed:
		answer.Outcome = record.Asked
	case q.Text == "sing":
		answer = record.Record{Route: record.RouteModel}
	case q.Text == "set a timer":
		answer.Calls = []record.CallMade{{Tool: "start_timer"}}
	case q.Text == "hello":
		answer.Calls = nil
	}
	return answer
}

func (r *room) Carry(ctx context.Context, q record.Request) record.Record {
	r.note("carry %s in %s from %s", q.Text, q.Area, q.Source)
	r.mu.Lock()
	holds, answer := r.holds, r.answers
	r.mu.Unlock()
	if holds != nil {
		select {
		case <-holds:
		case <-ctx.Done():
		}
	}
	return answer
}

func (r *room) PutBack(_ context.Context, q record.Request, things []timers.Back) record.Record {
	for _, back := range things {
		r.note("put back %s in %s from %s", back.Thing, q.Area, q.Source)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.answers
}

func (r *room) Announce(a record.Announcement) { r.note("announce %s %s", a.Kind, a.ID) }

func (r *room) Say(_ context.Context, text string) error {
	r.mu.Lock()
	deaf := r.deaf
	r.mu.Unlock()
	if deaf {
		return errors.New("nobody speaks")
	}
	r.note("say %s", text)
	return nil
}

func (r *room) Rings(x timers.Ring, _ time.Time) string {
	return strings.TrimSpace(x.Name + late(x.Late))
}

func late(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " late"
}

func (r *room) SayMissed(all []timers.Timer, _ time.Time) string {
	said := "missed"
	for _, timer := range all {
		said += " " + timer.Name + timer.Command
	}
	return said
}

func (r *room) Became(n timers.Notice) string {
	return strings.TrimSpace(fmt.Sprint(n.Kind, " ", n.Timer.Name, n.Timer.Command, " ", n.Reply))
}

// happened returns what has happened since the last call.
func (r *room) happened() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

// program is one run of a keeper.
type program struct {
	*Keeper
	end func()
}

// begin starts a keeper in a bubble; its clock is the bubble's, shifted by wrong.
func begin(t *testing.T, r *room, dir string, wrong *time.Duration) program {
	t.Helper()
	began := time.Now()
	k := New(Config{Dir: dir, Area: "Kitchen", Clock: func() timers.Moment {
		now := time.Now()
		return timers.Moment{Wall: now.Add(*wrong), Up: now.Sub(began)}
	}}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		ends := Ends{Bell: r, Asker: r, Teller: r, Voice: r, Show: func(list []timers.Timer) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.shown = append(r.shown, list)
		}}
		if err := k.Run(ctx, ends); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return program{k, func() { cancel(); running.Wait() }}
}

// wait lets the time of a bubble pass.
func wait(d time.Duration) { <-time.After(d) }

func expect(t *testing.T, r *room, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := r.happened(); !slices.Equal(got, want) {
		t.Fatalf("happened:\n  %s\nexpected:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestATimerRingsUntilSomebodyStopsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong := newRoom(), time.Duration(0)
		k := begin(t, r, t.TempDir(), &wrong)
		defer k.end()
		if res := k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(540), Name: "pasta"}); res.Outcome != timers.Started || res.Reason != "" || res.Timers[0].Area != "Kitchen" {
			t.Fatalf("%+v", res)
		}
		wait(539 * time.Second)
		expect(t, r)
		wait(time.Second)
		expect(t, r, "ring timer-1 pasta", "announce timer timer-1")
		wait(time.Minute)
		expect(t, r)
		k.Acknowledged([]string{"timer-1"}, false)
		expect(t, r, "quiet timer-1")
		if n := len(k.List(timers.Which{}, "").Timers); n != 0 {
			t.Errorf("%d are left", n)
		}
		last := r.shown[len(r.shown)-1]
		if len(r.shown) != 4 || len(last) != 0 || r.shown[1][0].State != timers.Running || r.shown[2][0].State != timers.Ringing {
			t.Errorf("shown: %v", r.shown)
		}
	})
}

// Another program, an MCP host for one, silences what rings, and makes no endless loop of
// it.
func TestAProgramStopsAndSnoozes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong := newRoom(), time.Duration(0)
		k := begin(t, r, t.TempDir(), &wrong)
		defer k.end()
		view := ViewOf(k.Keeper, record.FromMCP)
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60), Name: "pasta"})
		wait(time.Minute)
		synctest.Wait()
		if res := view.Change(timers.Change{Action: timers.Snooze, Seconds: 120}); res.Outcome != timers.Snoozed {
			t.Fatalf("%+v", res)
		}
		wait(2 * time.Minute)
		synctest.Wait()
		if res := view.Change(timers.Change{Action: timers.Stop}); res.Outcome != timers.Stopped {
			t.Fatalf("%+v", res)
		}
		expect(t, r, "ring timer-1 pasta", "announce timer timer-1", "quiet timer-1", "ring timer-1 pasta", "announce timer timer-1", "quiet timer-1")
		for range 60 {
			view.Change(timers.Change{Action: timers.Stop})
		}
		if res := view.Change(timers.Change{Action: timers.Stop}); res.Reason != timers.TooOften {
			t.Errorf("the 61st within a minute: %+v", res)
		}
	})
}

// TestATimerThatNobodyAnsweredStaysToBeSeen: what has rung to its end, by the bell or by the
// book, is shown until a person has seen it, also after a restart, and is no timer any more.
func TestATimerThatNobodyAnsweredStaysToBeSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong, dir := newRoom(), time.Duration(0), t.TempDir()
		k := begin(t, r, dir, &wrong)
		for _, name := range []string{"pasta", "tea"} {
			k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60), Name: name})
		}
		wait(2 * time.Minute)
		k.Acknowledged([]string{"timer-1"}, true)
		wait(20 * time.Minute)
		k.end()
		k = begin(t, r, dir, &wrong)
		defer k.end()
		view := ViewOf(k.Keeper, record.FromHTTP)
		names := func(all []timers.Timer) (names []string) {
			for _, x := range all {
				names = append(names, x.Name+" "+string(x.State))
			}
			return names
		}
		if got := names(view.Timers()); !slices.Equal(got, []string{"pasta unseen", "tea unseen"}) {
			t.Errorf("shown are %q", got)
		}
		if got := k.List(timers.Which{}, "").Timers; len(got) > 0 {
			t.Errorf("there are %+v", got)
		}
		if res := view.Change(timers.Change{Action: timers.Stop, Which: timers.Which{ID: "timer-1"}}); res.Outcome != timers.Stopped || len(res.Timers) != 1 {
			t.Errorf("seen: %+v", res)
		}
		synctest.Wait()
		if got := names(r.shown[len(r.shown)-1]); !slices.Equal(got, []string{"tea unseen"}) {
			t.Errorf("after that, shown are %q", got)
		}
	})
}

func TestRingingEndsByItselfAndTheBellIsToldSo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong := newRoom(), time.Duration(0)
		k := begin(t, r, t.TempDir(), &wrong)
		defer k.end()
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(1), Name: "pasta"})
		wait(14 * time.Minute)
		expect(t, r, "ring timer-1 pasta", "announce timer timer-1")
		wait(2 * time.Minute)
		expect(t, r, "quiet timer-1")
	})
}

// Wherever the program ends, the next one continues: nothing is lost, nothing done twice.
func TestTheProgramEndsAtAnyPoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong, dir := newRoom(), time.Duration(0), t.TempDir()
		k := begin(t, r, dir, &wrong)
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60), Name: "eggs"})
		k.Start(t.Context(), timers.Wish{Kind: timers.Reminder, Seconds: new(600), Name: "soon"})
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(1200), Name: "over"})
		k.Start(t.Context(), timers.Wish{Kind: timers.Command, Seconds: new(90), Command: "turn off the lamp"})
		wait(61 * time.Second)
		expect(t, r, "ring timer-1 eggs", "announce timer timer-1")
		k.end()
		k = begin(t, r, dir, &wrong) // while it rings, before a stop
		expect(t, r, "ring timer-1 eggs", "announce timer timer-1")
		k.Change(timers.Change{Action: timers.Stop})
		expect(t, r, "quiet timer-1")
		r.mu.Lock()
		r.holds = make(chan struct{})
		r.mu.Unlock()
		wait(30 * time.Second)
		expect(t, r, "carry turn off the lamp in Kitchen from timer")
		k.end() // in the middle of the command
		r.holds = nil
		wait(18 * time.Minute)
		k = begin(t, r, dir, &wrong)
		expect(t, r, "ring timer-2 soon late", "announce timer timer-2", "say interrupted turn off the lamp", "announce interrupted timer-4")
		k.end()
		wait(2 * time.Hour)
		k = begin(t, r, dir, &wrong)
		defer k.end()
		expect(t, r, "say missed soon over", "announce missed timer-2", "announce missed timer-3")
		if n := len(k.List(timers.Which{}, "").Timers); n != 0 {
			t.Errorf("%d are left", n)
		}
	})
}

func TestACommandIsCarriedOnceAndTold(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(*record.Record)
		told string
	}{
		"done":   {func(*record.Record) {}, "say carried turn off the lamp The lamp is off."},
		"failed": {func(r *record.Record) { r.Outcome, r.Reply = record.Failed, "The lamp does not answer." }, "say carried turn off the lamp The lamp does not answer."},
		"refused": {func(r *record.Record) {
			r.Route, r.Outcome, r.Reply = record.RouteRefused, record.Failed, "That is off."
		}, "say not_carried turn off the lamp That is off."},
		"asked back":  {func(r *record.Record) { r.Outcome, r.Reply = record.Asked, "Six things?" }, "say not_carried turn off the lamp Six things?"},
		"not for us":  {func(r *record.Record) { r.Outcome, r.Reply = record.Ignored, "" }, "say not_carried turn off the lamp"},
		"no model":    {func(r *record.Record) { r.Route, r.Outcome, r.Reply = record.RouteNone, record.Failed, "I don't know." }, "say not_carried turn off the lamp I don't know."},
		"still going": {func(r *record.Record) { r.Outcome, r.Reply = record.Accepted, "The door closes." }, "say carried turn off the lamp The door closes."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, wrong := newRoom(), time.Duration(0)
				k := begin(t, r, t.TempDir(), &wrong)
				defer k.end()
				k.Start(t.Context(), timers.Wish{Kind: timers.Command, Seconds: new(600), Command: "turn off the lamp", Area: "Attic"})
				r.mu.Lock()
				tt.end(&r.answers)
				r.mu.Unlock()
				wait(time.Hour)
				want := []string{"carry turn off the lamp in Attic from timer", tt.told}
				if strings.HasPrefix(tt.told, "say not") {
					want = append(want, "announce not_carried timer-1")
				}
				expect(t, r, want...)
			})
		})
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong := newRoom(), time.Duration(0)
		k := begin(t, r, t.TempDir(), &wrong)
		for command, want := range map[string]timers.Reason{
			"unlock the front door": timers.IsDangerous,
			"turn on everything":    timers.ManyDevices,
			"sing":                  timers.NotUnderstood,
			"hello":                 timers.NotUnderstood,
			"set a timer":           timers.NotUnderstood,
		} {
			res := k.Start(t.Context(), timers.Wish{Kind: timers.Command, Seconds: new(600), Command: command})
			if res.Outcome != timers.Refused || res.Reason != want || len(k.List(timers.Which{}, "").Timers) != 0 {
				t.Errorf("%s: %+v", command, res)
			}
		}
		yes := timers.Wish{Kind: timers.Command, Seconds: new(600), Command: "turn on everything", Confirmed: true}
		if res := k.Start(t.Context(), yes); res.Outcome != timers.Started {
			t.Errorf("with a yes: %+v", res)
		}
		k.end()
		late := timers.Wish{Kind: timers.Countdown, Seconds: new(5)}
		if res := k.Start(t.Context(), late); res.Reason != timers.NoBell {
			t.Errorf("after the end: %+v", res)
		}
		if res := k.Change(timers.Change{Action: timers.CancelAll}); res.Reason != timers.NoBell {
			t.Errorf("after the end: %+v", res)
		}
	})
}

// What cannot be saved is kept in memory, and the user hears so.
func TestADiskThatTakesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong, dir := newRoom(), time.Duration(0), t.TempDir()
		k := begin(t, r, dir, &wrong)
		defer k.end()
		block(t, dir)
		res := k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60), Name: "pasta"})
		if res.Outcome != timers.Started || res.Reason != timers.NotSaved || k.Trouble() == "" || !strings.Contains(res.Text(), "could not be written") {
			t.Fatalf("%+v %q", res, k.Trouble())
		}
		wait(time.Minute)
		expect(t, r, "ring timer-1 pasta", "announce timer timer-1")
		unblock(t, dir)
		wait(time.Minute)
		synctest.Wait()
		if k.Trouble() != "" {
			t.Errorf("there is room again: %s", k.Trouble())
		}
		k.end()
		again := begin(t, r, dir, &wrong)
		defer again.end()
		expect(t, r, "ring timer-1 pasta", "announce timer timer-1")
	})
}

// block puts a directory where the file should be, which stands for a full disk.
func block(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, file+".json")
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
		t.Fatal(err)
	}
}

func unblock(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, file+".json")); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileIsSetAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong, dir := newRoom(), time.Duration(0), t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file+".json"), []byte(`{"timers":[{"id":`), 0o600); err != nil {
			t.Fatal(err)
		}
		k := begin(t, r, dir, &wrong)
		defer k.end()
		if res := k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60)}); res.Outcome != timers.Started || res.Reason != "" {
			t.Errorf("%+v", res)
		}
		broken := keep.BrokenIn(dir)
		if len(broken) != 1 || broken[0].Name != file {
			t.Fatalf("%+v", broken)
		}
		if left, err := os.ReadFile(broken[0].File); err != nil || !bytes.Contains(left, []byte("timers")) {
			t.Errorf("%q, %v", left, err)
		}
	})
}

// A voice that fails is tried again; the notice is spoken once.
func TestANoticeWaitsForAVoice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong, dir := newRoom(), time.Duration(0), t.TempDir()
		k := begin(t, r, dir, &wrong)
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(60), Name: "pasta"})
		k.end()
		r.deaf = true
		wait(3 * time.Hour)
		k = begin(t, r, dir, &wrong)
		defer k.end()
		wait(time.Minute)
		expect(t, r)
		r.mu.Lock()
		r.deaf = false
		r.mu.Unlock()
		wait(time.Minute)
		expect(t, r, "say missed pasta", "announce missed timer-1")
	})
}

// A clock that is set is noticed, though nothing else happens.
func TestTheClockIsSetBelowARunningKeeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, wrong := newRoom(), time.Duration(0)
		k := begin(t, r, t.TempDir(), &wrong)
		at := time.Now().Add(20 * time.Minute).Format("15:04")
		k.Start(t.Context(), timers.Wish{Kind: timers.Alarm, At: at, Name: "wake"})
		k.Start(t.Context(), timers.Wish{Kind: timers.Countdown, Seconds: new(1800), Name: "pasta"})
		wait(time.Minute)
		k.mu.Lock()
		wrong = 25 * time.Minute
		k.mu.Unlock()
		wait(slowest)
		expect(t, r, "ring timer-1 wake late", "announce timer timer-1")
		wait(28 * time.Minute)
		expect(t, r, "quiet timer-1")
		wait(time.Minute)
		expect(t, r, "ring timer-2 pasta", "announce timer timer-2")
		k.end()
	})
}
