package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/doors"
	"voicegateway/internal/doors/display"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/mute"
	"voicegateway/internal/gateway"
	"voicegateway/internal/keep/record"
)

// partsEvery is how often listen asks for the state of the ear's parts.
const partsEvery = 2 * time.Second

// listening is the work of listen, with its flags.
type listening struct {
	app         *app
	asJSON, now bool
	seconds     int
}

// listenCommand shows what the ear hears.
func (a *app) listenCommand() *cobra.Command {
	o := listening{app: a}
	c := &cobra.Command{
		Use: "listen", Short: "Show a live meter: level, wake score, the words so far, and why an utterance ended",
		Long: `Shows what the ear makes of the sound until Ctrl-C: the level and the room's
noise, how near the wake word engine is to a wake word, the words so far, and
for each utterance why it ended and what was understood. A running gateway tells
it; without one this program listens by itself, and nothing is done about what
is said. --now opens an utterance at once, without a wake word, and ends with it.`,
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.seconds < 0 {
				return configure.AsUseError(fmt.Errorf("--seconds is %d; expected 1 or more, or 0 for no end", o.seconds))
			}
			l, err := a.load(c.Context())
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(c.Context())
			defer cancel()
			if o.seconds > 0 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(o.seconds)*time.Second)
				defer cancel()
			}
			return o.run(ctx, l)
		},
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "print every event as JSON, one a line")
	c.Flags().BoolVar(&o.now, "now", false, "open an utterance at once (push to talk)")
	c.Flags().IntVar(&o.seconds, "seconds", 0, "end after this many seconds")
	return c
}

func (o listening) run(ctx context.Context, l *loaded) error {
	view := &earView{app: o.app, asJSON: o.asJSON}
	defer view.endLine()
	err := o.through(ctx, l.daemon(), view)
	if errors.Is(err, errNoDaemon) {
		err = o.here(ctx, l, view)
	}
	return err
}

// through shows what a running gateway hears.
func (o listening) through(ctx context.Context, d daemon, view *earView) error {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	var refusal error // written by asking before it cancels, read after the stream
	var once sync.Once
	err := d.stream(ctx, doors.Events.Path()+"?meter=1", func(kind string, data []byte) {
		once.Do(func() {
			o.say("Listening through the gateway at %s; Ctrl-C ends.", d.addr())
			asking.Go(func() { watchParts(ctx, view, func() []doors.Part { return d.parts(ctx) }) })
			if !o.now {
				return
			}
			asking.Go(func() {
				if _, refusal = doors.Listen.Ask(ctx, d.request, struct{}{}); refusal != nil {
					cancel()
				}
			})
		})
		if view.event(kind, data) && o.now {
			cancel()
		}
	})
	cancel()
	asking.Wait()
	if err == nil && o.now && !errors.Is(refusal, context.Canceled) {
		return refusal
	}
	return err
}

// say tells a person what happens; nothing is said when JSON is printed.
func (o listening) say(format string, args ...any) {
	if !o.asJSON {
		fmt.Fprintf(o.app.Out, format+"\n", args...)
	}
}

// parts asks the daemon for the state of its parts; nil if that is not known.
func (d daemon) parts(ctx context.Context) []doors.Part {
	ready, err := doors.Ready.Ask(ctx, d.request, struct{}{})
	if err != nil {
		return nil
	}
	return ready.Parts
}

// earParts are the parts without which nothing is heard.
var earParts = []string{"audio", "wake", "stt", "grammar", "turns"}

// watchParts shows what is wrong with the ear, until ctx ends.
func watchParts(ctx context.Context, view *earView, parts func() []doors.Part) {
	tick := time.NewTicker(partsEvery)
	defer tick.Stop()
	for {
		view.note(earTrouble(parts()))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// earTrouble is the first problem of the ear, "" if there is none.
func earTrouble(parts []doors.Part) string {
	for _, name := range earParts {
		for _, p := range parts {
			if p.Name == name && p.State != "ready" && p.Why != "" {
				return p.Why
			}
		}
	}
	return ""
}

// here opens the microphone in this process. Sound is understood, but nothing is
// carried out, spoken or recorded.
func (o listening) here(ctx context.Context, l *loaded, view *earView) error {
	if muted, err := mute.KeptHere(l.Gateway.StateDir); muted {
		return errors.Join(errors.New("the microphone is muted; start the gateway (voice-gateway run) and open it with: voice-gateway mute off"), err)
	}
	if l.Locked != nil {
		return l.Locked
	}
	o.say("No gateway runs; listening without one. Nothing is done about what is said. Ctrl-C ends.")
	cfg := l.Config
	cfg.HTTP.Listen, cfg.AI.Enabled = "", "false"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g, err := gateway.New(cfg, gateway.Options{
		Executable: o.app.Executable, Version: o.app.version, Environ: o.app.Environ, Secrets: l.Secrets,
		Private: true, DryRun: true, Source: record.FromMic, Speaker: file.Speaker{Paced: true},
		Watch: &earWatch{view: view, ended: func() {
			if o.now {
				cancel()
			}
		}},
	}, o.app.logger(slog.LevelError))
	if err != nil {
		return fmt.Errorf("assembling the gateway: %w", err)
	}
	var running sync.WaitGroup
	var failure error
	running.Go(func() { defer cancel(); failure = g.Run(ctx) })
	running.Go(func() { watchParts(ctx, view, g.Parts) })
	var notReady error
	if notReady = g.Ready(ctx); notReady == nil {
		o.say("Ready.")
		if o.now {
			notReady = g.Listen(ctx)
		}
	}
	if notReady != nil && o.now {
		cancel()
	}
	running.Wait()
	view.note(earTrouble(g.Parts()))
	if failure == nil && o.now && !errors.Is(notReady, context.Canceled) {
		failure = notReady
	}
	return failure
}

// earWatch shows the events of a gateway in this process, in the form of the event
// stream.
type earWatch struct {
	view  *earView
	meter display.Meter
	ended func()
}

func (w *earWatch) tell(kind string, body any) bool {
	data, err := json.Marshal(body)
	return err == nil && w.view.event(kind, data)
}

// StateChanged shows the state.
func (w *earWatch) StateChanged(s ear.State) { w.tell("state", map[string]ear.State{"state": s}) }

// Hearing shows the meter.
func (w *earWatch) Hearing(h ear.Hearing) {
	if reading, due := w.meter.Take(h, true); due {
		w.tell("meter", reading)
	}
}

// Replied shows nothing: the turn's record says it.
func (w *earWatch) Replied(string, string) {}

// TurnEnded shows the utterance.
func (w *earWatch) TurnEnded(r record.Record) {
	if w.tell("turn", r) {
		w.ended()
	}
}
