package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// TestLouderIsAboutThePlayerOfTheTalk: a bare "louder" turns up the player that was just spoken
// about, and else the gateway's own voice, as does whatever is said of the voice.
func TestLouderIsAboutThePlayerOfTheTalk(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		says []string
		last string // part of the last call
	}{
		"nothing before":      {[]string{"louder"}, `set_volume {"action":"up"}`},
		"a player":            {[]string{"set the volume of the radio to 30 percent", "louder"}, `"action":"level","device_name":"Radio","value":40`},
		"a bit":               {[]string{"turn on the radio", "a bit quieter"}, `"action":"level","device_name":"Radio","value":20`},
		"turned up":           {[]string{"turn on the radio", "turn it up"}, `"action":"level","device_name":"Radio","value":40`},
		"more than once":      {[]string{"turn on the radio", "louder", "louder"}, `"action":"level","device_name":"Radio","value":40`},
		"the voice":           {[]string{"turn on the radio", "speak up"}, `set_volume {"action":"up"}`},
		"the gateway":         {[]string{"turn on the radio", "turn up your volume"}, `set_volume {"action":"up"}`},
		"a lamp between":      {[]string{"turn on the radio", "turn on the lamp", "louder"}, `set_volume {"action":"up"}`},
		"its own volume last": {[]string{"turn on the radio", "set the volume to 50 percent", "louder"}, `set_volume {"action":"up"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			radio := home.Entity{
				ID: "media_player.radio", Name: "Radio", Domain: "media_player", Server: "zwave", Abilities: []home.Ability{home.OnOff, home.Play, home.Volume},
				Control: &home.Control{Tool: "control_zwave_device", ID: "Radio"}, Read: &home.Control{Tool: "get_device_state", ID: "Radio"},
			}
			var mu sync.Mutex
			last := ""
			n, err := mind.New(settled(t, "en", &home.House{Entities: []home.Entity{radio, lamp("Lamp", "zwave")}}), &fake.Caller{
				AwaitFunc: func(context.Context, mind.Need) error { return nil },
				CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
					mu.Lock()
					defer mu.Unlock()
					switch c.Tool {
					case "get_device_state":
						return tools.Result{Data: json.RawMessage(`{"state":"playing","values":{"volume":30}}`)}, nil
					case "set_volume":
						last = fmt.Sprintf("%s %s", c.Tool, c.Args)
						return tools.Result{Text: "Done.", Data: json.RawMessage(`{"level":60}`)}, nil
					}
					last = fmt.Sprintf("%s %s", c.Tool, c.Args)
					return tools.Result{Receipt: &tools.Receipt{Device: "Radio", Property: string(home.Volume), Outcome: tools.Confirmed, Before: 30.0, Value: 40.0}}, nil
				},
			}, &fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range tt.says {
				rec := n.Turn(t.Context(), record.Request{Text: text, Source: record.FromCLI})
				t.Logf("%q: %s, %q", text, rec.Outcome, rec.Reply)
			}
			if !strings.Contains(last, tt.last) {
				t.Errorf("the last call is %s, want %s", last, tt.last)
			}
		})
	}
}
