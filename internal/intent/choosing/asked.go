package choosing

import (
	"slices"
	"strings"

	"voicegateway/internal/language/numbers"
)

// mostNumber bounds the numbers that an answer can give.
const mostNumber = 1_000_000

// Secret reports whether a question asks for something that is told to nobody, such as a
// password.
func (w *Words) Secret(question string) bool {
	said := " " + strings.Join(strings.FieldsFunc(plainWords(question), func(c rune) bool { return strings.ContainsRune(" _/,.;:!?()", c) }), " ") + " "
	return slices.ContainsFunc(w.secrets, func(secret string) bool {
		return strings.Contains(said, " "+secret+" ") || len(secret) > 4 && strings.Contains(said, secret)
	})
}

// Option is the place of the option that an answer names, by its words or by its place;
// ok is false if it names none, or several.
func (w *Words) Option(answer string, options []string) (place int, ok bool) {
	said := " " + w.choices.bare(answer) + " "
	best := 0
	for i, option := range options {
		name := plainWords(option)
		if name == "" || !strings.Contains(said, " "+name+" ") {
			continue
		}
		switch {
		case len(name) > best: // "dark red" and not "red"
			place, ok, best = i, true, len(name)
		case len(name) == best:
			ok = false
		}
	}
	if best > 0 {
		return place, ok
	}
	telling := strings.Join(w.choices.telling(answer), " ")
	for i, option := range options { // "the report" for "the report of May"
		if telling != "" && strings.Contains(" "+plainWords(option)+" ", " "+telling+" ") {
			if ok {
				return 0, false
			}
			place, ok = i, true
		}
	}
	if ok {
		return place, true
	}
	return w.Ordinal(answer, len(options))
}

// Number is the one number in an answer; ok is false if there is none, or several.
func (w *Words) Number(answer string, whole bool) (value float64, ok bool) {
	lang, _ := numbers.For(w.language)
	said := strings.Fields(w.choices.bare(answer))
	for i := 0; i < len(said); i++ {
		rest := strings.Join(said[i:], " ")
		read := lang.Read(nil, rest, numbers.Range{From: -mostNumber, To: mostNumber, Tenths: !whole})
		read = slices.DeleteFunc(read, func(r numbers.Reading) bool { return r.Length < len(rest) && rest[r.Length] != ' ' })
		if len(read) == 0 {
			continue
		}
		if ok {
			return 0, false
		}
		longest := slices.MaxFunc(read, func(a, b numbers.Reading) int { return a.Length - b.Length })
		value, ok = longest.Value, true
		i += len(strings.Fields(rest[:longest.Length])) - 1
	}
	return value, ok
}
