package host

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// TestTwoServersWithEcho: the server that the file names first keeps the plain name,
// whichever connects first; also in a later run while it does not come at all.
func TestTwoServersWithEcho(t *testing.T) {
	const never = time.Hour
	disk := &shelf{kept: map[string][]byte{}}
	both := map[string]string{"notes": "echo", "aaa": "aaa_echo"}
	for i, tt := range []struct {
		notes, aaa time.Duration // when they are connected
		names      map[string]string
	}{
		{2 * time.Second, time.Second, both},
		{time.Second, 2 * time.Second, both},
		{never, time.Second, map[string]string{"aaa": "aaa_echo"}},
		{time.Second, never, map[string]string{"notes": "echo"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			settings := Settings{Retry: DefaultRetry(), Servers: map[string]mcpint.Server{
				"aaa": {Trust: mcpint.TrustFull, Command: "/bin/aaa", Place: 2}, "notes": {Trust: mcpint.TrustFull, Command: "/bin/notes", Place: 1},
			}}
			cfg := settings.Config()
			cfg.Pins = disk
			reg := tools.NewRegistry()
			h, err := New(cfg, reg, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			fake := &fakeServer{specs: []tools.Spec{{Name: "echo", Remote: "echo"}}}
			h.dial = func(ctx context.Context, s mcpint.Server, o client.Options) (client.Session, error) {
				wait := map[string]time.Duration{"notes": tt.notes, "aaa": tt.aaa}[s.ID]
				if wait == never {
					return nil, fmt.Errorf("%s does not come", s.ID)
				}
				select {
				case <-time.After(wait):
				case <-ctx.Done():
				}
				return fake.dial(ctx, s, o)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- h.Run(ctx) }()
			pass(5 * time.Second)
			got := map[string]string{}
			for _, s := range reg.Specs() {
				got[s.Server] = s.Name
			}
			if !maps.Equal(got, tt.names) {
				t.Errorf("run %d: %v, want %v", i, got, tt.names)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
