package cli

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"voicegateway/internal/ground/process"
)

// leanGrowth is by how many percent the heap may grow before a collection; the
// runtime's own 100 keeps as much garbage as there is data. Handling a frame or a
// match does not allocate, so collecting more often costs little.
const leanGrowth = 25

// idleGrowth is the same once the start is over, which allocates five times what is
// kept: a command in a known house allocates little.
const idleGrowth = 10

// lean keeps a process small that runs for months beside others on a small machine.
func (a *app) lean() {
	a.growth(leanGrowth)
	giveBack() // what packages left over when they were initialised
}

// giveBack returns to the kernel what is not used now. A kernel that cannot take back
// the pages of the program leaves us larger, and as able.
func giveBack() {
	debug.FreeOSMemory()
	_ = process.DropPages()
}

// settling is how long after the first sign of a house the gateway needs until the voice
// is warm, the whole house is known, and everything that follows from its names has been
// worked out.
const settling = 4 * time.Second

// growth sets how much garbage is kept, unless GOGC in the environment does.
func (a *app) growth(percent int) {
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// runSettled runs a daemon, and gives back what its start left over once it is ready:
// files that were read, and a house that was none.
func (a *app) runSettled(ctx context.Context, ready, run func(context.Context) error) error {
	starting, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if ready(starting) != nil {
			return
		}
		select {
		case <-time.After(settling):
			a.growth(idleGrowth)
			giveBack()
		case <-starting.Done():
		}
	})
	err := run(ctx)
	cancel()
	waiting.Wait()
	return err
}
