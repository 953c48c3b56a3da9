package cli

import "runtime/debug"

// leanGrowth is by how many percent the heap may grow before a collection; the
// runtime's own 100 keeps as much garbage as there is data. Handling a frame or a
// match does not allocate, so collecting more often costs little.
const leanGrowth = 25

// lean keeps a process small that runs for months beside others on a small machine.
// It leaves a GOGC in the environment alone.
func (a *app) lean() {
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(leanGrowth)
	}
	debug.FreeOSMemory() // what packages left over when they were initialised
}
