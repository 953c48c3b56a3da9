package tts

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSpeakable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"plain":        {"The lamp is on.", "The lamp is on."},
		"numbers":      {"It is -3.5 °C, 40 % & rising; 5 €.", "It is -3.5 °C, 40 % & rising; 5 €."},
		"lines":        {" One\r\n\ttwo ", "One two"},
		"control":      {"a\x00b\x1b[31mc\u200bd", "a b 31mcd"},
		"phonemes":     {"[[h@l'oU]] there", "h@l'oU there"},
		"markup":       {"**Very** `good` <b>thing</b> # yes", "Very good thing yes"},
		"names":        {"kitchen_lamp", "kitchen lamp"},
		"link":         {"See https://example.org/a?b=c#d. Then www.x.y/z, now.", "See. Then, now."},
		"only a link":  {"https://example.org", ""},
		"no words":     {" … ?! -- ", ""},
		"broken UTF-8": {"a\xff\xfeb", "a b"},
		"other script": {"Привет, 世界", "Привет, 世界"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := speakable(c.in); got != c.want {
				t.Errorf("speakable(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	long := speakable(strings.Repeat("word ", 1000))
	if n := utf8.RuneCountInString(long); n > maxText || n < maxText-10 || strings.HasSuffix(long, "wor") {
		t.Errorf("a long text was cut to %d characters ending in %q", n, long[len(long)-10:])
	}
}

func FuzzSpeakable(f *testing.F) {
	for _, seed := range []string{"", "On.", "[[x]]", "https://a.b c", "\xff\x00", "--stdin", strings.Repeat("ä", 900)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := speakable(s)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxText {
			t.Fatalf("%q is not valid or too long", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || r == '[' || r == '<' {
				t.Fatalf("%q holds %q", got, r)
			}
		}
	})
}
