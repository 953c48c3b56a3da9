package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/console"
	"voicegateway/internal/httpguard"
	"voicegateway/internal/speech/micro"
	"voicegateway/internal/store"
)

// Bounds of fetching a model; the largest has 81 KB.
const (
	fetchTimeout = time.Minute
	maxModel     = 4 << 20
)

// models is the work of the models commands.
type models struct {
	app *app
	dir string // --dir
}

// modelsCommand lists, fetches and checks the models of wake words.
func (a *app) modelsCommand() *cobra.Command {
	m := &models{app: a}
	c := &cobra.Command{
		Use: "models", Short: "Wake word models for the engine micro: list, pull, verify",
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.PersistentFlags().StringVar(&m.dir, "dir", "", "where the models are (default: wake.models_dir of the configuration)")
	c.AddCommand(m.listCommand(), m.pullCommand(), m.verifyCommand())
	return c
}

// place is the directory of the models.
func (m *models) place() (string, error) {
	if m.dir != "" {
		return m.dir, nil
	}
	l, err := m.app.load()
	if err != nil {
		return "", err
	}
	return l.Wake.ModelsDir, nil
}

func (m *models) listCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "list", Short: "The models there are, and which are installed",
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			place, err := m.place()
			if err != nil {
				return err
			}
			type row struct {
				micro.Entry
				State string `json:"state"`
			}
			rows := []row{}
			for _, e := range micro.Catalogue() {
				rows = append(rows, row{e, modelState(place, e)})
			}
			if asJSON {
				return json.NewEncoder(m.app.Out).Encode(rows)
			}
			fmt.Fprintf(m.app.Out, "%-16s %-13s %s\n", "MODEL", "WORD", "IN "+place)
			for _, r := range rows {
				fmt.Fprintf(m.app.Out, "%-16s %-13s %s\n", r.Name, r.Word, r.State)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// modelState says whether a model is installed, and what is wrong with its file.
func modelState(dir string, e micro.Entry) string {
	data, err := micro.Read(filepath.Join(dir, e.Name+".tflite"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "not installed"
	case err != nil:
		return err.Error()
	}
	if err := e.Verify(data); err != nil {
		return "another file than the published one"
	}
	return "installed"
}

// chosen returns the models named on the command line. Without names it returns
// those the configuration uses: its wake words, its stop words and the model of a
// voice.
func (m *models) chosen(names []string) ([]micro.Entry, error) {
	if len(names) == 0 {
		l, err := m.app.load()
		if err != nil {
			return nil, err
		}
		for _, w := range l.Wake.Words {
			names = append(names, strings.Join(strings.Fields(strings.ToLower(w)), "_"))
		}
		for _, w := range append(slices.Clone(l.Wake.Stop), "vad") {
			if e, ok := micro.Known(strings.Join(strings.Fields(strings.ToLower(w)), "_")); ok {
				names = append(names, e.Name)
			}
		}
	}
	var list []micro.Entry
	for _, name := range names {
		e, ok := micro.Known(name)
		if !ok {
			var all []string
			for _, e := range micro.Catalogue() {
				all = append(all, e.Name)
			}
			return nil, usageError{fmt.Errorf("there is no published model %q; there are: %s. A model of your own is put into the directory as NAME.tflite with its NAME.json", name, strings.Join(all, ", "))}
		}
		list = append(list, e)
	}
	return list, nil
}

func (m *models) pullCommand() *cobra.Command {
	from := ""
	c := &cobra.Command{
		Use: "pull [NAME…]", Short: "Fetch models from where they are published, checked by SHA-256 (default: what the configuration uses)",
		RunE: func(c *cobra.Command, names []string) error {
			place, err := m.place()
			if err != nil {
				return err
			}
			list, err := m.chosen(names)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(place, 0o755); err != nil {
				return fmt.Errorf("making the models' directory: %w; name another one with --dir or wake.models_dir", err)
			}
			for _, e := range list {
				if err := pull(c.Context(), m.app.Out, e, place, from); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&from, "from", "", "a directory with the files, for machines without internet")
	return c
}

// pull installs one model, unless it is installed already.
func pull(ctx context.Context, out io.Writer, e micro.Entry, dir, from string) error {
	if modelState(dir, e) == "installed" {
		fmt.Fprintf(out, "%s is installed already\n", e.Name)
		return nil
	}
	source, get := e.URL, func() ([]byte, error) { return fetch(ctx, e.URL) }
	if from != "" {
		source = filepath.Join(from, e.Name+".tflite")
		get = func() ([]byte, error) { return micro.Read(source) }
	}
	fmt.Fprintf(out, "%s from %s … ", e.Name, source)
	data, err := get()
	if err == nil {
		err = e.Verify(data)
	}
	if err == nil {
		_, err = micro.Parse(data)
	}
	if err == nil {
		err = store.Replace(filepath.Join(dir, e.Name+".tflite"), data)
	}
	if err != nil {
		fmt.Fprintln(out, "no")
		return fmt.Errorf("pulling the model %q: %w; nothing was changed", e.Name, err)
	}
	fmt.Fprintf(out, "%d bytes, the published file\n", len(data))
	return nil
}

// fetch downloads a model.
func fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	// A published file may be on any host, because its checksum is known.
	guard := httpguard.NewClient(httpguard.Config{MaxBody: maxModel, Redirects: httpguard.Redirects{Anywhere: true}})
	res, err := guard.Do(req)
	if _, refused := errors.AsType[*httpguard.StatusError](err); refused {
		return nil, fmt.Errorf("the server answers: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; a machine without internet takes --from DIR", err)
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(res.Body)
}

func (m *models) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check the installed models against the published files, and that each can be run",
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			place, err := m.place()
			if err != nil {
				return err
			}
			files, err := filepath.Glob(filepath.Join(place, "*.tflite"))
			if err != nil {
				return fmt.Errorf("looking for models: %w", err)
			}
			if len(files) == 0 {
				return fmt.Errorf("there is no model in %s; get one with: voice-gateway models pull hey_jarvis", place)
			}
			bad := 0
			for _, file := range files {
				verdict, ok := verified(file)
				if !ok {
					bad++
				}
				fmt.Fprintf(m.app.Out, "%-16s %s\n", strings.TrimSuffix(filepath.Base(file), ".tflite"), verdict)
			}
			if bad > 0 {
				return console.ToldError{Err: fmt.Errorf("%d models are damaged", bad)}
			}
			return nil
		},
	}
}

// verified checks one model file; ok reports whether it can be run and is not
// damaged.
func verified(file string) (verdict string, ok bool) {
	data, err := micro.Read(file)
	if err != nil {
		return err.Error(), false
	}
	if _, err := micro.Parse(data); err != nil {
		return err.Error(), false
	}
	e, known := micro.Known(strings.TrimSuffix(filepath.Base(file), ".tflite"))
	if !known {
		return "runs; not one of the published ones", true
	}
	if err := e.Verify(data); err != nil {
		return err.Error(), false
	}
	return "the published file", true
}
