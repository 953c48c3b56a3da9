package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// pluggedIn is the setting with which a simulated sound card is the only one. Its
// microphone hears the recording from the moment it is opened, and then silence; while
// the file unplug exists, the card is unplugged.
func pluggedIn(t *testing.T, recording, unplug string) string {
	t.Helper()
	clip, err := file.Load(recording)
	if err != nil {
		t.Fatal(err)
	}
	wav := filepath.Join(t.TempDir(), "in.wav")
	if err := os.WriteFile(wav, shape(t, clip, 1, 1, 16, 16000).bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	setting, _ := fake.SoundCard(t, fmt.Sprintf("wav %q", wav), fmt.Sprintf("gone %q", unplug))
	return setting
}

// telling runs a command whose output is looked at while it runs.
func telling(t *testing.T, env []string, args ...string) (c *exec.Cmd, out *safeBuffer, ended <-chan error) {
	t.Helper()
	out = &safeBuffer{}
	c = exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), args...)
	c.Env, c.Stdout, c.Stderr = env, out, out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	end := make(chan error, 1)
	go func() { end <- c.Wait() }()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("voice-gateway %s says:\n%s", strings.Join(args, " "), out)
		}
	})
	return c, out, end
}

// interrupt sends Ctrl-C, the normal way to end these commands.
func interrupt(t *testing.T, c *exec.Cmd, out *safeBuffer, ended <-chan error) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("after Ctrl-C it ended with %v:\n%s", err, out)
	}
}

// TestMuteSurvivesARestart: muted over MQTT, muted after the restart from the
// first word on, answering texts all the while, and opened from the command line.
func TestMuteSurvivesARestart(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	stranger := listen(t, broker)
	state := "VOICE_GATEWAY_GATEWAY_STATE_DIR=" + t.TempDir()
	c, _, env := daemon(t, broker, state)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	eventually(t, "the recorder is off", func() bool { return stranger.has("voice/test/recorder", "off") })
	stranger.say(t, "mute", `{"id":"m1","on":true}`)
	eventually(t, "it is muted", func() bool { return strings.HasSuffix(stranger.states(), "muted") })
	stranger.say(t, "listen", `{"id":"l1"}`)
	stranger.say(t, "mute", `{"id":"m2"}`)
	eventually(t, "both are refused", func() bool { return len(stranger.on("voice/test/cmd/error")) == 2 })
	if !stranger.has("voice/test/cmd/error", `"l1"`, "muted") || !stranger.has("voice/test/cmd/error", `"m2"`, "on is missing") {
		t.Errorf("refusals %q", stranger.on("voice/test/cmd/error"))
	}
	if out, errs, status := command(t, env, "listen", "--now"); status != 1 || !strings.Contains(errs, "muted") {
		t.Errorf("push to talk while muted: status %d, %s%s", status, out, errs)
	}
	kill(t, c.Process.Pid) // no farewell: the switch is on the disk already
	<-c.ended

	before := len(stranger.on("voice/test/state"))
	_, _, env = daemon(t, broker, state)
	eventually(t, "it is back", func() bool { return len(stranger.on("voice/test/state")) > before })
	if first := stranger.on("voice/test/state")[before]; first != "muted" {
		t.Errorf("after the restart it is %s at first", first)
	}
	if out, _, status := command(t, env, "ask", "what time is it"); status != 0 || !strings.HasPrefix(out, "It's ") {
		t.Errorf("the time: %q, status %d", out, status)
	}
	if out, _, _ := command(t, env, "mute"); !strings.Contains(out, "is muted") {
		t.Errorf("mute says %q", out)
	}
	if out, _, status := command(t, env, "mute", "off", "--json"); status != 0 || out != `{"muted":false}`+"\n" {
		t.Errorf("mute off says %q, status %d", out, status)
	}
	eventually(t, "it is idle", func() bool { return strings.HasSuffix(stranger.states(), "idle") })
}

