// Package hearing measures the whole ear on people, on half sentences and on what is
// no speech at all: recordings go through the turns of the real gateway, and what was
// done in a house is compared with what was meant.
package hearing

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var whole = flag.Bool("whole", false, "hear every recording, not a part of them")

// program is the real voice-gateway, whose workers hold the recognisers.
var program string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "voice-gateway-hearing-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "voice-gateway")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-o", program, "voicegateway/cmd/voice-gateway")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building voice-gateway: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
