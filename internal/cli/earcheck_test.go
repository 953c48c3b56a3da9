package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/internal/ear/names"
)

// A rehearsal is started, followed to its end, and told with what to write where.
func TestRehearse(t *testing.T) {
	t.Parallel()
	done := names.State{Report: &names.Report{Names: 2, Confused: []names.Confusion{{Name: "Disc\x1b[31m Lamp", Heard: "turn on the desk lamp", With: []string{"Desk Lamp"}, Alias: "disc light"}}}}
	var asked []string
	var out, progress bytes.Buffer
	err := rehearse(t.Context(), screen{
		out: &out, err: &progress,
		ask: func(_ context.Context, method, path string, _ []byte, answer any) error {
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

// A rehearsal with a voice that the recogniser does not understand reports no counts of
// what was heard. A word without a known pronunciation is listed with the command that
// adds one.
func TestRehearsalThatHeardNothing(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	err := rehearse(t.Context(), screen{
		out: &out, err: &out,
		ask: func(_ context.Context, _, _ string, _ []byte, answer any) error {
			*answer.(*names.State) = names.State{Report: &names.Report{
				Names: 5, Voice: "the recogniser does not understand the gateway's voice",
				Confused: []names.Confusion{{Name: "Fan", With: []string{"Van"}, Alike: true, Alias: "blower"}},
				Unknown:  []names.Word{{Word: "zelbo", Names: []string{"Zelbo"}}},
			}}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{"does not understand", "of the names as they are pronounced, 1 need another name", "cannot hear it until you give a pronunciation: voice-gateway config pronounce zelbo PHONES"} {
		if !strings.Contains(out.String(), said) {
			t.Errorf("%q is not told:\n%s", said, &out)
		}
	}
	if strings.Contains(out.String(), "were spoken and heard") {
		t.Errorf("told:\n%s", &out)
	}
}
