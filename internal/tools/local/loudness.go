package local

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// leastLoud is the lowest volume, in percent, at which smoke is announced: a family that
// has turned the volume down for the night must still hear it.
const leastLoud = 60

// volumeBudget bounds a change of the volume: an alarm does not wait for a mixer.
const volumeBudget = 3 * time.Second

// Mixer is the volume of the machine.
type Mixer interface {
	Get(ctx context.Context) (VolumeState, error)
	Set(ctx context.Context, level int) (VolumeState, error)
	Mute(ctx context.Context, on bool) (VolumeState, error)
}

// Loudness makes urgent alerts audible, and gives the volume back when they are over.
type Loudness struct {
	volume Mixer
	log    *slog.Logger

	mu     sync.Mutex
	urgent map[string]bool // the alerts that ring, by ID
	before *VolumeState    // nil: the volume was not changed
}

// New makes a Loudness of a volume.
func New(volume Mixer, log *slog.Logger) *Loudness {
	return &Loudness{volume: volume, log: log, urgent: map[string]bool{}}
}

// Raise makes the machine loud enough for an urgent alert with this ID. Without a
// Loudness nothing is changed.
func (l *Loudness) Raise(ctx context.Context, id string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, volumeBudget)
	defer cancel()
	l.urgent[id] = true
	now, err := l.volume.Get(ctx)
	if err == nil && (now.Muted || now.Level < leastLoud) {
		if l.before == nil {
			l.before = &now
		}
		_, err = l.volume.Set(ctx, max(now.Level, leastLoud))
	}
	if err != nil {
		l.log.Warn("an alarm may be too quiet: the volume cannot be changed", "err", err)
	}
}

// Over restores the volume once the last urgent alert is over, unless the user has
// changed it meanwhile.
func (l *Loudness) Over(ctx context.Context, ids []string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.urgent, id)
	}
	if before := l.before; len(l.urgent) == 0 && before != nil {
		l.before = nil
		l.giveBack(ctx, *before)
	}
}

// Acknowledged takes note of alerts that a person has heard.
func (l *Loudness) Acknowledged(ids []string, _ bool) { l.Over(context.Background(), ids) }

func (l *Loudness) giveBack(ctx context.Context, before VolumeState) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), volumeBudget)
	defer cancel()
	now, err := l.volume.Get(ctx)
	if err != nil || now.Muted || now.Level != max(before.Level, leastLoud) {
		return
	}
	if _, err = l.volume.Set(ctx, before.Level); err == nil && before.Muted {
		_, err = l.volume.Mute(ctx, true)
	}
	if err != nil {
		l.log.Warn("the volume of before the alarm cannot be set again", "level", before.Level, "err", err)
	}
}
