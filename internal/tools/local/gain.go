package local

import "sync/atomic"

// Gain is the volume of our own sound, for machines where no mixer can be
// reached: the speaker multiplies every sample by Level. The zero value is full
// volume. It is safe for concurrent use and cheap enough to ask for each frame.
type Gain struct {
	cut   atomic.Int32 // percent taken away
	muted atomic.Bool
}

// Level is the factor for samples: 0 (silent) to 1 (unchanged).
func (g *Gain) Level() float64 {
	if g.muted.Load() {
		return 0
	}
	return float64(100-g.cut.Load()) / 100
}
