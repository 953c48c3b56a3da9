package sphinx

import (
	"reflect"
	"strings"
	"testing"
)

const sample = `'bout B AW T
hey HH EY
jarvis JH AA R V AH S
jarvis's JH AA R V IH S IH Z
jarvis(2) JH AA R V IH S
the DH AH
the(2) DH IY
zed
`

func TestLookup(t *testing.T) {
	got, err := lookup(strings.NewReader(sample), []string{"the", "jarvis", "nabu", "zed", "'bout", "the(2)"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"the": {"DH AH", "DH IY"}, "jarvis": {"JH AA R V AH S", "JH AA R V IH S"}, "'bout": {"B AW T"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLookupWithoutDictionary(t *testing.T) {
	_, err := Lookup("/nonexistent/dict", []string{"the"})
	if err == nil || !strings.Contains(err.Error(), "install pocketsphinx-en-us") {
		t.Errorf("got %v, want what to install", err)
	}
}

func FuzzLookup(f *testing.F) {
	f.Add(sample, "the")
	f.Add("(2) A\n( \n", "")
	f.Fuzz(func(t *testing.T, dictionary, word string) {
		found, err := lookup(strings.NewReader(dictionary), []string{word})
		if err != nil {
			return
		}
		for w, ps := range found {
			if w != word || len(ps) == 0 {
				t.Errorf("asked for %q, got %q with %q", word, w, ps)
			}
		}
	})
}

func FuzzPartial(f *testing.F) {
	f.Add(encodePartial(Partial{Text: "turn on", Tail: 50_000_000}))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePartial(b)
		if err == nil && string(encodePartial(p)) != string(b) {
			t.Errorf("%q became %+v", b, p)
		}
	})
}
