// Package houseserver is what the commands of all house servers share: the flags, the
// settings file, the exit statuses, and the serving of a house over stdio or HTTP with its
// tools and its resources in the one form (internal/home/form). It exists so that the
// program of another kind of house is its settings and its house, and nothing else.
//
// A new house server makes a Command, loads its settings with Load and calls Serve. A new
// flag or setting of all house servers belongs here.
package houseserver

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
	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/mcpint/serve"
)

// Exit statuses.
const (
	ExitFailed = 1
	ExitUsage  = 2
)

// Program is one run of a command with its arguments, streams and environment.
type Program struct {
	Args    []string
	In      io.Reader
	Out     io.Writer // JSON-RPC only
	Err     io.Writer // everything else
	Options config.Options
	Version string // of the build; "dev" where it is empty
}

// ExitError is an error with an exit status.
type ExitError struct {
	Status int
	Err    error
}

func (e ExitError) Error() string { return e.Err.Error() }

// Unwrap is the error without the status.
func (e ExitError) Unwrap() error { return e.Err }

// Flags are the flags of every house server.
type Flags struct {
	File string // settings
	HTTP string // address for Streamable HTTP; "" means stdio
}

// Command makes the command of a house server, without what it runs.
func (p Program) Command(name, short string, f *Flags) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Version: p.version(), Args: cobra.NoArgs,
		SilenceErrors: true, SilenceUsage: true,
	}
	cmd.PersistentFlags().StringVar(&f.File, "config", "", "settings `FILE` (YAML); the environment overrides it")
	cmd.Flags().StringVar(&f.HTTP, "http", "", "serve Streamable HTTP on `ADDR` instead of stdio")
	return cmd
}

func (p Program) version() string { return cmp.Or(p.Version, "dev") }

// Run runs a command until ctx ends or the host closes its side, and returns the exit
// status. Errors have then been written to Err.
func (p Program) Run(ctx context.Context, cmd *cobra.Command) int {
	cmd.SetArgs(p.Args)
	cmd.SetOut(p.Err) // stdout is for JSON-RPC
	cmd.SetErr(p.Err)
	err := cmd.ExecuteContext(ctx)
	var e ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		_, _ = fmt.Fprintf(p.Err, "%s: %v\n", cmd.Name(), err)
		return e.Status
	default: // cobra's own errors are about flags and arguments
		_, _ = fmt.Fprintf(p.Err, "%s: %v\nRun %s --help for the flags.\n", cmd.Name(), err, cmd.Name())
		return ExitUsage
	}
}

// Settings are the settings that every house server has beside its own.
type Settings struct {
	HTTPToken   string   `yaml:"http_token" env:"MCP_HTTP_TOKEN" secret:"true"`
	HTTPOrigins []string `yaml:"http_origins" env:"MCP_HTTP_ORIGINS"`
	LogLevel    string   `yaml:"log_level" env:"LOG_LEVEL"`
}

// DefaultSettings serve loopback only.
func DefaultSettings() Settings { return Settings{HTTPOrigins: []string{}, LogLevel: "info"} }

// Validate says everything that is wrong with the settings.
func (s Settings) Validate() error {
	_, err := s.level()
	wrong := []error{err}
	for _, origin := range s.HTTPOrigins {
		if err := serve.CheckOrigin(origin); err != nil {
			wrong = append(wrong, fmt.Errorf("http_origins: %w", err))
		}
	}
	return errors.Join(wrong...)
}

func (s Settings) level() (slog.Level, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return l, fmt.Errorf("log_level is %q: expected debug, info, warn or error", s.LogLevel)
	}
	return l, nil
}

// Common are the settings of all house servers.
func (s Settings) Common() Settings { return s }

// Load reads the settings of a house server from a file and the environment into cfg, which
// holds the defaults, and makes its log, which goes to stderr. Errors have the exit status
// of wrong usage.
func (p Program) Load(file string, cfg interface {
	Validate() error
	Common() Settings
},
) (*slog.Logger, error) {
	_, err := config.Load(file, cfg, p.Options)
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return nil, ExitError{ExitUsage, err}
	}
	level, err := cfg.Common().level()
	if err != nil {
		return nil, ExitError{ExitUsage, err}
	}
	return slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: level})), nil
}

// Service is how a house is served.
type Service struct {
	Name    string // of the program
	Scheme  string // of the resources: zwave makes zwave://home and zwave://events
	Unknown string // why the house is not known yet, for who reads it too early
	House   form.House
	Offer   form.Offer
	HTTP    string // as in Flags
	Settings
}

// firstLook is how long reading the house waits for it to become known.
const firstLook = 2 * time.Second

// Serve offers a house until ctx ends or the host closes its side. MCP is served from the
// start, even while the house cannot be reached: a tool then says what it waits for.
func (p Program) Serve(ctx context.Context, s Service, log *slog.Logger) error {
	ctx, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { s.prepare(ctx) })
	err := serve.Run(ctx, serve.Config{
		Name: s.Name, Version: p.version(),
		Instructions: "Tools for the devices of one house. A control call returns what the device itself reported; " +
			"only the outcome confirmed means that it is done.",
		Tools:     form.Tools(s.House, s.Offer),
		Resources: []serve.Resource{s.home(), s.events()},
		HTTPAddr:  s.HTTP, Token: s.HTTPToken, Origins: s.HTTPOrigins, In: p.In, Out: p.Out,
	}, log)
	if err != nil {
		return ExitError{ExitFailed, err}
	}
	return nil
}

// prepare does what the first command would wait for otherwise, once the house is known: until
// then, the processor is needed for that.
func (s Service) prepare(ctx context.Context) {
	select {
	case <-s.House.Loaded():
		home.LoadHazards()
	case <-ctx.Done():
	}
}

// home returns the structure of the house as an MCP resource.
func (s Service) home() serve.Resource {
	return serve.Resource{
		URI: s.Scheme + form.EndOfHouse, Name: "The house: areas, devices and what they can do", MIMEType: "application/json",
		Read: func(ctx context.Context) ([]byte, error) {
			t := time.NewTimer(firstLook)
			defer t.Stop()
			select {
			case <-s.House.Loaded():
				return json.Marshal(s.Offer.Document(s.House.Home()))
			case <-ctx.Done():
			case <-t.C:
			}
			return nil, errors.New("the house is not known yet: " + s.Unknown)
		},
		Changed: s.House.Changed(),
	}
}

// events returns the events of the house as an MCP resource: the newest ones, so that a
// reader who missed a notice misses nothing.
func (s Service) events() serve.Resource {
	return serve.Resource{
		URI: s.Scheme + form.EndOfEvents, Name: "What the house told by itself: the newest changes of states, presses of buttons and acts that were told as done and were not", MIMEType: "application/json",
		Read:    func(context.Context) ([]byte, error) { return json.Marshal(s.House.Events()) },
		Changed: s.House.Told(),
	}
}

// Report logs the end of a part of a server, unless it was told to end.
func Report(log *slog.Logger, part string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Error("a part of the server ended", "part", part, "err", err)
	}
}
