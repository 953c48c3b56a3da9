package numbers

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"voicegateway/internal/language/sentences"
)

// spellings is made by scripts/numbers.go from CLDR's spell-out rules, which are
// under the licence in LICENSE-unicode.txt.
//
//go:embed spellings.zip
var spellings []byte

// library opens the archive's directory once; a language is only unpacked when
// it is asked for.
var library = sync.OnceValue(func() map[string]func() *Language {
	archive, err := zip.NewReader(bytes.NewReader(spellings), int64(len(spellings)))
	if err != nil {
		return nil
	}
	out := make(map[string]func() *Language, len(archive.File))
	for _, f := range archive.File {
		code := strings.TrimSuffix(f.Name, ".txt")
		out[code] = sync.OnceValue(func() *Language { return unpack(code, f) })
	}
	for _, code := range sentences.Languages() {
		if table, err := sentences.NumbersFile(code); err == nil {
			out[code] = sync.OnceValue(func() *Language { return parse(code, string(table)) })
		}
	}
	return out
})

func unpack(code string, f *zip.File) *Language {
	r, err := f.Open()
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err := r.Close(); err != nil {
		return nil
	}
	if err != nil {
		return nil
	}
	return parse(code, string(text))
}

// parse reads a table: lines of a key, a tab and spellings divided by bars.
func parse(code, table string) *Language {
	l := &Language{hand: hand(code), said: make(map[int][]string)}
	for line := range strings.Lines(table) {
		key, forms, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok {
			continue
		}
		all := strings.Split(forms, "|")
		switch key {
		case "minus":
			l.minus = append(all, l.hand.Minus...)
		case "point":
			l.point = append(all, l.hand.Point...)
		default:
			l.enter(key, all)
		}
	}
	for _, w := range l.hand.More {
		l.trie.add(w.Text, int32(w.Value*10))
	}
	for _, w := range l.hand.Alike {
		l.alike.add(w.Text, int32(w.Value*10))
		for tens := 20; l.hand.Compounds && tens < 100; tens += 10 {
			l.alike.add(l.Say(tens)+" "+w.Text, int32(tens*10+int(w.Value)*10))
		}
	}
	return l
}

// softHyphen marks in the table where a compound is put together.
const softHyphen = "\u00ad"

// enter adds the spellings of one number; a key such as 19.5 is a fraction that is said
// without a word for the point.
func (l *Language) enter(key string, forms []string) {
	v, err := strconv.ParseFloat(key, 64)
	if err != nil {
		return
	}
	n, whole := int(v), v == float64(int(v))
	if whole {
		forms = l.hand.variants(n, forms, l.Say)
	}
	for _, form := range forms {
		loose := strings.Fields(strings.NewReplacer("-", " ", softHyphen, " ").Replace(form))
		l.trie.add(strings.Join(loose, " "), int32(v*10))
		if spoken := strings.NewReplacer("-", " ", softHyphen, "").Replace(form); whole && !slices.Contains(l.said[n], spoken) {
			l.said[n] = append(l.said[n], spoken)
		}
	}
}
