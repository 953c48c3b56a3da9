package gateway

import (
	"log/slog"
	"testing"

	"voicegateway/internal/keep/record"
)

// TestTypedSlipsInTheWholeGateway types a sentence with slips to a gateway that is put
// together: whatever stands between the mind and the house, slips are put right.
func TestTypedSlipsInTheWholeGateway(t *testing.T) {
	cfg := Default()
	cfg.Gateway.StateDir, cfg.AI.Enabled = t.TempDir(), "false"
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g.house.Tell("zwave", []byte(`{"areas":[{"name":"Attic"}],"entities":[{"id":"light.1","name":"Attic Lamp","domain":"light","areas":["Attic"],"control":{"tool":"c","id":"1"}}]}`))
	r := g.thinking.answerer.Turn(t.Context(), record.Request{Text: "swich on the attic lamp", Source: record.FromHTTP, DryRun: true})
	if r.Intent == nil || r.Intent.Name != "HassTurnOn" || len(r.Calls) != 1 {
		t.Errorf("%+v, calls %v: %q", r.Intent, r.Calls, r.Reply)
	}
}
