package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
)

// volumeCommand shows or sets how loud the running gateway is.
func (a *app) volumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "volume [PERCENT]", Short: "How loud the gateway speaks; with a number from 0 to 100 it is set", Args: cobra.ArbitraryArgs,
		RunE: a.configured(func(ctx context.Context, l *loaded, args []string) error {
			return showVolume(ctx, screen{ask: l.daemon().order, out: a.Out, err: a.Err, paint: a.paint}, args)
		}),
	}
}

// showVolume shows how loud the gateway speaks, and sets it first if a percentage is given. A
// volume at which nothing can be heard is an error.
func showVolume(ctx context.Context, s screen, args []string) error {
	method, body := http.MethodGet, []byte(nil)
	switch len(args) {
	case 0:
	case 1:
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n > 100 {
			return configure.Misused(fmt.Errorf("the volume %q is no number from 0 to 100", args[0]))
		}
		method, body = http.MethodPost, []byte(`{"level":`+strconv.Itoa(n)+`}`)
	default:
		return configure.Misused(fmt.Errorf("volume needs a number from 0 to 100, or nothing; %d arguments were given", len(args)))
	}
	var now struct {
		Level   int
		Muted   bool
		Unheard string
	}
	if err := s.ask(ctx, method, "/api/volume", body, &now); err != nil {
		return err
	}
	if now.Unheard != "" {
		return errors.New("nobody hears the gateway, however loud it is: " + now.Unheard)
	}
	text := fmt.Sprintf("%d %%", now.Level)
	if now.Muted {
		text += ", muted"
	}
	_, _ = fmt.Fprintln(s.out, text)
	return nil
}
