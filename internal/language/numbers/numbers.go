// Package numbers knows how the numbers of a house are written and said: 0 to
// 100 percent, 1 to 60 minutes, 19 and a half degrees. It lists spellings
// instead of parsing language, so that the matcher and the recogniser's grammar
// are made from one table.
//
// For("de") gives a language by its code; a region ("fr-CH", "de_CH") falls back
// to the language. There is a table for every language that CLDR has spell-out
// rules for, made by scripts/numbers.go, and for one that has a
// file of numbers with its other words; a language that For does not know, the
// nil Language, still reads digits. What CLDR does not say ("and a half", "a
// dozen", "half" for 50 percent) is with the other words of the language.
//
// Read finds the numbers at the start of a text and is what a matcher calls in a
// number slot; it needs no list of its own. Spellings lists what a recogniser's
// grammar should offer for a range, without the variants that only a text has.
package numbers

import (
	"math"
	"strings"
)

// Language says how one language spells numbers. It is never changed and may be
// used by many goroutines; the nil Language knows digits only.
type Language struct {
	trie  trie // by spelling
	alike trie // words that only sound like a number
	said  map[int][]string
	point []string
	minus []string
	hand  byHand
}

// For returns the table of a language code such as "en", "de-CH" or "pt_BR";
// false if there is none. The table is made at the first call for it.
func For(code string) (*Language, bool) {
	code = strings.ReplaceAll(strings.ToLower(code), "_", "-")
	for code != "" {
		if known, ok := aliases[code]; ok {
			code = known
		}
		if table, ok := library()[code]; ok {
			l := table()
			return l, l != nil
		}
		code = code[:max(strings.LastIndexByte(code, '-'), 0)]
	}
	return nil, false
}

// aliases are the language codes whose table has another name in CLDR.
var aliases = map[string]string{"nb": "no", "zh-cn": "zh", "zh-tw": "zh-hant", "zh-hk": "yue"}

// Range is a set of numbers a sentence may hold.
type Range struct {
	From, To, Step int // inclusive; Step 0 counts as 1
	Halves         bool
	Tenths         bool
	Parts          bool // any fraction, and parts of one: a length is 1¼ hours or 0.5
	Percent        bool // "half" is 50, "full" 100, "lowest" 1
	NoDigits       bool // only words
	NoWords        bool // only digits
}

// MaxValues bounds the spellings made for one range.
const MaxValues = 20000

// Spelling is one way to say a number.
type Spelling struct {
	Text  string
	Value float64
}

// fractions reports whether some fractions are in the range.
func (r Range) fractions() bool { return r.Halves || r.Tenths || r.Parts }

// Holds reports whether v is in the range, on a step or an allowed fraction.
func (r Range) Holds(v float64) bool {
	least := float64(r.From)
	if r.Parts && r.From == 1 {
		least = math.SmallestNonzeroFloat64
	}
	if v < least || v > float64(r.To) {
		return false
	}
	whole := int(v)
	rest := v - float64(whole)
	if rest < 0 {
		rest = -rest
	}
	tenths := rest * 10
	near := tenths - float64(int(tenths+0.5))
	switch {
	case rest == 0:
		return (whole-r.From)%max(r.Step, 1) == 0
	case r.Parts:
		return true
	case r.Tenths:
		return near < 1e-6 && near > -1e-6
	}
	return r.Halves && rest == 0.5
}

// Spellings lists every usual spoken form of every number in the range, digits
// not included, words divided by single spaces.
func (l *Language) Spellings(r Range) []Spelling {
	if l == nil || r.NoWords {
		return nil
	}
	var out []Spelling
	step := max(r.Step, 1)
	for n := r.From; n <= r.To && n-r.From < step*MaxValues && len(out) < MaxValues; n += step {
		for _, text := range l.whole(n) {
			out = append(out, Spelling{text, float64(n)})
			if n < r.To && n >= 0 {
				out = l.fractions(out, r, text, n)
			}
		}
	}
	return out
}

func (l *Language) whole(n int) []string {
	if n >= 0 {
		return l.said[n]
	}
	var out []string
	for _, text := range l.said[-n] {
		if len(l.minus) > 0 {
			out = append(out, l.minus[0]+" "+text)
		}
	}
	return out
}

func (l *Language) fractions(out []Spelling, r Range, text string, n int) []Spelling {
	if r.Halves || r.Tenths {
		for _, half := range l.hand.Halves[:min(1, len(l.hand.Halves))] {
			out = append(out, Spelling{text + " " + half, float64(n) + 0.5})
		}
	}
	for _, point := range l.point {
		for tenth := 1; tenth <= 9; tenth++ {
			if r.Tenths || r.Halves && tenth == 5 {
				value := float64(n*10+tenth) / 10 // as Read makes it
				out = append(out, Spelling{text + " " + point + " " + l.Say(tenth), value})
			}
		}
	}
	return out
}

// Say spells a number for a recogniser's dictionary or a display; it returns ""
// if the number is not in the table.
func (l *Language) Say(n int) string {
	if l == nil {
		return ""
	}
	if texts := l.whole(n); len(texts) > 0 {
		return texts[0]
	}
	return ""
}

// InWords spells the numbers in a name, "lamp 2" as "lamp two", because that is
// how the name is said; "" if there is no digit in it or no language. A number
// beyond the table is said digit by digit.
func (l *Language) InWords(name string) string {
	if l == nil || !strings.ContainsAny(name, "0123456789") {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if !isDigit(name[i]) {
			b.WriteByte(name[i])
			i++
			continue
		}
		end := i
		for end < len(name) && isDigit(name[end]) {
			end++
		}
		b.WriteString(" " + l.digitsInWords(name[i:end]) + " ")
		i = end
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *Language) digitsInWords(digits string) string {
	if value, n := Digits(digits, false); n == len(digits) {
		if word := l.Say(int(value)); word != "" {
			return word
		}
	}
	var words []string
	for i := range len(digits) {
		words = append(words, l.Say(int(digits[i]-'0')))
	}
	return strings.Join(words, " ")
}
