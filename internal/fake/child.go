package fake

import (
	"context"
	"fmt"
	"io"
	"os"

	"voicegateway/internal/ground/worker"
)

// WorkAsChild lets a test binary be its own worker, as the gateway's binary is. Started with
// the argument worker, it works until its parent closes the pipe, and returns the status
// with which TestMain has to exit. Otherwise it does nothing.
func WorkAsChild(work func(ctx context.Context, in io.Reader, out io.Writer) error) (status int, worked bool) {
	if len(os.Args) < 2 || os.Args[1] != "worker" {
		return 0, false
	}
	in, out, err := worker.Pipes()
	if err == nil {
		err = work(context.Background(), in, out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}
