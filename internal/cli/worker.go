package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ground/worker"
)

// workers are the worker processes by name.
var workers = map[string]func(ctx context.Context, in io.Reader, out io.Writer) error{
	"audio":         device.Work,
	"stt":           sphinx.Work,
	"stt-moonshine": moonshine.Work,
}

// workerCommand is the child process of a supervised worker: the only place where C
// code runs.
func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker audio|stt|stt-moonshine",
		Short:  "Internal: a supervised child that talks to a C library",
		Hidden: true,
		Args:   exactly(1, "the worker's name: audio, stt or stt-moonshine"),
		RunE: func(c *cobra.Command, args []string) error {
			work, ok := workers[args[0]]
			if !ok {
				return configure.Misused(fmt.Errorf("there is no worker %q; expected audio, stt or stt-moonshine", args[0]))
			}
			a.lean()
			in, out, err := worker.Pipes()
			if err != nil {
				return fmt.Errorf("opening the way to the gateway: %w", err)
			}
			return work(c.Context(), in, out)
		},
	}
}
