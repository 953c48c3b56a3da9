package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors"
	"voicegateway/internal/gateway"
	"voicegateway/internal/keep/record"
)

// runCommand runs the daemon.
func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use: "run", Short: "Run the daemon", Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			a.lean()
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			if l.Locked != nil {
				return l.Locked
			}
			log := a.logger(slog.LevelInfo)
			log.Info("starting", "config", l.Path, "gateway", l.Gateway.ID, "state_dir", l.Gateway.StateDir)
			g, err := gateway.New(l.Config, gateway.Options{
				Executable: a.Executable, Command: configure.Invocation(a.Executable, l.Path), Version: a.version, ConfigFile: doctor.AbsolutePath(l.Path), Environ: a.Environ, Secrets: l.Secrets, Source: record.FromMic,
			}, log)
			if err != nil {
				return l.Unusable(err)
			}
			stop := a.rereadOnHangup(c.Context(), g)
			defer stop()
			if err := a.runSettled(c.Context(), g.Ready, g.Run); err != nil {
				return fmt.Errorf("the gateway ended: %w", err)
			}
			log.Info("stopped")
			return nil
		},
	}
}

// rereadOnHangup reads the MCP servers of the configuration again on each SIGHUP, until the
// returned func is called. A configuration that cannot be used changes nothing.
func (a *app) rereadOnHangup(ctx context.Context, g *gateway.Gateway) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	var rereading sync.WaitGroup
	rereading.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangup:
			}
			l, err := configure.Load(a.config, a.Environ)
			if err == nil && l.Locked != nil {
				err = l.Locked
			}
			if err == nil {
				err = g.Reload(ctx, l.Config, l.Secrets)
			}
			if err != nil && ctx.Err() == nil {
				g.ReloadFailed(err)
			}
		}
	})
	return func() {
		signal.Stop(hangup)
		cancel()
		rereading.Wait()
	}
}

// sayCommand speaks a text, through the running daemon or with our own voice.
func (a *app) sayCommand() *cobra.Command {
	return &cobra.Command{
		Use: "say TEXT", Short: "Speak a text",
		Args: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return configure.AsUseError(fmt.Errorf("%s needs a text", c.CommandPath()))
			}
			return nil
		},
		RunE: a.withConfig(func(ctx context.Context, l *loaded, args []string) error {
			text := strings.Join(args, " ")
			_, err := doors.Say.Ask(ctx, l.daemon().request, doors.Spoken{Text: text})
			if !errors.Is(err, errNoDaemon) {
				return err
			}
			if err := gateway.SayOnce(ctx, l.Config, a.Executable, text, a.logger(slog.LevelError)); err != nil {
				return fmt.Errorf("speaking: %w", err)
			}
			return nil
		}),
	}
}
