package sentence

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// splitWhole and splitBytewise are the two extremes of how text can arrive.
func splitWhole(text string) []string {
	var s Splitter
	return compact(append(s.Push(text), s.Flush()))
}

func splitBytewise(text string) []string {
	var s Splitter
	var all []string
	for _, r := range text {
		all = append(all, s.Push(string(r))...)
	}
	return compact(append(all, s.Flush()))
}

func compact(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func TestSentencesEndWhereTheyEnd(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                               nil,
		"Yes":                            {"Yes"},
		"Yes. No! Maybe? Fine":           {"Yes.", "No!", "Maybe?", "Fine"},
		"It is 21.5 degrees. Warm.":      {"It is 21.5 degrees.", "Warm."},
		"Mr. Smith met Dr. Who. Really.": {"Mr. Smith met Dr. Who.", "Really."},
		"See https://a.example.org/x.y?z. Then go on.": {"See https://a.example.org/x.y?z.", "Then go on."},
		"Wait… what? Well... no. Hm... Yes.":           {"Wait… what?", "Well... no.", "Hm...", "Yes."},
		"Hm… Then yes.":                                {"Hm…", "Then yes."},
		"At 5 p.m. it rains. At 6 p.m. It stops.":      {"At 5 p.m. it rains.", "At 6 p.m.", "It stops."},
		"Bread, milk etc. are there. Etc.":             {"Bread, milk etc. are there.", "Etc."},
		"No. 5 is alive. No. I said no.":               {"No. 5 is alive.", "No.", "I said no."},
		"J. S. Bach, e.g. this, i.e. That.":            {"J. S. Bach, e.g. this, i.e. That."},
		"So did I. You too.":                           {"So did I.", "You too."},
		"1. Bread\n2. Milk\n":                          {"1. Bread", "2. Milk"},
		"He said \"Stop.\" Then (so.) He went.":        {"He said \"Stop.\"", "Then (so.)", "He went."},
		"Really?! Yes!!! Done.":                        {"Really?!", "Yes!!!", "Done."},
		"**It is on.** Good.":                          {"**It is on.**", "Good."},
		"今日は晴れ。明日は雨！いい？":                               {"今日は晴れ。", "明日は雨！", "いい？"},
		"Line one\nline two\r\n\nline three":           {"Line one", "line two", "line three"},
		"On Nov. 21 it is cold.":                       {"On Nov. 21 it is cold."},
		"It is version 3. Fine.":                       {"It is version 3.", "Fine."},
		"Go to example.org. Now.":                      {"Go to example.org.", "Now."},
	} {
		for way, got := range map[string][]string{"at once": splitWhole(text), "in pieces": splitBytewise(text)} {
			if !slices.Equal(got, want) {
				t.Errorf("%q %s gave %q, want %q", text, way, got, want)
			}
		}
	}
}

func TestSentenceIsGivenAsSoonAsItIsSure(t *testing.T) {
	t.Parallel()
	var s Splitter
	for _, step := range []struct {
		text string
		want []string
	}{
		{"It is 21", nil},
		{".", nil},
		{"5 degrees", nil},
		{".", nil},
		{" ", []string{"It is 21.5 degrees."}},
		{"Mr", nil},
		{".", nil},
		{" ", nil},
		{"Smith!", nil},
		{" ", []string{"Mr. Smith!"}},
	} {
		if got := s.Push(step.text); !slices.Equal(got, step.want) {
			t.Errorf("after %q: %q, want %q", step.text, got, step.want)
		}
	}
}

func TestTextWithoutEndsIsCut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words": strings.Repeat("word ", 500), "no space": strings.Repeat("ä", 2000), "abbreviations": strings.Repeat("Mr. ", 500),
		"broken UTF-8": strings.Repeat("\x80", 1000), "dots": strings.Repeat(".", 3000), "commas": strings.Repeat("and, then ", 300),
	} {
		sentences := splitWhole(text)
		for _, s := range sentences {
			if n := utf8.RuneCountInString(s); n > Longest && name != "dots" {
				t.Errorf("%s: a sentence of %d characters", name, n)
			}
		}
		if name == "words" && len(sentences) < 5 {
			t.Errorf("%s: only %d sentences", name, len(sentences))
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"It is 21.5. Mr. X… y", "1. a\n2. b", "。。", strings.Repeat("a.", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		if a, b := splitWhole(text), splitBytewise(text); !slices.Equal(a, b) {
			t.Fatalf("%q is %q at once and %q in pieces", text, a, b)
		}
	})
}
