//go:build mixers

// The real mixers behind real sound servers. PulseAudio and PipeWire push each
// other out of a system, so these run by hand where one is installed:
// go test -tags mixers ./internal/tools/local

package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// needs skips where a program is not installed.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("not installed: %v", err)
		}
	}
}

// serve starts a sound server in its own process group and waits until ready.
func serve(t *testing.T, ready func() error, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The group is there as long as its leader is not waited for.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		err := ready()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Skipf("the sound server does not run here: %v", err)
		}
	}
}

// realMixer is what every program must do with a sound server behind it.
func realMixer(t *testing.T, m mixer) {
	t.Helper()
	ctx := t.Context()
	v := volumeOf(m)
	for _, step := range []struct {
		do    func() (VolumeState, error)
		level int
		muted bool
	}{
		{func() (VolumeState, error) { return v.Set(ctx, 40) }, 40, false},
		{func() (VolumeState, error) { return stepVolume(ctx, v, 15) }, 55, false},
		{func() (VolumeState, error) { return v.Mute(ctx, true) }, 55, true},
		{func() (VolumeState, error) { return v.Get(ctx) }, 55, true},
		{func() (VolumeState, error) { return v.Set(ctx, 100) }, 100, false},
		{func() (VolumeState, error) { return stepVolume(ctx, v, 10) }, 100, false},
		{func() (VolumeState, error) { return v.Set(ctx, 0) }, 0, false},
	} {
		s, err := step.do()
		if err != nil || s != (VolumeState{step.level, step.muted, "fake"}) {
			t.Errorf("got %+v, %v, want %d percent, muted %v", s, err, step.level, step.muted)
		}
	}
	if got := v.Gain().Level(); got != 1 {
		t.Errorf("with a mixer, the own gain is %v", got)
	}
}

// shortDir is a directory with a name short enough for sockets.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vol") //nolint:usetesting // The test's own directory has too long a name.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPactlAndAmixerWithPulseAudio(t *testing.T) {
	t.Parallel()
	needs(t, "pulseaudio", "pactl", "amixer")
	dir := shortDir(t)
	socket := filepath.Join(dir, "native")
	write(t, filepath.Join(dir, "test.pa"), fmt.Sprintf(
		"load-module module-native-protocol-unix auth-anonymous=1 socket=%s\nload-module module-null-sink sink_name=speaker\nset-default-sink speaker\n", socket))
	write(t, filepath.Join(dir, "asound.conf"), fmt.Sprintf("ctl.!default { type pulse server \"unix:%s\" }\n", socket))
	client := mixerRun{env: []string{"PULSE_SERVER=unix:" + socket, "ALSA_CONFIG_PATH=" + filepath.Join(dir, "asound.conf")}}
	ready := func() error {
		_, _, err := (&pactl{client}).get(t.Context())
		return err
	}
	env := []string{"PULSE_RUNTIME_PATH=" + dir + "/run", "PULSE_STATE_PATH=" + dir + "/state", "XDG_CONFIG_HOME=" + dir + "/cfg"}
	serve(t, ready, env, "pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit",
		"--realtime=no", "--high-priority=no", "-F", filepath.Join(dir, "test.pa"))
	// One after the other: they change the same sink.
	realMixer(t, &pactl{client})
	realMixer(t, &amixer{mixerRun: client})
	_, _, err := (&amixer{mixerRun: client, control: "Nope"}).get(t.Context())
	if err == nil || !strings.Contains(err.Error(), "Unable to find simple control") {
		t.Errorf("a wrong control gave %v", err)
	}
}

func TestWpctlWithPipeWire(t *testing.T) {
	t.Parallel()
	needs(t, "pipewire", "wireplumber", "wpctl", "dbus-run-session")
	dir := shortDir(t)
	write(t, filepath.Join(dir, "cfg/pipewire/pipewire.conf.d/sink.conf"), `context.objects = [ { factory = adapter args = {
		factory.name = support.null-audio-sink node.name = "speaker" media.class = "Audio/Sink"
		object.linger = true audio.position = "FL,FR" } } ]`)
	env := []string{"XDG_RUNTIME_DIR=" + dir, "XDG_CONFIG_HOME=" + dir + "/cfg", "XDG_STATE_HOME=" + dir + "/state"}
	client := &wpctl{mixerRun{env: env}}
	ready := func() error {
		_, _, err := client.get(t.Context())
		return err
	}
	serve(t, ready, env, "dbus-run-session", "--", "sh", "-c",
		`pipewire & until [ -S "$XDG_RUNTIME_DIR/pipewire-0" ]; do sleep 0.1; done; wireplumber & wait`)
	realMixer(t, client)
}
