//go:build soak && accept && cgo

package device_test

import (
	"testing"
	"time"
)

// TestSoakCaptureUnderLoad captures for five minutes.
func TestSoakCaptureUnderLoad(t *testing.T) { captureUnderLoad(t, 5*time.Minute) }
