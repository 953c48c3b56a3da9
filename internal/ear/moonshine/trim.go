//go:build cgo

package moonshine

/*
#include <malloc.h>

// Other C libraries than glibc have no malloc_trim and keep less.
static void trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

import "runtime/debug"

// giveBack returns to the kernel what loading has left over. ONNX Runtime frees its copies
// of the networks' files, and glibc keeps them: more than half of what the worker would
// hold.
func giveBack() {
	debug.FreeOSMemory()
	C.trim()
}
