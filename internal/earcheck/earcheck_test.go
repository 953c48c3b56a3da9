package earcheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/internal/earcheck"
	"voicegateway/internal/rehearsal"
)

// A rehearsal is started, followed to its end, and told with what to write where.
func TestRehearse(t *testing.T) {
	t.Parallel()
	done := rehearsal.State{Report: &rehearsal.Report{Names: 2, Confused: []rehearsal.Confusion{{Name: "Disc\x1b[31m Lamp", Heard: "turn on the desk lamp", With: []string{"Desk Lamp"}, Alias: "disc light"}}}}
	var asked []string
	var out, progress bytes.Buffer
	err := earcheck.Rehearse(t.Context(), earcheck.Screen{
		Out: &out, Err: &progress,
		Ask: func(_ context.Context, method, path string, _ []byte, answer any) error {
			asked = append(asked, method+" "+path)
			state := done
			state.Running = method == "POST"
			text, err := json.Marshal(state)
			if err != nil {
				return err
			}
			return json.Unmarshal(text, answer)
		},
	})
	if err != nil || strings.Join(asked, ", ") != "POST /api/rehearsal, GET /api/rehearsal" {
		t.Fatalf("%v after %q", err, asked)
	}
	if !strings.Contains(out.String(), "voice-gateway config alias 'Disc [31m Lamp' 'disc light'") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("told:\n%q", out.String())
	}
}
