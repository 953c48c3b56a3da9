package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
)

// muteState is the daemon's answer about the mute switch.
type muteState struct {
	Muted bool `json:"muted"`
}

// muteCommand closes the microphone of the running gateway, or opens it.
func (a *app) muteCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "mute [on|off]", Short: "Close the microphone, also for the next start, or open it; without a word, tell how it stands",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && args[0] != "on" && args[0] != "off" {
				return configure.Misused(fmt.Errorf("%s takes on or off, or nothing to see how it stands", c.CommandPath()))
			}
			return nil
		},
		RunE: a.configured(func(ctx context.Context, l *loaded, args []string) error {
			method, body := http.MethodGet, []byte(nil)
			if len(args) == 1 {
				method, body = http.MethodPost, fmt.Appendf(nil, `{"on":%t}`, args[0] == "on")
			}
			var s muteState
			if err := l.daemon().order(ctx, method, "/api/mute", body, &s); err != nil {
				return err
			}
			return tellMute(a.Out, s, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the state as JSON")
	return c
}

func tellMute(out io.Writer, s muteState, asJSON bool) error {
	switch {
	case asJSON:
		return printJSON(out, "the state", s)
	case s.Muted:
		fmt.Fprintln(out, "The microphone is muted, until: voice-gateway mute off")
	default:
		fmt.Fprintln(out, "The microphone is open.")
	}
	return nil
}

// stopCommand ends what the running gateway hears or says.
func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stop", Short: "End what the gateway is hearing or saying", Args: exactly(0, "no arguments"),
		RunE: a.configured(func(ctx context.Context, l *loaded, _ []string) error {
			return l.daemon().order(ctx, http.MethodPost, "/api/stop", []byte("{}"), nil)
		}),
	}
}
