package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio/room"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/stage"
	"voicegateway/internal/turn"
)

// act is one command of the demonstration and what must be true afterwards.
type act struct {
	says string
	// device and value are read from the house by the witness; want is what the
	// device itself must report. An empty device: the command changes none.
	device, value string
	want          float64
	// outcome, route and tool are what the record must show.
	outcome turn.Outcome
	route   turn.Route
	tool    string
	reply   string // words the reply must contain
}

// acts are the demonstration's turns, one for each kind of thing it can do.
var acts = []act{
	{says: "turn on the kitchen light", device: "Kitchen Light", value: "37-0-currentValue", want: 1, outcome: turn.Done, route: turn.RouteLocal, tool: "control_zwave_device"},
	{says: "dim the bedroom lamp to forty percent", device: "Bedroom Lamp", value: "38-0-currentValue", want: 40, outcome: turn.Done, route: turn.RouteLocal, tool: "control_zwave_device"},
	{says: "close the living room blinds", device: "Living Room Blinds", value: "106-0-currentValue-13", want: 0, outcome: turn.Done, route: turn.RouteLocal, tool: "control_zwave_device"},
	{says: "lock the front door", device: "Front Door", value: "98-0-currentMode", want: 255, outcome: turn.Done, route: turn.RouteLocal, tool: "control_zwave_device"},
	{says: "set the thermostat to nineteen degrees", device: "Thermostat", value: "67-0-setpoint-1", want: 19, outcome: turn.Done, route: turn.RouteLocal, tool: "control_zwave_device"},
	{says: "what is the temperature in the kitchen", outcome: turn.Done, route: turn.RouteLocal, tool: "get_device_sensor_data", reply: "21.2"},
	{says: "what time is it", outcome: turn.Done, route: turn.RouteLocal, tool: "get_datetime"},
	{says: "turn on the dishwasher", outcome: turn.OutFailed, route: turn.RouteRefused, reply: "dishwasher"},
}

// quiet is above every level: the demonstration tells by itself what happens,
// and --verbose shows the log.
const quiet = slog.LevelError + 1

// turnPatience bounds one spoken command with its answer.
const turnPatience = 30 * time.Second

// demoCommand shows the whole path on this machine and fails when a device did
// not really change.
func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "The whole path on this machine: no hardware, account or network",
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c.Context()) },
	}
}

// demonstration is one run of it.
type demonstration struct {
	*app
	stage   *stage.Stage
	witness *witness
	mic     *room.Microphone
	records chan turn.Record
	person  *tts.Voice
	wake    string
	failed  []string
}

