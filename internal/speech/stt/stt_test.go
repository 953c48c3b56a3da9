package stt_test

import (
	"strings"
	"testing"

	"voicegateway/internal/speech/stt"
)

func TestNewChecks(t *testing.T) {
	cfg := stt.Default()
	cfg.Engine = "sphinks"
	if _, err := stt.New(cfg); err == nil || !strings.Contains(err.Error(), "there are: pocketsphinx") {
		t.Errorf("an unknown engine: %v, want the known ones", err)
	}
	if _, err := stt.New(stt.Default()); err == nil || !strings.Contains(err.Error(), "no command") {
		t.Errorf("no worker command: %v", err)
	}
}
