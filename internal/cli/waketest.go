package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/mute"
	"voicegateway/internal/ear/wakes"
)

// wakeTesting is the work of wake-test, with its flags.
type wakeTesting struct {
	app        *app
	word       string
	files      []string
	background []string
	asJSON     bool
}

// wakeTestCommand finds the threshold that suits a room and a voice.
func (a *app) wakeTestCommand() *cobra.Command {
	o := wakeTesting{app: a}
	c := &cobra.Command{
		Use: "wake-test", Short: "Try the wake word ten times, and propose a threshold",
		Long: `Asks for the wake word ten times and then for a little talk without it, shows
the best score of each try, and proposes a threshold: a little below the lowest
try, never above the one its author gives, and clearly above everything else
that was heard. Where the tries and the rest overlap it proposes none and says
so. It works with models of the engine micro. Nothing is recorded. The gateway
must not be running, because it holds the microphone; --from takes recordings
of the tries in the microphone's place.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(o.background) > 0 && len(o.files) == 0 {
				return configure.AsUseError(errors.New("--background goes with --from"))
			}
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			return o.run(c.Context(), l)
		},
	}
	c.Flags().StringVar(&o.word, "word", "", "the wake word (default: the first of wake.words)")
	c.Flags().StringArrayVar(&o.files, "from", nil, "a WAV file with tries, in place of the microphone; may be given again")
	c.Flags().StringArrayVar(&o.background, "background", nil, "a WAV file without tries; may be given again")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the result as JSON")
	return c
}

func (o wakeTesting) run(ctx context.Context, l *loaded) error {
	word, err := wordToTest(l, o.word)
	if err != nil {
		return err
	}
	shown := o.app.Out
	if o.asJSON {
		shown = io.Discard
	}
	t, err := wakes.NewTrial(wakes.TrialConfig{
		Word: word, ModelsDir: l.Wake.ModelsDir, Thresholds: l.Wake.Thresholds, Out: shown,
		Tried: func(number int, t wakes.Try) { printTry(shown, o.app.paint, number, t) },
	})
	if err != nil {
		return err
	}
	if len(o.files) > 0 {
		err = t.Recordings(ctx, o.files, o.background)
	} else {
		err = o.withMicrophone(ctx, l, t.Live)
	}
	if err != nil {
		return err
	}
	return tellWakeTest(o.app.Out, o.app.paint, t.Result(), o.asJSON)
}

// wordToTest is the wake word to test.
func wordToTest(l *loaded, word string) (string, error) {
	switch l.Wake.Engine {
	case "auto", "micro", "none":
	default:
		return "", fmt.Errorf("wake.engine is %s, which gives no score for a try; wake-test works with models of micro", l.Wake.Engine)
	}
	if word == "" && len(l.Wake.Words) == 0 {
		return "", configure.AsUseError(errors.New("there is no wake word in wake.words; name one with --word"))
	}
	if word == "" {
		word = l.Wake.Words[0]
	}
	return word, nil
}

// noSound is how long a sound card may give no frame; opening it takes less.
const noSound = 4 * time.Second

// withMicrophone opens the sound card for a while, unless a gateway holds it or the
// microphone is muted.
func (o wakeTesting) withMicrophone(ctx context.Context, l *loaded, use func(context.Context, wakes.Microphone) error) error {
	_, err := doors.Alive.Ask(ctx, l.daemon().request, struct{}{})
	if !errors.Is(err, errNoDaemon) {
		stop := "Ctrl-C where it runs"
		if configure.Serviced(l.Path) {
			stop = "sudo systemctl stop voice-gateway"
		}
		return fmt.Errorf("the gateway at %s holds the microphone; stop it first (%s) and start it afterwards, or give recordings with --from", l.daemon().addr(), stop)
	}
	if muted, err := mute.KeptHere(l.Gateway.StateDir); muted {
		return errors.Join(errors.New("the microphone is muted; start the gateway (voice-gateway run) and open it with: voice-gateway mute off"), err)
	}
	card, err := device.New(device.Config{
		Command: []string{o.app.Executable, "worker", "audio"},
		Input:   l.Audio.Input, Output: l.Audio.Output, Channel: l.Audio.Channel, Log: o.app.logger(slog.LevelError),
	})
	if err != nil {
		return fmt.Errorf("preparing the sound card: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = card.Run(ctx) }) // nil: it ends with ctx
	defer func() { cancel(); running.Wait() }()
	err = use(ctx, patientMic{card})
	if ctx.Err() != nil {
		return console.ToldError{Err: errors.New("interrupted")}
	}
	return err
}

// patientMic is a card's microphone that says what is wrong when there is no
// sound.
type patientMic struct{ card *device.Device }

// Read returns the next frame.
func (m patientMic) Read(ctx context.Context) (audio.Frame, error) {
	limited, cancel := context.WithTimeout(ctx, noSound)
	defer cancel()
	f, err := m.card.Mic().Read(limited)
	if err == nil || ctx.Err() != nil {
		return f, err
	}
	if why := m.card.State().Problem; why != "" {
		return f, errors.New(why)
	}
	return f, errors.New("the microphone gives no sound; voice-gateway devices shows what there is")
}

// tellWakeTest prints the result. Without a proposed threshold the command fails.
func tellWakeTest(out io.Writer, paint console.Paint, r *wakes.Result, asJSON bool) error {
	if asJSON {
		if err := printJSON(out, "the result", r); err != nil {
			return err
		}
	} else {
		printTrial(out, paint, r)
	}
	if r.Proposed == nil {
		return console.ToldError{Err: errors.New("no threshold can be proposed")}
	}
	return nil
}

// printTry prints one try as soon as it is heard.
func printTry(out io.Writer, paint console.Paint, number int, t wakes.Try) {
	mark := paint.Good("✓ wakes")
	if !t.Wakes {
		mark = paint.Bad("✗ does not wake")
	}
	fmt.Fprintf(out, "  %2d  %.2f  %s\n", number, t.Best, mark)
}

// printTrial prints what was found, and the threshold that is proposed.
func printTrial(out io.Writer, paint console.Paint, r *wakes.Result) {
	fmt.Fprintf(out, "\nEverything else came up to %.2f.\n", r.Rest)
	switch {
	case r.Proposed == nil:
		fmt.Fprintf(out, "%s No threshold is proposed: %s.\n", paint.Bad("✗"), strings.TrimSuffix(r.Reason, "."))
	case *r.Proposed == r.Threshold:
		fmt.Fprintf(out, "%s The threshold in use, %g, suits: %s. Nothing needs to be changed.\n", paint.Good("✓"), r.Threshold, r.Reason)
	default:
		fmt.Fprintf(out, "%s Proposed threshold: %.2f (in use: %g); %s. For the configuration:\n\n%s\n", paint.Good("✓"), *r.Proposed, r.Threshold, r.Reason, r.Lines())
	}
}
