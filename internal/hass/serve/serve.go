// Package serve is the command home-assistant-mcp-server: it reads flags and settings and
// serves a house behind Home Assistant over MCP. It exists so that main stays a few lines
// and the command can be tested. A new setting is a field of Config and a line in
// configs/home-assistant-mcp-server.yaml; what all house servers have in common is in
// package mcpint/houseserver.
package serve

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"voicegateway/internal/hass"
	"voicegateway/internal/mcpint/houseserver"
)

// Program is one run of the command with its arguments, streams and environment.
type Program houseserver.Program

func (p Program) server() houseserver.Program { return houseserver.Program(p) }

// Run does what the arguments say until ctx ends or the host closes its side, and
// returns the exit status. Errors have then been written to Err.
func (p Program) Run(ctx context.Context) int {
	return p.server().Run(ctx, p.Command()) //nolint:contextcheck // the command gets ctx when it is executed
}

// Command is the command with its flags, for Run and for those who write about it.
func (p Program) Command() *cobra.Command {
	var f houseserver.Flags
	cmd := p.server().Command(name, "The house behind Home Assistant as an MCP server", &f)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), f) }
	return cmd
}

const name = "home-assistant-mcp-server"

// serve offers the house. MCP is served even while Home Assistant is away: a tool then says
// what it waits for.
func (p Program) serve(ctx context.Context, f houseserver.Flags) error {
	cfg := Default()
	log, err := p.server().Load(f.File, &cfg)
	if err != nil {
		return err
	}
	house, err := hass.New(cfg.House(), log)
	if err != nil {
		return houseserver.ExitError{Status: houseserver.ExitUsage, Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { houseserver.Report(log, "hass", house.Run(ctx)) })
	return p.server().Serve(ctx, houseserver.Service{
		Name: name, Scheme: hass.Prefix, Unknown: "Home Assistant has not answered; a notice follows when it has",
		House: house, Offer: house.Offer(), HTTP: f.HTTP, Settings: cfg.Settings,
	}, log)
}
