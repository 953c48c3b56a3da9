package stt_test

import (
	"path/filepath"
	"slices"
	"testing"

	"voicegateway/internal/ear/stt"
)

// An engine whose model is not installed is not offered, and it is said why.
func TestAnEngineWithoutItsModelIsNotHere(t *testing.T) {
	cfg := stt.Default()
	cfg.ModelDir = filepath.Join(t.TempDir(), "nowhere")
	cfg.ModelsDir = cfg.ModelDir
	able, lack := stt.Here(cfg)
	if len(able) > 0 || lack["moonshine"] == nil {
		t.Errorf("able %v, lacking %v", able, lack)
	}
	if slices.Contains(able, "pocketsphinx") || lack["pocketsphinx"] == nil {
		t.Errorf("able %v, lacking %v", able, lack)
	}
	cfg.ModelDir = t.TempDir()
	if able, lack = stt.Here(cfg); !slices.Contains(able, "pocketsphinx") || lack["pocketsphinx"] != nil {
		t.Errorf("able %v, lacking %v", able, lack)
	}
}
