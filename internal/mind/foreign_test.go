package mind_test

import (
	"log/slog"
	"testing"
	"testing/fstest"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// TestAForeignSentenceGrows: an order of a foreign pack, which is recorded and not
// carried out, includes what was added to it.
func TestAForeignSentenceGrows(t *testing.T) {
	t.Parallel()
	a := barista(t)
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

// barista answers with a foreign pack for a coffee machine.
func barista(tb testing.TB) *mind.Mind {
	tb.Helper()
	pack, err := intent.LoadDir(fstest.MapFS{
		"lists/en/order.yaml":                &fstest.MapFile{Data: []byte("lists:\n  size: {values: [small, large]}\n  milk: {values: [oat milk, whole milk]}\n")},
		"sentences/en/OrderDrink/order.yaml": &fstest.MapFile{Data: []byte("data:\n  - sentences: ['give me a {size} coffee [with {milk}]']\n")},
	}, "en")
	if err != nil {
		tb.Fatal(err)
	}
	h := &home.House{Entities: []home.Entity{{ID: "lamp", Name: "Lamp", Domain: "light"}}}
	m, err := intent.New(pack, h)
	if err != nil {
		tb.Fatal(err)
	}
	a, err := mind.New(&fake.Matcher{Home: h, MatchFunc: m.Match}, &fake.Caller{}, &fake.Assistant{}, fake.English(), guard.Default(), mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// TestAForeignSentenceIsAskedAbout: only the author of a pack knows what its sentences
// do, so the gateway asks about one that was not finished or that has another reading.
func TestAForeignSentenceIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		heard speech.Transcript // at first
		whole speech.Transcript // what became of it
		asks  string
	}{
		"whole":                 {heard: speech.Transcript{Text: "give me a large coffee"}},
		"the same said twice":   {heard: speech.Transcript{Text: "give me a large coffee", Others: []string{"give me a large coffee"}}},
		"near another one":      {heard: speech.Transcript{Text: "give me a large coffee with oat milk", Others: []string{"give me a large coffee with whole milk"}}, asks: "Oat, or whole?"},
		"a part of another one": {heard: speech.Transcript{Text: "give me a large coffee", Others: []string{"give me a small coffee with whole milk"}}, asks: "Give me a large coffee, or give me a small coffee with whole milk?"},
		"half":                  {heard: speech.Transcript{Text: "give me a large coffee with", Unfinished: true}, asks: "And then?"},
		"whole and half":        {heard: speech.Transcript{Text: "give me a large coffee and", Unfinished: true}, asks: "And then?"},
		"half added":            {heard: speech.Transcript{Text: "give me a large coffee"}, whole: speech.Transcript{Text: "give me a large coffee with", Unfinished: true}, asks: "And then?"},
	} {
		a := barista(t)
		rec := record.Record{ID: record.NewID(), Source: record.FromMic, Transcript: &record.Transcript{Text: tt.heard.Text}}
		told := record.Turn{Request: record.Request{Text: tt.heard.Text, Source: record.FromMic, Unfinished: tt.heard.Unfinished, Others: tt.heard.Others}, Record: &rec, Say: func(string) {}}
		a.Answer(t.Context(), told)
		if tt.whole.Text != "" {
			a.Extend(t.Context(), told, tt.whole)
		}
		if asked := rec.Outcome == record.Asked; asked != (tt.asks != "") || asked && rec.Reply != tt.asks {
			t.Errorf("%s: %s, %q", name, rec.Outcome, rec.Reply)
		}
	}
}
