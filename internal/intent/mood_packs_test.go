package intent_test

import (
	"testing"

	"voicegateway/internal/intent"
)

// TestPackIsQuestion: in every language a question may change nothing, and a wish
// may.
func TestPackIsQuestion(t *testing.T) {
	t.Parallel()
	tests := map[string]map[string]bool{
		"en": {"why is the light on": true, "make it cosy": false, "can you make it cosy": false, "": true},
		"de": {"warum ist das licht an": true, "mach es gemütlich": false, "kannst du es gemütlich machen": false, "kannst du mir sagen wie spät es ist": true, "Wie wird das Wetter?": true},
		"es": {"por qué está la luz encendida": true, "haz que sea acogedor": false, "¿qué tiempo hace?": true, "puedes decirme un chiste": true},
		"fr": {"pourquoi la lumière est allumée": true, "rends la pièce agréable": false, "peux-tu dire une blague": true, "quel temps fait-il": true},
	}
	for language, texts := range tests {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if got := pack.IsQuestion(text); got != want {
				t.Errorf("%s %q: %v", language, text, got)
			}
		}
	}
	if unknown := (&intent.Pack{Language: "xx"}); !unknown.IsQuestion("mok the lyt") {
		t.Error("in a language without words for questions something could be changed by one")
	}
}
