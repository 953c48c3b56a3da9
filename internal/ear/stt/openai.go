package stt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/openai"
)

// The measures of doubt that Whisper itself reports, with its authors' limits: it
// was silent where both of the first two say so, and a text that compresses too
// well is a loop.
const (
	noSpeech      = 0.6
	leastLogProb  = -1.0
	mostCompress  = 2.4
	defaultModel  = "whisper-1" // servers with one model accept this name for it
	surelySilence = 0.9
)

// remote asks a server for the text when the utterance is over. Before that
// nothing leaves the house, nor does an utterance that another engine understood.
type remote struct {
	client   *openai.Client
	language string
}

func newOpenAI(cfg Config) (recogniser, error) {
	server := cfg.OpenAI
	server.Model = cmp.Or(server.Model, defaultModel)
	client, err := openai.New(server)
	if err != nil {
		return nil, fmt.Errorf("stt.openai.%w", err)
	}
	return &remote{client: client, language: cfg.Language}, nil
}

func (r *remote) run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (r *remote) begin() stream { return r }

func (r *remote) push([]int16)    {}
func (r *remote) partial() string { return "" }
func (r *remote) drop()           {}

func (r *remote) finish(ctx context.Context, u utterance) (answer, error) {
	if len(u.sound) == 0 {
		return answer{}, errors.New("there is no sound to ask about")
	}
	text, err := r.client.Transcribe(ctx, openai.Utterance{
		Sound: audio.Clip{Rate: audio.SpeechRate, Samples: u.sound}, Language: r.language, Prompt: prompt(u.names),
	})
	if err != nil {
		return answer{}, err
	}
	a := answer{text: text.Text}
	if !text.Measured {
		return a, nil
	}
	a.confidence = math.Exp(min(text.LogProb, 0))
	switch {
	case text.NoSpeech > noSpeech && text.LogProb < leastLogProb, text.NoSpeech > surelySilence:
		a.doubt = "the recogniser doubts that anything was said"
	case text.Compression > mostCompress:
		a.doubt = "the recogniser repeats itself"
	}
	return a, nil
}
