package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/audio/room"
	"voicegateway/internal/console"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/lab"
	"voicegateway/internal/record"
	"voicegateway/internal/stage"
	"voicegateway/internal/turn"
)

// hearing is what the flags of hear ask for.
type hearing struct {
	asJSON, realtime, noWake, dryRun bool
	home, table                      string
}

// hearCommand plays recordings in place of the microphone.
func (a *app) hearCommand() *cobra.Command {
	var h hearing
	c := &cobra.Command{
		Use: "hear FILE.wav...", Short: "Recordings through the full pipeline, in a simulated house",
		Args: func(c *cobra.Command, args []string) error {
			if (len(args) == 0) != (h.table != "") {
				return usageError{fmt.Errorf("%s needs one or more WAV files, or --table and a directory", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error {
			if h.table != "" {
				return a.hearTable(c.Context(), h)
			}
			return a.hear(c.Context(), h, files)
		},
	}
	c.Flags().BoolVar(&h.asJSON, "json", false, "print one turn record a line")
	c.Flags().BoolVar(&h.realtime, "realtime", false, "pace the sound as a microphone would")
	c.Flags().BoolVar(&h.noWake, "no-wake", false, "take each file as an utterance, without a wake word")
	c.Flags().StringVar(&h.home, "home", "", "a file with the house to simulate (default: the built-in one)")
	c.Flags().StringVar(&h.table, "table", "", "print how well the recordings of a directory are heard (its manifest.jsonl says what is in them); with and without the denoiser, unless stt.denoise says which")
	c.Flags().BoolVar(&h.dryRun, "dry-run", false, "stop before the tools")
	return c
}

// hearTable prints how well the recordings of a directory are heard.
func (a *app) hearTable(ctx context.Context, h hearing) error {
	l, err := a.load()
	if err != nil {
		return err
	}
	recordings, err := lab.Read(h.table)
	if err != nil {
		return err
	}
	house, err := readHouse(cmp.Or(h.home, filepath.Join(h.table, "home.json")))
	if err != nil {
		return err
	}
	m, err := lab.New(lab.Config{
		Recordings: recordings, House: house, Gateway: l.Config, Executable: a.Executable, Progress: a.Err, Log: a.logger(slog.LevelError),
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
			if err := json.NewEncoder(a.Out).Encode(o); err != nil {
				return fmt.Errorf("printing the outcomes: %w", err)
			}
		}
		return nil
	}
	wakes, err := m.HearWakes(ctx)
	if err != nil {
		return err
	}
	lab.Tell(a.Out, a.paint, outcomes, wakes)
	return nil
}

func (a *app) hear(ctx context.Context, h hearing, files []string) error {
	l, err := a.load()
	if err != nil {
		return err
	}
	l.AI.Enabled = "false" // what is heard must not depend on a model that happens to run
	house, err := readHouse(h.home)
	if err != nil {
		return err
	}
	clips := make([]audio.Clip, len(files))
	for i, name := range files {
		if clips[i], err = file.Load(name); err != nil {
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
		records, err := a.hearOne(ctx, l, h, house, clips[i])
		if err != nil {
			return fmt.Errorf("hearing %s: %w", name, err)
		}
		if len(records) == 0 {
			records = []record.Record{nothing(l.Gateway.Area)}
		}
		for _, r := range records {
			r.File = name
			if err := a.printHeard(h, r); err != nil {
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

func (a *app) printHeard(h hearing, r record.Record) error {
	if h.asJSON {
		if err := json.NewEncoder(a.Out).Encode(r); err != nil {
			return fmt.Errorf("printing the record: %w", err)
		}
		return nil
	}
	fmt.Fprintln(a.Out, a.paint.Bold(r.File))
	console.Turn(a.Out, a.paint, r)
	fmt.Fprintln(a.Out)
	return nil
}

func readHouse(name string) (*home.House, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // no file means the built-in house
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the house: %w", err)
	}
	house, err := home.Load(data)
	if err != nil {
		return nil, fmt.Errorf("reading the house %s: %w", name, err)
	}
	return house, nil
}

// hearOne plays one recording in a house of its own.
func (a *app) hearOne(ctx context.Context, l *loaded, h hearing, house *home.House, c audio.Clip) ([]record.Record, error) {
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
		Executable: a.Executable, Version: a.version, Environ: l.options.Environ, Secrets: l.secrets,
		Mic: mic, Speaker: room.Speaker{Paced: h.realtime}, Fast: !h.realtime, PushToTalk: h.noWake,
		Source: record.FromFile, DryRun: h.dryRun, House: house,
		Watch: &stage.Watcher{Ended: func(r record.Record) {
			mu.Lock()
			defer mu.Unlock()
			records = append(records, r)
		}},
	}
	s, err := stage.New(ctx, l.Config, opts, h.home, a.logger(slog.LevelError))
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

// gated is a microphone that is closed until open is.
type gated struct {
	turn.Microphone
	open <-chan struct{}
}

// Read waits for the opening.
func (g *gated) Read(ctx context.Context) (audio.Frame, error) {
	select {
	case <-g.open:
		return g.Microphone.Read(ctx)
	case <-ctx.Done():
		return audio.Frame{}, ctx.Err()
	}
}
