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

// TestAcceptColdStartsInEveryOrder starts broker, house, server and gateway together in
// every order, every other time with pauses. Each time everything has to connect without
// help, and a light has to obey.
func TestAcceptColdStartsInEveryOrder(t *testing.T) {
	var starts []coldStart
	for i, order := range slices.Concat(orders(apart), orders(asChild)) {
		starts = append(starts, coldStart{order: order, pause: time.Duration(i%2*(i%5+1)) * 300 * time.Millisecond})
	}
	allConnect(t, starts)
}

// allConnect makes all starts, some at once.
func allConnect(t *testing.T, starts []coldStart) {
	t.Helper()
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
	if len(all) != len(starts) {
		t.Fatalf("%d of %d starts ended connected", len(all), len(starts))
	}
	t.Logf("%d connected by themselves; after the last start: half within %v, all within %v", len(all), all[(len(all)-1)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
}
