// Package demo shows the whole path of a spoken command on one machine without hardware,
// account or network, and fails when a device did not really change: a synthetic voice
// speaks into a simulated room, and a witness reads the devices of the simulated house
// independently. It exists so that everybody can see that the gateway works. To add a
// command, add a line to acts.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"slices"
	"time"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/stage"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/gateway"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
)

// turnPatience bounds one spoken command with its answer.
const turnPatience = 30 * time.Second

// Config is what a demonstration needs.
type Config struct {
	Gateway gateway.Config  // the live configuration; its house is never touched
	Options gateway.Options // our program, its environment and its secrets

	Out   io.Writer
	Paint console.Paint
	// Trouble logs what goes wrong; Log is for the house in the box.
	Trouble, Log *slog.Logger
}

// demonstration is one run of the demonstration.
type demonstration struct {
	Config
	stage   *stage.Stage
	witness *witness
	mic     *file.Room
	records chan record.Record
	person  *tts.Voice
	wake    string
	failed  []string
}

// Run gives the demonstration. When acts failed, it has printed why and returns a
// console.ToldError.
func Run(ctx context.Context, cfg Config) error {
	dir, err := os.MkdirTemp("", "voice-gateway-demo-")
	if err != nil {
		return fmt.Errorf("making a directory for the demonstration: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cfg.Gateway.Gateway.StateDir = dir
	cfg.Gateway.AI.Enabled = "false"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &demonstration{Config: cfg, mic: file.NewRoom(), records: make(chan record.Record, 16)}
	if len(cfg.Gateway.Wake.Words) == 0 || cfg.Gateway.Wake.Engine == "none" {
		return errors.New("the demonstration speaks a wake word: set wake.words, and wake.engine to something else than none")
	}
	d.wake = cfg.Gateway.Wake.Words[0]
	voice := tts.Default()
	voice.Engines = []string{"flite"}
	if d.person, err = tts.New(voice, cfg.Trouble); err != nil {
		return fmt.Errorf("preparing the speaking person: %w", err)
	}
	fmt.Fprintln(cfg.Out, cfg.Paint.Bold("A house in a box:"), "MQTT broker, simulated Z-Wave house, zwave-mcp-server over stdio, wake word, recogniser, voice.")
	if d.stage, err = stage.New(ctx, cfg.Gateway, d.options(), "", cfg.Log); err != nil {
		return err
	}
	defer d.stage.Close()
	defer cancel()
	if d.witness, err = newWitness(d.stage.URL, "zwave", cfg.Trouble); err != nil {
		return err
	}
	d.stage.Background("witness", func() error { return d.witness.run(ctx) })
	before, err := d.witness.nodes(ctx)
	if err != nil {
		return fmt.Errorf("reading the house before: %w", err)
	}
	d.stage.Run(ctx)
	if err := d.perform(ctx); err != nil {
		return errors.Join(err, d.stage.Failure())
	}
	after, err := d.witness.nodes(ctx)
	if err != nil {
		return fmt.Errorf("reading the house after: %w", err)
	}
	d.compare(before, after)
	return d.verdict()
}

func (d *demonstration) options() gateway.Options {
	opts := d.Options
	opts.Mic, opts.Speaker, opts.Source = d.mic, file.Speaker{Paced: true}, record.FromMic
	opts.Watch = &stage.Watcher{Ended: func(r record.Record) { d.records <- r }}
	opts.Attempt = d.tellAttempt
	return opts
}

func (d *demonstration) tellAttempt(t host.Attempt) {
	if t.Err == nil {
		fmt.Fprintf(d.Out, "  %s MCP server %s: connected at attempt %d, %s after the start\n", d.Paint.Good("✓"), t.Server, t.Number, t.After.Round(10*time.Millisecond))
		return
	}
	fmt.Fprintf(d.Out, "  %s MCP server %s: attempt %d failed %s after the start\n", d.Paint.Bad("✗"), t.Server, t.Number, t.After.Round(10*time.Millisecond))
}

// perform speaks every command once the first round of connections is over.
func (d *demonstration) perform(ctx context.Context) error {
	ready, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	if err := d.stage.Gateway.Ready(ready); err != nil {
		return fmt.Errorf("the gateway did not become ready: %w", err)
	}
	for _, s := range d.stage.Gateway.Servers() {
		if s.Status != mcpint.Connected {
			d.fail("the MCP server %s is not connected", s.ID)
			fmt.Fprintln(d.Out, "\n"+s.Report)
		}
	}
	play := acts
	if len(d.failed) > 0 {
		play = slices.DeleteFunc(slices.Clone(acts), func(x act) bool { return x.tool != "get_datetime" })
		fmt.Fprintln(d.Out, "\nWithout its servers there is no house; what works is shown all the same:")
	}
	for i, x := range play {
		fmt.Fprintf(d.Out, "\n%s %s\n", d.Paint.Bold(fmt.Sprintf("%d.", i+1)), d.Paint.Bold(fmt.Sprintf("“%s, %s”", d.wake, x.says)))
		if err := d.turn(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// turn speaks one command into the microphone, waits for its record and checks it
// and the device.
func (d *demonstration) turn(ctx context.Context, x act) error {
	clip, err := d.person.Synthesize(ctx, d.wake+", "+x.says+".")
	if err != nil {
		return fmt.Errorf("speaking: %w (apt-get install flite)", err)
	}
	var before any
	if x.device != "" {
		if before, err = d.witness.read(ctx, x.device, x.value); err != nil {
			return fmt.Errorf("reading %s before the command: %w", x.device, err)
		}
	}
	if err := d.mic.Say(clip); err != nil {
		return fmt.Errorf("speaking: %w", err)
	}
	var r record.Record
	select {
	case r = <-d.records:
	case <-time.After(turnPatience):
		d.fail("“%s” was not heard", x.says)
		fmt.Fprintln(d.Out, " ", d.Paint.Bad("✗ no turn came of it"))
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the demonstration was stopped: %w", ctx.Err())
	}
	console.Turn(d.Out, d.Paint, r)
	for _, wrong := range x.check(r) {
		d.fail("“%s”: %s", x.says, wrong)
		fmt.Fprintln(d.Out, " ", d.Paint.Bad("✗ "+wrong))
	}
	if x.device == "" {
		return nil
	}
	d.prove(ctx, x, before)
	return nil
}

// prove asks the device itself: it must be in the wanted state, and must not have
// been in it before.
func (d *demonstration) prove(ctx context.Context, x act, before any) {
	got, err := d.witness.read(ctx, x.device, x.value)
	switch {
	case err != nil:
		d.fail("“%s”: reading %s: %v", x.says, x.device, err)
		fmt.Fprintln(d.Out, " ", d.Paint.Bad(fmt.Sprintf("✗ reading the device: %v", err)))
	case math.Abs(number(got)-x.want) > 0.5:
		d.fail("“%s”: %s reports %v, expected %v", x.says, x.device, got, x.want)
		fmt.Fprintln(d.Out, " ", d.Paint.Bad(fmt.Sprintf("✗ the device itself reports %v, expected %v", got, x.want)))
	case math.Abs(number(before)-x.want) <= 0.5:
		d.fail("“%s”: %s reported %v before already, so nothing is proved", x.says, x.device, before)
		fmt.Fprintln(d.Out, " ", d.Paint.Bad(fmt.Sprintf("✗ the device reported %v before already", before)))
	default:
		fmt.Fprintf(d.Out, "  %s %s\n", d.Paint.Dim("proof   "),
			d.Paint.Good(fmt.Sprintf("%s itself reports %v, before %v; read by another MQTT client", x.device, got, before)))
	}
}

func (d *demonstration) fail(format string, args ...any) {
	d.failed = append(d.failed, fmt.Sprintf(format, args...))
}

func (d *demonstration) verdict() error {
	fmt.Fprintln(d.Out)
	if len(d.failed) == 0 {
		fmt.Fprintln(d.Out, d.Paint.Good(fmt.Sprintf("✓ All %d turns went as they must; what changed was read back from the devices themselves.", len(acts))))
		return nil
	}
	for _, f := range d.failed {
		fmt.Fprintln(d.Out, d.Paint.Bad("✗ "+f))
	}
	return console.ToldError{Err: fmt.Errorf("%d things went wrong in the demonstration", len(d.failed))}
}
