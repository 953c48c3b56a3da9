package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio/device"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/ground/worker"
	"voicegateway/internal/mcpint/client"
)

// workers are the worker processes by name, without the one that starts servers.
var workers = map[string]func(ctx context.Context, in io.Reader, out io.Writer) error{
	"audio":         device.Work,
	"stt":           sphinx.Work,
	"stt-moonshine": moonshine.Work,
}

// launching is the worker that the unit voice-gateway-servers.service starts.
const launching = "servers"

// workerCommand is the process of a worker: a supervised child, the only place where C
// code runs, or the service that starts the MCP servers of others.
func (a *app) workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker audio|stt|stt-moonshine|servers",
		Short:  "Internal: a supervised child that talks to a C library, or the service that starts the servers of others",
		Hidden: true,
		Args:   exactly(1, "the worker's name: audio, stt, stt-moonshine or servers"),
		RunE: func(c *cobra.Command, args []string) error {
			a.lean()
			if args[0] == launching {
				return a.launch(c.Context())
			}
			work, ok := workers[args[0]]
			if !ok {
				return configure.AsUseError(fmt.Errorf("there is no worker %q; expected audio, stt, stt-moonshine or servers", args[0]))
			}
			in, out, err := worker.Pipes()
			if err != nil {
				return fmt.Errorf("opening the way to the gateway: %w", err)
			}
			started := time.AfterFunc(settling, giveBack)
			defer started.Stop()
			return work(c.Context(), in, out)
		},
	}
}

// launch starts the servers that gateways ask for at the socket on stdin, where systemd
// has put it.
func (a *app) launch(ctx context.Context) error {
	l, err := net.FileListener(os.Stdin)
	if err != nil {
		return fmt.Errorf("worker servers expects a listening socket as its standard input, as voice-gateway-servers.socket gives it: %w", err)
	}
	socket, ok := l.(*net.UnixListener)
	if !ok {
		return fmt.Errorf("worker servers expects a socket of this machine as its standard input; it got one of %s", l.Addr().Network())
	}
	if err := process.ServeLaunches(ctx, socket, filepath.Dir(a.Executable), client.BaseEnv(a.Environ)); err != nil {
		return fmt.Errorf("starting servers: %w", err)
	}
	return nil
}
