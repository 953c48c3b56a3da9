package numbers_test

import (
	"fmt"
	"slices"
	"testing"

	"voicegateway/internal/language/numbers"
)

func TestEnglishSpellings(t *testing.T) {
	t.Parallel()
	en, ok := numbers.For("en-GB")
	if !ok {
		t.Fatal("no English")
	}
	tests := map[int][]string{
		0: {"zero"}, 7: {"seven"}, 13: {"thirteen"}, 20: {"twenty"}, 21: {"twenty one"}, 99: {"ninety nine"},
		100: {"one hundred", "a hundred"}, -5: {"minus five"},
		105:  {"one hundred five", "one hundred and five", "a hundred five", "a hundred and five"},
		2700: {"two thousand seven hundred", "twenty seven hundred"},
	}
	for n, want := range tests {
		var got []string
		for _, s := range en.Spellings(numbers.Range{From: n, To: n}) {
			got = append(got, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestSpellingsAreUnique(t *testing.T) {
	t.Parallel()
	en, _ := numbers.For("en")
	seen := map[string]float64{}
	for _, s := range en.Spellings(numbers.Range{To: 999, Tenths: true}) {
		if v, ok := seen[s.Text]; ok && v != s.Value {
			t.Errorf("%q is both %v and %v", s.Text, v, s.Value)
		}
		seen[s.Text] = s.Value
	}
	if seen["nineteen and a half"] != 19.5 || seen["twenty one point seven"] != 21.7 {
		t.Error("fractions are missing")
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		r    numbers.Range
		v    float64
		want bool
	}{
		"inside":       {numbers.Range{To: 100}, 50, true},
		"above":        {numbers.Range{To: 100}, 101, false},
		"off step":     {numbers.Range{To: 100, Step: 5}, 42, false},
		"half":         {numbers.Range{To: 100, Halves: true}, 19.5, true},
		"half, whole":  {numbers.Range{To: 100}, 19.5, false},
		"tenth":        {numbers.Range{To: 100, Tenths: true}, 21.7, true},
		"hundredth":    {numbers.Range{To: 100, Tenths: true}, 21.75, false},
		"tenth, halfs": {numbers.Range{To: 100, Halves: true}, 21.7, false},
	}
	for name, tt := range tests {
		if got := tt.r.Holds(tt.v); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestDigits(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text     string
		fraction bool
		value    float64
		length   int
	}{
		"whole":         {"50%", false, 50, 2},
		"point":         {"21.5 degrees", true, 21.5, 4},
		"comma":         {"21,5", true, 21.5, 4},
		"no fraction":   {"21.5", false, 21, 2},
		"negative":      {"-3", true, -3, 2},
		"word":          {"ten", true, 0, 0},
		"minus alone":   {"-", true, 0, 0},
		"endless digit": {"99999999999999999999", true, 0, 0},
	}
	for name, tt := range tests {
		v, n := numbers.Digits(tt.text, tt.fraction)
		if v != tt.value || n != tt.length {
			t.Errorf("%s: got %v, %d", name, v, n)
		}
	}
}

func ExampleLanguage_Spellings() {
	en, _ := numbers.For("en")
	for _, s := range en.Spellings(numbers.Range{From: 19, To: 20, Halves: true}) {
		fmt.Println(s.Value, s.Text)
	}
	// Output:
	// 19 nineteen
	// 19.5 nineteen and a half
	// 19.5 nineteen point five
	// 20 twenty
}

func FuzzDigits(f *testing.F) {
	f.Add("21.5")
	f.Add("-,5")
	f.Fuzz(func(t *testing.T, s string) {
		if _, n := numbers.Digits(s, true); n < 0 || n > len(s) {
			t.Fatalf("length %d of %q", n, s)
		}
	})
}
