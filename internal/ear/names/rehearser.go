package names

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/keep"
)

// ErrRunning means that a rehearsal is under way: there is one at a time.
var ErrRunning = errors.New("a rehearsal is under way")

// Rehearser runs rehearsals on request, and automatically after the house has changed, one
// at a time. It keeps the report of the last one. It is safe for concurrent use.
type Rehearser struct {
	cfg   Config
	house func() *home.House
	asked chan struct{}
	disk  *keep.Store // nil: nothing is kept
	watch watch       // of Run alone

	mu    sync.Mutex
	state State
}

// New makes a rehearser that starts nothing. It knows what the last rehearsal of an
// earlier run found.
func New(cfg Config, house func() *home.House) *Rehearser {
	r := &Rehearser{cfg: cfg, house: house, asked: make(chan struct{}, 1)}
	r.disk, r.state.Report = keep.Recall[*Report](cfg.Dir, kept, "the last rehearsal of names", cfg.Log)
	return r
}

// kept is the name under which the last report is kept.
const kept = "rehearsal"

// Start asks for a rehearsal.
func (r *Rehearser) Start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Running {
		return ErrRunning
	}
	r.state.Running, r.state.Done, r.state.Names, r.state.Trouble = true, 0, 0, ""
	r.asked <- struct{}{}
	return nil
}

// State is how it stands.
func (r *Rehearser) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Run rehearses whenever it was asked for or the house has changed, until ctx ends.
func (r *Rehearser) Run(ctx context.Context) error {
	tick := time.NewTicker(lookAround)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			if r.cfg.Quiet != nil && r.watch.due(now, r.cfg.Quiet(), fingerprint(r.house(), r.cfg), r.fingerprint()) {
				_ = r.Start() // one that was asked for meanwhile is as good
			}
		case <-r.asked:
			r.rehearse(ctx)
		}
	}
}

// fingerprint stands for the names that were rehearsed last.
func (r *Rehearser) fingerprint() string {
	if report := r.State().Report; report != nil {
		return report.House
	}
	return ""
}

// rehearse holds one rehearsal and keeps what it finds.
func (r *Rehearser) rehearse(ctx context.Context) {
	cfg, h := r.cfg, r.house()
	cfg.Progress = func(done, of int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.state.Done, r.state.Names = done, of
	}
	report, err := Rehearse(ctx, cfg, h)
	report.House = fingerprint(h, cfg)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Running = false
	if err != nil {
		r.state.Trouble = cmp.Or(err.Error(), "the rehearsal failed")
		cfg.Log.Warn("the names of the house were not rehearsed", "err", err)
		return
	}
	r.state.Report = &report
	cfg.Log.Info("the names of the house were rehearsed", "names", report.Names, "confused", len(report.Confused), "unknown", len(report.Unknown))
	if r.disk != nil {
		if err := r.disk.Save(kept, report); err != nil {
			cfg.Log.Warn("what the rehearsal found is kept until the program ends only", "err", err)
		}
	}
}
