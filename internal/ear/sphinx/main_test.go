package sphinx_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/fake"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if status, worked := fake.WorkAsChild(sphinx.Work); worked {
		os.Exit(status)
	}
	goleak.VerifyTestMain(m)
}
