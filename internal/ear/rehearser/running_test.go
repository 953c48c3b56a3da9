package rehearser_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/ear/rehearser"
	"voicegateway/internal/ear/stt"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
)

// There is one rehearsal at a time; one that cannot be held says why, and the next may
// be asked for.
func TestOneRehearsalAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := rehearser.New(rehearser.Config{Recogniser: stt.Config{Engines: []string{"nobody"}}, Log: slog.New(slog.DiscardHandler)}, func() *home.House { return &home.House{} })
		if err := r.Start(); err != nil || !r.State().Running {
			t.Fatalf("%v, %+v", err, r.State())
		}
		if err := r.Start(); !errors.Is(err, rehearser.ErrRunning) {
			t.Errorf("a second one: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		for range 2 {
			synctest.Wait()
			if s := r.State(); s.Running || !strings.Contains(s.Trouble, "nobody") || s.Report != nil {
				t.Errorf("%+v", s)
			}
			if err := r.Start(); err != nil {
				t.Error(err)
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A change of anything that a rehearsal depends on makes the names new; another order of
// the things in the house does not.
func TestWhatMakesNamesNew(t *testing.T) {
	t.Parallel()
	fan, van := thing("Fan", "Office"), thing("Van", "")
	fan.Aliases, fan.Abilities = []string{"blower", "breeze"}, []home.Ability{home.OnOff, home.Speed}
	of := func(change func(h *home.House, fan *home.Entity, cfg *rehearser.Config)) string {
		f := fan
		f.Aliases, f.Abilities = slices.Clone(fan.Aliases), slices.Clone(fan.Abilities)
		h := &home.House{Areas: []home.Area{{Name: "Office", Aliases: []string{"study", "den"}}, {Name: "Garage"}}}
		cfg := rehearser.Config{Recogniser: stt.Config{Engines: []string{"pocketsphinx"}, Language: "en", ModelDir: "a"}, Speaks: "espeak, flite"}
		change(h, &f, &cfg)
		if h.Entities == nil {
			h.Entities = []home.Entity{f, van}
		}
		return rehearser.Fingerprint(h, cfg)
	}
	usual := of(func(*home.House, *home.Entity, *rehearser.Config) {})
	for name, c := range map[string]struct {
		change func(h *home.House, fan *home.Entity, cfg *rehearser.Config)
		same   bool
	}{
		"order": {func(h *home.House, fan *home.Entity, _ *rehearser.Config) {
			slices.Reverse(h.Areas)
			slices.Reverse(h.Areas[1].Aliases)
			slices.Reverse(fan.Aliases)
			slices.Reverse(fan.Abilities)
			h.Entities = []home.Entity{van, *fan}
		}, true},
		"domain":   {func(_ *home.House, fan *home.Entity, _ *rehearser.Config) { fan.Domain = "fan" }, false},
		"ability":  {func(_ *home.House, fan *home.Entity, _ *rehearser.Config) { fan.Abilities = fan.Abilities[:1] }, false},
		"voice":    {func(_ *home.House, _ *home.Entity, cfg *rehearser.Config) { cfg.Speaks = "flite, espeak" }, false},
		"language": {func(_ *home.House, _ *home.Entity, cfg *rehearser.Config) { cfg.Recogniser.Language = "de" }, false},
		"model":    {func(_ *home.House, _ *home.Entity, cfg *rehearser.Config) { cfg.Recogniser.ModelDir = "b" }, false},
		"pronunciation": {func(_ *home.House, _ *home.Entity, cfg *rehearser.Config) {
			cfg.Recogniser.Pronunciations = map[string]string{"van": "V AE N"}
		}, false},
	} {
		if got := of(c.change); (got == usual) != c.same || got == "" {
			t.Errorf("%s: %s, usually %s", name, got, usual)
		}
	}
}

// lines counts the lines of a log.
type lines struct{ atomic.Int64 }

func (l *lines) Write(p []byte) (int, error) {
	l.Add(1)
	return len(p), nil
}

// A house with new names is rehearsed once, after ten minutes without speech or changes of
// names. If that fails, the next attempt waits until the names change again.
func TestARehearsalByItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var failures lines
		var h atomic.Pointer[home.House]
		var spoken atomic.Pointer[time.Time]
		speak := func() { now := time.Now(); spoken.Store(&now) }
		lives := func(things ...home.Entity) { h.Store(&home.House{Entities: things}) }
		lives()
		speak()
		cfg := rehearser.Config{
			Recogniser: stt.Config{Engines: []string{"nobody"}}, Log: slog.New(slog.NewTextHandler(&failures, nil)),
			Quiet: func() time.Time { return *spoken.Load() },
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		r := rehearser.New(cfg, h.Load)
		go func() { done <- r.Run(ctx) }()
		tried := func(after time.Duration, want int64, why string) {
			t.Helper()
			<-time.After(after)
			synctest.Wait()
			if got := failures.Load(); got != want {
				t.Errorf("%s: %d attempts, want %d", why, got, want)
			}
		}
		tried(time.Hour, 0, "no house is known")
		lives(home.Entity{ID: "9", Name: "Hall Sensor"})
		tried(time.Hour, 0, "nothing can be controlled")
		lives(thing("Fan", ""))
		tried(9*time.Minute, 0, "the names are new")
		lives(thing("Fan", ""), thing("Van", ""))
		tried(9*time.Minute, 0, "they have changed again")
		speak()
		tried(9*time.Minute, 0, "somebody has spoken")
		tried(2*time.Minute, 1, "all is calm")
		tried(24*time.Hour, 1, "it failed, and nothing is new")
		lives(thing("Fan", ""), thing("Van", "Garage"))
		tried(11*time.Minute, 2, "one stands in another room")
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The next run of the program knows which names were rehearsed, and does not repeat
// that.
func TestARehearsalIsKept(t *testing.T) {
	cfg, h := config(t, "flite"), pairHouse([2]string{"Fan", "Van"})
	cfg.Voice, cfg.Dir = silent{}, t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	first, done := rehearser.New(cfg, func() *home.House { return h }), make(chan error, 1)
	go func() { done <- first.Run(ctx) }()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for first.State().Running {
		<-tick.C
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	found := first.State()
	if found.Report == nil || len(found.Report.Confused) != 2 || found.Report.House == "" {
		t.Fatalf("%+v", found)
	}
	synctest.Test(t, func(t *testing.T) {
		cfg.Quiet = func() time.Time { return time.Time{} }
		second := rehearser.New(cfg, func() *home.House { return h })
		if kept := second.State().Report; kept == nil || kept.House != found.Report.House || len(kept.Confused) != 2 {
			t.Fatalf("%+v", kept)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- second.Run(ctx) }()
		<-time.After(time.Hour)
		synctest.Wait()
		if s := second.State(); s.Running || !s.Report.Time.Equal(found.Report.Time) {
			t.Errorf("%+v", s)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
