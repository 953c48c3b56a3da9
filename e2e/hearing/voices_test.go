package hearing

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
)

// voices are the synthetic voices, with their command lines; the last argument is the
// file that is written.
var voices = []struct {
	name string
	args []string
}{
	{"espeak us", []string{"espeak-ng", "-v", "en-us", "-s", "150", "-w"}},
	{"flite slt", []string{"flite", "-voice", "slt", "-o"}},
	{"espeak gb", []string{"espeak-ng", "-v", "en-gb+f3", "-s", "150", "-w"}},
	{"flite rms", []string{"flite", "-voice", "rms", "-o"}},
	{"flite awb", []string{"flite", "-voice", "awb", "-o"}},
	{"flite kal", []string{"flite", "-voice", "kal16", "-o"}},
}

// spoken keeps what the voices have said: the halves come again in many sets.
var spoken sync.Map

// say returns a text in a voice, without the silence around it. A voice that does not
// speak fails the test; say may be called from any goroutine.
func say(tb testing.TB, voice int, text string) []int16 {
	tb.Helper()
	key := fmt.Sprint(voice, " ", text)
	if kept, ok := spoken.Load(key); ok {
		return kept.([]int16) //nolint:forcetypeassert // nothing else is kept
	}
	v := voices[voice]
	path := filepath.Join(tb.TempDir(), "said.wav")
	args := append(append([]string{}, v.args[1:]...), path)
	cmd := exec.CommandContext(tb.Context(), v.args[0], args...)
	if v.args[0] == "flite" {
		cmd.Args = append(cmd.Args, "-t", text)
	} else {
		cmd.Stdin = strings.NewReader(text)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil {
		tb.Errorf("%s does not speak: %v\n%s", v.name, err, &errs)
		return nil
	}
	c, err := file.Load(path)
	if err == nil {
		c, err = audio.Resample(c, audio.SpeechRate)
	}
	if err != nil {
		tb.Error(err)
		return nil
	}
	_ = os.Remove(path)
	said := trimmed(c.Samples)
	spoken.Store(key, said)
	return said
}
