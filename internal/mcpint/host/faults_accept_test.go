//go:build accept

package host

import "testing"

// TestAcceptFaults injects every fault, the heavy ones too.
func TestAcceptFaults(t *testing.T) { injectFaults(t, true) }

// TestAcceptWebFaults injects every fault over HTTP.
func TestAcceptWebFaults(t *testing.T) { injectWebFaults(t, true) }
