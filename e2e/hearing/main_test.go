// Package hearing measures the whole ear on people, on half sentences and on what is
// no speech at all: recordings go through the turns of the real gateway, and what was
// done in a house is compared with what was meant.
package hearing

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"voicegateway/internal/fake"
)

var whole = flag.Bool("whole", false, "hear every recording, not a part of them")

// program is the real voice-gateway, whose workers hold the recognisers.
var program string

func TestMain(m *testing.M) {
	bin, err := fake.Programs()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	program = filepath.Join(bin, "voice-gateway")
	os.Exit(m.Run())
}
