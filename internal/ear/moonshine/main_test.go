package moonshine

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/ground/worker"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := worker.Pipes()
		if err == nil {
			err = Work(context.Background(), in, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
