// Command voice-gateway hears spoken commands, acts through tools and says what
// happened. All of it is assembled elsewhere: this file only hands over the
// process's world.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"voicegateway/internal/cli"
)

// version is set by the build.
var version = "dev"

func main() {
	runtime.MemProfileRate = 0 // the memory profile is not read in a daemon, and costs memory
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	terminated, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(terminated, func() { end(cli.ErrTerminated) })()
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "voice-gateway: finding our own program:", err)
		return 1
	}
	info, err := os.Stdout.Stat()
	return cli.Main(ctx, os.Args[1:], version, cli.IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Executable: exe,
		Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
	})
}
