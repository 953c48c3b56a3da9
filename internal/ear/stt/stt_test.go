package stt_test

import (
	"strings"
	"testing"

	"voicegateway/internal/ear/stt"
)

func TestNewChecks(t *testing.T) {
	cfg := stt.Default()
	cfg.Engines = []string{"sphinks"}
	if _, err := stt.New(cfg); err == nil || !strings.Contains(err.Error(), "there are: auto, moonshine, openai, pocketsphinx, wyoming") {
		t.Errorf("an unknown engine: %v, want the known ones", err)
	}
	if _, err := stt.New(stt.Default()); err == nil || !strings.Contains(err.Error(), "no command") {
		t.Errorf("no worker command: %v", err)
	}
}

func TestSeveralEngines(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*stt.Config)
		want   string
	}{
		"no such engine": {func(c *stt.Config) { c.Engines = []string{"openai", "vosk"} }, `no engine "vosk"`},
		"twice":          {func(c *stt.Config) { c.Engines = []string{"openai", "openai"} }, "named twice"},
		"no server":      {func(c *stt.Config) { c.Engines = []string{"openai"} }, "stt.openai.base_url"},
		"no service":     {func(c *stt.Config) { c.Engines = []string{"wyoming"} }, "stt.wyoming.uri"},
		"denoise":        {func(c *stt.Config) { c.Denoise = "loud" }, "auto, on, off"},
	} {
		cfg := stt.Default()
		tt.change(&cfg)
		if _, err := stt.New(cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if stt.Knows("pocketsphinx", "de") || !stt.Knows("pocketsphinx", "en") || !stt.Knows("wyoming", "de") {
		t.Error("who knows which language")
	}
}
