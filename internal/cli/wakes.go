package cli

import (
	"context"

	"github.com/spf13/cobra"

	"voicegateway/internal/console"
	"voicegateway/internal/wakebudget"
)

// wakesCommand shows the false wakes of the running gateway, and its thresholds.
func (a *app) wakesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "wakes", Short: "How often the wake word was heard although nobody said it, and how the thresholds moved", Args: exactly(0, "no arguments"),
		RunE: a.configured(func(ctx context.Context, l *loaded, _ []string) error {
			if asJSON {
				return l.daemon().passOn(ctx, a.Out, "/api/wakes")
			}
			var s wakebudget.State
			if err := l.daemon().show(ctx, "/api/wakes", &s); err != nil {
				return err
			}
			console.Wakes(a.Out, a.paint, s)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}
