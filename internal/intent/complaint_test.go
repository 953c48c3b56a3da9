package intent_test

import (
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
)

// A complaint about a wake that no user meant is understood in every language of the
// family.
func TestComplaintsOfAWake(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][]string{
		"en": {"that wasn't me", "That was not for you.", "I wasn't talking to you", "nobody called you"},
		"de": {"das war ich nicht", "Das war nicht für dich!", "du warst nicht gemeint"},
		"fr": {"ce n'était pas moi", "c'était pas pour toi", "je ne te parlais pas"},
		"es": {"eso no era para ti", "no era yo", "no te hablaba"},
	} {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, &home.House{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if d := m.Match(text, ""); len(d.Actions) != 1 || d.Actions[0].Intent != catalogue.NotForYou {
				t.Errorf("%s %q is understood as %+v", language, text, d)
			}
		}
	}
}
