package names_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// config is a rehearsal with a voice and PocketSphinx, which make setup installs.
func config(t *testing.T, voice string) names.Config {
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
	hearing.Engines, hearing.Command, hearing.Language, hearing.Patience = []string{"pocketsphinx"}, []string{fake.Worker(t), "worker", "stt"}, "en", time.Minute
	hearing.Log = slog.New(slog.DiscardHandler)
	return names.Config{Pack: pack, Voice: v, Recogniser: hearing, Log: slog.New(slog.DiscardHandler)}
}

// plainName are names that sound like nothing else.
var plainName = []string{"Kitchen Ceiling Light", "Coffee Machine", "Nursery Lamp"}

// planted are the pairs that are also spoken: a recogniser takes a second for each.
var planted = alike[2:5]

// plantedHouse is a house of pairs that sound alike, and of names that do not.
func plantedHouse() *home.House {
	h := &home.House{Areas: []home.Area{{Name: "Office"}, {Name: "Garage"}}, Floors: []home.Floor{}}
	add := func(name, area string) { h.Entities = append(h.Entities, thing(name, area)) }
	for _, pair := range planted {
		add(pair[0], "Office")
		add(pair[1], "Garage")
	}
	for _, name := range plainName {
		add(name, "")
	}
	return h
}

// silent is a voice that no recogniser understands.
type silent struct{}

func (silent) Synthesize(context.Context, string) (audio.Clip, error) {
	return audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, audio.SpeechRate)}, nil
}

// Names are not blamed for a voice that the recogniser does not understand: they are only
// compared.
func TestAVoiceThatIsNotUnderstood(t *testing.T) {
	cfg, h := config(t, "flite"), plantedHouse()
	cfg.Voice, h.Entities = silent{}, append(h.Entities[:4], h.Entities[len(h.Entities)-1])
	r, err := names.Rehearse(t.Context(), cfg, h)
	if err != nil || !strings.Contains(r.Voice, "does not understand the gateway's voice: 5 of 5") || len(r.Confused) != 4 {
		t.Errorf("%v, %+v", err, r)
	}
	for _, c := range r.Confused {
		if !c.Alike || c.Heard != "" || c.Alias == "" || len(c.With) != 1 {
			t.Errorf("%+v", c)
		}
	}
}
