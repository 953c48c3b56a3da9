// Package recorder keeps what was said to the gateway: the sound of an utterance and
// beside it the record of its turn. It exists to find out why something was misheard, and
// is the only place where a voice is ever written to disk; so it is off unless the user
// turns it on (REQUIREMENTS H10), readable by its owner only, and bounded in age and
// size.
//
// Keep queues a recording and returns at once; Run writes it. A recording is two files
// with one stem, STEM.wav and STEM.json. To keep another piece of a turn, give it an
// ending of its own in write and in endings.
package recorder

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep/record"
)

// Config says where recordings go and what bounds them.
type Config struct {
	Enabled  bool          `yaml:"enabled"`
	Dir      string        `yaml:"dir"`     // made with mode 0700 where it is missing; empty: Dir in the state directory
	MaxAge   time.Duration `yaml:"max_age"` // older recordings are removed
	MaxMB    int           `yaml:"max_mb"`  // of all recordings together; the oldest go first
	MaxBytes int64         `yaml:"-"`       // the same, to the byte; 0: as MaxMB
	Log      *slog.Logger  `yaml:"-"`
}

// Dir is where recordings are kept in the state directory.
const Dir = "recordings"

// Default keeps nothing; when it is switched on, it keeps a week and at most 200
// MB.
func Default() Config { return Config{MaxAge: 7 * 24 * time.Hour, MaxMB: 200} }

// Validate says everything that is wrong, each with the key and what would be
// right. A recorder that is off is not checked.
func (c Config) Validate() error {
	if !c.Enabled {
		return nil
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("recorder."+format, args...)) }
	if c.MaxAge <= 0 {
		bad("max_age: %s is no age; expected something like 168h", c.MaxAge)
	}
	if c.MaxMB < 1 {
		bad("max_mb: %d is too small; expected 1 or more", c.MaxMB)
	}
	if c.Dir != "" && !filepath.IsAbs(c.Dir) {
		bad("dir: %q depends on where the gateway is started; expected a whole path, such as /var/lib/voice-gateway/%s", c.Dir, Dir)
	}
	return errors.Join(errs...)
}

// waiting is how many recordings may wait for the disk. A turn takes seconds and
// a recording a quarter of a megabyte at most, so a disk that is this far behind
// does not work.
const waiting = 16

// pruneEvery is how often recordings are checked for their age while no new one
// comes.
const pruneEvery = time.Hour

// partial begins the name of a file that is being written.
const partial = ".recording-"

// Recorder writes recordings while Run is running. Keep is safe for concurrent
// use.
type Recorder struct {
	cfg  Config
	line chan recording

	mu      sync.Mutex
	trouble string
}

// recording is one recording that waits to be written.
type recording struct {
	stem  string
	json  []byte
	sound audio.Clip
}

// New checks the configuration and touches nothing.
func New(cfg Config) (*Recorder, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, int64(cfg.MaxMB)<<20)
	switch {
	case cfg.Dir == "" || cfg.Log == nil:
		return nil, errors.New("recorder: a directory and a logger are needed")
	case cfg.MaxAge <= 0:
		return nil, fmt.Errorf("recorder.max_age: %s is no age; expected something like 168h", cfg.MaxAge)
	case cfg.MaxBytes <= 0:
		return nil, errors.New("recorder.max_mb: too small; expected 1 or more")
	}
	return &Recorder{cfg: cfg, line: make(chan recording, waiting)}, nil
}

// About returns a sentence that says what is kept, for pages and commands.
func (r *Recorder) About() string {
	return fmt.Sprintf("on: utterances are kept in %s for %s, %d MB at most", r.cfg.Dir, age(r.cfg.MaxAge), r.cfg.MaxBytes>>20)
}

// age returns a duration in the words people use.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	default:
		return d.String()
	}
}

// Trouble says why the last recording could not be kept; "" when it was kept.
func (r *Recorder) Trouble() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble
}

// Keep queues a recording and never waits: when the disk does not keep up, the
// newest recordings are lost. The record is encoded as JSON before Keep returns;
// the sound of the utterance then belongs to the recorder.
func (r *Recorder) Keep(turn record.Record, utterance audio.Clip) {
	body, err := json.MarshalIndent(turn, "", "  ")
	if err != nil {
		r.logFailure(fmt.Errorf("writing the record as JSON: %w", err))
		return
	}
	select {
	case r.line <- recording{stem: stem(turn.ID, turn.Time), json: append(body, '\n'), sound: utterance}:
	default:
		r.logFailure(errors.New("the disk is too slow: recordings are lost"))
	}
}

