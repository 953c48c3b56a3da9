package numbers

import (
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/language/sentences"
)

// Reading is a number found at the start of a text.
type Reading struct {
	Value  float64
	Length int // bytes of text it takes
}

// maxHits is how many entries of a table one text can begin with; "two", "two
// thousand", "two thousand five" … are far fewer.
const maxHits = 24

// Read appends to buf every number of the range with which text begins: all prefixes that
// are numbers, because only the rest of the sentence decides between "twenty" and "twenty
// one". text is lower case. If it begins with digits, number words are not tried. A
// number need not end at the end of a word, but "to", "for" and "won" are numbers only
// before a unit, and so is a half without a number.
func (l *Language) Read(buf []Reading, text string, r Range) []Reading {
	first := len(buf)
	if !r.NoDigits {
		if buf = l.digits(buf, text, r); len(buf) > first {
			return unique(buf, first)
		}
		if startsWithDigit(text) {
			return buf
		}
	}
	if l == nil || r.NoWords || text == "" {
		return buf
	}
	if n := l.sign(text); n > 0 {
		if !r.NoDigits && isDigit(text[min(n, len(text)-1)]) {
			buf = l.digits(buf, "-"+text[n:], r)
			for i := range buf[first:] {
				buf[first+i].Length += n - 1
			}
			return unique(buf, first)
		}
		if r.From < 0 {
			return unique(l.readSpelled(buf, text, n, -1, r), first)
		}
	}
	return unique(l.readSpelled(buf, text, 0, 1, r), first)
}

// Begins reports whether a number of any range may stand at the beginning of a text in
// lower case. If it reports false, Read returns nothing.
func (l *Language) Begins(text string) bool {
	switch {
	case text == "":
		return false
	case text[0] < 'a' || text[0] > 'z': // digits, signs, letters with accents
		return true
	case l == nil:
		return false
	}
	var room [maxHits]hit
	if l.sign(text) > 0 || len(l.trie.walk(room[:0], text)) > 0 || len(l.alike.walk(room[:0], text)) > 0 {
		return true
	}
	counts := func(p sentences.Amount) bool { return prefix(text, p.Text) > 0 }
	return slices.ContainsFunc(l.hand.Counts, counts) || slices.ContainsFunc(l.hand.Percents, counts) ||
		slices.ContainsFunc(l.hand.Alone, func(p string) bool { return prefix(text, p) > 0 })
}

// sign returns the length of a word for minus, with the space behind it.
func (l *Language) sign(text string) int {
	for _, minus := range l.minus {
		if n := prefix(text, minus); n > 0 && n+1 < len(text) && text[n] == ' ' {
			return n + 1
		}
	}
	return 0
}

// taker collects readings that are in a range.
type taker struct {
	buf  []Reading
	in   Range
	sign float64
	at   int // bytes before the number itself
}

func (t *taker) addReading(value float64, length int) {
	if value *= t.sign; t.in.Holds(value) {
		t.buf = append(t.buf, Reading{value, t.at + length})
	}
}

// readSpelled reads spelled numbers from byte at.
func (l *Language) readSpelled(buf []Reading, text string, at int, sign float64, r Range) []Reading {
	var room [maxHits]hit
	rest := text[at:]
	t := taker{buf, r, sign, at}
	for _, h := range l.trie.walk(room[:0], rest) {
		t.addReading(float64(h.tenths)/10, h.length)
		if r.fractions() && h.tenths%10 == 0 {
			l.fraction(rest, h, &t)
		}
	}
	if at == 0 {
		for _, h := range l.alike.walk(room[:0], rest) {
			if l.unitAt(rest, h.length) {
				t.addReading(float64(h.tenths)/10, h.length)
			}
		}
		l.phrases(rest, &t)
	}
	return t.buf
}

// phrases reads words that stand for a number without being one ("half", "a
// dozen").
func (l *Language) phrases(text string, t *taker) {
	all := l.hand.Counts
	if t.in.Percent {
		all = l.hand.Percents
	}
	for _, p := range all {
		if n := prefix(text, p.Text); n > 0 && wordEnds(text, n) {
			t.addReading(p.Value, n)
		}
	}
	if !t.in.Halves && !t.in.Tenths { // "half an hour" is a complete length
		return
	}
	for _, p := range l.hand.Alone {
		if n := prefix(text, p); n > 0 && l.unitAt(text, n) {
			t.addReading(0.5, n)
		}
	}
}

