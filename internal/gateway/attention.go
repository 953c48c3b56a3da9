package gateway

import (
	"fmt"
	"log/slog"
	"slices"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/ear/micro"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/vad"
)

// NewEndpointer makes the endpointer. It decides by the sentence if a recogniser
// gives partial texts, else by silence.
func NewEndpointer(c Config, log *slog.Logger) (*endpoint.Endpointer, error) {
	voice, err := NewVoice(c, log)
	if err != nil {
		return nil, err
	}
	cfg := c.STT.End
	cfg.Voice = voice
	cfg.Grammar = slices.ContainsFunc(c.recognisers(), stt.ByGrammar)
	return endpoint.New(cfg), nil
}

// NewVoice makes what tells voices from other sound, for one listener: it follows the
// sound it is given.
func NewVoice(c Config, log *slog.Logger) (stt.Voice, error) {
	voice, err := vad.New(vad.Config{Engine: vad.Default().Engine, ModelsDir: c.Wake.ModelsDir, Log: log.With("part", "vad")})
	if err != nil {
		return nil, fmt.Errorf("preparing to hear voices: %w", err)
	}
	return voiced{voice}, nil
}

// voiced makes a voice detector usable by the endpointer and the recognisers.
type voiced struct{ vad.Engine }

// Push reports whether there is speech, and whether a model said so rather than loudness
// alone.
func (v voiced) Push(f audio.Frame) (speaks, known bool) {
	j := v.Engine.Push(f)
	return j.Voice, j.Model
}

// WakePhrases returns our wake words and those of other assistants that may be in
// the house: none of them is a command by itself.
func WakePhrases(own []string) []string {
	all := slices.Clone(own)
	for _, known := range micro.Catalogue() {
		if known.Word != "" && known.Word != "stop" { // "stop" is a command
			all = append(all, known.Word)
		}
	}
	return all
}
