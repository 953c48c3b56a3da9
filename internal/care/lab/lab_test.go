package lab

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/gateway"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
)

// scripted is a recogniser that hears what a test says.
type scripted struct {
	*fake.Script
	broken int // times that an utterance cannot begin
}

func (s *scripted) Attend() {}

func (s *scripted) Run(ctx context.Context) error { <-ctx.Done(); return nil }

func (s *scripted) SetGrammar(context.Context, speech.Grammar) ([]string, error) { return nil, nil }

func (s *scripted) Begin(ctx context.Context) error {
	if s.broken > 0 {
		s.broken--
		return errors.New("the worker is gone")
	}
	return s.Script.Begin(ctx)
}

// loud is a sound that a loudness detector takes for speech.
func loud(d time.Duration) []int16 {
	samples := make([]int16, int64(d)*int64(audio.SpeechRate)/int64(time.Second))
	for i := range samples {
		samples[i] = int16(6000 - 12000*(i/20%2))
	}
	return samples
}

func scriptedLab(t *testing.T, lines ...fake.Line) (*Lab, *scripted) {
	t.Helper()
	house := &home.House{Areas: []home.Area{{Name: "Kitchen"}}, Entities: []home.Entity{
		{ID: "light", Name: "Kitchen Light", Domain: "light", Area: "Kitchen", Abilities: []home.Ability{home.OnOff}},
		{ID: "fan", Name: "Ceiling Fan", Domain: "fan", Area: "Kitchen", Abilities: []home.Ability{home.OnOff}},
	}}
	m, err := New(Config{House: house, Gateway: gateway.Default(), Progress: io.Discard, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{Script: &fake.Script{Lines: lines, Loud: func(f audio.Frame) bool { return audio.Level(f.Samples) > -40 }}}
	m.Engine = s
	return m, s
}

// A measurement runs a turn of the gateway: when the sentence ended, the clause
// added after it, and what would be done.
func TestARecordingIsATurn(t *testing.T) {
	quiet := make([]int16, audio.SpeechRate/2)
	command, more := "turn on the kitchen light", "turn on the kitchen light and turn on the ceiling fan"
	for name, tt := range map[string]struct {
		kind, said, heard string
		lines             []fake.Line
		exact, same       bool
		wrong             bool
		added             string
	}{
		"heard":        {"command", command, command, []fake.Line{{After: 10, Text: command}}, true, true, false, ""},
		"with more":    {"command", more, more, []fake.Line{{After: 10, Text: command}, {After: 60, Text: more}}, true, true, false, ""},
		"with others":  {"command", command, command, []fake.Line{{After: 10, Text: command}, {After: 60, Text: more}}, true, true, true, "and turn on the ceiling fan"},
		"another":      {"command", command, "turn on the ceiling fan", []fake.Line{{After: 10, Text: "turn on the ceiling fan"}}, false, false, true, ""},
		"not heard":    {"command", command, "", nil, false, false, false, ""},
		"other speech": {"oog", "the light of my life", "", nil, true, true, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := scriptedLab(t, tt.lines...)
			clip := audio.Clip{Rate: audio.SpeechRate, Samples: slices.Concat(loud(time.Second), quiet, loud(time.Second))}
			o, err := m.hear(t.Context(), Recording{File: "x.wav", Kind: tt.kind, Text: tt.said, clip: clip})
			if err != nil {
				t.Fatal(err)
			}
			if o.Text != tt.heard || o.Exact != tt.exact || o.Intent != tt.same || o.Wrong != tt.wrong || o.Added != tt.added || o.Ended == "" {
				t.Errorf("%+v", o)
			}
		})
	}
}

// world is a house behind a server that carries out its calls.
type world struct{ *fake.World }

func (world) Await(context.Context, mind.Need) error { return nil }

// A recording can be carried out, in a house of the caller's: the command and what is
// written do the same, and the record has the device's receipt.
func TestARecordingIsCarriedOut(t *testing.T) {
	command := "turn on the kitchen light"
	m, _ := scriptedLab(t, fake.Line{After: 10, Text: command})
	house := m.cfg.House
	for i := range house.Entities {
		house.Entities[i].Read = &home.Control{Tool: "get_device_state", ID: house.Entities[i].ID}
	}
	if err := m.Enter(house); err != nil {
		t.Fatal(err)
	}
	heard, read := world{fake.NewWorldOf(house)}, world{fake.NewWorldOf(house)}
	cfg := file.Default()
	cfg.Clips, cfg.Start = []audio.Clip{{Rate: audio.SpeechRate, Samples: loud(time.Second)}}, time.Unix(0, 0)
	h, err := m.Play(t.Context(), Playing{Sound: cfg, Caller: heard})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Read(t.Context(), read, command)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Turns) != 1 || h.Turns[0].Outcome != record.Done || h.Turns[0].Reply != r.Reply || r.Outcome != record.Done {
		t.Errorf("heard %+v, read %+v", h.Turns, r)
	}
	if !slices.Equal(heard.Calls, []string{"light on"}) || !slices.Equal(read.Calls, heard.Calls) {
		t.Errorf("heard: %q, read: %q", heard.Calls, read.Calls)
	}
}

// A recogniser that is not available says nothing about how well it hears, so it is
// asked again.
func TestABrokenRecogniserIsAskedAgain(t *testing.T) {
	m, s := scriptedLab(t, fake.Line{After: 10, Text: "turn on the kitchen light"})
	r := Recording{Kind: "command", Text: "turn on the kitchen light", clip: audio.Clip{Rate: audio.SpeechRate, Samples: loud(time.Second)}}
	hear := func(ctx context.Context) (Outcome, error) { return m.hear(ctx, r) }
	s.broken = 2
	if o, err := again(t.Context(), hear); err != nil || !o.Intent {
		t.Errorf("%+v, %v", o, err)
	}
	s.broken = math.MaxInt
	if o, err := again(t.Context(), hear); err == nil {
		t.Errorf("%+v", o)
	}
}
