package mood_test

import (
	"os"
	"strings"
	"testing"

	"voicegateway/internal/intent/mood"
	"voicegateway/internal/language/sentences"
)

// labelled is a sentence with what it does.
type labelled struct {
	line       int
	kind, text string
}

func readLabelled(tb testing.TB, path string) []labelled {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var out []labelled
	for i, line := range strings.Split(string(data), "\n") {
		if kind, text, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			out = append(out, labelled{i + 1, kind, text})
		}
	}
	return out
}

// TestWordsLoad: every language has words that the reader understands.
func TestWordsLoad(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		if w := sentences.WordsOf(language); w.Language != language {
			t.Errorf("%s: there are no words", language)
		} else if _, err := mood.New(w); err != nil {
			t.Errorf("%s: %v", language, err)
		}
	}
}

// TestActs: orders act, and no other sentence does.
func TestActs(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		reader := mood.For(language)
		may, did, kinds, named := 0, 0, 0, 0
		all := readLabelled(t, "../testdata/acts_"+language+".txt")
		for _, s := range all {
			got := reader.Read(s.text, nil)
			want := s.kind == "may" || mood.Act(s.kind).MayAct()
			if want {
				may++
			}
			switch {
			case got.MayAct() && want:
				did++
			case got.MayAct():
				t.Errorf("%s:%d %q: %s may act, it is a %s", language, s.line, s.text, got, s.kind)
			case want:
				t.Errorf("%s:%d %q: %s may not act, it is a %s", language, s.line, s.text, got, s.kind)
			}
			if !strings.HasPrefix(s.kind, "may") {
				kinds++
			}
			if string(got) == s.kind {
				named++
			}
		}
		t.Logf("%s: %d of %d orders act; %d of %d acts have the right name", language, did, may, named, kinds)
	}
}

// TestUnseenActs counts the judgements of sentences that were written before the
// rules they try.
func TestUnseenActs(t *testing.T) {
	t.Parallel()
	const mostWrong = 5
	wrong, all := 0, 0
	for _, language := range sentences.Languages() {
		reader := mood.For(language)
		for _, s := range readLabelled(t, "../testdata/unseen_"+language+".txt") {
			all++
			if got := reader.Read(s.text, nil); got.MayAct() != (s.kind == "may") {
				wrong++
				t.Logf("%s:%d %q: %s, it %s act", language, s.line, s.text, got, s.kind)
			}
		}
	}
	if t.Logf("%d of %d are wrong", wrong, all); wrong > mostWrong {
		t.Errorf("more than %d are wrong", mostWrong)
	}
}
