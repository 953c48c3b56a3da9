package numbers_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voicegateway/internal/language/numbers"
)

var (
	percent  = numbers.Range{To: 100, Percent: true}
	celsius  = numbers.Range{To: 100, Halves: true}
	tenths   = numbers.Range{From: -30, To: 50, Tenths: true}
	minutes  = numbers.Range{From: 1, To: 100}
	lengths  = numbers.Range{From: 1, To: 100, Parts: true}
	kelvin   = numbers.Range{From: 1000, To: 10_000, Step: 100}
	delta    = numbers.Range{To: 10, Halves: true}
	anything = numbers.Range{From: -10_000, To: 10_000, Tenths: true}
)

// TestReadWholeText lists texts and the number they are as a whole; "none" stands
// for no number.
func TestReadWholeText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang, text string
		in         numbers.Range
		want       string
	}{
		{"en", "twenty one", percent, "21"},
		{"en", "twenty-one", percent, "21"},
		{"en", "twentyone", percent, "21"},
		{"en", "one hundred", percent, "100"},
		{"en", "a hundred", percent, "100"},
		{"en", "a hundred and five", numbers.Range{To: 120}, "105"},
		{"en", "one hundred and one", percent, "none"},
		{"en", "nineteen point five", celsius, "19.5"},
		{"en", "nineteen and a half", celsius, "19.5"},
		{"en", "nineteen point 5", celsius, "19.5"},
		{"en", "19 and a half", celsius, "19.5"},
		{"en", "19 1/2", celsius, "19.5"},
		{"en", "19½", celsius, "19.5"},
		{"en", "1/2", lengths, "0.5"},
		{"en", "½", lengths, "0.5"},
		{"en", "1 1/4", lengths, "1.25"},
		{"en", "1-1/2", lengths, "1.5"},
		{"en", "1⁄2", lengths, "0.5"},
		{"en", "2.25", lengths, "2.25"},
		{"en", "0", lengths, "none"},
		{"en", "two point five", lengths, "2.5"},
		{"de", "zweieinhalb", lengths, "2.5"},
		{"de", "zwei komma fünf", lengths, "2.5"},
		{"fr", "2,5", lengths, "2.5"},
		{"es", "dos coma cinco", lengths, "2.5"},
		{"en", "nineteen point four", celsius, "none"},
		{"en", "nineteen point four", tenths, "19.4"},
		{"en", "minus five", tenths, "-5"},
		{"en", "minus five point five", tenths, "-5.5"},
		{"en", "minus 5.5", tenths, "-5.5"},
		{"en", "negative ten", tenths, "-10"},
		{"en", "-3", tenths, "-3"},
		{"en", "minus five", percent, "none"},
		{"en", "21.5", celsius, "21.5"},
		{"en", "21,5", celsius, "21.5"},
		{"en", "half", percent, "50"},
		{"en", "half", minutes, "none"},
		{"en", "half", celsius, "none"},
		{"en", "three quarters", percent, "75"},
		{"en", "three-quarters", percent, "75"},
		{"en", "1/2", percent, "50"},
		{"en", "3/4", percent, "75"},
		{"en", "all the way", percent, "100"},
		{"en", "max", percent, "100"},
		{"en", "the lowest", percent, "1"},
		{"en", "a couple of", minutes, "2"},
		{"en", "a dozen", minutes, "12"},
		{"en", "to", percent, "none"},
		{"en", "twenty seven hundred", kelvin, "2700"},
		{"en", "two thousand seven hundred", kelvin, "2700"},
		{"en", "2,700", kelvin, "2700"},
		{"en", "2700", kelvin, "2700"},
		{"en", "2750", kelvin, "none"},
		{"en", "99999999999999999999", anything, "none"},

		{"de", "einundzwanzig", percent, "21"},
		{"de", "ein und zwanzig", percent, "21"},
		{"de", "ein-und-zwanzig", percent, "21"},
		{"de", "eine", minutes, "1"},
		{"de", "einer", minutes, "1"},
		{"de", "eins", minutes, "1"},
		{"de", "zwo", minutes, "2"},
		{"de", "hundert", percent, "100"},
		{"de", "einhundert", percent, "100"},
		{"de", "neunzehn komma fünf", celsius, "19.5"},
		{"de", "neunzehneinhalb", celsius, "19.5"},
		{"de", "neunzehn einhalb", celsius, "19.5"},
		{"de", "dreißig", percent, "30"},
		{"de", "dreissig", percent, "30"},
		{"de", "zweitausendsiebenhundert", kelvin, "2700"},
		{"de", "tausendfünfhundert", kelvin, "1500"},
		{"de", "die hälfte", percent, "50"},
		{"de", "dreiviertel", percent, "75"},
		{"de", "minus fünf", tenths, "-5"},
		{"de", "2.700", kelvin, "2700"},

		{"es", "veintiuno", percent, "21"},
		{"es", "veintiuna", percent, "21"},
		{"es", "veintiún", percent, "21"},
		{"es", "treinta y una", percent, "31"},
		{"es", "cien", percent, "100"},
		{"es", "diecinueve coma cinco", celsius, "19.5"},
		{"es", "diecinueve y medio", celsius, "19.5"},
		{"es", "dos mil setecientos", kelvin, "2700"},
		{"es", "la mitad", percent, "50"},
		{"es", "menos cinco", tenths, "-5"},

		{"fr", "vingt-et-une", percent, "21"},
		{"fr", "vingt et un", percent, "21"},
		{"fr", "quatre-vingts", percent, "80"},
		{"fr", "quatre-vingt-onze", percent, "91"},
		{"fr", "quatre vingt onze", percent, "91"},
		{"fr", "septante", percent, "70"},
		{"fr", "nonante-cinq", percent, "95"},
		{"fr", "cent", percent, "100"},
		{"fr", "dix-neuf virgule cinq", celsius, "19.5"},
		{"fr", "dix-neuf et demi", celsius, "19.5"},
		{"fr", "deux mille sept cents", kelvin, "2700"},
		{"fr", "la moitié", percent, "50"},
		{"fr", "moins cinq", tenths, "-5"},

		{"nl", "eenentwintig", percent, "21"},
		{"it", "ventuno", percent, "21"},
		{"sv", "sextusen", kelvin, "6000"},
		{"pt-BR", "vinte e um", percent, "21"},
		{"nb", "tjueén", percent, "21"},
		{"ru", "двадцать один", percent, "21"},
		{"xx", "21", percent, "21"},
		{"xx", "twenty", percent, "none"},
	}
	for _, tt := range tests {
		t.Run(tt.lang+" "+tt.text, func(t *testing.T) {
			t.Parallel()
			l, _ := numbers.For(tt.lang)
			got := "none"
			for _, r := range l.Read(nil, tt.text, tt.in) {
				if r.Length == len(tt.text) {
					got = strconv.FormatFloat(r.Value, 'g', -1, 64)
				}
			}
			if got != tt.want {
				t.Errorf("got %s, want %s of %v", got, tt.want, l.Read(nil, tt.text, tt.in))
			}
		})
	}
}

