package ai

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"voicegateway/internal/ai/sentence"
)

func TestMarkdownIsNotSpoken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The **lamp** is `on`.":                 "The lamp is on.",
		"## Weather":                            "Weather",
		"- [x] Milk":                            "Milk",
		"* *Bread*":                             "Bread",
		"> quoted":                              "quoted",
		"---":                                   "",
		"|:---|---:|":                           "",
		"| Lamp | on |":                         "Lamp on",
		"See [the page](https://x.org/a_b) now": "See the page now",
		"See https://x.org/a?b=c.":              "See.",
		"![cat](http://x/cat.png)":              "cat",
		"It is 21.5 °C, 40 % for 5 €.":          "It is 21.5 °C, 40 % for 5 €.",
		"Great 🎉👍🏽!":                            "Great!",
		"a\x07b\u200bc":                         "a bc",
		"<b>bold</b> text":                      "bold text",
		"kitchen_lamp":                          "kitchen lamp",
		"2 * 3":                                 "2 3",
		"**":                                    "",
	} {
		var p plainer
		if got := p.sentence(text); got != want {
			t.Errorf("%q gave %q, want %q", text, got, want)
		}
	}
	var p plainer
	var got []string
	var split sentence.Splitter
	for _, s := range append(split.Push("Do this:\n```sh\nrm -rf /\nls.\n```\nThat is all. Use ```x``` now."), split.Flush()) {
		got = append(got, p.sentence(s))
	}
	if want := []string{"Do this:", "That is all.", "Use now."}; !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return s == "" }), want) {
		t.Errorf("with a code block: %q, want %q", got, want)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"It is 21.5. Mr. X… y", "<think>a</think>b", "```a``` | # [x](y)", "\xff<think", "1. a\n2. b", "。。", strings.Repeat("a.", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var p plainer
		var split sentence.Splitter
		for _, s := range append(split.Push(text), split.Flush()) {
			said := p.sentence(s)
			if !utf8.ValidString(said) || strings.ContainsAny(said, "\n\r\x00\x1b`*#|<>") {
				t.Fatalf("%q would be spoken of %q", said, text)
			}
		}
	})
}
