package cli

import (
	"context"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/earcheck"
)

// rehearseCommand has the names of the house spoken and heard.
func (a *app) rehearseCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "rehearse", Short: "Which names of the house are confused by ear, and what else to call them; nothing sounds, nothing is done",
		Args: exactly(0, "no arguments"),
		RunE: a.configured(func(ctx context.Context, l *loaded, _ []string) error {
			return earcheck.Rehearse(ctx, earcheck.Screen{Ask: l.daemon().order, Out: a.Out, Err: a.Err, Paint: a.paint, JSON: asJSON})
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
