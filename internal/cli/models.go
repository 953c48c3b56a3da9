package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/lab"
	"voicegateway/internal/care/models"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ground/config"
)

// modelsWork is the work of the models commands.
type modelsWork struct {
	app *app
	dir string // --dir
}

// modelsCommand lists, fetches and checks the models of wake words and recognisers.
func (a *app) modelsCommand() *cobra.Command {
	m := &modelsWork{app: a}
	c := &cobra.Command{
		Use: "models", Short: "List, pull and verify models of wake words and of the neural recogniser",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&m.dir, "dir", "", "where the models are (default: wake.models_dir of the configuration)")
	c.AddCommand(m.listCommand(), m.pullCommand(), m.verifyCommand())
	return c
}

// place is the directory of the models.
func (m *modelsWork) place(ctx context.Context) (string, error) {
	if m.dir != "" {
		return m.dir, nil
	}
	l, err := m.app.load(ctx)
	if err != nil {
		return "", err
	}
	return l.Wake.ModelsDir, nil
}

func (m *modelsWork) listCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "list", Short: "List the available models, and which are installed",
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			place, err := m.place(c.Context())
			if err != nil {
				return err
			}
			type row struct {
				micro.Entry
				State string `json:"state"`
			}
			type networkRow struct {
				moonshine.Published
				State string `json:"state"`
			}
			rows := []any{}
			var lines strings.Builder
			for _, e := range micro.Catalogue() {
				r := row{e, models.State(place, e)}
				rows = append(rows, r)
				fmt.Fprintf(&lines, "%-18s %-13s %s\n", r.Name, r.Word, r.State)
			}
			for _, p := range moonshine.Catalogue() {
				r := networkRow{p, models.NetworkState(place, p)}
				rows = append(rows, r)
				fmt.Fprintf(&lines, "%-18s %-13s %s\n", r.Name, "speech, "+r.Language, r.State)
			}
			if asJSON {
				return json.NewEncoder(m.app.Out).Encode(rows)
			}
			fmt.Fprintf(m.app.Out, "%-18s %-13s %s\n%s", "MODEL", "FOR", "IN "+place, &lines)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// choose returns the models named on the command line. Without names it returns
// those the configuration uses: its wake words, its stop words, the model of a voice
// and the recogniser.
func (m *modelsWork) choose(ctx context.Context, names []string) (words []micro.Entry, networks []moonshine.Published, err error) {
	if len(names) == 0 {
		l, err := m.app.load(ctx)
		if err != nil {
			return nil, nil, err
		}
		names = modelsUsed(l)
	}
	for _, name := range names {
		if p, ok := moonshine.Known(name); ok {
			networks = append(networks, p)
			continue
		}
		e, ok := micro.Known(name)
		if !ok {
			return nil, nil, configure.AsUseError(fmt.Errorf("there is no published model %q; there are: %s. A model of your own is put into the directory as NAME.tflite with its NAME.json", name, strings.Join(models.Names(), ", ")))
		}
		words = append(words, e)
	}
	return words, networks, nil
}

// modelsUsed are the models that a configuration uses.
func modelsUsed(l *loaded) (names []string) {
	for _, p := range moonshine.Catalogue() {
		if l.STT.Neural() && p.Language == l.Gateway.Language {
			names = append(names, p.Name)
		}
	}
	for _, w := range l.Wake.Words {
		names = append(names, strings.Join(strings.Fields(strings.ToLower(w)), "_"))
	}
	for _, w := range append(slices.Clone(l.Wake.Stop), "vad") {
		if e, ok := micro.Known(strings.Join(strings.Fields(strings.ToLower(w)), "_")); ok {
			names = append(names, e.Name)
		}
	}
	return names
}

// pullFor fetches the models that a configuration uses.
func (m *modelsWork) pullFor(ctx context.Context, l *loaded, from string) error {
	words, networks, err := m.choose(ctx, modelsUsed(l))
	if err != nil {
		return err
	}
	return m.pull(ctx, l.Wake.ModelsDir, from, words, networks)
}

