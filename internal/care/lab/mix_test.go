package lab

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/fake"
	"voicegateway/internal/gateway"
)

// TestMixesWake: a mix whose wake word is not heard would say nothing about the
// command after it.
func TestMixesWake(t *testing.T) {
	clips, err := Read(filepath.Dir(fake.Shared(t, "speech", "clips", "manifest.jsonl")))
	if err != nil {
		t.Fatal(err)
	}
	models := filepath.Dir(fake.Shared(t, "speech", "models", mixWord+".tflite"))
	m := Lab{cfg: Config{Recordings: clips, Gateway: gateway.Config{Wake: wake.Config{ModelsDir: models}}}}
	mixes, woken := 0, 0
	for _, x := range m.mixClips() {
		if x.placed != nobody {
			continue
		}
		mixes++
		if wakes(t, x.clip, models) {
			woken++
		}
	}
	if mixes < 20 || woken < mixes-1 {
		t.Errorf("%d of %d mixes wake", woken, mixes)
	}
}

// wakes reports whether the mixes' wake word is heard in a clip.
func wakes(t *testing.T, c audio.Clip, models string) bool {
	t.Helper()
	e, err := wake.New(wake.Config{Engine: "micro", Words: []string{strings.ReplaceAll(mixWord, "_", " ")}, ModelsDir: models})
	if err != nil {
		t.Fatal(err)
	}
	play := file.Default()
	play.Clips, play.Start, play.Lead = []audio.Clip{c}, time.Unix(0, 0), 0
	sound, err := file.New(play)
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := sound.Read(t.Context())
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, hit, err := e.Detect(t.Context(), f); hit || err != nil {
			return err == nil
		}
	}
}
