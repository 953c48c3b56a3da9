package answer_test

import (
	"log/slog"
	"testing"
	"testing/fstest"

	"voicegateway/internal/answer"
	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/record"
	"voicegateway/internal/speech"
)

// TestAForeignSentenceGrows: an order of somebody else's pack, which is written down
// and not carried out, counts with what was added to it.
func TestAForeignSentenceGrows(t *testing.T) {
	t.Parallel()
	pack, err := intent.LoadDir(fstest.MapFS{
		"lists/en/order.yaml":                &fstest.MapFile{Data: []byte("lists:\n  size: {values: [small, large]}\n  milk: {values: [oat milk, whole milk]}\n")},
		"sentences/en/OrderDrink/order.yaml": &fstest.MapFile{Data: []byte("data:\n  - sentences: ['give me a {size} coffee [with {milk}]']\n")},
	}, "en")
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := answer.New(&fake.Matcher{MatchFunc: m.Match}, &fake.Caller{}, &fake.Assistant{}, fake.English(), safety.Default(), answer.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for whole, milk := range map[string]any{
		"give me a large coffee with oat milk":           "oat milk",
		"give me a large coffee":                         nil,
		"give me a large coffee and what is the weather": nil,
	} {
		rec := record.Record{ID: record.NewID(), Source: record.FromMic, Transcript: &record.Transcript{Text: "give me a large coffee"}}
		told := record.Turn{Request: record.Request{Text: "give me a large coffee", Source: record.FromMic}, Record: &rec, Say: func(string) {}}
		a.Answer(t.Context(), told)
		a.Extend(t.Context(), told, speech.Transcript{Text: whole})
		if rec.Intent == nil || rec.Intent.Slots["size"] != "large" || rec.Intent.Slots["milk"] != milk {
			t.Errorf("%q became %+v", whole, rec.Intent)
		}
		if milk != nil && rec.Transcript.Text != whole {
			t.Errorf("the text in the record is %q", rec.Transcript.Text)
		}
	}
}
