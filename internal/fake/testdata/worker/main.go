// Command worker is the recognisers' processes without the rest of voice-gateway, for
// the tests of what recognisers hear. It is called as voice-gateway is: worker stt, or
// worker stt-moonshine.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ground/worker"
)

var workers = map[string]func(ctx context.Context, in io.Reader, out io.Writer) error{
	"stt":           sphinx.Work,
	"stt-moonshine": moonshine.Work,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) != 3 || os.Args[1] != "worker" || workers[os.Args[2]] == nil {
		return fmt.Errorf("called with %q; expected worker stt or worker stt-moonshine", os.Args[1:])
	}
	in, out, err := worker.Pipes()
	if err != nil {
		return fmt.Errorf("opening the way to the gateway: %w", err)
	}
	return workers[os.Args[2]](ctx, in, out)
}
