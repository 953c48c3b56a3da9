// Command zwave-mcp-server gives any MCP host the Z-Wave house behind
// zwave-js-ui's MQTT gateway; "simulate" plays such a gateway.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"voicegateway/internal/zwave/serve"
)

// version is set by the build.
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve.Program{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version}.Run(ctx)
}
