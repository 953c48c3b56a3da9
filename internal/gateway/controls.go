package gateway

import (
	"context"
	"time"
)

// controlsInterval is how often the volume is read, which other programs change, too.
const controlsInterval = 30 * time.Second

// poke notes that the mute switch or the volume may have changed. It does not block.
func (l link) poke() {
	select {
	case l.changed <- struct{}{}:
	default: // it is noted already
	}
}

// tellControls publishes the mute switch and the volume whenever they have changed,
// until ctx ends.
func (g *Gateway) tellControls(ctx context.Context) error {
	tick := time.NewTicker(controlsInterval)
	defer tick.Stop()
	for {
		g.link.api.Muted(g.Muted())
		if now, err := g.volume.Get(ctx); err == nil {
			if now.Muted {
				now.Level = 0 // nothing is to be heard
			}
			g.link.api.Volume(now.Level)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-g.link.changed:
		}
	}
}
