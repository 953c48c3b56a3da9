package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/audio/room"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/speech/micro"
	"voicegateway/internal/turn"
)

// Times of a test by microphone.
const (
	triesAsked  = 10
	talkFor     = 15 * time.Second
	noTry       = time.Minute     // of sound without a try
	noSound     = 4 * time.Second // without a frame: a card is opened in less
	testLead    = 1500 * time.Millisecond
	talkWarning = "Now talk, or read something aloud, for %.0f seconds, and do not say it.\n"
)

// wakeTesting is what the flags of wake-test ask for.
type wakeTesting struct {
	word       string
	files      []string
	background []string
	asJSON     bool
}

// wakeTestCommand finds the threshold that suits a room and a voice.
func (a *app) wakeTestCommand() *cobra.Command {
	var o wakeTesting
	c := &cobra.Command{
		Use: "wake-test", Short: "Ten tries of the wake word; proposes a threshold",
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
				return usageError{errors.New("--background goes with --from")}
			}
			l, err := a.load()
			if err != nil {
				return err
			}
			return a.wakeTest(c.Context(), l, o)
		},
	}
	c.Flags().StringVar(&o.word, "word", "", "the wake word (default: the first of wake.words)")
	c.Flags().StringArrayVar(&o.files, "from", nil, "a WAV file with tries, in place of the microphone; may be given again")
	c.Flags().StringArrayVar(&o.background, "background", nil, "a WAV file without tries; may be given again")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the result as JSON")
	return c
}

func (a *app) wakeTest(ctx context.Context, l *loaded, o wakeTesting) error {
	entry, result, err := wakeSubject(l, o.word)
	if err != nil {
		return err
	}
	ear, err := newWakeEar(l.Wake.ModelsDir, entry)
	if err != nil {
		return err
	}
	t := &wakeTester{app: a, quiet: o.asJSON, ear: ear, result: result}
	if len(o.files) > 0 {
		err = t.recordings(ctx, o)
	} else {
		err = a.withMicrophone(ctx, l, t.live)
	}
	if err != nil {
		return err
	}
	t.result.Rest = ear.rest
	t.result.propose()
	return a.tellWakeTest(t.result, o.asJSON)
}

// wakeSubject finds the model of the word and the thresholds there are.
func wakeSubject(l *loaded, word string) (micro.Entry, *wakeResult, error) {
	switch l.Wake.Engine {
	case "auto", "micro", "none":
	default:
		return micro.Entry{}, nil, fmt.Errorf("wake.engine is %s, which gives no score for a try; wake-test works with models of micro", l.Wake.Engine)
	}
	if word == "" {
		if len(l.Wake.Words) == 0 {
			return micro.Entry{}, nil, usageError{errors.New("there is no wake word in wake.words; name one with --word")}
		}
		word = l.Wake.Words[0]
	}
	e, err := micro.Find(l.Wake.ModelsDir, word)
	if err != nil {
		return e, nil, err
	}
	r := &wakeResult{Word: word, Model: e.Name, Published: e.Cutoff, Threshold: e.Cutoff, Tries: []wakeTry{}}
	if t, ok := l.Wake.Thresholds[word]; ok {
		r.Threshold = t
	}
	return e, r, nil
}

// wakeTester counts tries.
type wakeTester struct {
	app    *app
	quiet  bool
	ear    *wakeEar
	result *wakeResult
}

func (t *wakeTester) say(format string, args ...any) {
	if !t.quiet {
		fmt.Fprintf(t.app.Out, format, args...)
	}
}

// try counts one.
func (t *wakeTester) try(best float64) {
	wakes := best > t.result.Threshold
	t.result.Tries = append(t.result.Tries, wakeTry{best, wakes})
	mark := t.app.paint.Good("✓ wakes")
	if !wakes {
		mark = t.app.paint.Bad("✗ does not wake")
	}
	t.say("  %2d  %.2f  %s\n", len(t.result.Tries), best, mark)
}

