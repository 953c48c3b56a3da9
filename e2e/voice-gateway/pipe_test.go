package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSignalsEndTheWaitForAPipe: a command that waits for the sound of a pipe with a
// silent writer ends with the signal, without a message and with the status that shells
// give such an end.
func TestSignalsEndTheWaitForAPipe(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			c, out, ended := telling(t, environ(t), "hear", pipe)
			var writer *os.File
			eventually(t, "it has opened the pipe", func() (opened bool) {
				var err error
				writer, err = os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
				return err == nil
			})
			t.Cleanup(func() { _ = writer.Close() })
			send(t, c.Process.Pid, signal)
			eventually(t, "it ends", func() bool {
				select {
				case <-ended:
					return true
				default:
					return false
				}
			})
			if status := c.ProcessState.ExitCode(); status != want || strings.TrimSpace(out.String()) != "" {
				t.Errorf("status %d, expected %d: %s", status, want, out)
			}
		})
	}
}
