package device_test

import (
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/fake"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "burn" { // a program that wants a processor for itself
		for n := 0; ; n++ {
			_ = n
		}
	}
	if status, worked := fake.WorkAsChild(device.Work); worked {
		os.Exit(status)
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
