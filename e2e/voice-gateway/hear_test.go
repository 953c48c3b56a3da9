package e2e

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// heard runs hear --json and returns its records.
func heard(tb testing.TB, args ...string) []record.Record {
	tb.Helper()
	out, errs, status := command(tb, environ(tb), append([]string{"hear", "--json"}, args...)...)
	if status != 0 {
		tb.Fatalf("hear ended with %d: %s", status, errs)
	}
	var all []record.Record
	for line := range strings.Lines(out) {
		var r record.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			tb.Fatalf("%v in %s", err, line)
		}
		all = append(all, r)
	}
	return all
}

// spoken makes a recording of a sentence with flite.
func spoken(tb testing.TB, sentence string) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "spoken.wav")
	cmd := exec.CommandContext(tb.Context(), "flite", "-voice", "slt", "-o", file)
	cmd.Stdin = strings.NewReader(sentence)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("flite: %v\n%s", err, out)
	}
	return file
}

// TestHearWakeWordAndCommandInOneBreath goes through the whole pipeline: wake
// word, endpoint, recogniser, child server, simulated device.
func TestHearWakeWordAndCommandInOneBreath(t *testing.T) {
	t.Parallel()
	records := heard(t, spoken(t, "hey jarvis, turn on the kitchen light."))
	if len(records) != 1 {
		t.Fatalf("%d records, expected one turn: %+v", len(records), records)
	}
	r := records[0]
	if r.Wake == nil || r.Wake.Word != "hey jarvis" || r.Transcript == nil || r.Transcript.Text != "turn on the kitchen light" {
		t.Fatalf("wake %+v, transcript %+v", r.Wake, r.Transcript)
	}
	if r.Source != record.FromFile || r.Route != record.RouteLocal || r.Outcome != record.Done || r.Reply != "The kitchen light is on." {
		t.Errorf("%+v", r)
	}
	if len(r.Calls) != 1 || !r.Calls[0].Receipt.Done() {
		t.Errorf("calls %+v", r.Calls)
	}
	for name, ms := range map[string]*float64{
		"speech_end": r.Timings.SpeechEnd, "endpoint": r.Timings.Endpoint, "transcript": r.Timings.Transcript,
		"first_publish": r.Timings.FirstPublish, "confirmed": r.Timings.Confirmed, "first_audio": r.Timings.FirstAudio, "total": r.Timings.Total,
	} {
		if ms == nil {
			t.Errorf("timings_ms.%s is missing", name)
		}
	}
}

// TestHearMusicDoesNothing: strings that fit "turn heater on", "fan on" and "turn on
// bedroom fan", heard without a wake word and without a voice model.
func TestHearMusicDoesNothing(t *testing.T) {
	t.Parallel()
	doesNothing(t, "chords-07") // others in the acceptance test
}

// doesNothing has the gateway hear pieces of music without a wake word: it takes none
// for an order.
func doesNothing(t *testing.T, pieces ...string) {
	t.Helper()
	args := []string{"--no-wake", "--home", fake.Shared(t, "speech", "clips", "home.json")}
	for _, s := range fake.Music() {
		if slices.Contains(pieces, s.Name) {
			name := filepath.Join(t.TempDir(), s.Name+".wav")
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(audio.WriteWAV(f, s.Clip), f.Close()); err != nil {
				t.Fatal(err)
			}
			args = append(args, name)
		}
	}
	for _, r := range heard(t, args...) {
		if len(r.Calls) > 0 || r.Transcript != nil && r.Transcript.Text != "" {
			t.Errorf("%s: heard %+v, did %+v", filepath.Base(r.File), r.Transcript, r.Calls)
		}
	}
}

// TestHearWithoutAWakeWordDoesNothing: a command without a wake word is not carried out.
func TestHearWithoutAWakeWordDoesNothing(t *testing.T) {
	t.Parallel()
	records := heard(t, spoken(t, "turn on the kitchen light."))
	if len(records) != 1 || records[0].Outcome != record.Ignored || len(records[0].Calls) > 0 || records[0].Wake != nil {
		t.Errorf("%+v", records)
	}
}

func TestHearDryRunStopsBeforeTheTools(t *testing.T) {
	t.Parallel()
	records := heard(t, "--no-wake", "--dry-run", spoken(t, "lock the front door."))
	if len(records) != 1 || records[0].Intent == nil || records[0].Outcome == record.Done {
		t.Fatalf("%+v", records)
	}
	if c := records[0].Calls; len(c) != 1 || c[0].OK || c[0].Receipt != nil {
		t.Errorf("calls %+v, expected the one that would have been made", c)
	}
}

// TestHearSharedClips: recordings in a house of their own, each once.
func TestHearSharedClips(t *testing.T) {
	t.Parallel()
	house := fake.Shared(t, "speech", "clips", "home.json")
	dir := filepath.Dir(house)
	files := []string{
		filepath.Join(dir, "cmd_flite-slt_clean_000.wav"), filepath.Join(dir, "cmd_flite-slt_clean_010.wav"),
		filepath.Join(dir, "cmd_flite-rms_clean_036.wav"), filepath.Join(dir, "oog_flite-slt_clean_114.wav"),
	}
	records := heard(t, append([]string{"--no-wake", "--home", house}, files...)...)
	if len(records) != len(files) {
		t.Fatalf("%d records for %d files", len(records), len(files))
	}
	for i, want := range []struct {
		text    string
		outcome record.Outcome
	}{
		{"turn on the kitchen light", record.Done},
		{"dim the bedroom lamp to forty percent", record.Done},
		{"lock the front door", record.Done},
		{"", record.Ignored},
	} {
		r := records[i]
		if r.File != files[i] || r.Transcript == nil || r.Transcript.Text != want.text || r.Outcome != want.outcome {
			t.Errorf("%s: heard %+v, %s (%s); expected %q, %s", filepath.Base(files[i]), r.Transcript, r.Outcome, r.Error, want.text, want.outcome)
		}
	}
}

// TestHearWithSentencesOfOthers: a person's order is heard with the sentences of a
// pack, and its slots and values are as the pack writes them.
func TestHearWithSentencesOfOthers(t *testing.T) {
	t.Parallel()
	order := fake.Shared(t, "speech", "human", "coffee", "c000.wav")
	pack := fake.Shared(t, "speech", "human", "pack")
	records := heard(t, "--no-wake", "--engine", "pocketsphinx", "--pack", pack, "--lang", "en", order)
	if len(records) != 1 || records[0].Intent == nil {
		t.Fatalf("%+v", records)
	}
	r := records[0]
	want := map[string]any{"size": "small", "roast": "medium roast", "coffeeDrink": "mocha"}
	if r.Intent.Name != "OrderDrink" || !maps.Equal(r.Intent.Slots, want) {
		t.Errorf("heard %+v, intent %+v, want %v", r.Transcript, r.Intent, want)
	}
	if r.Route != record.RouteLocal || r.Outcome != record.Ignored || len(r.Calls) > 0 || r.Reply != "" {
		t.Errorf("%+v", r)
	}
}

func TestHearSilence(t *testing.T) {
	t.Parallel()
	silence := filepath.Join(t.TempDir(), "silence.wav")
	header := []byte("RIFF\x24\xfa\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data\x00\xfa\x00\x00")
	if err := os.WriteFile(silence, append(header, make([]byte, 64000)...), 0o600); err != nil {
		t.Fatal(err)
	}
	records := heard(t, "--no-wake", silence)
	if len(records) != 1 || records[0].Outcome != record.Ignored || records[0].Transcript != nil || records[0].Reply != "" {
		t.Errorf("%+v", records)
	}
}
