// Package numbers knows how the numbers of a house are written and said: 0 to
// 100 percent, 1 to 60 minutes, 19 and a half degrees. It lists spellings
// instead of parsing language, so that the matcher and the recogniser's grammar
// are made from one table. A new language is a Language value; a table made
// from CLDR rules fits its Whole function.
package numbers

import (
	"strconv"
	"strings"
)

// Language says how one language spells numbers.
type Language struct {
	// Whole lists the spellings of n, the usual one first; none if n is out of
	// the table.
	Whole func(n int) []string
	// Half follows a whole number for .5, as in "nineteen and a half".
	Half []string
	// Point stands between a whole number and one digit, as in "nineteen point five".
	Point []string
	// Minus stands before a negative number.
	Minus string
}

// For returns the table of a language code such as "en"; false if there is none.
func For(code string) (*Language, bool) {
	base, _, _ := strings.Cut(strings.ToLower(code), "-")
	if base == "en" {
		return &english, true
	}
	return nil, false
}

// Range is a set of numbers a sentence may hold.
type Range struct {
	From, To, Step int // inclusive; Step 0 counts as 1
	Halves         bool
	Tenths         bool
}

// MaxValues bounds the spellings made for one range.
const MaxValues = 20000

// Spelling is one way to say a number.
type Spelling struct {
	Text  string
	Value float64
}

// Holds reports whether v is in the range, on a step or an allowed fraction.
func (r Range) Holds(v float64) bool {
	if v < float64(r.From) || v > float64(r.To) {
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
	case r.Tenths:
		return near < 1e-6 && near > -1e-6
	}
	return r.Halves && rest == 0.5
}

// Spellings lists every spoken form of every number in the range, digits not
// included.
func (l *Language) Spellings(r Range) []Spelling {
	var out []Spelling
	for n := r.From; n <= r.To && len(out) < MaxValues; n += max(r.Step, 1) {
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
		return l.Whole(n)
	}
	var out []string
	for _, text := range l.Whole(-n) {
		out = append(out, l.Minus+" "+text)
	}
	return out
}

func (l *Language) fractions(out []Spelling, r Range, text string, n int) []Spelling {
	if r.Halves || r.Tenths {
		for _, half := range l.Half {
			out = append(out, Spelling{text + " " + half, float64(n) + 0.5})
		}
	}
	for _, point := range l.Point {
		for tenth := 1; tenth <= 9; tenth++ {
			if r.Tenths || r.Halves && tenth == 5 {
				value := float64(n) + float64(tenth)/10
				out = append(out, Spelling{text + " " + point + " " + l.Whole(tenth)[0], value})
			}
		}
	}
	return out
}

// Say spells a number for a recogniser's dictionary or a display; "" if the
// table does not hold it.
func (l *Language) Say(n int) string {
	if texts := l.whole(n); len(texts) > 0 {
		return texts[0]
	}
	return ""
}

// Digits reads a number written in digits at the start of text, "21.5", "21,5"
// or "-3", and says how many bytes it takes; 0 if there is none. A fraction is
// read only when the range allows one.
func Digits(text string, fraction bool) (value float64, length int) {
	i := 0
	if i < len(text) && text[i] == '-' {
		i++
	}
	start := i
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	const most = 9 // digits; no number of a house is longer
	if i == start || i-start > most {
		return 0, 0
	}
	if fraction {
		i += fractionLength(text[i:])
	}
	value, err := strconv.ParseFloat(strings.Replace(text[:i], ",", ".", 1), 64)
	if err != nil {
		return 0, 0
	}
	return value, i
}

// fractionLength is the length of ".5" or ",5" at the start of text, else 0.
func fractionLength(text string) int {
	if len(text) < 2 || text[0] != '.' && text[0] != ',' {
		return 0
	}
	const most = 10 // bytes; more precision than any sensor has
	i := 1
	for i < min(len(text), most) && isDigit(text[i]) {
		i++
	}
	if i == 1 {
		return 0
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// InWords spells the numbers in a name, "lamp 2" as "lamp two", because that is
// how the name is said; "" if there is no digit in it or no language. Numbers
// beyond the table are left out.
func (l *Language) InWords(name string) string {
	if l == nil || !strings.ContainsAny(name, "0123456789") {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		value, n := Digits(strings.TrimLeft(name[i:], "-"), false)
		if !isDigit(name[i]) || n == 0 {
			if !isDigit(name[i]) {
				b.WriteByte(name[i])
			}
			i++
			continue
		}
		b.WriteString(" " + l.Say(int(value)) + " ")
		i += n
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
