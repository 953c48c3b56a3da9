package mind_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestCommandsAMinuteAreBounded: commands are limited for each MQTT and HTTP source
// and not for microphones; questions do not count, and after a minute there is room
// again.
func TestCommandsAMinuteAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &patient{}
		a := answererFor(t, p, nil, &shelf{}, &fake.Assistant{})
		ask := func(source record.Source, text string) record.Record {
			return a.Turn(t.Context(), record.Request{Text: text, Source: source})
		}
		for i := range 60 {
			if r := ask(record.FromMQTT, "turn on the kitchen light"); r.Outcome != record.Done {
				t.Fatalf("command %d: %+v", i, r.Verdict)
			}
		}
		made := len(p.calls)
		if r := ask(record.FromMQTT, "turn off the kitchen light"); r.Route != record.RouteRefused || r.Reply == "" || len(p.calls) != made {
			t.Errorf("command 61: %s %+v", r.Route, r.Verdict)
		}
		if r := ask(record.FromMQTT, "turn on the kitchen light and turn on the bedroom lamp"); r.Route != record.RouteRefused {
			t.Errorf("two commands in one: %+v", r.Verdict)
		}
		for _, source := range []record.Source{record.FromHTTP, record.FromMic, record.FromFile, record.FromCLI} {
			if r := ask(source, "turn off the kitchen light"); r.Outcome != record.Done {
				t.Errorf("from %s: %+v", source, r.Verdict)
			}
		}
		<-time.After(time.Minute)
		if r := ask(record.FromMQTT, "turn off the kitchen light"); r.Outcome != record.Done {
			t.Errorf("a minute later: %+v", r.Verdict)
		}
		for i := range 100 {
			if r := ask(record.FromMic, fmt.Sprintf("turn %s the kitchen light", []string{"on", "off"}[i%2])); r.Outcome != record.Done {
				t.Fatalf("microphone command %d: %+v", i, r.Verdict)
			}
		}
	})
}
