package mind_test

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// TestAModelsReadingIsToldInTheHousesLanguage: servers answer in English, and a German
// house hears German.
func TestAModelsReadingIsToldInTheHousesLanguage(t *testing.T) {
	t.Parallel()
	h := &home.House{Entities: []home.Entity{
		{ID: "door", Name: "Haustür", Domain: "lock", Read: &home.Control{Tool: "get_device_state", ID: "door"}, Server: "zwave"},
		{ID: "warm", Name: "Bürotemperatur", Domain: "sensor", Attributes: map[string]any{"device_class": "temperature"}, Abilities: []home.Ability{home.Temperature}, Read: &home.Control{Tool: "get_device_sensor_data", ID: "warm"}, Server: "zwave"},
	}}
	matcher, err := fake.Matchers["de"]()
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours("de")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tool, args, data, want string
		server                 string // "": zwave
	}{
		"by its id":    {"get_device_state", `{"device_name":"door"}`, `{"device":"Haustür","state":"locked","reachable":true}`, "Die Haustür ist abgeschlossen.", ""},
		"by its name":  {"get_device_state", `{"device_name":"haustür"}`, `{"device":"Haustür","state":"unlocked","reachable":true}`, "Die Haustür ist aufgeschlossen.", ""},
		"a sensor":     {"get_device_sensor_data", `{"device_name":"warm","sensor":"temperature"}`, `{"device":"Bürotemperatur","value":21.5,"unit":"°C","reachable":true}`, "Die Bürotemperatur liegt bei 21,5 Grad.", ""},
		"another tool": {"list_devices", `{"device_name":"door"}`, `{}`, "", ""},
		"no thing":     {"get_device_state", `{"device_name":"moon"}`, `{}`, "", ""},
		"a stranger's": {"get_device_state", `{"device_name":"door"}`, `{"device":"Haustür","state":"unlocked","reachable":true}`, "", "notes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := "not asked"
			model := func(_ context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
				call := dialogue.Call{Call: tools.Call{Tool: c.tool, Args: json.RawMessage(c.args)}, Spec: tools.Spec{Server: cmp.Or(c.server, "zwave")}, Result: tools.Result{Text: "In English.", Data: json.RawMessage(c.data)}}
				got = p.Read([]dialogue.Call{call})
				return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{Sentence: "So ist es."}, nil) }
			}
			a, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: h}, &fake.Caller{}, &fake.Assistant{ReplyFunc: model}, phrases,
				guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			a.Turn(t.Context(), record.Request{Text: "erzähl mir was", Source: record.FromHTTP})
			if got != c.want {
				t.Errorf("told %q, want %q", got, c.want)
			}
		})
	}
}
