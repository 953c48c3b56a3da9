package fake

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/ground/process"
)

// SoundCard builds the simulated sound card of package audio/device and returns the
// setting that makes it the only one, and the file with what was played. mic is the
// configuration of its microphone; if it is empty, the microphone hears a hum. both is
// configuration of both halves.
func SoundCard(tb testing.TB, mic string, both ...string) (setting, played string) {
	tb.Helper()
	dir := tb.TempDir()
	played = filepath.Join(dir, "played.raw")
	config := filepath.Join(dir, "asound.conf")
	kind := strings.Join(append([]string{"simcard"}, both...), " ")
	text := fmt.Sprintf(`pcm_type.simcard { lib %q }
pcm.simmic { type %s %s }
pcm.simspk { type %s raw %q }
pcm.!default { type asym capture.pcm "simmic" playback.pcm "simspk" }
`, cardLibrary(tb, dir), kind, mic, kind, played)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	return "ALSA_CONFIG_PATH=" + config, played
}

// cardLibrary compiles the card into a directory.
func cardLibrary(tb testing.TB, dir string) string {
	tb.Helper()
	run := func(program string, args ...string) string {
		out, err := process.Run(tb.Context(), process.Task{Program: process.Program{Path: program, Args: args, Inherit: true}, MaxOutput: 1 << 16})
		if err != nil {
			tb.Fatalf("building the simulated sound card: %v", err)
		}
		return string(out)
	}
	library := filepath.Join(dir, "libasound_module_pcm_simcard.so")
	source := filepath.Join(root(tb), "internal", "audio", "device", "testdata", "simcard.c")
	flags := strings.Fields(run("pkg-config", "--cflags", "--libs", "alsa"))
	run("gcc", append([]string{"-O2", "-fPIC", "-shared", "-DPIC", "-o", library, source}, flags...)...)
	return library
}
