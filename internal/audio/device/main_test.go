package device_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/ground/worker"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "burn" { // a program that wants a processor for itself
		for n := 0; ; n++ {
			_ = n
		}
	}
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := worker.Pipes()
		if err == nil {
			err = device.Work(context.Background(), in, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(scratch())
		os.Exit(code)
	}))
}

// scratch is a directory for what all tests share.
var scratch = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "simcard")
	if err != nil {
		panic(err)
	}
	return dir
})
