// Package models keeps the models of wake words and of recognisers in a directory: it
// fetches published ones and checks what is there.
package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/moonshine"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/trust"
	"voicegateway/internal/keep"
)

// Bounds of fetching a model; the largest has 81 KB.
const (
	fetchTimeout = time.Minute
	maxModel     = 4 << 20
)

// Names are those of all published models.
func Names() []string {
	var all []string
	for _, e := range micro.Catalogue() {
		all = append(all, e.Name)
	}
	for _, p := range moonshine.Catalogue() {
		all = append(all, p.Name)
	}
	return all
}

// MakePlace makes a directory for models where it is missing.
func MakePlace(path string) error {
	dir, err := trust.Make(path, 0o755)
	if err != nil {
		return err
	}
	return dir.Close()
}

// installed is the state of a model whose file is the published one.
const installed = "installed"

// State says whether a model is installed, and what is wrong with its file.
func State(dir string, e micro.Entry) string {
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
	return installed
}

// Pull installs one model unless it is installed already, from its published address or
// from the directory from if that is not empty. It writes its progress to out.
func Pull(ctx context.Context, out io.Writer, e micro.Entry, dir, from string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if State(dir, e) == installed {
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
		err = keep.Replace(filepath.Join(dir, e.Name+".tflite"), data)
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

// Verdict checks one model file; ok reports whether it can be run and is not
// damaged.
func Verdict(file string) (verdict string, ok bool) {
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
