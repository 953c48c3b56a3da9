package names

import (
	"testing"

	"voicegateway/internal/language/text"
)

func TestSoundOfLanguages(t *testing.T) {
	t.Parallel()
	tests := []struct{ lang, a, b string }{
		{"en", "ceiling", "sealing"},
		{"en", "night", "knight"},
		{"en", "write", "right"},
		{"en", "fan", "van"},
		{"en", "phan", "fan"},
		{"en", "lamb", "lam"},
		{"de", "vorhang", "forhang"},
		{"de", "tur", "dur"},
		{"de", "rollade", "rolade"},
		{"es", "llave", "yabe"},
		{"es", "cocina", "cosina"},
		{"es", "horno", "orno"},
		{"fr", "rideau", "rido"},
		{"fr", "quai", "cai"},
		{"xx", "tor", "dor"},
	}
	for _, tt := range tests {
		s := soundsOf(tt.lang)
		if a, b := s.key(tt.a), s.key(tt.b); a != b {
			t.Errorf("%s: %s is %s, %s is %s", tt.lang, tt.a, a, tt.b, b)
		}
	}
}

// FuzzLikeliest: no two words are more alike than the quick bound says.
func FuzzLikeliest(f *testing.F) {
	f.Add("living room light", "leaving rum lite")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		var p text.Pattern
		p.Set(a)
		x, y := token{text: a, letters: text.Letters(a)}, token{text: b, letters: text.Letters(b)}
		if most := likeliest(&x, &y); p.Likeness(b) > most+1e-9 {
			t.Fatalf("%q, %q: %v is over the bound %v", a, b, p.Likeness(b), most)
		}
	})
}
