package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/gateway"
)

// devicesPatience bounds the listing of the sound devices: starting a sound
// library takes seconds on a small machine.
const devicesPatience = 30 * time.Second

// devicesCommand lists the sound devices.
func (a *app) devicesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "devices", Short: "List audio devices with stable names, and which are used and why",
		Long: `Lists the sound devices. A name stays the same when the device is plugged in
elsewhere; it, or a part of it, goes into audio.input or audio.output of the
configuration. A running gateway is asked, because it holds the devices; without
one they are looked at directly.`,
		Args: exactly(0, "no arguments"),
		RunE: a.withConfig(func(ctx context.Context, l *loaded, _ []string) error {
			sound, err := equipment(ctx, l, a.Executable, a.logger(slog.LevelError))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(a.Out, "the devices", sound)
			}
			tellSound(a.Out, a.paint, sound)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the devices as JSON")
	return c
}

// equipment asks the daemon, which holds the card, or looks itself if none runs.
func equipment(ctx context.Context, l *loaded, executable string, log *slog.Logger) (audio.Equipment, error) {
	ctx, cancel := context.WithTimeout(ctx, devicesPatience)
	defer cancel()
	s, err := doors.Devices.Ask(ctx, l.daemon().request, struct{}{})
	if errors.Is(err, errNoDaemon) {
		return gateway.ListSound(ctx, l.Config, executable, log)
	}
	return s, err
}

// tellSound prints a line for each device, and what is wrong below.
func tellSound(out io.Writer, paint console.Paint, s audio.Equipment) {
	if len(s.Devices) == 0 {
		fmt.Fprintln(out, "No sound device was found. If one is plugged in: arecord -l shows what the system sees,")
		fmt.Fprintln(out, "and the user that runs this belongs into the group audio. Texts work without sound:")
		fmt.Fprintln(out, `voice-gateway ask "what time is it", or voice/<id>/cmd/ask over MQTT.`)
		return
	}
	var rows [][]string
	for _, d := range s.Devices {
		rows = append(rows, []string{d.Name, channels(d.Inputs), channels(d.Outputs), rate(d), cmp.Or(d.Used, "-"), cmp.Or(d.Why, "not used")})
	}
	console.Table(out, paint, []string{"device", "in", "out", "rate", "used for", "why"}, rows)
	if s.Muted {
		fmt.Fprintf(out, "\n  %s the microphone is muted; open it with: voice-gateway mute off\n", paint.Warn("!"))
	}
	for _, problem := range []string{s.InputProblem, s.OutputProblem} {
		if problem != "" {
			fmt.Fprintf(out, "\n  %s %s\n", paint.Warn("!"), problem)
		}
	}
}

func channels(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func rate(d audio.Device) string {
	if d.Rate <= 0 {
		return "-"
	}
	return fmt.Sprintf("%g kHz", float64(d.Rate)/1000)
}
