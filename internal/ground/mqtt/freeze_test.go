package mqtt

import (
	"os/exec"
	"syscall"
	"testing"
)

// freeze stops a process as a hung one would be; the test kills it later, which
// works on a stopped process too.
func freeze(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
