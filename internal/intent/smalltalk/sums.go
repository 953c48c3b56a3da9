package smalltalk

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/intent"
	"voicegateway/internal/language/numbers"
)

// sums are the words of sums in one language, longest first after preparation, and the
// answers, in which {value} stands for the number.
type sums struct {
	Before  []string `yaml:"before"`
	After   []string `yaml:"after"`
	Plus    []string `yaml:"plus"`
	Minus   []string `yaml:"minus"`
	Times   []string `yaml:"times"`
	Over    []string `yaml:"over"`
	Percent []string `yaml:"percent"`
	Point   string   `yaml:"point"` // before the digits of a fraction, "." if it is empty
	Is      string   `yaml:"is"`
	About   string   `yaml:"about"`
	Zero    string   `yaml:"zero"`

	numbers   *numbers.Language
	operators []operator
}

// operator is what may stand between two numbers.
type operator struct {
	word string
	does byte // + - * / or %, which is percent of
}

// Limits of a sum: how many numbers it may have, the largest number that is read, and the
// number of digits after the point up to which the result is exact.
const (
	mostNumbers   = 12
	largestNumber = 1_000_000_000
	exactDigits   = 6
	aboutDigits   = 2
)

func (s *sums) prepare(language string) error {
	var ok bool
	if s.numbers, ok = numbers.For(language); !ok {
		return fmt.Errorf("no numbers are known of it")
	}
	for does, words := range map[byte][]string{'+': s.Plus, '-': s.Minus, '*': s.Times, '/': s.Over, '%': s.Percent} {
		for _, w := range words {
			s.operators = append(s.operators, operator{w, does})
		}
	}
	slices.SortFunc(s.operators, func(a, b operator) int { return cmp.Or(len(b.word)-len(a.word), strings.Compare(a.word, b.word)) })
	for _, words := range [][]string{s.Before, s.After} {
		slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	}
	return nil
}

// answer returns the result of a text that is a sum, and nothing else.
func (s *sums) answer(text string) (string, bool) {
	values, does, ok := s.read(s.bare(text))
	if !ok {
		return "", false
	}
	result, ok := reckon(values, does)
	if !ok {
		return s.Zero, true
	}
	form := s.Is
	digits, exact := result.FloatPrec()
	if !exact || digits > exactDigits {
		form, digits = s.About, aboutDigits
	}
	said := result.FloatString(digits)
	said = strings.Replace(said, ".", cmp.Or(s.Point, "."), 1)
	return strings.ReplaceAll(form, "{value}", said), true
}

// bare is a text in the form for comparing, without the words around a sum.
func (s *sums) bare(text string) string {
	text = intent.Plain(text)
	for again := true; again; {
		again = false
		for _, w := range s.Before {
			if rest, ok := strings.CutPrefix(text, w+" "); ok {
				text, again = rest, true
			}
		}
		for _, w := range s.After {
			if rest, ok := strings.CutSuffix(text, " "+w); ok {
				text, again = rest, true
			}
		}
	}
	return text
}

// read takes a text apart into numbers and what stands between them; ok is false if it
// is anything else, or only one number.
func (s *sums) read(text string) (values []*big.Rat, does []byte, ok bool) {
	for len(values) < mostNumbers {
		value, rest, ok := s.number(text)
		if !ok {
			return nil, nil, false
		}
		values = append(values, value)
		if text = strings.TrimSpace(rest); text == "" {
			return values, does, len(values) > 1
		}
		i := slices.IndexFunc(s.operators, func(o operator) bool { return begins(text, o.word) })
		if i < 0 {
			return nil, nil, false
		}
		does = append(does, s.operators[i].does)
		text = strings.TrimSpace(text[len(s.operators[i].word):])
	}
	return nil, nil, false
}

// begins reports whether a text begins with a word; behind a sign anything may follow.
func begins(text, word string) bool {
	rest, ok := strings.CutPrefix(text, word)
	return ok && (rest == "" || rest[0] == ' ' || word[0] < '0' || word[0] > 0x7f)
}

// number reads the longest number that a text begins with and ends at a word's end.
func (s *sums) number(text string) (value *big.Rat, rest string, ok bool) {
	longest := numbers.Reading{}
	for _, r := range s.numbers.Read(nil, text, numbers.Range{From: 0, To: largestNumber, Parts: true}) {
		if behind := text[r.Length:]; r.Length > longest.Length && (behind == "" || !isLetter(behind) || text[r.Length-1] <= '9') {
			longest = r
		}
	}
	if longest.Length == 0 {
		return nil, text, false
	}
	value, ok = new(big.Rat).SetString(strconv.FormatFloat(longest.Value, 'f', -1, 64))
	return value, text[longest.Length:], ok
}

// isLetter reports whether a text begins with a letter or a digit.
func isLetter(text string) bool {
	c := text[0] | 0x20
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || text[0] > 0x7f
}

// reckon works a sum out, what binds closer first; false if it divides by zero.
func reckon(values []*big.Rat, does []byte) (*big.Rat, bool) {
	sum, product, sign := new(big.Rat), new(big.Rat).Set(values[0]), byte('+')
	add := func() {
		if sign == '-' {
			product.Neg(product)
		}
		sum.Add(sum, product)
	}
	for i, do := range does {
		next := values[i+1]
		switch do {
		case '*':
			product.Mul(product, next)
		case '%':
			product.Mul(product, next).Quo(product, big.NewRat(100, 1))
		case '/':
			if next.Sign() == 0 {
				return nil, false
			}
			product.Quo(product, next)
		default:
			add()
			product.Set(next)
			sign = do
		}
	}
	add()
	return sum, true
}
