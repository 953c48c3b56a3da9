package tts

import (
	"cmp"
	"context"
	"fmt"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/openai"
)

// Names that servers with one model, or one voice, accept for it.
const (
	defaultModel = "tts-1"
	defaultVoice = "alloy"
)

// remote has a server with /v1/audio/speech speak.
type remote struct {
	client *openai.Client
	voice  string
}

func newOpenAI(cfg Config) (Engine, error) {
	client, err := openai.New(openai.Config{
		BaseURL: cfg.OpenAI.BaseURL, Model: cmp.Or(cfg.OpenAI.Model, defaultModel), Key: cfg.OpenAI.Key,
	})
	if err != nil {
		return nil, fmt.Errorf("tts.openai.%w", err)
	}
	return &remote{client: client, voice: cmp.Or(cfg.OpenAI.Voice, defaultVoice)}, nil
}

// Synthesize returns sound at the server's rate, usually 24 kHz.
func (r *remote) Synthesize(ctx context.Context, text string) (audio.Clip, error) {
	return r.client.Speak(ctx, text, r.voice)
}