// recordings tests files in place of the microphone.
func (t *wakeTester) recordings(ctx context.Context, o wakeTesting) error {
	for _, name := range o.files {
		if err := play(ctx, name, func(f audio.Frame) {
			if best, ok := t.ear.push(f); ok {
				t.try(best)
			}
		}); err != nil {
			return err
		}
		if best, ok := t.ear.end(); ok {
			t.try(best)
		}
	}
	for _, name := range o.background {
		if err := play(ctx, name, t.ear.pushRest); err != nil {
			return err
		}
	}
	return nil
}

// play gives a recording frame by frame, with a quiet room around it: a model
// needs a second to get used to a room, and goes on hearing the last word in
// digital silence, which no microphone gives.
func play(ctx context.Context, name string, take func(audio.Frame)) error {
	clip, err := file.Load(name)
	if err != nil {
		return err
	}
	mic, err := file.New(file.Config{Clips: []audio.Clip{clip}, Lead: testLead, Tail: time.Second})
	if err != nil {
		return err
	}
	noise := room.NewNoise()
	for {
		f, err := mic.Read(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		noise.Over(f.Samples)
		take(f)
	}
}

// live asks somebody at the microphone.
func (t *wakeTester) live(ctx context.Context, mic turn.Microphone) error {
	t.say("Say “%s” %d times as you usually do, from where you usually stand, with a pause after each. Ctrl-C ends.\n", t.result.Word, triesAsked)
	quiet := time.Duration(0)
	for len(t.result.Tries) < triesAsked {
		f, err := mic.Read(ctx)
		if err != nil {
			return err
		}
		quiet += audio.FrameLength
		if best, ok := t.ear.push(f); ok {
			quiet = 0
			t.try(best)
		}
		if quiet > noTry {
			return fmt.Errorf("nobody spoke for a minute, as far as the microphone tells; voice-gateway listen shows its level")
		}
	}
	t.say(talkWarning, talkFor.Seconds())
	for heard := time.Duration(0); heard < talkFor; heard += audio.FrameLength {
		f, err := mic.Read(ctx)
		if err != nil {
			return err
		}
		t.ear.pushRest(f)
	}
	return nil
}

// withMicrophone opens the sound card for a while, unless a gateway holds it or
// it is muted.
func (a *app) withMicrophone(ctx context.Context, l *loaded, use func(context.Context, turn.Microphone) error) error {
	err := a.request(ctx, l, http.MethodGet, "/healthz", nil, nil)
	if !errors.Is(err, errNoDaemon) {
		return fmt.Errorf("the gateway at %s holds the microphone; stop it first (systemctl stop voice-gateway) and start it afterwards, or give recordings with --from", l.daemonAddr())
	}
	if muted, err := gateway.MutedHere(l.Gateway.StateDir); muted {
		return errors.Join(errors.New("the microphone is muted; start the gateway (voice-gateway run) and open it with: voice-gateway mute off"), err)
	}
	card, err := device.New(device.Config{
		Command: []string{a.Executable, "worker", "audio"},
		Input:   l.Audio.Input, Output: l.Audio.Output, Channel: l.Audio.Channel, Log: a.logger(slog.LevelError),
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

// tellWakeTest prints the result; that there is no threshold is an error of the
// command.
func (a *app) tellWakeTest(r *wakeResult, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(a.Out).Encode(r); err != nil {
			return fmt.Errorf("printing the result: %w", err)
		}
	} else {
		a.tellProposal(r)
	}
	if r.Proposed == nil {
		return console.ToldError{Err: errors.New("no threshold can be proposed")}
	}
	return nil
}

func (a *app) tellProposal(r *wakeResult) {
	fmt.Fprintf(a.Out, "\nEverything else came up to %.2f.\n", r.Rest)
	switch {
	case r.Proposed == nil:
		fmt.Fprintf(a.Out, "%s No threshold is proposed: %s.\n", a.paint.Bad("✗"), strings.TrimSuffix(r.Reason, "."))
	case *r.Proposed == r.Threshold:
		fmt.Fprintf(a.Out, "%s The threshold in use, %g, suits: %s. Nothing needs to be changed.\n", a.paint.Good("✓"), r.Threshold, r.Reason)
	default:
		fmt.Fprintf(a.Out, "%s Proposed threshold: %.2f (in use: %g); %s. For the configuration:\n\n%s\n", a.paint.Good("✓"), *r.Proposed, r.Threshold, r.Reason, r.lines())
	}
}
