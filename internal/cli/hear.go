package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/care/stage"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/gateway"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
)

// hearing is the work of hear, with its flags.
type hearing struct {
	app                              *app
	asJSON, realtime, noWake, dryRun bool
	home, table                      string
	pack, language, engine           string
}

// hearCommand plays recordings in place of the microphone.
func (a *app) hearCommand() *cobra.Command {
	h := hearing{app: a}
	c := &cobra.Command{
		Use: "hear FILE.wav...", Short: "Run recordings through the full pipeline, in a simulated house",
		Long: `Plays recordings in place of the microphone, each in a simulated house of its own,
and prints the record of every turn.

With --pack, the sentences of that directory are heard and matched instead of our
own, and the record's intent has the slots and values that the pack writes, as text.
An intent that is in no table of ours stops before the tools, as with --dry-run; one
of Home Assistant's that the gateway knows acts in the simulated house.`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case (len(args) == 0) != (h.table != ""):
				return configure.AsUseError(fmt.Errorf("%s needs one or more WAV files, or --table and a directory", c.CommandPath()))
			case h.table != "" && h.pack != "":
				return configure.AsUseError(errors.New("--table measures our own sentences; leave --pack out"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error {
			if h.table != "" {
				return h.tabulate(c.Context())
			}
			return h.play(c.Context(), files)
		},
	}
	c.Flags().BoolVar(&h.asJSON, "json", false, "print one turn record a line")
	c.Flags().BoolVar(&h.realtime, "realtime", false, "pace the sound as a microphone would")
	c.Flags().BoolVar(&h.noWake, "no-wake", false, "take each file as an utterance, without a wake word")
	c.Flags().StringVar(&h.home, "home", "", "a file with the house to simulate (default: the built-in one)")
	c.Flags().StringVar(&h.table, "table", "", "print how well the recordings of a directory are heard (its manifest.jsonl says what is in them); with and without the denoiser, unless stt.denoise says which")
	c.Flags().BoolVar(&h.dryRun, "dry-run", false, "stop before the tools")
	c.Flags().StringVar(&h.pack, "pack", "", "a directory with Home Assistant's sentences to hear and match instead of our own")
	c.Flags().StringVar(&h.language, "lang", "", "the language of the sentences (default: gateway.language)")
	c.Flags().StringVar(&h.engine, "engine", "", "the recogniser, in place of stt.engines: "+strings.Join(stt.Engines(), ", "))
	return c
}

// configure loads the configuration, with the recogniser and the language of the
// flags in it.
func (h hearing) configure(ctx context.Context) (*loaded, error) {
	l, err := h.app.load(ctx)
	if err != nil {
		return nil, err
	}
	if h.engine != "" {
		if known := stt.Engines(); !slices.Contains(known, h.engine) {
			return nil, configure.AsUseError(fmt.Errorf("--engine %s is unknown; expected %s", h.engine, strings.Join(known, ", ")))
		}
		l.STT.Engines = []string{h.engine}
		if err := l.STT.Validate(); err != nil {
			return nil, configure.AsUseError(fmt.Errorf("--engine %s cannot be used:\n%w", h.engine, err))
		}
	}
	if h.language == "" {
		return l, nil
	}
	if _, err := intent.Ours(h.language); err == nil {
		l.Gateway.Language = h.language
	} else if h.pack == "" {
		return nil, configure.AsUseError(fmt.Errorf("--lang: %w", err))
	}
	l.STT.Engines = slices.DeleteFunc(l.STT.Engines, func(e string) bool { return !stt.Knows(e, h.language) })
	if len(l.STT.Engines) == 0 {
		return nil, configure.AsUseError(fmt.Errorf("--lang %s: no recogniser of stt.engines hears it; --engine names another", h.language))
	}
	return l, nil
}

// tabulate prints how well the recordings of a directory are heard.
func (h hearing) tabulate(ctx context.Context) error {
	l, err := h.configure(ctx)
	if err != nil {
		return err
	}
	recordings, err := process.ReadUntil(ctx, func() ([]lab.Recording, error) { return lab.Read(h.table) })
	if err != nil {
		return err
	}
	house, err := readHouse(ctx, cmp.Or(h.home, filepath.Join(h.table, "home.json")))
	if err != nil {
		return err
	}
	m, err := lab.New(lab.Config{
		Recordings: recordings, House: house, Gateway: l.Config, Executable: h.app.Executable, Progress: h.app.Err, Log: h.app.logger(slog.LevelError),
	})
	if err != nil {
		return err
	}
	outcomes, err := m.Hear(ctx)
	if err != nil {
		return err
	}
	if h.asJSON {
		for _, o := range outcomes {
			if err := printJSON(h.app.Out, "the outcomes", o); err != nil {
				return err
			}
		}
		return nil
	}
	wakes, err := m.HearWakes(ctx)
	if err != nil {
		return err
	}
	lab.Tell(h.app.Out, h.app.paint, outcomes, wakes)
	return nil
}

// play hears the files, one after another.
func (h hearing) play(ctx context.Context, files []string) error {
	l, err := h.configure(ctx)
	if err != nil {
		return err
	}
	var pack *intent.Pack
	if h.pack != "" {
		if pack, err = loadPack(h.pack, cmp.Or(h.language, l.Gateway.Language)); err != nil {
			return err
		}
	}
	l.AI.Enabled = "false" // a model that happens to run must not change the result
	house, err := readHouse(ctx, h.home)
	if err != nil {
		return err
	}
	clips := make([]audio.Clip, len(files))
	for i, name := range files {
		if clips[i], err = process.ReadUntil(ctx, func() (audio.Clip, error) { return file.Load(name) }); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "voice-gateway-hear-")
	if err != nil {
		return fmt.Errorf("making a directory for the simulated house: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	l.Gateway.StateDir = dir
	for i, name := range files {
		records, err := h.playOne(ctx, l, house, pack, clips[i])
		if err != nil {
			return fmt.Errorf("hearing %s: %w", name, err)
		}
		if len(records) == 0 {
			records = []record.Record{nothing(l.Gateway.Area)}
		}
		for _, r := range records {
			r.File = name
			if err := h.print(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// nothing is the record of a file in which no turn began.
func nothing(area string) record.Record {
	return record.Record{
		ID: record.NewID(), Time: time.Now(), Source: record.FromFile, Area: area, Route: record.RouteNone,
		Verdict: record.Verdict{Calls: []record.CallMade{}, Outcome: record.Ignored, Error: "no wake word was heard"},
	}
}

func (h hearing) print(r record.Record) error {
	if h.asJSON {
		return printJSON(h.app.Out, "the record", r)
	}
	fmt.Fprintln(h.app.Out, h.app.paint.Bold(r.File))
	console.Turn(h.app.Out, h.app.paint, r)
	fmt.Fprintln(h.app.Out)
	return nil
}

func readHouse(ctx context.Context, name string) (*home.House, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file means the built-in house
	}
	data, err := process.ReadUntil(ctx, func() ([]byte, error) { return os.ReadFile(name) })
	if err != nil {
		return nil, fmt.Errorf("reading the house: %w", err)
	}
	house, err := home.Load(data)
	if err != nil {
		return nil, fmt.Errorf("reading the house %s: %w", name, err)
	}
	return house, nil
}

// playOne plays one recording in a house of its own.
func (h hearing) playOne(ctx context.Context, l *loaded, house *home.House, pack *intent.Pack, c audio.Clip) ([]record.Record, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	play := file.Default()
	play.Clips, play.Paced = []audio.Clip{c}, h.realtime
	sound, err := file.New(play)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var records []record.Record
	opened := make(chan struct{})
	mic := &gated{Microphone: sound, open: opened}
	opts := gateway.Options{
		Executable: h.app.Executable, Version: h.app.version, Environ: l.Options.Environ, Secrets: l.Secrets,
		Mic: mic, Speaker: file.Speaker{Paced: h.realtime}, Fast: !h.realtime, PushToTalk: h.noWake,
		Source: record.FromFile, DryRun: h.dryRun, House: house, Pack: pack,
		Watch: &stage.Watcher{Ended: func(r record.Record) {
			mu.Lock()
			defer mu.Unlock()
			records = append(records, r)
		}},
	}
	s, err := stage.New(ctx, l.Config, opts, h.home, h.app.logger(slog.LevelError))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	defer cancel()
	s.Run(ctx)
	ready, done := context.WithTimeout(ctx, 90*time.Second)
	defer done()
	if err := s.Gateway.Ready(ready); err != nil {
		return nil, errors.Join(err, s.Failure())
	}
	close(opened)
	select {
	case <-s.Gateway.Turns():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	mu.Lock()
	defer mu.Unlock()
	return records, s.Failure()
}

// gated is a microphone that gives no frame until open is closed.
type gated struct {
	ear.Microphone
	open <-chan struct{}
}

// Read waits until open is closed, then reads frames.
func (g *gated) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case <-g.open:
		return g.Microphone.Read(ctx)
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}
