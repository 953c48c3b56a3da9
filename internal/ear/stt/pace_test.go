package stt_test

import (
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/fake"
	"voicegateway/internal/language/speech"
)

// TestReadingTime: the network is measured with a worker of its own; what is missing is named
// with the command that installs it.
func TestReadingTime(t *testing.T) {
	t.Parallel()
	sentence := speech.Automaton{
		Words:  []string{"stop"},
		States: []speech.AutomatonState{{Moves: []speech.AutomatonMove{{Word: 0, To: 1}}}, {Accept: true}},
	}
	second := make([]int16, audio.SpeechRate)
	cfg := stt.Default()
	cfg.Language, cfg.Command, cfg.ModelsDir = "en", []string{fake.Worker(t), "worker", "stt"}, fake.Models(t)
	if took, err := stt.ReadingTime(t.Context(), cfg, sentence, second); err != nil || took <= 0 {
		t.Errorf("measured %v, %v", took, err)
	}
	cfg.ModelsDir = t.TempDir()
	if _, err := stt.ReadingTime(t.Context(), cfg, sentence, second); err == nil || !strings.Contains(err.Error(), "models pull moonshine-tiny-en") {
		t.Errorf("without a model: %v", err)
	}
	cfg.ModelsDir, cfg.Command = fake.Models(t), []string{"/nowhere/at/all", "worker", "stt"}
	if _, err := stt.ReadingTime(t.Context(), cfg, sentence, second); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("without a worker: %v", err)
	}
}
