package bubble

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimersThatAreDueAtOnce crashes in most runs with the race detector on several
// processors.
func TestTimersThatAreDueAtOnce(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(*testing.T) {
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					for range 500 {
						select {
						case <-time.NewTimer(0).C:
						default:
						}
					}
				})
			}
			all.Wait()
		})
	}
}
