//go:build accept

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAcceptFiftyColdStarts starts broker, house, server and gateway together in
// every order, and with pauses, fifty times in all. Each has to end connected,
// with a light that obeys and nobody's help.
func TestAcceptFiftyColdStarts(t *testing.T) {
	var starts []coldStart
	for _, order := range slices.Concat(orders(apart), orders(asChild)) {
		starts = append(starts, coldStart{order: order})
	}
	for i, order := range slices.Concat(orders(asChild), orders(asChild), orders(asChild), orders(asChild)[:2]) {
		starts = append(starts, coldStart{order: order, pause: time.Duration(i%5+1) * 300 * time.Millisecond})
	}
	var mu sync.Mutex
	took := map[string]time.Duration{}
	t.Run("each", func(t *testing.T) {
		for i, s := range starts {
			name := fmt.Sprintf("%02d %s", i+1, strings.Join(s.order, " "))
			if s.pause > 0 {
				name += " with " + s.pause.String() + " between"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := s.run(t)
				mu.Lock()
				defer mu.Unlock()
				took[name] = d
			})
		}
	})
	var all []time.Duration
	for _, d := range took {
		all = append(all, d)
	}
	slices.Sort(all)
	if len(all) != 50 {
		t.Fatalf("%d of 50 starts ended connected", len(all))
	}
	t.Logf("50 of 50 connected by themselves; after the last start: half within %v, all within %v", all[24].Round(time.Millisecond), all[49].Round(time.Millisecond))
}
