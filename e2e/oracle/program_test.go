//go:build oracle

package oracle

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/e2e/rig"
)

// match gives lines to voice-gateway match and returns its answers without what they took.
func match(t *testing.T, lines string, args ...string) (answers []object) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), append([]string{"match"}, args...)...)
	var errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stderr = rig.Environ(t), strings.NewReader(lines), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("voice-gateway match %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	for line := range bytes.Lines(out) {
		var answer object
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		delete(answer, "us")
		answers = append(answers, answer)
	}
	if want := strings.Count(lines, "\n"); len(answers) != want {
		t.Fatalf("%d lines are answered by %d\n%s", want, len(answers), errs.String())
	}
	return answers
}
