// Package serve is the command zwave-mcp-server: it reads flags and settings and
// serves the Z-Wave house over MCP, or with "simulate" plays a simulated house on
// a broker. It exists so that main stays a few lines and the command can be
// tested. A new flag is a line in Command; a new setting is a field of Config
// and a line in configs/zwave-mcp-server.yaml.
package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/zwave"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
	exitBroker = 3 // --require-broker: the broker stayed away
)

// Program is one run of the command with its arguments, streams and environment.
type Program struct {
	Args    []string
	In      io.Reader
	Out     io.Writer // JSON-RPC only
	Err     io.Writer // everything else
	Options config.Options
	Version string // of the build; "dev" where it is empty
}

// exit is an error with an exit status.
type exit struct {
	status int
	err    error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// Run does what the arguments say until ctx ends or the host closes its side, and
// returns the exit status. Errors have then been written to Err.
func (p Program) Run(ctx context.Context) int {
	cmd := p.Command() //nolint:contextcheck // the command gets ctx from ExecuteContext
	cmd.SetArgs(p.Args)
	cmd.SetOut(p.Err) // stdout is for JSON-RPC
	cmd.SetErr(p.Err)
	err := cmd.ExecuteContext(ctx)
	var e exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		_, _ = fmt.Fprintln(p.Err, "zwave-mcp-server:", err)
		return e.status
	default: // cobra's own errors are about flags and arguments
		_, _ = fmt.Fprintf(p.Err, "zwave-mcp-server: %v\nRun zwave-mcp-server --help for the flags.\n", err)
		return exitUsage
	}
}

// flags are the flags of the command without "simulate".
type flags struct {
	file    string
	http    string
	require time.Duration
}

// Command is the command with its flags, for Run and for those who write about it.
func (p Program) Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:           "zwave-mcp-server",
		Short:         "The Z-Wave house behind zwave-js-ui as an MCP server",
		Version:       p.version(),
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), f) },
	}
	cmd.PersistentFlags().StringVar(&f.file, "config", "", "settings `FILE` (YAML); the environment overrides it")
	cmd.Flags().StringVar(&f.http, "http", "", "serve Streamable HTTP on `ADDR` instead of stdio")
	cmd.Flags().DurationVar(&f.require, "require-broker", 0, "exit with status 3 when the broker stays away that long at the start")
	cmd.AddCommand(p.simulateCommand(&f))
	return cmd
}

func (p Program) version() string { return cmp.Or(p.Version, "dev") }

// load reads the settings and makes the log, which goes to stderr.
func (p Program) load(file string) (Config, *slog.Logger, error) {
	cfg := Default()
	_, err := config.Load(file, &cfg, p.Options)
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return cfg, nil, exit{exitUsage, err}
	}
	level, err := cfg.level()
	if err != nil {
		return cfg, nil, exit{exitUsage, err}
	}
	return cfg, slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: level})), nil
}

// serve offers the house. MCP is served even while the broker is away: a tool
// then says what it waits for.
func (p Program) serve(ctx context.Context, f flags) error {
	cfg, log, err := p.load(f.file)
	if err != nil {
		return err
	}
	client, err := mqtt.New(cfg.mqtt(), log)
	if err != nil {
		return exit{exitUsage, err}
	}
	house, err := zwave.New(cfg.zwave(), client, log)
	if err != nil {
		return exit{exitUsage, err}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { report(log, "mqtt", client.Run(ctx)) })
	wg.Go(func() { report(log, "zwave", house.Run(ctx)) })
	if f.require > 0 {
		if err := await(ctx, client, f.require); err != nil {
			return err
		}
	}
	err = serve.Run(ctx, serve.Config{
		Name: "zwave-mcp-server", Version: p.version(),
		Instructions: "Tools for the devices of one house. A control call returns what the device itself reported; " +
			"only the outcome confirmed means that it is done.",
		Tools:     house.Tools(),
		Resources: []serve.Resource{resource(house), eventsResource(house)},
		HTTPAddr:  f.http, Token: cfg.HTTPToken, Origins: cfg.HTTPOrigins, In: p.In, Out: p.Out,
	}, log)
	if err != nil {
		return exit{exitFailed, err}
	}
	return nil
}

// await waits until the broker is connected, at most for limit.
func await(ctx context.Context, client *mqtt.Client, limit time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := client.AwaitConnected(waiting)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return exit{exitBroker, fmt.Errorf("the MQTT broker at %s did not answer within %v: %w", client.Broker(), limit, err)}
}

func report(log *slog.Logger, part string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Error("a part of the server ended", "part", part, "err", err)
	}
}

// firstLook is how long reading the house waits for the network to answer.
const firstLook = 2 * time.Second

// resource returns the structure of the house as an MCP resource.
func resource(house *zwave.House) serve.Resource {
	return serve.Resource{
		URI: "zwave://home", Name: "The house: areas, devices and what they can do", MIMEType: "application/json",
		Read: func(ctx context.Context) ([]byte, error) {
			t := time.NewTimer(firstLook)
			defer t.Stop()
			select {
			case <-house.Loaded():
				return json.Marshal(house.Home())
			case <-ctx.Done():
			case <-t.C:
			}
			return nil, errors.New("the house is not known yet: zwave-js-ui has not answered; a notice follows when it has")
		},
		Changed: house.Changed(),
	}
}

// eventsResource returns the events of the house as an MCP resource: the newest ones, so that a
// reader who missed a notice misses nothing.
func eventsResource(house *zwave.House) serve.Resource {
	return serve.Resource{
		URI: "zwave://events", Name: "What the house told by itself: the newest changes of states, presses of buttons and acts that were told as done and were not", MIMEType: "application/json",
		Read:    func(context.Context) ([]byte, error) { return json.Marshal(house.Events()) },
		Changed: house.Told(),
	}
}
