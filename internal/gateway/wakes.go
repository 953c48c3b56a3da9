package gateway

import (
	"context"
	"maps"
	"slices"

	"voicegateway/internal/ear/wakebudget"
	"voicegateway/internal/ear/wakekeeper"
)

// newWakeKeeper makes the counter of wakes that no user meant.
func (s setup) newWakeKeeper() *wakekeeper.Keeper {
	return wakekeeper.New(wakekeeper.Config{
		Dir: s.cfg.Gateway.StateDir, Budget: s.cfg.Wake.Budget, Engine: s.cfg.Wake.Engine, Words: s.cfg.Wake.Words,
		Fixed: slices.Collect(maps.Keys(s.cfg.Wake.Thresholds)),
	}, s.log.With("part", "wake"))
}

// keepsWakes reports whether wakes are counted: only by the daemon with its own
// microphone, because only that one hears a house.
func (s setup) keepsWakes() bool {
	return !s.opts.TextOnly && !s.opts.Private && s.opts.Mic == nil && !s.deaf()
}

// keepWakes keeps the false wakes to their budget until ctx ends.
func (g *Gateway) keepWakes(ctx context.Context) error {
	return g.thinking.wakes.Run(ctx, g.hearing.wake, func(state wakebudget.State) {
		if g.link.api != nil {
			g.link.api.Wakes(state)
		}
	})
}