func (a *app) demo(ctx context.Context) error {
	l, err := a.load()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "voice-gateway-demo-")
	if err != nil {
		return fmt.Errorf("making a directory for the demonstration: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l.Gateway.StateDir = dir
	l.AI.Enabled = "false"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &demonstration{app: a, mic: room.NewMicrophone(), records: make(chan turn.Record, 16)}
	if len(l.Wake.Words) == 0 || l.Wake.Engine == "none" {
		return errors.New("the demonstration speaks a wake word: set wake.words, and wake.engine to something else than none")
	}
	d.wake = l.Wake.Words[0]
	voice := tts.Default()
	voice.Engines = []string{"flite"}
	if d.person, err = tts.New(voice, a.logger(slog.LevelError)); err != nil {
		return fmt.Errorf("preparing the speaking person: %w", err)
	}
	fmt.Fprintln(a.Out, a.paint.Bold("A house in a box:"), "MQTT broker, simulated Z-Wave house, zwave-mcp-server over stdio, wake word, recogniser, voice.")
	if d.stage, err = stage.New(ctx, l.Config, d.options(l), "", a.logger(quiet)); err != nil {
		return err
	}
	defer d.stage.Close()
	defer cancel()
	if d.witness, err = newWitness(d.stage.URL, "zwave", a.logger(slog.LevelError)); err != nil {
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

func (d *demonstration) options(l *loaded) gateway.Options {
	return gateway.Options{
		Executable: d.Executable, Version: d.version, Environ: l.options.Environ, Secrets: l.secrets,
		Mic: d.mic, Speaker: room.Speaker{Paced: true}, Source: turn.FromMic,
		Watch:   &stage.Watcher{Ended: func(r turn.Record) { d.records <- r }},
		Attempt: d.tellAttempt,
	}
}

func (d *demonstration) tellAttempt(t mcpint.Attempt) {
	if t.Err == nil {
		fmt.Fprintf(d.Out, "  %s MCP server %s: connected at attempt %d, %s after the start\n", d.paint.Good("✓"), t.Server, t.Number, t.After.Round(10*time.Millisecond))
		return
	}
	fmt.Fprintf(d.Out, "  %s MCP server %s: attempt %d failed %s after the start\n", d.paint.Bad("✗"), t.Server, t.Number, t.After.Round(10*time.Millisecond))
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
			fmt.Fprintln(d.Out, "\n"+mcpint.FailureText(s))
		}
	}
	play := acts
	if len(d.failed) > 0 {
		play = slices.DeleteFunc(slices.Clone(acts), func(x act) bool { return x.tool != "get_datetime" })
		fmt.Fprintln(d.Out, "\nWithout its servers there is no house; what works is shown all the same:")
	}
	for i, x := range play {
		fmt.Fprintf(d.Out, "\n%s %s\n", d.paint.Bold(fmt.Sprintf("%d.", i+1)), d.paint.Bold(fmt.Sprintf("“%s, %s”", d.wake, x.says)))
		if err := d.turn(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// turn speaks one command into the microphone, waits for its record and asks
// the house whether it is true.
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
	var r turn.Record
	select {
	case r = <-d.records:
	case <-time.After(turnPatience):
		d.fail("“%s” was not heard", x.says)
		fmt.Fprintln(d.Out, " ", d.paint.Bad("✗ no turn came of it"))
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the demonstration was stopped: %w", ctx.Err())
	}
	console.Turn(d.Out, d.paint, r)
	for _, wrong := range x.check(r) {
		d.fail("“%s”: %s", x.says, wrong)
		fmt.Fprintln(d.Out, " ", d.paint.Bad("✗ "+wrong))
	}
	if x.device == "" {
		return nil
	}
	d.prove(ctx, x, before)
	return nil
}

// prove asks the device itself: it must be as wanted, and must not have been
// so before.
func (d *demonstration) prove(ctx context.Context, x act, before any) {
	got, err := d.witness.read(ctx, x.device, x.value)
	switch {
	case err != nil:
		d.fail("“%s”: reading %s: %v", x.says, x.device, err)
		fmt.Fprintln(d.Out, " ", d.paint.Bad(fmt.Sprintf("✗ reading the device: %v", err)))
	case math.Abs(number(got)-x.want) > 0.5:
		d.fail("“%s”: %s reports %v, expected %v", x.says, x.device, got, x.want)
		fmt.Fprintln(d.Out, " ", d.paint.Bad(fmt.Sprintf("✗ the device itself reports %v, expected %v", got, x.want)))
	case math.Abs(number(before)-x.want) <= 0.5:
		d.fail("“%s”: %s reported %v before already, so nothing is proved", x.says, x.device, before)
		fmt.Fprintln(d.Out, " ", d.paint.Bad(fmt.Sprintf("✗ the device reported %v before already", before)))
	default:
		fmt.Fprintf(d.Out, "  %s %s\n", d.paint.Dim("proof   "),
			d.paint.Good(fmt.Sprintf("%s itself reports %v, before %v; read by another MQTT client", x.device, got, before)))
	}
}

// check compares a record with what must be in it.
func (x act) check(r turn.Record) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if transcript(r) != x.says {
		say("heard %q instead", transcript(r))
	}
	if r.Outcome != x.outcome || r.Route != x.route {
		say("outcome %s by route %s, expected %s by %s", r.Outcome, r.Route, x.outcome, x.route)
	}
	if r.Reply == "" || !strings.Contains(r.Reply, x.reply) {
		say("the reply %q does not contain %q", r.Reply, x.reply)
	}
	if problem := x.checkCalls(r.Calls); problem != "" {
		say("%s", problem)
	}
	return wrong
}

// checkCalls says what is wrong with the calls of a turn, "" if nothing is.
func (x act) checkCalls(calls []turn.CallMade) string {
	switch {
	case x.tool == "" && len(calls) > 0:
		return "tools were called where none was due"
	case x.tool == "":
		return ""
	case len(calls) != 1 || calls[0].Tool != x.tool || !calls[0].OK:
		return "expected one good call of " + x.tool
	case x.device != "" && (calls[0].Receipt == nil || !calls[0].Receipt.Confirmed):
		return "the device has not confirmed it"
	default:
		return ""
	}
}

func transcript(r turn.Record) string {
	if r.Transcript == nil {
		return ""
	}
	return r.Transcript.Text
}

// number reads a device's value as one: true is 1.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	default:
		return math.NaN()
	}
}

func (d *demonstration) fail(format string, args ...any) {
	d.failed = append(d.failed, fmt.Sprintf(format, args...))
}

// compare prints the house before and after, as the devices told it.
func (d *demonstration) compare(before, after []seenNode) {
	was := map[string]seenNode{}
	for _, n := range before {
		was[n.Name] = n
	}
	var rows [][]string
	for _, n := range after {
		b, a := summary(was[n.Name]), summary(n)
		mark := ""
		if a != b {
			mark = "◀ changed"
		}
		rows = append(rows, []string{n.Loc, n.Name, b, a, mark})
	}
	fmt.Fprintln(d.Out, "\n"+d.paint.Bold("The house before and after, as its devices report it:"))
	console.Table(d.Out, d.paint, []string{"area", "device", "before", "after", ""}, rows)
}

// shown are the values that tell a device's state, the first that it has.
var shown = []struct{ key, unit string }{
	{"37-0-currentValue", ""},
	{"38-0-currentValue", " %"},
	{"106-0-currentValue-13", " %"},
	{"98-0-currentMode", ""},
	{"102-0-currentState", ""},
	{"67-0-setpoint-1", " °C"},
}

func summary(n seenNode) string {
	for _, s := range shown {
		v, ok := n.Values[s.key]
		if !ok {
			continue
		}
		switch {
		case v.Value == true:
			return "on"
		case v.Value == false:
			return "off"
		case strings.HasPrefix(s.key, "98-") && number(v.Value) == 255:
			return "locked"
		case strings.HasPrefix(s.key, "98-"):
			return "unlocked"
		default:
			return fmt.Sprintf("%v%s", v.Value, s.unit)
		}
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(n.Values)) {
		if v := n.Values[key]; v.Value != nil && v.Readable && (v.CommandClass == 49 || v.CommandClass == 48 || v.CommandClass == 113) {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%v %s", v.Value, v.Unit)))
		}
	}
	return strings.Join(parts, ", ")
}

func (d *demonstration) verdict() error {
	fmt.Fprintln(d.Out)
	if len(d.failed) == 0 {
		fmt.Fprintln(d.Out, d.paint.Good(fmt.Sprintf("✓ All %d turns went as they must; what changed was read back from the devices themselves.", len(acts))))
		return nil
	}
	for _, f := range d.failed {
		fmt.Fprintln(d.Out, d.paint.Bad("✗ "+f))
	}
	return console.ToldError{Err: fmt.Errorf("%d things went wrong in the demonstration", len(d.failed))}
}
