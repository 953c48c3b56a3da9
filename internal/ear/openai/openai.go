// Package openai reaches the speech half of the OpenAI interface, which whisper
// servers, voices and clouds offer alike: /audio/transcriptions and
// /audio/speech. It exists so that the recogniser and the voice share one client
// that keeps the key on its host, bounds every body and says in a sentence what
// went wrong.
//
// A server that differs from the others is handled here: Transcribe and Speak try
// the plainer form of a request where the richer one is refused.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/audio"
	"voicegateway/internal/ground/httpguard"
)

// pause is how long to wait before the one repetition of a request that the
// server could not serve, where the server does not say how long.
const pause = 300 * time.Millisecond

// pcmRate is the rate of response_format pcm, which has no header to tell it.
const pcmRate audio.Rate = 24000

// Config is one server.
type Config struct {
	BaseURL    string            `yaml:"base_url"` // up to and including /v1
	Model      string            `yaml:"model"`
	APIKeyFile string            `yaml:"api_key_file"`
	Key        string            `yaml:"-"` // may be empty; not part of the configuration: the program that loads a configuration reads it separately
	Transport  http.RoundTripper `yaml:"-"` // for tests and custom certificates; nil is the usual one
}

// Check returns what is wrong with a server's address, in a sentence that quotes
// the address unless it may hold a password.
func Check(base string) error {
	u, err := url.Parse(base)
	switch {
	case err == nil && u.User != nil:
		return errors.New("the address holds a user or password; give the key by its file or variable")
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return nil
	}
	shown := strconv.Quote(base)
	if strings.Contains(base, "@") { // the text before it may be a password, whether the address is readable or not
		shown = "what is set (not shown, as it may hold a password)"
	}
	return fmt.Errorf("%s is not an http or https address; expected something like http://127.0.0.1:8000/v1, or https://api.openai.com/v1", shown)
}

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	client *openai.Client
	guard  *httpguard.Client
	model  string
	plain  atomic.Bool // the server does not know the richer form
}

// New checks the configuration; it starts nothing.
func New(cfg Config) (*Client, error) {
	if err := Check(cfg.BaseURL); err != nil {
		return nil, fmt.Errorf("base_url: %w", err)
	}
	key := strings.TrimSpace(cfg.Key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("api_key: the key holds spaces or characters no key has; it must be one line")
	}
	guard := httpguard.NewClient(httpguard.Config{Key: key, Transport: cfg.Transport, MaxBody: maxAnswer})
	c := openai.DefaultConfig(key)
	c.BaseURL, c.HTTPClient = strings.TrimRight(cfg.BaseURL, "/"), guard
	return &Client{client: openai.NewClientWithConfig(c), guard: guard, model: cfg.Model}, nil
}

// Utterance is sound to be written down.
type Utterance struct {
	Sound    audio.Clip
	Language string // ISO 639-1, "" leaves it to the server
	Prompt   string // words that may be in it, for their spelling
}

// Text is what a server heard. The measures are those of Whisper; a server that
// has none leaves Measured false.
type Text struct {
	Text        string
	Measured    bool
	NoSpeech    float64 // probability that there was no speech
	LogProb     float64 // mean log probability of the tokens, 0 is certain
	Compression float64 // how well the text compresses; loops do
}

// Transcribe writes an utterance down.
func (c *Client) Transcribe(ctx context.Context, u Utterance) (Text, error) {
	var wav bytes.Buffer
	if err := audio.WriteWAV(&wav, u.Sound); err != nil {
		return Text{}, err
	}
	var response openai.AudioResponse
	ask := func(format openai.AudioResponseFormat) error {
		return c.repeat(ctx, func() (err error) {
			response, err = c.client.CreateTranscription(ctx, openai.AudioRequest{
				Model: c.model, FilePath: "speech.wav", Reader: bytes.NewReader(wav.Bytes()),
				Prompt: u.Prompt, Language: u.Language, Format: format,
			})
			return err
		})
	}
	// Newer models of the cloud have no measures and refuse the form with them.
	rich := !c.plain.Load() && !strings.HasPrefix(c.model, "gpt-")
	if rich {
		err := ask(openai.AudioResponseFormatVerboseJSON)
		if err == nil || !formRefused(err) {
			return sumUp(response), c.explain(err)
		}
	}
	if err := ask(openai.AudioResponseFormatJSON); err != nil {
		return Text{}, c.explain(err)
	}
	if rich {
		c.plain.Store(true)
	}
	return Text{Text: response.Text}, nil
}

