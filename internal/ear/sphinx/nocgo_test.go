//go:build !cgo

package sphinx_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/ear/sphinx"
)

func TestWithoutCgoSaysWhatToDo(t *testing.T) {
	c, err := sphinx.New(sphinx.Config{Name: "stt", Command: []string{os.Args[0], "worker", "stt"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if _, err := c.Start(ctx); err == nil || !strings.Contains(err.Error(), "libpocketsphinx-dev") {
		t.Errorf("got %v, want what to install", err)
	}
}
