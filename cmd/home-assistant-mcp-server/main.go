// Command home-assistant-mcp-server gives any MCP host the house behind Home Assistant.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"voicegateway/internal/hass/serve"
)

// version is set by the build.
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve.Program{Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version}.Run(ctx)
}
