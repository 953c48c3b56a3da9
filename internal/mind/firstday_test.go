package mind_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
)

// needsModel are the words with which a reply says that a language model is missing.
var needsModel = map[string]string{"en": "language model", "de": "Sprachmodell", "fr": "modèle de langage", "es": "modelo de lenguaje"}

// TestTheFirstDay says what a family says on its first day, in a house without a
// language model: every sentence has an answer of its kind, and only what is an order
// reaches a device.
func TestTheFirstDay(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "fr", "es"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile("testdata/firstday/" + language + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				<-time.After(8 * time.Hour) // it is morning
				right, all := 0, 0
				for line := range strings.Lines(string(data)) {
					text, kind, ok := strings.Cut(strings.TrimSpace(line), " => ")
					if !ok || strings.HasPrefix(line, "#") {
						continue
					}
					all++
					f := moveByClock(t, language, "now")
					rec := f.answer.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
					if got := kindOf(t, language, rec, kind, len(f.world.Calls) > 0); got != kind {
						t.Errorf("%q is answered with %q; that is %s, expected %s", text, rec.Reply, got, kind)
						continue
					}
					t.Logf("%q: %s", text, rec.Reply)
					right++
				}
				t.Logf("%d of %d are right", right, all)
			})
		})
	}
}

// kindOf is the kind of an answer; expected tells apart what only a reader can.
func kindOf(t *testing.T, language string, rec record.Record, expected string, called bool) string {
	t.Helper()
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	sum, sums := strings.CutPrefix(expected, "=")
	switch said := rec.Reply; {
	case said == "":
		return "nothing"
	case called:
		return "act"
	case said == phrases.Phrase("no_model", nil), said == phrases.Phrase("no_order", nil):
		return "not understood"
	case strings.Contains(said, needsModel[language]):
		return "model"
	case rec.Outcome == record.Asked && strings.HasSuffix(said, "?"):
		return "ask"
	case sums && strings.HasSuffix(said, " "+sum+"."):
		return expected
	case rec.Intent != nil && (rec.Intent.Name == catalogue.Help || rec.Intent.Name == catalogue.ListDevices):
		return "there"
	case rec.Outcome == record.Done && (expected == "greet" || expected == "talk"):
		return expected
	}
	return "something else"
}
