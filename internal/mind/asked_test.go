package mind_test

import (
	"log/slog"
	"testing"
	"time"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
)

// TestAsked: what people at home ask the gateway itself, answered by its real tools. The
// sentences of a case are said one after the other in one house.
func TestAsked(t *testing.T) {
	t.Parallel()
	talkThrough(t, "testdata/asked.txtar", clockKit)
}

// clockKit makes the real tools that need no server, by the test's clock.
func clockKit(t *testing.T) []tools.Tool {
	t.Helper()
	kit, _ := localKit(t, func() time.Time { return time.Now().UTC() })
	return kit
}

// localKit makes the real tools that need no server, with the volume that they set.
func localKit(t *testing.T, now func() time.Time) ([]tools.Tool, *local.Volume) {
	t.Helper()
	config := local.Default()
	config.Volume.Backend = "software"
	kit, volume, err := local.All(config, local.Deps{Log: slog.New(slog.DiscardHandler), Now: now, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	return kit, volume
}

// TestSoundCanEndLater: the words that end a silence are taken by a timer, in every
// language.
func TestSoundCanEndLater(t *testing.T) {
	t.Parallel()
	for language, then := range map[string]string{"en": "unmute", "de": "ton an", "es": "activa el sonido", "fr": "remets le son"} {
		f := move(t, language)
		rec := f.answer.Turn(t.Context(), record.Request{Text: then, Source: record.FromTimer, DryRun: true})
		if rec.Route != record.RouteLocal || rec.Outcome == record.Asked || len(rec.Calls) == 0 {
			t.Errorf("%s: %q is weighed as %+v", language, then, rec)
		}
	}
}
