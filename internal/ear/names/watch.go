package names

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
)

// When a rehearsal begins by itself.
const (
	calm       = 10 * time.Minute // for so long the names have stayed the same and there was no speech
	lookAround = time.Minute      // how often that is looked at
)

// watch finds the moment for an automatic rehearsal of the names of a house.
type watch struct {
	names string    // as they were at the last look
	since time.Time // since when they have been so
	tried string    // names that need no other attempt
}

// due reports whether names should be rehearsed now: they differ from those rehearsed last, there
// has been no speech since quiet, and both have lasted for a while. After a failed attempt the
// same names are not tried again.
func (w *watch) due(now, quiet time.Time, names, rehearsed string) bool {
	if names != w.names {
		w.names, w.since = names, now
	}
	if names == "" || names == rehearsed || names == w.tried || now.Sub(w.since) < calm || now.Sub(quiet) < calm {
		return false
	}
	w.tried = names
	return true
}

// fingerprint sums up everything that a rehearsal of a house depends on: its names, the
// sentences about them, their pronunciations, the voice and the recogniser; "" if there is
// nothing to rehearse. The order of the things in the house does not matter.
func fingerprint(h *home.House, cfg Config) string {
	var lines []string
	things := 0
	for _, a := range h.Areas {
		lines = append(lines, fmt.Sprintf("room %q %q", a.Name, slices.Sorted(slices.Values(a.Aliases))))
	}
	for _, e := range h.Entities {
		if e.Control != nil {
			things++
			lines = append(lines, fmt.Sprintf("%q %q %q %q %q %q", e.ID, e.Name, e.Area, e.Domain, slices.Sorted(slices.Values(e.Aliases)), slices.Sorted(slices.Values(e.Abilities))))
		}
	}
	if things == 0 {
		return ""
	}
	for word, phones := range cfg.Recogniser.Pronunciations {
		lines = append(lines, fmt.Sprintf("word %q %q", word, phones))
	}
	slices.Sort(lines)
	resolved, _ := cfg.Recogniser.Resolve()
	lines = append(lines, fmt.Sprintf("%q %q %q %q", resolved.Engines, resolved.Language, resolved.ModelDir, cfg.Speaks))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}
