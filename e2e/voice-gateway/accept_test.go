//go:build accept

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestAcceptDemo: the demonstration plays at the pace of real time and proves
// itself; here it must have said so.
func TestAcceptDemo(t *testing.T) {
	t.Parallel()
	out, errs, status := command(t, environ(t), "demo")
	if status != 0 {
		t.Fatalf("status %d\n%s\n%s", status, out, errs)
	}
	if n := strings.Count(out, "proof"); n != 5 {
		t.Errorf("%d proofs from devices, expected 5:\n%s", n, out)
	}
	for _, words := range []string{"what time is it", "I can't find a dishwasher.", "before", "after", "confirmed by the device", "ms after the end of speech"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is not in the story:\n%s", words, out)
		}
	}
}

// TestAcceptDemoWithABrokenServer: it must fail, say why, and tell the time.
func TestAcceptDemoWithABrokenServer(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken-server")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho 'cannot open the stick' >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, errs, status := command(t, environ(t, "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_COMMAND="+broken), "demo")
	if status != 1 {
		t.Fatalf("status %d, expected 1\n%s\n%s", status, out, errs)
	}
	for _, words := range []string{
		"attempt 1 failed", "attempt 2 failed", "attempt 3 failed", "Failed to initialize MCP tools after 3 attempts",
		"MCP server stderr: cannot open the stick", "Continuing with local tools only (datetime, search, volume)", "It's ",
	} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is not in the story:\n%s", words, out)
		}
	}
	if strings.Contains(out, "attempt 4") {
		t.Errorf("there were more than three attempts:\n%s", out)
	}
}

// TestAcceptHearInRealTime: twenty recorded commands at the pace of a microphone. The bar
// leaves room for one that is misheard. It runs before what runs in parallel: a second decoding
// that comes too late because ten other programs want the processors is not waited for.
func TestAcceptHearInRealTime(t *testing.T) {
	house := fake.Shared(t, "speech", "clips", "home.json")
	dir := filepath.Dir(house)
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	var files []string
	for line := range strings.Lines(string(manifest)) {
		var c struct{ File, Text, Kind, Voice, SNR string }
		if json.Unmarshal([]byte(line), &c); strings.HasPrefix(c.File, "cmd_flite-slt_clean_") && len(files) < 20 {
			files = append(files, filepath.Join(dir, c.File))
			text[filepath.Join(dir, c.File)] = c.Text
		}
	}
	right := 0
	for _, r := range heard(t, append([]string{"--realtime", "--no-wake", "--home", house}, files...)...) {
		got := ""
		if r.Transcript != nil {
			got = r.Transcript.Text
		}
		same := strings.ReplaceAll(got, "lights", "light") == strings.ReplaceAll(text[r.File], "lights", "light")
		if same && r.Intent != nil && r.Timings.Endpoint != nil {
			right++
		}
		t.Logf("%-32s %-45q %v %s", filepath.Base(r.File), got, same, r.Outcome)
		for _, c := range r.Calls {
			if r.Outcome == record.Done && c.Receipt != nil && !c.Receipt.Done() {
				t.Errorf("%s: done without the device's word", r.File)
			}
		}
	}
	t.Logf("%d of %d commands right", right, len(files))
	if len(files) != 20 || right < 19 {
		t.Errorf("%d of %d right, expected at least 19 of 20", right, len(files))
	}
}
