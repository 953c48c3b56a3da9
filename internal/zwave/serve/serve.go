// Package serve is the command zwave-mcp-server: it reads flags and settings and
// serves the Z-Wave house over MCP, or with "simulate" plays a simulated house on
// a broker. It exists so that main stays a few lines and the command can be
// tested. A new flag is a line in Command; a new setting is a field of Config
// and a line in configs/zwave-mcp-server.yaml.
package serve

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/mcpint/houseserver"
	"voicegateway/internal/zwave"
)

// exitBroker is the exit status of --require-broker: the broker stayed away. The others
// are those of every house server.
const exitBroker = 3

// Program is one run of the command with its arguments, streams and environment.
type Program houseserver.Program

func (p Program) server() houseserver.Program { return houseserver.Program(p) }

// Run does what the arguments say until ctx ends or the host closes its side, and
// returns the exit status. Errors have then been written to Err.
func (p Program) Run(ctx context.Context) int {
	return p.server().Run(ctx, p.Command()) //nolint:contextcheck // the command gets ctx when it is executed
}

// flags are the flags of the command without "simulate".
type flags struct {
	houseserver.Flags

	require time.Duration
}

// Command is the command with its flags, for Run and for those who write about it.
func (p Program) Command() *cobra.Command {
	var f flags
	cmd := p.server().Command("zwave-mcp-server", "The Z-Wave house behind zwave-js-ui as an MCP server", &f.Flags)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), f) }
	cmd.Flags().DurationVar(&f.require, "require-broker", 0, "exit with status 3 when the broker stays away that long at the start")
	cmd.AddCommand(p.simulateCommand(&f))
	return cmd
}

// serve offers the house. MCP is served even while the broker is away: a tool
// then says what it waits for.
func (p Program) serve(ctx context.Context, f flags) error {
	cfg := Default()
	log, err := p.server().Load(f.File, &cfg)
	if err != nil {
		return err
	}
	client, err := mqtt.New(cfg.mqtt(), log)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	house, err := zwave.New(cfg.zwave(), client, log)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { houseserver.Report(log, "mqtt", client.Run(ctx)) })
	wg.Go(func() { houseserver.Report(log, "zwave", house.Run(ctx)) })
	if f.require > 0 {
		if err := await(ctx, client, f.require); err != nil {
			return err
		}
	}
	return p.server().Serve(ctx, houseserver.Service{
		Name: "zwave-mcp-server", Scheme: "zwave", Unknown: "zwave-js-ui has not answered; a notice follows when it has",
		House: house, Offer: house.Offer(), HTTP: f.HTTP, Settings: cfg.Settings,
	}, log)
}

// await waits until the broker is connected, at most for limit.
func await(ctx context.Context, client *mqtt.Client, limit time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := client.AwaitConnected(waiting)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return houseserver.ExitError{Status: exitBroker, Err: fmt.Errorf("the MQTT broker at %s did not answer within %v: %w", client.Broker(), limit, err)}
}
