package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/demo"
	"voicegateway/internal/gateway"
)

// quiet is above every level: the demonstration prints what happens itself, and
// --verbose shows the log.
const quiet = slog.LevelError + 1

// demoCommand shows the whole path on this machine and fails when a device did
// not really change.
func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Show the whole path on this machine, without hardware, account or network",
		Args: exactly(0, "no arguments"),
		RunE: a.withConfig(func(ctx context.Context, l *loaded, _ []string) error {
			return demo.Run(ctx, demo.Config{
				Gateway: l.Config,
				Options: gateway.Options{Executable: a.Executable, Version: a.version, Environ: a.Environ, Secrets: l.Secrets},
				Out:     a.Out, Paint: a.paint,
				Trouble: a.logger(slog.LevelError), Log: a.logger(quiet),
			})
		}),
	}
}