// pull fetches models into a directory.
func (m *modelsWork) pull(ctx context.Context, place, from string, words []micro.Entry, networks []moonshine.Published) error {
	if err := models.MakePlace(place); err != nil {
		return fmt.Errorf("making the models' directory: %w; name another one with --dir or wake.models_dir", err)
	}
	// The models are published at several places, and one of these may be out of reach.
	var failed []error
	for _, e := range words {
		failed = append(failed, models.Pull(ctx, m.app.Out, e, place, from))
	}
	packages := models.Packages{Getenv: config.Options{Environ: m.app.Environ}.Getenv, Wheels: models.DebianWheels}
	for _, p := range networks {
		err := models.PullNetwork(ctx, m.app.Out, p, place, from, packages)
		if failed = append(failed, err); err == nil {
			m.tellReading(ctx, p, place)
		}
	}
	return errors.Join(failed...)
}

// tellReading says how fast a recogniser's model is on this machine, and what to do where it is
// slow. That it cannot be measured does not keep the model from being used.
func (m *modelsWork) tellReading(ctx context.Context, p moonshine.Published, place string) {
	took, err := m.timeReading(ctx, p, place)
	switch {
	case err != nil:
		fmt.Fprintf(m.app.Out, "  how fast it reads on this machine is not known: %v\n", err)
	case took > stt.SlowReading:
		fmt.Fprintf(m.app.Out, "  it takes %s to read a short command on this machine, which is slow; a faster one: %s config set stt.engines '[pocketsphinx]'\n", took, m.app.invocation())
	default:
		fmt.Fprintf(m.app.Out, "  it reads a short command in %s on this machine\n", took)
	}
}

// timeReading measures a recogniser's model in a directory, with the voice of the configuration.
func (m *modelsWork) timeReading(ctx context.Context, p moonshine.Published, place string) (time.Duration, error) {
	l, err := m.app.load(ctx)
	if err != nil {
		return 0, err
	}
	cfg := l.Config
	cfg.Wake.ModelsDir, cfg.STT.Moonshine, cfg.Gateway.Language = place, stt.MoonshineConfig{}, p.Language
	return lab.TimeReading(ctx, cfg, m.app.Executable, slog.New(slog.DiscardHandler))
}

func (m *modelsWork) pullCommand() *cobra.Command {
	from := ""
	c := &cobra.Command{
		Use: "pull [NAME…]", Short: "Fetch models from their publishers and check their SHA-256 (default: those that the configuration uses)",
		RunE: func(c *cobra.Command, names []string) error {
			place, err := m.place(c.Context())
			if err != nil {
				return err
			}
			words, networks, err := m.choose(c.Context(), names)
			if err != nil {
				return err
			}
			return m.pull(c.Context(), place, from, words, networks)
		},
	}
	c.Flags().StringVar(&from, "from", "", "a directory with the files, for machines without internet")
	return c
}

func (m *modelsWork) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check the installed models against the published files, and that each one runs",
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			place, err := m.place(c.Context())
			if err != nil {
				return err
			}
			files, err := filepath.Glob(filepath.Join(place, "*.tflite"))
			if err != nil {
				return fmt.Errorf("looking for models: %w", err)
			}
			networks := models.Networks(place)
			if len(files)+len(networks) == 0 {
				return fmt.Errorf("there is no model in %s; get one with: voice-gateway models pull hey_jarvis", place)
			}
			bad := 0
			for _, file := range files {
				verdict, ok := models.Verdict(file)
				if !ok {
					bad++
				}
				fmt.Fprintf(m.app.Out, "%-18s %s\n", strings.TrimSuffix(filepath.Base(file), ".tflite"), verdict)
			}
			for _, p := range networks {
				verdict, ok := models.NetworkVerdict(place, p)
				if !ok {
					bad++
				}
				fmt.Fprintf(m.app.Out, "%-18s %s\n", p.Name, verdict)
			}
			if bad > 0 {
				return console.ToldError{Err: fmt.Errorf("%d models are damaged", bad)}
			}
			return nil
		},
	}
}