func TestReadGivesEveryPrefix(t *testing.T) {
	t.Parallel()
	en, _ := numbers.For("en")
	tests := map[string]struct {
		text string
		in   numbers.Range
		want []numbers.Reading
	}{
		"longer and shorter": {"twenty one percent", percent, []numbers.Reading{{20, 6}, {21, 10}}},
		"homophone, unit":    {"to percent", percent, []numbers.Reading{{2, 2}}},
		"homophone, sign":    {"for %", percent, []numbers.Reading{{4, 3}}},
		"homophone, tens":    {"twenty won degrees", celsius, []numbers.Reading{{20, 6}, {21, 10}}},
		"homophone, no unit": {"to the kitchen", percent, nil},
		"part of a word":     {"tomorrow", percent, nil},
		"half a degree":      {"half a degree", delta, []numbers.Reading{{0.5, 6}, {0.5, 4}}},
		"digits, then words": {"5 twenty", percent, []numbers.Reading{{5, 1}}},
		"digits out of it":   {"500", percent, nil},
		"percent sign":       {"50%", percent, []numbers.Reading{{50, 2}}},
		"nothing":            {"", percent, nil},
		"minus alone":        {"minus", tenths, nil},
		"minus and a word":   {"minus sign", tenths, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := en.Read(nil, tt.text, tt.in)
			if name == "half a degree" {
				got = slices.DeleteFunc(got, func(r numbers.Reading) bool { return r.Length == 4 })
				tt.want = tt.want[:1]
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestRangesWithoutDigitsOrWords(t *testing.T) {
	t.Parallel()
	en, _ := numbers.For("en")
	noWords, noDigits := numbers.Range{To: 100, NoWords: true}, numbers.Range{To: 100, NoDigits: true}
	if got := en.Read(nil, "twenty", noWords); got != nil {
		t.Errorf("words: got %v", got)
	}
	if got := en.Read(nil, "20", noDigits); got != nil {
		t.Errorf("digits: got %v", got)
	}
}

// TestWhatIsSpelledIsRead proves for every language that every spelling of the
// ranges Home Assistant's packs use is read back as its number, joined by
// spaces and, where it has several words, by hyphens.
func TestWhatIsSpelledIsRead(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"en", "de", "es", "fr", "nl", "it", "pt", "pt-PT", "sv", "da", "nb", "fi", "pl", "cs", "hu", "ru", "uk", "tr", "el",
		"de-CH", "fr-BE", "ro", "hr", "sk", "sl", "ca", "et", "lt", "lv", "he", "ar", "ja", "zh", "ko", "vi", "hi",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			l, ok := numbers.For(code)
			if !ok {
				t.Fatal("no table")
			}
			for _, r := range []numbers.Range{percent, celsius, kelvin} {
				all := l.Spellings(r)
				if len(all) <= (r.To-r.From)/max(r.Step, 1) {
					t.Errorf("%d spellings of %+v", len(all), r)
				}
				for _, s := range all {
					for _, text := range []string{s.Text, strings.ReplaceAll(s.Text, " ", "-")} {
						if !reads(l, text, r, s.Value) {
							t.Errorf("%q is not read as %v: %v", text, s.Value, l.Read(nil, text, r))
						}
						if !l.Begins(text) {
							t.Errorf("no number is said to begin %q", text)
						}
					}
				}
			}
		})
	}
}

func reads(l *numbers.Language, text string, r numbers.Range, want float64) bool {
	return slices.Contains(l.Read(nil, text, r), numbers.Reading{Value: want, Length: len(text)})
}

func TestReadAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	en, _ := numbers.For("en")
	buf := make([]numbers.Reading, 0, 16)
	for _, text := range []string{"twenty one and a half degrees", "21.5", "the kitchen light", "to percent"} {
		if n := testing.AllocsPerRun(100, func() { buf = en.Read(buf[:0], text, celsius) }); n > 1 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}

func TestInWords(t *testing.T) {
	t.Parallel()
	en, _ := numbers.For("en")
	de, _ := numbers.For("de")
	tests := map[string]struct {
		lang       *numbers.Language
		name, want string
	}{
		"one digit":        {en, "lamp 2", "lamp two"},
		"glued":            {en, "lamp2", "lamp two"},
		"no digit":         {en, "lamp", ""},
		"beyond the table": {en, "plug 4711", "plug four seven one one"},
		"absurd":           {en, "1234567890123", "one two three four five six seven eight nine zero one two three"},
		"german":           {de, "lampe 21", "lampe einundzwanzig"},
		"no language":      {nil, "lamp 2", ""},
	}
	for name, tt := range tests {
		if got := tt.lang.InWords(tt.name); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	ratios := map[string]string{"1/2": "0.5 3", "3/4 off": "0.75 3", "1/0": "0 0", "½": "0.5 2", "1": "0 0", "x": "0 0"}
	for text, want := range ratios {
		v, n := numbers.Ratio(text)
		if got := fmt.Sprint(v, n); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	want := map[string]string{"en": "half an hour", "de": "eine halbe stunde", "es": "media hora", "fr": "une demi heure"}
	for code, text := range want {
		l, _ := numbers.For(code)
		if !slices.Contains(l.Durations(), numbers.Spelling{Text: text, Value: 30}) {
			t.Errorf("%s: %q is missing", code, text)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"minus twenty one point five", "19 1/2", "2,700", "-", "einundzwanzig", "half", "1/", "²½", "twenty to%"} {
		f.Add("en", s)
		f.Add("de", s)
	}
	f.Fuzz(func(t *testing.T, code, s string) {
		l, _ := numbers.For(code)
		for _, r := range []numbers.Range{percent, celsius, tenths, kelvin, anything} {
			for _, got := range l.Read(nil, s, r) {
				if got.Length <= 0 || got.Length > len(s) || !r.Holds(got.Value) || !l.Begins(s) {
					t.Fatalf("%q: %+v", s, got)
				}
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	en, _ := numbers.For("en")
	buf := make([]numbers.Reading, 0, 16)
	b.ReportAllocs()
	for b.Loop() {
		buf = en.Read(buf[:0], "twenty one and a half degrees", celsius)
	}
}
