package waketest

import (
	"fmt"
	"io"
	"strings"

	"voicegateway/internal/doors/console"
)

// Tell prints what was found, and the threshold that is proposed.
func (r *Result) Tell(out io.Writer, paint console.Paint) {
	fmt.Fprintf(out, "\nEverything else came up to %.2f.\n", r.Rest)
	switch {
	case r.Proposed == nil:
		fmt.Fprintf(out, "%s No threshold is proposed: %s.\n", paint.Bad("✗"), strings.TrimSuffix(r.Reason, "."))
	case *r.Proposed == r.Threshold:
		fmt.Fprintf(out, "%s The threshold in use, %g, suits: %s. Nothing needs to be changed.\n", paint.Good("✓"), r.Threshold, r.Reason)
	default:
		fmt.Fprintf(out, "%s Proposed threshold: %.2f (in use: %g); %s. For the configuration:\n\n%s\n", paint.Good("✓"), *r.Proposed, r.Threshold, r.Reason, r.Lines())
	}
}
