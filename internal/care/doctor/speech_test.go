package doctor

import (
	"context"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/care/configure"
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
