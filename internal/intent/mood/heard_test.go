package mood_test

import (
	"testing"

	"voicegateway/internal/intent/mood"
)

// may is a sentence of a language, and whether it may act.
type may struct {
	language, text string
	act            bool
}

func judge(t *testing.T, all []may) {
	t.Helper()
	for _, s := range all {
		if got := mood.For(s.language).Read(s.text, nil); got.MayAct() != s.act {
			t.Errorf("%s %q: %s, may act: want %t", s.language, s.text, got, s.act)
		}
	}
}

// TestFillers: what people say while they think changes nothing, and makes no order of
// half a sentence.
func TestFillers(t *testing.T) {
	t.Parallel()
	judge(t, []may{
		{"en", "can you uh turn the lamp off", true},
		{"en", "turn off the um the lamp", true},
		{"en", "could you, you know, close the blinds", true},
		{"en", "I mean turn the light off", true},
		{"en", "turn the uh", false},
		{"en", "the lamp um", false},
		{"en", "close the you know", false},
		{"de", "kannst du äh das Licht ausmachen", true},
		{"de", "mach irgendwie das Licht aus", true},
		{"de", "mach mal das äh", false},
		{"de", "die Lampe äh", false},
		{"es", "puedes eh apagar la luz", true},
		{"es", "o sea apaga la luz", true},
		{"es", "la luz eh", false},
		{"fr", "tu peux euh éteindre la lumière", true},
		{"fr", "bah du coup éteins la lumière", true},
		{"fr", "quel genre de lampe est allumée", false},
		{"fr", "éteins la euh", false},
	})
}