// Sound reads the WAV file of a turn from a directory of recordings. It is an error if
// there is none.
func Sound(dir string, turn record.Record) ([]byte, error) {
	data, err := read(dir, stem(turn.ID, turn.Time)+".wav")
	if err != nil {
		return nil, fmt.Errorf("reading the sound of turn %s: %w", turn.ID, err)
	}
	return data, nil
}

func read(path, name string) ([]byte, error) {
	dir, err := trust.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	f, err := trust.Regular(dir, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// stem returns the name of a recording: names sort by time and hold the turn's
// id. An id from outside cannot make it a path out of the directory.
func stem(id string, at time.Time) string {
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, id)
	return at.UTC().Format(stampForm) + "_" + safe[:min(len(safe), maxID)]
}

const (
	stampForm = "20060102T150405.000Z"
	maxID     = 64
)

// Run prunes, then writes the queued recordings until ctx ends, and after that
// those still waiting.
func (r *Recorder) Run(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		r.logFailure(err)
	}
	again := time.NewTicker(pruneEvery)
	defer again.Stop()
	for {
		select {
		case rec := <-r.line:
			r.save(rec)
		case now := <-again.C:
			r.note(r.prune(now))
		case <-ctx.Done():
			r.drain()
			return nil
		}
	}
}

// drain writes the recordings that still wait.
func (r *Recorder) drain() {
	for {
		select {
		case rec := <-r.line:
			r.save(rec)
		default:
			return
		}
	}
}

// prepare makes the directory. It warns when others can look into a directory that
// existed before: the names of recordings alone show when people spoke.
func (r *Recorder) prepare() error {
	dir, err := trust.Make(r.cfg.Dir, 0o700)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = dir.Close() }()
	if info, err := dir.Stat("."); err == nil && info.Mode().Perm()&0o077 != 0 {
		r.cfg.Log.Warn("others can list the directory of the recordings, though not hear them; close it with: chmod 700", "dir", r.cfg.Dir)
	}
	leftovers, _ := fs.Glob(dir.FS(), partial+"*")
	for _, name := range leftovers {
		_ = dir.Remove(name) // left by a killed process; one that stays does no harm
	}
	return r.prune(time.Now())
}

// save writes one recording and then prunes, even when writing failed, because
// old recordings must go when the disk is full.
func (r *Recorder) save(rec recording) {
	r.note(errors.Join(r.write(rec), r.prune(time.Now())))
}

func (r *Recorder) write(rec recording) error {
	dir, err := trust.Make(r.cfg.Dir, 0o700)
	if err != nil {
		return explain(err)
	}
	defer func() { _ = dir.Close() }()
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, rec.sound); err != nil {
		return err
	}
	if err := put(dir, rec.stem+".wav", wav.Bytes()); err != nil {
		return err
	}
	if err := put(dir, rec.stem+".json", rec.json); err != nil {
		_ = dir.Remove(rec.stem + ".wav") // one without the other says nothing
		return err
	}
	return nil
}

// put writes a whole file or none, readable by its owner only.
func put(dir *os.Root, name string, data []byte) error {
	draft := partial + rand.Text()
	f, err := dir.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return explain(err)
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = dir.Rename(draft, name)
	}
	if err != nil {
		_ = dir.Remove(draft)
		return explain(err)
	}
	return nil
}

// note remembers whether the last work succeeded.
func (r *Recorder) note(err error) {
	if err != nil {
		r.logFailure(err)
		return
	}
	r.mu.Lock()
	was := r.trouble
	r.trouble = ""
	r.mu.Unlock()
	if was != "" {
		r.cfg.Log.Info("recordings are kept again", "dir", r.cfg.Dir)
	}
}

// logFailure logs an error once, and again only after it was over.
func (r *Recorder) logFailure(err error) {
	r.mu.Lock()
	told := r.trouble != ""
	r.trouble = "recordings are not kept: " + err.Error()
	r.mu.Unlock()
	if !told {
		r.cfg.Log.Warn("recordings are not kept", "dir", r.cfg.Dir, "err", err)
	}
}

// explain adds to an error that a user can mend what to do about it.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk is full; make room or lower recorder.max_mb: %w", err)
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("the directory cannot be written; name another one in recorder.dir: %w", err)
	}
	return err
}
