package cli

import (
	"context"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/earcheck"
)

// checkCommand makes of c a command that shows what the running gateway finds out about its own ear.
func (a *app) checkCommand(c *cobra.Command, check func(context.Context, earcheck.Screen) error) *cobra.Command {
	var asJSON bool
	c.Args = exactly(0, "no arguments")
	c.RunE = a.configured(func(ctx context.Context, l *loaded, _ []string) error {
		return check(ctx, earcheck.Screen{Ask: l.daemon().order, Out: a.Out, Err: a.Err, Paint: a.paint, JSON: asJSON})
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
