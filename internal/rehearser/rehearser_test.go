package rehearser_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/rehearser"
	"voicegateway/internal/speech/sphinx"
	"voicegateway/internal/speech/stt"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/worker"
)

// TestMain makes the test binary its own worker, as the gateway's binary is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		in, out, err := worker.Pipes()
		if err == nil {
			err = sphinx.Work(context.Background(), in, out)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// config is a rehearsal with a voice and PocketSphinx, which make setup installs.
func config(t *testing.T, voice string) rehearser.Config {
	t.Helper()
	pack, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	speaking := tts.Default()
	speaking.Engines = []string{voice}
	v, err := tts.New(speaking, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	hearing := stt.Default()
	hearing.Engines, hearing.Command, hearing.Language, hearing.Patience = []string{"pocketsphinx"}, []string{os.Args[0], "worker", "stt"}, "en", time.Minute
	hearing.Log = slog.New(slog.DiscardHandler)
	return rehearser.Config{Pack: pack, Voice: v, Recogniser: hearing, Log: slog.New(slog.DiscardHandler)}
}

// planted are names that sound alike, in pairs, and others that do not.
var (
	planted = [][2]string{
		{"Den Light", "Ten Light"},
		{"Fan", "Van"},
		{"Desk Lamp", "Disc Lamp"},
		{"Bat Light", "Pat Light"},
		{"Zelbo", "Selbo"},
	}
	plain = []string{"Kitchen Ceiling Light", "Coffee Machine"}
)

func plantedHouse() *home.House {
	h := &home.House{Areas: []home.Area{{Name: "Office"}, {Name: "Garage"}}, Floors: []home.Floor{}}
	add := func(name, area string) {
		domain := "switch"
		if strings.HasSuffix(name, "Light") || strings.HasSuffix(name, "Lamp") {
			domain = "light"
		}
		if name == "Fan" {
			domain = "fan"
		}
		id := domain + "." + strings.ToLower(strings.ReplaceAll(name, " ", "_"))
		h.Entities = append(h.Entities, home.Entity{ID: id, Name: name, Domain: domain, Area: area, Control: &home.Control{Tool: "control_device", ID: name}, Abilities: []home.Ability{home.OnOff}})
	}
	for _, pair := range planted {
		add(pair[0], "Office")
		add(pair[1], "Garage")
	}
	for _, name := range plain {
		add(name, "")
	}
	return h
}

// silent is a voice that nobody understands.
type silent struct{}

func (silent) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.SpeechRate)}, nil
}

// Names are not blamed for a voice that the recogniser does not understand.
func TestAVoiceThatIsNotUnderstood(t *testing.T) {
	cfg, h := config(t, "flite"), plantedHouse()
	cfg.Voice, h.Entities = silent{}, h.Entities[:3]
	if r, err := rehearser.Rehearse(t.Context(), cfg, h); !errors.Is(err, rehearser.ErrVoice) {
		t.Errorf("%v, %+v", err, r)
	}
}