// sumUp sums up the segments: the lowest probability of silence, the least
// certain text and the strongest compression count.
func sumUp(response openai.AudioResponse) Text {
	t := Text{Text: response.Text}
	if len(response.Segments) == 0 {
		return t
	}
	t.NoSpeech = 1
	for _, s := range response.Segments {
		t.Measured = t.Measured || s.AvgLogprob != 0 || s.NoSpeechProb != 0
		t.NoSpeech = math.Min(t.NoSpeech, s.NoSpeechProb)
		t.LogProb = math.Min(t.LogProb, s.AvgLogprob)
		t.Compression = math.Max(t.Compression, s.CompressionRatio)
	}
	return t
}

// formRefused reports whether the server or this client does not know the form of
// the request or of its answer.
func formRefused(err error) bool {
	if status, ok := errors.AsType[*httpguard.StatusError](err); ok {
		return status.Code == http.StatusBadRequest || status.Code == http.StatusUnprocessableEntity
	}
	_, wrong := errors.AsType[*json.UnmarshalTypeError](err)
	return wrong
}

// Speak turns a text into sound.
func (c *Client) Speak(ctx context.Context, text, voice string) (audio.Clip, error) {
	var clip audio.Clip
	ask := func(format openai.SpeechResponseFormat) error {
		return c.repeat(ctx, func() error {
			answer, err := c.client.CreateSpeech(ctx, openai.CreateSpeechRequest{
				Model: openai.SpeechModel(c.model), Input: text, Voice: openai.SpeechVoice(voice), ResponseFormat: format,
			})
			if err != nil {
				return err
			}
			defer func() { _ = answer.Close() }()
			body, err := io.ReadAll(answer)
			if err != nil {
				return err
			}
			clip, err = decodeSound(body, c.guard.Quote(answer.Header().Get("Content-Type"), kindShown), format)
			return err
		})
	}
	first := openai.SpeechResponseFormatWav
	if c.plain.Load() {
		first = openai.SpeechResponseFormatPcm
	}
	err := ask(first)
	if err != nil && formRefused(err) && first == openai.SpeechResponseFormatWav {
		if err = ask(openai.SpeechResponseFormatPcm); err == nil {
			c.plain.Store(true)
		}
	}
	return clip, c.explain(err)
}

// decodeSound reads the sound of an answer.
func decodeSound(body []byte, kind string, asked openai.SpeechResponseFormat) (audio.Clip, error) {
	switch {
	case bytes.HasPrefix(body, []byte("RIFF")):
		return audio.ReadWAV(bytes.NewReader(body))
	case len(body) == 0:
		return audio.Clip{Rate: pcmRate}, nil
	case strings.HasPrefix(kind, "audio/pcm"), strings.HasPrefix(kind, "audio/L16"),
		asked == openai.SpeechResponseFormatPcm && (kind == "" || kind == "application/octet-stream"):
		return audio.Clip{Rate: pcmRate, Samples: audio.PCM(body)}, nil
	}
	return audio.Clip{}, fmt.Errorf("the answer is %q, and neither WAV nor plain samples; the server must be able to send wav or pcm", kind)
}

// repeat asks a second time if the server was busy or failed, and if the deadline
// leaves enough time to wait as long as the server says.
func (c *Client) repeat(ctx context.Context, ask func() error) error {
	err := ask()
	status, ok := errors.AsType[*httpguard.StatusError](err)
	if !ok || (status.Code != http.StatusTooManyRequests && status.Code < 500) {
		return err
	}
	wait := pause
	if status.RetryAfter > 0 {
		wait = status.RetryAfter
	}
	if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < 2*wait {
		return err // the answer would come too late
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ask()
	case <-ctx.Done():
		return ctx.Err()
	}
}