// TestListenShowsWhatTheGatewayHears: listen shows what the running daemon hears through
// its sound card, and the recorder keeps the utterance in a file that only its owner may
// read.
func TestListenShowsWhatTheGatewayHears(t *testing.T) {
	t.Parallel()
	card := pluggedIn(t, spoken(t, "hey jarvis, turn on the kitchen light."), filepath.Join(t.TempDir(), "none"))
	broker := mosquitto(t)
	simulate(t, broker)
	stranger := listen(t, broker)
	dir := t.TempDir()
	c, http, env := daemon(t, broker, card, "VOICE_GATEWAY_GATEWAY_STATE_DIR="+dir, "VOICE_GATEWAY_RECORDER_ENABLED=true")
	if _, errs, status := command(t, env, "mute", "on"); status != 0 {
		t.Fatal(errs)
	}
	eventually(t, "the house is known", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
	shown, out, ended := telling(t, env, "listen", "--json")
	eventually(t, "it is muted", func() bool { return strings.Contains(out.String(), `{"state":"muted","recorder":"on"}`) })
	eventually(t, "the sound card is seen", func() bool {
		list, _, _ := command(t, env, "devices", "--json")
		return strings.Contains(list, `"used":"input, output"`) && strings.Contains(list, `"muted":true`)
	})
	if _, errs, status := command(t, env, "mute", "off"); status != 0 { // now the recording begins
		t.Fatal(errs)
	}
	var heard record.Record
	eventually(t, "the turn is shown", func() bool {
		for line := range strings.Lines(out.String()) {
			var event struct {
				Kind string
				Data json.RawMessage
			}
			if json.Unmarshal([]byte(line), &event) == nil && event.Kind == "turn" {
				return json.Unmarshal(event.Data, &heard) == nil
			}
		}
		return false
	})
	if heard.Transcript == nil || heard.Transcript.Text != "turn on the kitchen light" || !confirmed(heard) {
		t.Errorf("heard %+v, %s", heard.Transcript, heard.Outcome)
	}
	for _, want := range []string{`{"kind":"meter","data":{"level":-`, `"text":"turn on`, `{"kind":"state","data":{"state":"listening"`, `"ended":"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it never showed %s", want)
		}
	}
	interrupt(t, shown, out, ended)
	if !stranger.has("voice/test/recorder", "on") {
		t.Errorf("the recorder is %q", stranger.on("voice/test/recorder"))
	}
	kept := filepath.Join(dir, "recordings", "*_"+heard.ID)
	eventually(t, "the utterance is kept", func() bool { found, _ := filepath.Glob(kept + ".json"); return len(found) == 1 })
	found, _ := filepath.Glob(kept + ".wav")
	if clip, err := file.Load(strings.Join(found, "")); err != nil || clip.Duration() < 500*time.Millisecond {
		t.Errorf("%q: %v, %v", found, clip.Duration(), err)
	}
	for path, want := range map[string]os.FileMode{filepath.Dir(kept): 0o700, strings.Join(found, ""): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	if !strings.Contains(c.stderr.String(), "the recorder keeps what is said") {
		t.Error("the log does not tell of the recorder")
	}
}

// TestListenWithoutAGateway: without a gateway, listen understands and does nothing.
func TestListenWithoutAGateway(t *testing.T) {
	t.Parallel()
	away := filepath.Join(t.TempDir(), "away")
	if err := os.WriteFile(away, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := environ(t, pluggedIn(t, spoken(t, "hey jarvis, what time is it?"), away),
		"VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t), "VOICE_GATEWAY_MQTT_BROKER=mqtt://"+fake.FreeAddr(t),
		"VOICE_GATEWAY_MCP_RETRY_ATTEMPTS=1", "VOICE_GATEWAY_MCP_SERVERS_ZWAVE_ARGS=--require-broker,100ms")
	if out, _, status := command(t, env, "devices"); status != 0 || !strings.Contains(out, "No sound device") {
		t.Errorf("devices: %q, status %d", out, status)
	}
	shown, out, ended := telling(t, env, "listen")
	eventually(t, "it is ready and has no sound", func() bool {
		return strings.Contains(out.String(), "Ready.") && strings.Contains(out.String(), "! ")
	})
	if err := os.Remove(away); err != nil { // the card is plugged in, and the recording begins
		t.Fatal(err)
	}
	eventually(t, "the utterance is shown", func() bool { return strings.Contains(out.String(), "“what time is it”") })
	interrupt(t, shown, out, ended)
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "“what time is it”") && !strings.Contains(line, "ended by ") {
			t.Errorf("no reason for the end: %s", line)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("it draws where there is no terminal: %q", out)
	}
}

// TestWakeTest: on recordings of people; a gateway that runs holds the microphone.
func TestWakeTest(t *testing.T) {
	t.Parallel()
	models, clips := fake.Shared(t, "speech", "models"), fake.Shared(t, "speech", "clips")
	clip := func(name string) string { return filepath.Join(clips, name) }
	env := environ(t, "VOICE_GATEWAY_WAKE_MODELS_DIR="+models, "VOICE_GATEWAY_HTTP_LISTEN="+fake.FreeAddr(t))
	for name, tt := range map[string]struct {
		args   []string
		status int
		want   []string
	}{
		"heard":    {[]string{"--from", clip("real_hey_jarvis_a.wav"), "--from", clip("real_hey_jarvis_w.wav"), "--background", clip("real_jfk.wav")}, 0, []string{" 2  ", "wakes", "0.97, suits"}},
		"as JSON":  {[]string{"--json", "--word", "alexa", "--from", clip("real_alexa_a.wav")}, 0, []string{`"word":"alexa"`, `"wakes":true`, `"proposed":0.9,`}},
		"overlap":  {[]string{"--from", clip("real_hey_jarvis_a.wav"), "--background", clip("real_hey_jarvis_w.wav")}, 1, []string{"No threshold is proposed", "tells them apart"}},
		"no word":  {[]string{"--word", "hey house", "--from", clip("real_jfk.wav")}, 1, []string{"models list"}},
		"no try":   {[]string{"--background", clip("real_jfk.wav")}, 2, []string{"--from"}},
		"no sound": {[]string{"--from", clip("nowhere.wav")}, 1, []string{"nowhere.wav"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, status := command(t, env, append([]string{"wake-test"}, tt.args...)...)
			for _, want := range tt.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("no %q in:\n%s%s", want, out, errs)
				}
			}
			if status != tt.status {
				t.Errorf("status %d, expected %d:\n%s%s", status, tt.status, out, errs)
			}
		})
	}
}
