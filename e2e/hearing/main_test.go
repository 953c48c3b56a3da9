// Package hearing measures the whole ear on people, on half sentences and on sound
// without speech: recordings go through the turns of the real gateway, and what was done
// in a house is compared with what was meant.
package hearing

import (
	"flag"
	"os"
	"testing"

	"voicegateway/e2e/rig"
)

var whole = flag.Bool("whole", false, "hear every recording, not a part of them")

// bin holds the real programs: the workers of voice-gateway hold the recognisers.
var bin string

func TestMain(m *testing.M) { os.Exit(rig.Main(m, &bin)) }
