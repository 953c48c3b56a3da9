package e2e

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// TestModelsArePulledFromADirectory: onto a machine without internet, and again.
func TestModelsArePulledFromADirectory(t *testing.T) {
	t.Parallel()
	from, dir := fake.Shared(t, "speech", "models"), filepath.Join(t.TempDir(), "models")
	models := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), append([]string{"models", "--dir", dir}, args...)...)
		cmd.Env = environ(t)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("models %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := models("pull", "hey_jarvis", "stop", "--from", from); strings.Count(out, "the published file") != 2 {
		t.Errorf("pull says: %s", out)
	}
	if out := models("pull", "hey_jarvis", "--from", from); !strings.Contains(out, "installed already") {
		t.Errorf("pull says again: %s", out)
	}
	if out := models("verify"); strings.Count(out, "the published file") != 2 {
		t.Errorf("verify says: %s", out)
	}
	// A word of one's own, put there by hand.
	data, err := os.ReadFile(filepath.Join(from, "alexa.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hey_house.tflite"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := models("verify"); !strings.Contains(out, "not one of the published ones") {
		t.Errorf("verify says of one's own: %s", out)
	}
}

// TestModelsOutOfReach: the others are installed all the same, and each failure is
// reported.
func TestModelsOutOfReach(t *testing.T) {
	t.Parallel()
	from, dir := t.TempDir(), filepath.Join(t.TempDir(), "models")
	data, err := os.ReadFile(filepath.Join(fake.Shared(t, "speech", "models"), "stop.tflite"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "stop.tflite"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, stderr, status := command(t, environ(t), "models", "--dir", dir, "pull", "hey_jarvis", "alexa", "stop", "--from", from)
	if status != 1 || !strings.Contains(stderr, `"hey_jarvis"`) || !strings.Contains(stderr, `"alexa"`) {
		t.Errorf("status %d: %s", status, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "stop.tflite")); err != nil {
		t.Error(err)
	}
}

// TestTheNeuralRecogniserIsPulled: from a directory with its files, or from the package
// of its makers, but not from files that were changed.
func TestTheNeuralRecogniserIsPulled(t *testing.T) {
	t.Parallel()
	from := filepath.Join(fake.Models(t), "moonshine-tiny-en")
	dir := filepath.Join(t.TempDir(), "models")
	models := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "voice-gateway"), append([]string{"models", "--dir", dir}, args...)...)
		cmd.Env = environ(t)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	changed, packed := t.TempDir(), t.TempDir()
	wheel := newWheel(t, filepath.Join(packed, "moonshine_voice-0.0.73-py3-none-linux.whl"))
	files, err := os.ReadDir(from)
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(from, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		wheel.add(strings.Replace(f.Name(), "libonnxruntime.so", "libonnxruntime-0123abcd.so.1", 1), data)
		data[len(data)/2] ^= 1
		if err := os.WriteFile(filepath.Join(changed, f.Name()), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wheel.close()
	for name, c := range map[string]struct{ from, says string }{
		"nothing there": {t.TempDir(), "is neither in"},
		"changed files": {changed, "SHA-256"},
	} {
		out, err := models("pull", "moonshine-tiny-en", "--from", c.from)
		if err == nil || !strings.Contains(out, c.says) || !strings.Contains(out, "nothing was changed") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if out, err := models("list"); err != nil || !strings.Contains(out, "moonshine-tiny-en  speech, en    not installed") {
			t.Errorf("%s: listed as %v\n%s", name, err, out)
		}
	}
	for _, source := range []string{packed, from} {
		if out, err := models("pull", "moonshine-tiny-en", "--from", source); err != nil || !strings.Contains(out, "licence MIT") || !strings.Contains(out, " MB, the published files") || !strings.Contains(out, "a short command") {
			t.Errorf("pull from %s: %v\n%s", source, err, out)
		}
		if out, err := models("verify"); err != nil || !strings.Contains(out, "the published files") {
			t.Errorf("verify: %v\n%s", err, out)
		}
		if out, err := models("pull", "moonshine-tiny-en"); err != nil || !strings.Contains(out, "installed already") {
			t.Errorf("pull again: %v\n%s", err, out)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// wheel is a Python package in the making.
type wheel struct {
	tb    testing.TB
	file  *os.File
	zip   *zip.Writer
	level int // how much the next file is compressed
}

// large is how many bytes a file may have that is compressed as in the makers' package.
// A larger one stands in the same format uncompressed: compressing it, watched by the
// race detector, takes half a minute.
const large = 1 << 20

func newWheel(tb testing.TB, name string) *wheel {
	tb.Helper()
	f, err := os.Create(name)
	if err != nil {
		tb.Fatal(err)
	}
	w := &wheel{tb: tb, file: f, zip: zip.NewWriter(f)}
	w.zip.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, w.level) })
	return w
}

func (w *wheel) add(name string, data []byte) {
	w.tb.Helper()
	w.level = flate.DefaultCompression
	if len(data) > large {
		w.level = flate.NoCompression
	}
	entry, err := w.zip.Create("moonshine_voice/assets/" + name)
	if err == nil {
		_, err = entry.Write(data)
	}
	if err != nil {
		w.tb.Fatal(err)
	}
}

func (w *wheel) close() {
	w.tb.Helper()
	if err := errors.Join(w.zip.Close(), w.file.Close()); err != nil {
		w.tb.Fatal(err)
	}
}
