package wyoming

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"voicegateway/internal/audio"
)

// Types of events that are waited for.
const (
	TypeInfo            = "info"
	TypeAudioStart      = "audio-start"
	TypeAudioChunk      = "audio-chunk"
	TypeAudioStop       = "audio-stop"
	TypeTranscript      = "transcript"
	TypeTranscriptStart = "transcript-start"
	TypeTranscriptChunk = "transcript-chunk"
	TypeDetection       = "detection"
)

// Format is the form of sound: samples a second, bytes a sample, channels.
type Format struct {
	Rate     int `json:"rate"`
	Width    int `json:"width"`
	Channels int `json:"channels"`
}

// ours is the form of the gateway's own sound.
var ours = Format{Rate: int(audio.SpeechRate), Width: 2, Channels: 1}

// sound is the data of the audio events. The timestamp is in milliseconds.
type sound struct {
	Format
	Timestamp int64 `json:"timestamp"`
}

// Start announces sound of ours; at counts milliseconds of the stream.
func Start(at int64) Event { return must(TypeAudioStart, sound{ours, at}) }

// Chunk is a piece of the sound that Start announced.
func Chunk(samples []int16, at int64) Event {
	e := must(TypeAudioChunk, sound{ours, at})
	e.Payload = audio.AppendPCM(make([]byte, 0, 2*len(samples)), samples)
	return e
}

// Stop is the end of that sound.
func Stop(at int64) Event {
	return must(TypeAudioStop, struct {
		Timestamp int64 `json:"timestamp"`
	}{at})
}

// Transcribe asks for the text of the sound that follows. An empty language
// leaves it to the service.
func Transcribe(language string) Event {
	return must("transcribe", struct {
		Language string `json:"language,omitempty"`
	}{language})
}

// Transcript is the data of a recogniser's answers.
type Transcript struct {
	Text string `json:"text"`
}

// Detect asks for wake words, by the service's names for them, in the sound that
// follows; without names for all the service listens for.
func Detect(names []string) Event {
	return must("detect", struct {
		Names []string `json:"names,omitempty"`
	}{names})
}

// Detection is the data of a wake word's detection.
type Detection struct {
	Name      string `json:"name"`
	Timestamp *int64 `json:"timestamp"` // of the sound, in milliseconds; nil where the service gives none
}

// must makes an event of data that always can be one.
func must(kind string, data any) Event {
	e, err := New(kind, data)
	if err != nil {
		return Event{Type: kind}
	}
	return e
}

// Info is what a service says about itself.
type Info struct {
	ASR  []Program `json:"asr"`
	TTS  []Program `json:"tts"`
	Wake []Program `json:"wake"`
}

// Program is one engine of a service.
type Program struct {
	Models []Model `json:"models"`
}

// Model is one model of a program.
type Model struct {
	Name      string   `json:"name"`
	Languages []string `json:"languages"`
	Phrase    string   `json:"phrase"` // of a wake word, as people say it
}

// Describe asks a service what it is.
func (c *Conn) Describe(ctx context.Context) (Info, error) {
	if err := c.Write(ctx, Event{Type: "describe"}); err != nil {
		return Info{}, fmt.Errorf("asking the service what it is: %w", err)
	}
	e, err := c.Await(ctx, TypeInfo)
	if err != nil {
		return Info{}, fmt.Errorf("asking the service what it is: %w", err)
	}
	var info Info
	if err := e.Decode(&info); err != nil {
		return Info{}, err
	}
	return info, nil
}

// maxSound bounds the sound of one text: six minutes at 22.05 kHz.
const maxSound = 16 << 20

// Synthesize has a service speak a text, on a connection of its own.
func Synthesize(ctx context.Context, uri, text string) (audio.Clip, error) {
	c, err := Dial(ctx, uri)
	if err != nil {
		return audio.Clip{}, err
	}
	defer func() { _ = c.Close() }()
	err = c.Write(ctx, must("synthesize", struct {
		Text string `json:"text"`
	}{text}))
	if err != nil {
		return audio.Clip{}, err
	}
	e, err := c.Await(ctx, TypeAudioStart)
	if err != nil {
		return audio.Clip{}, err
	}
	var f Format
	if err := e.Decode(&f); err != nil {
		return audio.Clip{}, err
	}
	pcm, err := c.collect(ctx, f)
	if err != nil {
		return audio.Clip{}, err
	}
	return clip(f, pcm)
}

// collect reads sound to its end.
func (c *Conn) collect(ctx context.Context, f Format) ([]byte, error) {
	var pcm []byte
	for {
		e, err := c.Await(ctx, TypeAudioChunk, TypeAudioStop)
		if err != nil {
			return nil, err
		}
		if e.Type == TypeAudioStop {
			return pcm, nil
		}
		own := f
		if err := e.Decode(&own); err != nil {
			return nil, err
		}
		if own != f {
			return nil, errors.New("the service changes the form of its sound in the middle")
		}
		if len(pcm)+len(e.Payload) > maxSound {
			return nil, fmt.Errorf("over %d bytes of sound for one text", maxSound)
		}
		pcm = append(pcm, e.Payload...)
	}
}

// clip makes mono 16 bit samples of whatever a service sends: a WAV file's bytes
// have the same form, and its reader checks what is odd.
func clip(f Format, pcm []byte) (audio.Clip, error) {
	if f.Width < 1 || f.Width > 4 || f.Channels < 1 || f.Channels > 32 || f.Rate < 1 {
		return audio.Clip{}, fmt.Errorf("the service sends sound of %d Hz, %d bytes a sample, %d channels, which cannot be played", f.Rate, f.Width, f.Channels)
	}
	if len(pcm) == 0 {
		return audio.Clip{Rate: audio.Rate(f.Rate)}, nil
	}
	b := append(make([]byte, 0, 44+len(pcm)), "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Rate*f.Channels*f.Width))
	b = binary.LittleEndian.AppendUint16(b, uint16(f.Channels*f.Width))
	b = binary.LittleEndian.AppendUint16(b, uint16(8*f.Width))
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(pcm)))
	c, err := audio.ReadWAV(bytes.NewReader(append(b, pcm...)))
	if err != nil {
		return audio.Clip{}, fmt.Errorf("reading the service's sound: %w", err)
	}
	return c, nil
}
