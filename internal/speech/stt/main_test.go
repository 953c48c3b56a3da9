package stt_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/speech/moonshine"
	"voicegateway/internal/speech/sphinx"
	"voicegateway/internal/worker"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := worker.Pipes()
		if err == nil {
			work := sphinx.Work
			if slices.Contains(os.Args, "stt-moonshine") {
				work = moonshine.Work
			}
			err = work(context.Background(), in, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
