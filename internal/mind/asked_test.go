package mind_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools/local"
)

// TestAsked: what people at home ask the gateway itself, answered by its real tools. The
// sentences of a case are said one after the other in one house.
func TestAsked(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/asked.txtar")
	said := map[string][]string{} // what the case still answers in a language
	golden.Answer(func(c fake.ProseCase, language, _ string) string {
		key := c.Name + ": " + language
		if len(said[key]) == 0 {
			synctest.Test(t, func(t *testing.T) { said[key] = askThrough(t, c, language) })
		}
		next := said[key][0]
		said[key] = said[key][1:]
		return next
	})
	golden.Compare(t, *update)
}

// askThrough says the sentences of a case in a language and returns the answers.
func askThrough(t *testing.T, c fake.ProseCase, language string) (all []string) {
	t.Helper()
	f := moveByClock(t, language, c.Given["at"])
	config := local.Default()
	config.Volume.Backend = "software"
	kit, _, err := local.All(config, local.Deps{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Now().UTC() }, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range kit {
		f.tools[tool.Spec().Name] = tool
	}
	for _, l := range c.Lines {
		switch {
		case l.Language != language:
		case f.stir(l.Asked):
			all = append(all, "")
		default:
			_, answered := f.say(l.Asked)
			all = append(all, answered)
		}
	}
	return all
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
