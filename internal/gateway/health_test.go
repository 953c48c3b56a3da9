package gateway

import (
	"strings"
	"testing"

	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mcpint"
)

// TestEachFaultOfAHouseIsSaid: in each language there is a sentence for every fault of the
// server of a house, with the name of the house, and none of them speaks of zwave-js-ui.
func TestEachFaultOfAHouseIsSaid(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "es", "fr"} {
		phrases, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range mcpint.Faults() {
			if said := phrases.NoServer(string(fault), "Barn"); !strings.Contains(said, "Barn") || strings.Contains(said, "Z-Wave") {
				t.Errorf("%s, %s: %q", language, fault, said)
			}
		}
	}
}

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
