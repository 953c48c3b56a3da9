//go:build cgo

package stt_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/sphinx"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// TestAWakeWordIsNoCommand: a wake word is recognised as itself although a
// sentence of the grammar is near to it.
func TestAWakeWordIsNoCommand(t *testing.T) {
	if _, err := os.Stat(sphinx.DefaultModelDir); err != nil {
		t.Skipf("the English model is not installed: %v", err)
	}
	clip, err := file.Load(fake.Shared(t, "speech", "clips", "real_okay_nabu_w.wav"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		wakes  []string
		reason string
	}{
		"unknown": {nil, ""},
		"known":   {[]string{"hey jarvis", "okay nabu"}, "a wake word alone"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := stt.Default()
			cfg.Command, cfg.Wakes, cfg.Reject = []string{fake.Worker(t), "worker", "stt"}, tc.wakes, -100
			e, err := stt.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { _ = e.Run(ctx) })
			defer running.Wait()
			defer cancel()
			g := speech.Grammar{
				JSGF:  "#JSGF V1.0;\ngrammar g;\npublic <s> = okay nabob | turn on the light ;\n",
				Words: strings.Fields("okay nabob turn on the light"),
			}
			if missing, err := e.SetGrammar(within(t), g); err != nil || len(missing) > 0 {
				t.Fatalf("setting the grammar: %v, missing %q", err, missing)
			}
			o := hear(t, e, func(string) speech.Completeness { return speech.Incomplete }, clip)
			if tc.reason == "" && o.text.Text == "" || tc.reason != "" && (o.text.Text != "" || !strings.Contains(o.text.Rejected, tc.reason)) {
				t.Errorf("heard %+v", o.text)
			}
		})
	}
}
