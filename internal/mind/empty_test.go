package mind_test

import (
	"log/slog"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// TestWhetherARoomIsEmpty asks a motion sensor, in every language and in both states.
func TestWhetherARoomIsEmpty(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/empty.txtar")
	golden.Answer(func(c fake.ProseCase, language, asked string) string {
		h := fake.Villa(language)
		h.Entities = append(h.Entities, home.Entity{
			ID: "hall_motion", Name: map[string]string{"en": "Hallway Motion", "de": "Bewegungsmelder Flur", "fr": "Détecteur du couloir", "es": "Detector del pasillo"}[language],
			Domain: "binary_sensor", Area: h.Areas[2].Name, Abilities: []home.Ability{home.Motion}, Server: "zwave",
			Attributes: map[string]any{"device_class": "motion"}, Read: &home.Control{Tool: "get_device_state", ID: "hall_motion"},
		})
		phrases, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		world := fake.NewWorldOf(h)
		world.Set("hall_motion", c.Given["motion"], nil)
		a, err := mind.New(settled(t, language, h), &fake.Caller{CallFunc: world.Call}, &fake.Assistant{}, phrases, guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return a.Turn(t.Context(), record.Request{Text: asked, Source: record.FromHTTP}).Reply
	})
	golden.Compare(t, *update)
}
