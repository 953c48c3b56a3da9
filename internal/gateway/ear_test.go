package gateway

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/doors"
	"voicegateway/internal/ear"
	"voicegateway/internal/ear/mute"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
)

// looping starts a gateway's turn loop alone and returns what ends it.
func looping(t *testing.T, g *Gateway) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = g.hearing.listen(ctx) })
	end = func() { cancel(); running.Wait() }
	t.Cleanup(end)
	return end
}

// another makes a gateway with the state directory of an earlier one.
func another(t *testing.T, dir string) *Gateway {
	t.Helper()
	cfg := Default()
	cfg.Gateway.StateDir = dir
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Mute holds over a restart, the state says so from the first word on, and
// nothing but unmuting opens the microphone.
func TestMuteHoldsOverARestart(t *testing.T) {
	dir := t.TempDir()
	g := another(t, dir)
	g.restoreMute(t.Context())
	if g.Muted() || g.journal.state() != ear.Idle {
		t.Fatalf("a new gateway is muted: %s", g.journal.state())
	}
	end := looping(t, g)
	if w := g.ask(t, http.MethodPost, "/api/mute", `{"on":true}`); w.Code != http.StatusOK {
		t.Fatalf("mute: %d %s", w.Code, w.Body)
	}
	if w := g.ask(t, http.MethodPost, "/api/listen", ""); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "muted") {
		t.Errorf("listening while muted: %d %s", w.Code, w.Body)
	}
	if g.journal.state() != ear.Muted || !g.hearing.sound.card.State().Muted {
		t.Errorf("state %s, the card is muted: %v", g.journal.state(), g.hearing.sound.card.State().Muted)
	}
	end()

	g = another(t, dir)
	g.restoreMute(t.Context())
	if !g.Muted() || g.journal.state() != ear.Muted || !g.hearing.sound.card.State().Muted {
		t.Errorf("after the restart: state %s, the card is muted: %v", g.journal.state(), g.hearing.sound.card.State().Muted)
	}
	end = looping(t, g)
	if w := g.ask(t, http.MethodPost, "/api/mute", `{"on":false}`); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"muted":false`) {
		t.Fatalf("unmute: %d %s", w.Code, w.Body)
	}
	if g.journal.state() != ear.Idle || g.hearing.sound.card.State().Muted {
		t.Errorf("after unmuting: state %s", g.journal.state())
	}
	end()
	if on, err := mute.Kept(dir); on || err != nil {
		t.Errorf("kept is %v, %v", on, err)
	}
}

// If the stored switch cannot be read, the microphone stays closed.
func TestADoubtAboutMuteIsMuted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mute.json"), []byte(`{"muted":fal`), 0o600); err != nil {
		t.Fatal(err)
	}
	g := another(t, dir)
	g.restoreMute(t.Context())
	if !g.Muted() {
		t.Error("a damaged switch counts as open")
	}
}

// A mute that cannot be stored holds all the same, and the caller gets an error.
func TestMuteWithoutADisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := another(t, filepath.Join(file, "state"))
	looping(t, g)
	w := g.ask(t, http.MethodPost, "/api/mute", `{"on":true}`)
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "holds until the gateway ends") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !g.Muted() || g.journal.state() != ear.Muted {
		t.Error("it is not muted")
	}
}

// Sound is recorded if that is switched on, and every interface shows it.
func TestTheRecorderIsVisible(t *testing.T) {
	dir := t.TempDir()
	cfg := Default()
	cfg.Gateway.StateDir, cfg.Recorder.Enabled = dir, true
	g, err := New(cfg, Options{Executable: "/nowhere/voice-gateway"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g.tellRecorder()
	if got := part(t, g, "recorder"); got.State != doors.PartReady || !strings.Contains(got.Why, filepath.Join(dir, recorder.Dir)+" for 7 days") {
		t.Errorf("part %+v", got)
	}
	if b, err := json.Marshal(g.stream.Standing(g.journal.state())[0].Body); err != nil || !strings.Contains(string(b), `"recorder":"on"`) {
		t.Errorf("state event %s", b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = g.hearing.keeper.Run(ctx) })
	g.hearing.keeper.Keep(record.Record{ID: "t-1", Time: time.Now()}, audio.Clip{Rate: audio.SpeechRate, Samples: make([]int16, 320)})
	cancel()
	running.Wait()
	found := 0
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(path, "_t-1.json") || strings.HasSuffix(path, "_t-1.wav") {
			found++
		}
		return nil
	})
	if found != 2 {
		t.Errorf("%d files", found)
	}
}

// By default nothing is recorded, and every interface shows that too. Sound that a
// person tries out or that is played instead of a microphone is not recorded
// either.
func TestNothingIsRecordedUnasked(t *testing.T) {
	g := assembled(t)
	g.tellRecorder()
	if got := part(t, g, "recorder"); g.hearing.keeper != nil || !strings.HasPrefix(got.Why, "off") {
		t.Errorf("part %+v", got)
	}
	for name, opts := range map[string]Options{"private": {Private: true}, "text": {TextOnly: true}, "a file": {Mic: &fake.Microphone{}}} {
		cfg := Default()
		cfg.Recorder.Enabled = true
		opts.Executable = "/nowhere/voice-gateway"
		g, err := New(cfg, opts, slog.New(slog.DiscardHandler))
		if err != nil || g.hearing.keeper != nil {
			t.Errorf("%s: recorded, %v", name, err)
		}
	}
}

func part(t *testing.T, g *Gateway, name string) doors.Part {
	t.Helper()
	for _, p := range g.Parts() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no part %s among %+v", name, g.Parts())
	return doors.Part{}
}

// A use without a device is reported with the key to change.
func TestSoundSaysWhatIsMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		used    []string
		cfg     device.Config
		problem string // of the worker
		in, out string // words; "" for no problem
	}{
		"both":         {[]string{"input, output"}, device.Config{}, "", "", ""},
		"nothing":      {nil, device.Config{Input: "default"}, "", "default microphone", "default speaker"},
		"named":        {[]string{"output"}, device.Config{Input: "usb"}, "", `"usb"`, ""},
		"known better": {[]string{"", "output"}, device.Config{}, "it burns", "it burns", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := audio.Equipment{InputProblem: tt.problem}
			for _, used := range tt.used {
				s.Devices = append(s.Devices, audio.Device{Used: used})
			}
			complete(&s, tt.cfg)
			for got, want := range map[string]string{s.InputProblem: tt.in, s.OutputProblem: tt.out} {
				if (got == "") != (want == "") || !strings.Contains(got, want) {
					t.Errorf("problem %q, expected one with %q", got, want)
				}
			}
			if s.Devices == nil {
				t.Error("no list, expected an empty one")
			}
		})
	}
}
