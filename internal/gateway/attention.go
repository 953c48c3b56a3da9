package gateway

import (
	"fmt"
	"log/slog"
	"slices"

	"voicegateway/internal/audio"
	"voicegateway/internal/speech/endpoint"
	"voicegateway/internal/speech/micro"
	"voicegateway/internal/speech/vad"
)

// NewEndpointer decides when somebody is done: by the sentence where a recogniser
// tells what it hears meanwhile, else by silence.
func NewEndpointer(c Config, log *slog.Logger) (*endpoint.Endpointer, error) {
	voice, err := vad.New(vad.Config{Engine: vad.Default().Engine, ModelsDir: c.Wake.ModelsDir, Log: log.With("part", "vad")})
	if err != nil {
		return nil, fmt.Errorf("preparing to hear voices: %w", err)
	}
	cfg := c.STT.End
	cfg.Voice = voiced{voice}
	cfg.Grammar = slices.Contains(c.recognisers(), "pocketsphinx")
	return endpoint.New(cfg), nil
}

// voiced asks a voice detector for what the endpointer cannot know by itself.
type voiced struct{ vad.Engine }

// Push says whether somebody speaks, and whether anything but loudness said so.
func (v voiced) Push(f audio.Frame) (speaks, known bool) {
	j := v.Engine.Push(f)
	return j.Voice, j.Model
}

// WakePhrases are ours and the ones other assistants in the house may have: none
// is a command by itself.
func WakePhrases(own []string) []string {
	all := slices.Clone(own)
	for _, known := range micro.Catalogue() {
		if known.Word != "" && known.Word != "stop" { // which is a command
			all = append(all, known.Word)
		}
	}
	return all
}
