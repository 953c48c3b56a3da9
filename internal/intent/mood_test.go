package intent

import "testing"

func TestIsQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"why is the sky blue":                     true,
		"should i open the windows":               true,
		"Can you tell me a story?":                true,
		"could you please explain the weather":    true,
		"is it going to rain":                     true,
		"tell me a joke":                          true,
		"what if you turned off the heating":      true,
		"":                                        true,
		"make the living room cosy":               false,
		"can you make it cosy in here":            false,
		"please shut everything off":              false,
		"could you please switch off all the fun": false,
		"turn everything down, will you?":         true, // in doubt nothing is changed
	} {
		if got := IsQuestion(text); got != want {
			t.Errorf("IsQuestion(%q) = %v", text, got)
		}
	}
}
