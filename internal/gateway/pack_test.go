package gateway

import (
	"log/slog"
	"testing"
	"testing/fstest"

	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
)

// A pack of sentences from outside replaces our own. The record shows what its sentences
// ask for, but an intent that is not one of ours calls and says nothing.
func TestSentencesOfOthers(t *testing.T) {
	pack, err := intent.LoadDir(fstest.MapFS{
		"sentences/en/OrderDrink/order.yaml": {Data: []byte("data:\n  - sentences: ['make me a {coffee}']\n")},
		"lists/en/coffee.yaml":               {Data: []byte("lists:\n  coffee: {values: [latte, mocha]}\n")},
	}, "en")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Default()
	cfg.Gateway.StateDir, cfg.AI.Enabled = t.TempDir(), "false"
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway", Pack: pack}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r := g.thinking.answerer.Turn(t.Context(), record.Request{Text: "make me a mocha", Source: record.FromFile})
	if r.Route != record.RouteLocal || r.Intent == nil || r.Intent.Name != "OrderDrink" || r.Intent.Slots["coffee"] != "mocha" {
		t.Errorf("%+v, intent %+v", r, r.Intent)
	}
	if r.Outcome != record.Ignored || len(r.Calls) > 0 || r.Reply != "" {
		t.Errorf("%s, calls %v, said %q", r.Outcome, r.Calls, r.Reply)
	}
	if d := g.house.Match("turn on the light", ""); d.Route == intent.Local {
		t.Errorf("a sentence of our own still acts: %+v", d)
	}
}
