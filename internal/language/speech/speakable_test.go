package speech_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/speech"
)

func TestSpeakable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"plain":       {"It is 21.5 °C, isn't it?", "It is 21.5 °C, isn't it?"},
		"bold":        {"The **kitchen** light is _on_.", "The kitchen light is on."},
		"heading":     {"# Title\nText", "Title. Text"},
		"list":        {"- one\n- two\n3. three", "one. two. three"},
		"link":        {"See [the manual](https://example.org/a_b).", "See the manual."},
		"address":     {"Go to https://example.org/x?y=z now or www.example.org", "Go to now or"},
		"mail":        {"Write to a.b@example.org today", "Write to today"},
		"code":        {"Use ```go\nfmt.Println()\n``` or `x`.", "Use or x."},
		"html":        {"<b>Hello</b> <script>there</script>", "Hello there"},
		"marks":       {"<|im_start|>Hello<|im_end|> there<｜end▁of▁sentence｜>", "Hello there"},
		"thinking":    {"<think>the user wants\nlight</think>Done.", "Done."},
		"open think":  {"Done. <think>hmm", "Done."},
		"emoji":       {"Done 👍🏽 ✅ 🏳️‍🌈!", "Done!"},
		"control":     {"a\x00b\x1b[31mc\u202ed", "a b 31mcd"},
		"broken text": {"a\xffb", "a b"},
		"umlauts":     {"Küche é ñ 日本語", "Küche é ñ 日本語"},
		"table":       {"| a | b |\n|---|---|\n| 1 | 2 |", "a b. 1 2"},
		"hidden":      {"See ht*tp*://example.org", "See"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := speech.Speakable(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func ExampleSpeakable() {
	fmt.Println(speech.Speakable("**Done.** See [here](https://example.org) 👍"))
	// Output: Done. See here
}

func FuzzSpeakable(f *testing.F) {
	for _, s := range []string{"**a** _b_", "[a](b)", "<think>", "https://x", "```", "a@b.c", "👍", "h*ttp://x", "\x00\x1b", "- a\r\n- b", ":*//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := speech.Speakable(s)
		if !utf8.ValidString(got) || strings.Contains(got, "://") || strings.ContainsAny(got, "*`<>_#|[]{}\\~") ||
			strings.ContainsFunc(got, unicode.IsControl) || len(got) > 2000 {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}