// fraction looks for "and a half" or "point five" behind a whole number.
func (l *Language) fraction(text string, h hit, t *taker) {
	value, rest := float64(h.tenths)/10, text[h.length:]
	for _, half := range l.hand.Halves {
		if n := prefix(rest, " "+half); n > 0 {
			t.addReading(value+0.5, h.length+n)
		}
	}
	for _, point := range l.point {
		n := prefix(rest, " "+point+" ")
		if n == 0 {
			continue
		}
		if tail := rest[n:]; tail != "" && isDigit(tail[0]) {
			t.addReading((float64(h.tenths)+float64(tail[0]-'0'))/10, h.length+n+1)
			continue
		}
		for tenth := 1; tenth <= 9; tenth++ {
			for _, word := range l.said[tenth] {
				if m := prefix(rest[n:], word); m > 0 {
					t.addReading((float64(h.tenths)+float64(tenth))/10, h.length+n+m)
				}
			}
		}
	}
}

// unitAt reports whether a word for a unit follows at byte i.
func (l *Language) unitAt(text string, i int) bool {
	if i >= len(text) || text[i] != ' ' && text[i] != '%' {
		return false
	}
	rest := strings.TrimPrefix(text[i:], " ")
	for _, unit := range l.hand.Units {
		if strings.HasPrefix(rest, unit) {
			return true
		}
	}
	return strings.HasPrefix(rest, "%") || strings.HasPrefix(rest, "°")
}

// digits reads a number written in digits, "21.5", "19 1/2", "2,700" or, for
// percent, "1/2".
func (l *Language) digits(buf []Reading, text string, r Range) []Reading {
	t := taker{buf, r, 1, 0}
	fraction := r.fractions()
	if v, n := Ratio(text); n > 0 {
		switch {
		case r.Percent && v <= 1:
			t.addReading(float64(int(v*100+0.5)), n)
		case fraction:
			t.addReading(v, n)
		}
		return t.buf
	}
	value, n := Digits(text, fraction)
	if v, m := readGrouped(text); m > 0 && r.To >= 1000 {
		value, n, fraction = v, m, false
	}
	if n == 0 {
		return t.buf
	}
	t.addReading(value, n)
	if fraction && value >= 0 && value == float64(int(value)) {
		l.behind(text, hit{int32(value * 10), n}, &t)
	}
	return t.buf
}

// behind reads what follows whole digits: "19 1/2", "19 and a half".
func (l *Language) behind(text string, h hit, t *taker) {
	rest := text[h.length:]
	if rest != "" && isBorder(rest[0]) { // "1 1/2", and "1-1/2"
		rest = rest[1:]
	}
	if v, n := Ratio(rest); n > 0 && v < 1 {
		t.addReading(float64(h.tenths)/10+v, len(text)-len(rest)+n)
	}
	if l != nil {
		l.fraction(text, h, t)
	}
}

func startsWithDigit(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && isDigit(text[0])
}

// unique drops readings that are there already, from index first on.
func unique(buf []Reading, first int) []Reading {
	out := buf[:first]
next:
	for _, r := range buf[first:] {
		for _, known := range out[first:] {
			if known == r {
				continue next
			}
		}
		out = append(out, r)
	}
	return out
}

// most is how many digits a number may have; no number of a house is longer.
const most = 9

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

// readGrouped reads "2,700" or "2.700": thousands with a sign between.
func readGrouped(text string) (value float64, length int) {
	i := 0
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	if i == 0 || i > 3 || len(text) < i+4 || strings.IndexByte(",.'", text[i]) < 0 {
		return 0, 0
	}
	if len(text) > i+4 && isDigit(text[i+4]) {
		return 0, 0
	}
	n, err := strconv.Atoi(text[:i] + text[i+1:i+4])
	if err != nil {
		return 0, 0
	}
	return float64(n), i + 4
}

// Ratio reads "1/2", "3/4" or one of the signs ½ ¼ ¾ ⅓ ⅔ at the start of text and
// says how many bytes it takes; 0 if there is none.
func Ratio(text string) (value float64, length int) {
	for _, sign := range []struct {
		text  string
		value float64
	}{{"½", 0.5}, {"¼", 0.25}, {"¾", 0.75}, {"⅓", 1. / 3}, {"⅔", 2. / 3}} {
		if strings.HasPrefix(text, sign.text) {
			return sign.value, len(sign.text)
		}
	}
	above, n := Digits(text, false)
	if n == 0 || above < 0 {
		return 0, 0
	}
	stroke := 0
	for _, sign := range []string{"/", "⁄"} {
		if strings.HasPrefix(text[n:], sign) {
			stroke = len(sign)
		}
	}
	below, m := Digits(text[n+stroke:], false)
	if stroke == 0 || m == 0 || below <= 0 {
		return 0, 0
	}
	return above / below, n + stroke + m
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
