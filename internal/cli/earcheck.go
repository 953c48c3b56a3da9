package cli

import (
	"context"

	"github.com/spf13/cobra"

	"voicegateway/internal/earcheck"
)

// checkCommand shows what the running gateway finds out about its own ear.
func (a *app) checkCommand(use, short string, check func(context.Context, earcheck.Screen) error) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: use, Short: short, Args: exactly(0, "no arguments"),
		RunE: a.configured(func(ctx context.Context, l *loaded, _ []string) error {
			return check(ctx, earcheck.Screen{Ask: l.daemon().order, Out: a.Out, Err: a.Err, Paint: a.paint, JSON: asJSON})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
