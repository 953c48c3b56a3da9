package rehearser

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
	calm       = 10 * time.Minute // the names have stayed the same and nobody has spoken for so long
	lookAround = time.Minute      // how often that is looked at
)

// watch finds the moment at which the names of a house are rehearsed by themselves.
type watch struct {
	names string    // as they were at the last look
	since time.Time // since when they have been so
	tried string    // names that need no other attempt
}

// due reports whether names are rehearsed now: they are others than those rehearsed last,
// nobody has spoken since quiet, and neither has changed for a while. An attempt that fails is not
// repeated before the names have changed.
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

// fingerprint stands for everything that a rehearsal of a house depends on: its names and
// what is said of them, how they are pronounced, what speaks and what hears them; "" where
// there is nothing to rehearse. The order in which a house is told does not count.
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
	resolved, _ := cfg.Recogniser.Resolved()
	lines = append(lines, fmt.Sprintf("%q %q %q %q", resolved.Engines, resolved.Language, resolved.ModelDir, cfg.Speaks))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}
