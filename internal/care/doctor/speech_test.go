package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/gateway"
)

// TestAMicrophoneIsMissedWhereItIsHeard: a machine without a microphone is ill if a recogniser
// would hear it, and is not if none knows the language.
func TestAMicrophoneIsMissedWhereItIsHeard(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]Finding{
		"en": {Part: "microphone", State: Ill, Text: "there is none"},
		"de": {Part: "microphone", State: Well, Text: "not needed while no recogniser hears de"},
	} {
		l := &configure.Loaded{Config: gateway.Default()}
		l.Gateway.Language = language
		v := &visit{Patient: Patient{Loaded: l, Sound: func(context.Context, bool) (audio.Equipment, error) { return audio.Equipment{}, nil }}}
		if got := v.sound(t.Context())[0]; got.Part != want.Part || got.State != want.State || got.Text != want.Text {
			t.Errorf("%s: %+v, want %+v", language, got, want)
		}
	}
}

// TestASlowRecogniserIsTold: how fast the neural recogniser reads is measured where everything is
// looked at, and a machine that is too slow for it gets the command that chooses the other one.
func TestASlowRecogniserIsTold(t *testing.T) {
	t.Parallel()
	model := t.TempDir()
	for _, name := range []string{"encoder_model.ort", "decoder_model_merged.ort", "tokenizer.bin", "libonnxruntime.so"} {
		if err := os.WriteFile(filepath.Join(model, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		engines []string
		took    time.Duration
		err     error
		brief   bool
		state   State
		text    string
		mend    string
	}{
		"fast":           {engines: []string{"moonshine", "pocketsphinx"}, took: 90 * time.Millisecond, state: Well, text: "moonshine, then pocketsphinx; a short command is read in 90ms"},
		"slow":           {engines: []string{"moonshine"}, took: 1340 * time.Millisecond, state: Poor, text: "takes 1.34s to read a short command", mend: "vg config set stt.engines '[pocketsphinx]'"},
		"no memory":      {engines: []string{"moonshine"}, err: fmt.Errorf("it: %w", stt.ErrNoRoom), state: Well, text: "moonshine; it: too little memory is free"},
		"broken":         {engines: []string{"moonshine"}, err: errors.New("the runtime cannot be loaded"), state: Poor, text: "the runtime cannot be loaded", mend: "vg models verify"},
		"a quick look":   {engines: []string{"moonshine"}, brief: true, state: Well, text: "moonshine"},
		"no network":     {engines: []string{"openai"}, err: errors.New("it was measured"), state: Well, text: "openai"},
		"behind another": {engines: []string{"openai", "moonshine"}, err: errors.New("it was measured"), state: Well, text: "openai, then moonshine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &configure.Loaded{Config: gateway.Default()}
			l.STT.Engines, l.STT.Moonshine.Dir = c.engines, model
			v := &visit{Patient: Patient{Loaded: l, Command: "vg", Reads: func(context.Context) (time.Duration, error) { return c.took, c.err }}, whole: !c.brief}
			got := v.recogniser(t.Context())
			if len(got) != 1 || got[0].State != c.state || !strings.Contains(got[0].Text, c.text) || got[0].Mend != c.mend {
				t.Errorf("%+v", got)
			}
			if c.state == Well && c.err == nil && got[0].Text != c.text {
				t.Errorf("it says %q", got[0].Text)
			}
		})
	}
}
