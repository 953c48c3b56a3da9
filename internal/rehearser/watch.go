package rehearser

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/speech/stt"
)

// When a rehearsal begins by itself.
const (
	calm       = 10 * time.Minute // the names have stayed the same and nobody has spoken for so long
	lookAround = 10 * time.Second // how often that is looked at
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

// fingerprint stands for everything in a house that a rehearsal depends on: its names, how
// they are pronounced and what hears them; "" where there is nothing to rehearse.
func fingerprint(h *home.House, cfg stt.Config) string {
	var all strings.Builder
	things := 0
	for _, a := range h.Areas {
		fmt.Fprintf(&all, "room %q %q\n", a.Name, a.Aliases)
	}
	for _, e := range h.Entities {
		if e.Control != nil {
			things++
			fmt.Fprintf(&all, "%q %q %q %q\n", e.ID, e.Name, e.Area, e.Aliases)
		}
	}
	if things == 0 {
		return ""
	}
	for _, word := range slices.Sorted(maps.Keys(cfg.Pronunciations)) {
		fmt.Fprintf(&all, "%q %q\n", word, cfg.Pronunciations[word])
	}
	resolved, _ := cfg.Resolved()
	fmt.Fprintf(&all, "%q\n", resolved.Engines)
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:8])
}
