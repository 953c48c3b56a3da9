package gateway

import "testing"

// TestAMissingMicrophoneIsMissedWhereItIsHeard: without a recogniser for the language the
// gateway says so, and is not ill for want of a microphone.
func TestAMissingMicrophoneIsMissedWhereItIsHeard(t *testing.T) {
	t.Parallel()
	key := func(key string) string { return key }
	for language, want := range map[string]trouble{
		"en": {why: "there is none", said: "trouble_microphone", ill: true},
		"de": {why: "spoken commands are off: the recogniser hears English only; text commands work", said: "trouble_deaf"},
	} {
		s := setup{cfg: Default()}
		s.cfg.Gateway.Language = language
		if got := s.hearingTrouble("there is none", key); got != want {
			t.Errorf("%s: %+v, want %+v", language, got, want)
		}
	}
}
