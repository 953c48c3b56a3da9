package cli

import "runtime/debug"

// leanGrowth is by how many percent the heap may grow before it is collected:
// the runtime's own 100 keeps as much garbage as there is data. Nothing on the
// way of a frame or a match allocates, so what is collected more often is little.
const leanGrowth = 25

// lean keeps a process small that runs for months beside others on a small
// machine. Somebody who sets GOGC knows better.
func (a *app) lean() {
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(leanGrowth)
	}
	debug.FreeOSMemory() // what packages have left over from setting themselves up
}
