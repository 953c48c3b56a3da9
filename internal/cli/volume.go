package cli

import (
	"context"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/earcheck"
)

// volumeCommand shows or sets how loud the running gateway is.
func (a *app) volumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "volume [PERCENT]", Short: "How loud the gateway speaks; with a number from 0 to 100 it is set", Args: cobra.ArbitraryArgs,
		RunE: a.configured(func(ctx context.Context, l *loaded, args []string) error {
			return earcheck.Volume(ctx, earcheck.Screen{Ask: l.daemon().order, Out: a.Out, Err: a.Err, Paint: a.paint}, args)
		}),
	}
}
