package recorder_test

import (
	"bytes"
	"context"
	"encoding/json"
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

	"voicegateway/internal/audio"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is a log that two goroutines may use.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

func newRecorder(t *testing.T, cfg recorder.Config) (*recorder.Recorder, *journal) {
	t.Helper()
	log := &journal{}
	cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	if cfg.MaxAge == 0 {
		cfg.MaxAge = time.Hour
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 1 << 20
	}
	r, err := recorder.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, log
}

// running runs a recorder until end is called, which returns when all is written.
func running(t *testing.T, r *recorder.Recorder) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	end = func() { cancel(); wg.Wait() }
	t.Cleanup(end)
	return end
}

func sound(n int) audio.Clip {
	c := audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, n)}
	for i := range c.Samples {
		c.Samples[i] = int16(i)
	}
	return c
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestAnUtteranceIsKept checks that the sound is on disk with its record, and readable by
// its owner only.
func TestAnUtteranceIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "recordings")
	r, _ := newRecorder(t, recorder.Config{Dir: dir})
	end := running(t, r)
	at := time.Now()
	r.Keep(record.Record{ID: "t-1", Time: at}, sound(1600))
	end()
	base := filepath.Join(dir, at.UTC().Format("20060102T150405.000Z")+"_t-1")
	f, err := os.Open(base + ".wav")
	if err != nil {
		t.Fatalf("%v; there is %q", err, names(t, dir))
	}
	defer func() { _ = f.Close() }()
	if c, err := audio.ReadWAV(f); err != nil || !slices.Equal(c.Samples, sound(1600).Samples) {
		t.Errorf("the sound is another one: %v", err)
	}
	var kept record.Record
	text, err := os.ReadFile(base + ".json")
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.ID != "t-1" {
		t.Errorf("record %q, %v", text, err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, base + ".wav": 0o600, base + ".json": 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, expected %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
	if r.Trouble() != "" {
		t.Error(r.Trouble())
	}
}

// put writes a recording of the given age, as an earlier run would have.
func put(t *testing.T, dir, id string, ago time.Duration, bytes int) {
	t.Helper()
	stem := filepath.Join(dir, time.Now().Add(-ago).UTC().Format("20060102T150405.000Z")+"_"+id)
	for _, ending := range []string{".wav", ".json"} {
		if err := os.WriteFile(stem+ending, make([]byte, bytes/2), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOldestGoFirst(t *testing.T) {
	tests := map[string]struct {
		age  time.Duration
		size int64
		want string
	}{
		"all may stay":      {10 * time.Hour, 1 << 20, "a b c d"},
		"by age":            {90 * time.Minute, 1 << 20, "c d"},
		"by size":           {10 * time.Hour, 2500, "c d"},
		"by both":           {150 * time.Minute, 1500, "d"},
		"all are too large": {10 * time.Hour, 10, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "a", 3*time.Hour, 1000)
			put(t, dir, "b", 2*time.Hour, 1000)
			put(t, dir, "c", time.Hour, 1000)
			put(t, dir, "d", time.Minute, 1000)
			for _, other := range []string{"notes.txt", "20200101T000000.000Z.wav", "family.wav", ".recording-123"} {
				if err := os.WriteFile(filepath.Join(dir, other), make([]byte, 5000), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, _ := newRecorder(t, recorder.Config{Dir: dir, MaxAge: tt.age, MaxBytes: tt.size})
			running(t, r)() // at the start already
			var left []string
			others := 0
			for _, n := range names(t, dir) {
				_, id, ours := strings.Cut(strings.TrimSuffix(n, ".wav"), "_")
				switch {
				case ours && strings.HasSuffix(n, ".wav"):
					left = append(left, id)
				case !ours:
					others++
				}
			}
			if got := strings.Join(left, " "); got != tt.want {
				t.Errorf("left are %q, expected %q", got, tt.want)
			}
			if others != 3 {
				t.Errorf("%d files that are no recordings, expected 3: %q", others, names(t, dir))
			}
		})
	}
}

// TestTheBoundHoldsWhileRunning checks that new recordings push out old ones
// while the recorder runs.
func TestTheBoundHoldsWhileRunning(t *testing.T) {
	dir := t.TempDir()
	r, _ := newRecorder(t, recorder.Config{Dir: dir, MaxBytes: 10_000})
	end := running(t, r)
	for i := range 10 {
		r.Keep(record.Record{ID: fmt.Sprintf("t-%d", i), Time: time.Now().Add(time.Duration(i) * time.Millisecond)}, sound(1000))
	}
	end()
	if n := len(names(t, dir)); n != 8 { // four of 2 kB each
		t.Errorf("%d files: %q", n, names(t, dir))
	}
	if !slices.ContainsFunc(names(t, dir), func(n string) bool { return strings.Contains(n, "_t-9.") }) {
		t.Errorf("the newest is not there: %q", names(t, dir))
	}
}

// TestRecordingsAgeInSilence checks that old recordings are removed although there is no
// speech.
func TestRecordingsAgeInSilence(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRecorder(t, recorder.Config{Dir: dir, MaxAge: 24 * time.Hour})
		end := running(t, r)
		r.Keep(record.Record{ID: "t-1", Time: time.Now()}, sound(100))
		<-time.After(23 * time.Hour) // of the test's own clock
		synctest.Wait()
		if len(names(t, dir)) != 2 {
			t.Errorf("before its time: %q", names(t, dir))
		}
		<-time.After(3 * time.Hour)
		synctest.Wait()
		if len(names(t, dir)) != 0 {
			t.Errorf("after its time: %q", names(t, dir))
		}
		end()
	})
}

// TestTroubleIsToldOnce checks that an unusable directory is logged once while
// Keep still returns at once, and that recordings are kept again when the
// directory is back.
func TestTroubleIsToldOnce(t *testing.T) {
	place := filepath.Join(t.TempDir(), "place")
	if err := os.WriteFile(place, nil, 0o600); err != nil { // a file where the directory belongs
		t.Fatal(err)
	}
	r, log := newRecorder(t, recorder.Config{Dir: place})
	end := running(t, r)
	for i := range 5 {
		r.Keep(record.Record{ID: fmt.Sprintf("t-%d", i), Time: time.Now()}, sound(100))
	}
	end()
	if !strings.Contains(r.Trouble(), "recorder.dir") || strings.Count(log.String(), "recordings are not kept") != 1 {
		t.Errorf("trouble %q, log:\n%s", r.Trouble(), log)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	end = running(t, r)
	r.Keep(record.Record{ID: "t-9", Time: time.Now()}, sound(100))
	end()
	if r.Trouble() != "" || !strings.Contains(log.String(), "kept again") || len(names(t, place)) != 2 {
		t.Errorf("trouble %q, log:\n%s", r.Trouble(), log)
	}
}

// TestKeepNeverWaits checks that a disk that hangs never holds up a person's
// turn.
func TestKeepNeverWaits(t *testing.T) {
	r, log := newRecorder(t, recorder.Config{Dir: t.TempDir()})
	for i := range 100 { // Run is not running
		r.Keep(record.Record{ID: fmt.Sprintf("t-%d", i), Time: time.Now()}, sound(100))
	}
	if !strings.Contains(r.Trouble(), "too slow") || strings.Count(log.String(), "level=WARN") != 1 {
		t.Errorf("trouble %q, log:\n%s", r.Trouble(), log)
	}
}

// TestAnIDLeadsNowhere checks that an id, which comes from outside, cannot lead
// out of the directory.
func TestAnIDLeadsNowhere(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "recordings")
	r, _ := newRecorder(t, recorder.Config{Dir: dir})
	end := running(t, r)
	for _, id := range []string{"../../x", "/etc/passwd", "a\x00b", "", strings.Repeat("long", 500), "💡"} {
		r.Keep(record.Record{ID: id, Time: time.Now()}, sound(100))
	}
	end()
	if n := names(t, parent); len(n) != 1 {
		t.Errorf("beside the directory: %q", n)
	}
	if n := names(t, dir); len(n) < 10 || r.Trouble() != "" {
		t.Errorf("%q, %s", n, r.Trouble())
	}
}

func TestConfig(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for name, cfg := range map[string]recorder.Config{
		"no directory": {MaxAge: time.Hour, MaxBytes: 1, Log: log},
		"no age":       {Dir: "x", MaxBytes: 1, Log: log},
		"no size":      {Dir: "x", MaxAge: time.Hour, Log: log},
	} {
		if _, err := recorder.New(cfg); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	r, _ := newRecorder(t, recorder.Config{Dir: "/var/x", MaxAge: 7 * 24 * time.Hour, MaxBytes: 200 << 20})
	if got := r.About(); got != "on: utterances are kept in /var/x for 7 days, 200 MB at most" {
		t.Error(got)
	}
}

// A link that the service could have laid in the place of the recordings leads root to
// no directory of others.
func TestRootKeepsNoRecordingBehindALink(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can write in a directory of another user")
	}
	state, others := t.TempDir(), t.TempDir()
	place := filepath.Join(state, recorder.Dir)
	if err := errors.Join(os.Symlink(others, place), os.Lchown(state, 65533, 65533)); err != nil {
		t.Fatal(err)
	}
	r, err := recorder.New(recorder.Config{Dir: place, MaxAge: time.Hour, MaxMB: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Keep(record.Record{ID: "a", Time: time.Now()}, audio.Clip{})
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(others); err != nil || len(entries) > 0 || !strings.Contains(r.Trouble(), place+" is a link, and "+state+" belongs to ") {
		t.Errorf("%v, %v, %q", entries, err, r.Trouble())
	}
}
