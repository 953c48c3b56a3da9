//go:build ignore

// This program makes internal/language/numbers/spellings.zip, the spoken numbers
// of every language that CLDR has spell-out rules for, so that the gateway needs
// no rule engine. It reads the data of the npm package cldr-rbnf:
//
//	npm pack cldr-rbnf && tar xzf cldr-rbnf-*.tgz
//	go run scripts/numbers.go -from package
//
// A file of the archive is one language. Its lines are a key, a tab and the
// spellings divided by bars, the usual one first. Keys are whole numbers, n.5
// where a language has no word for the decimal point, and the words minus and
// point. A space or hyphen divides words; a soft hyphen marks where a compound
// is put together.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const (
	softHyphen = "\u00ad"
	// allTo is the limit up to which every number is spelled: minutes of a timer, steps of
	// brightness and hue. Above it only the tens are spelled, up to tensTo, and above that
	// the hundreds, up to mostTo: degrees kelvin.
	allTo  = 400
	tensTo = 1000
	mostTo = 10_000
)

// categories are the plural forms of CLDR, after the likely one for a number.
// Each is tried, because accepting a wrong plural costs nothing.
var categories = []string{likely, "other", "one", "two", "few", "many", "zero"}

const likely = ""

func main() {
	from := flag.String("from", "package", "the unpacked npm package cldr-rbnf")
	to := flag.String("to", "internal/language/numbers", "where the table is written")
	flag.Parse()
	if err := run(*from, *to); err != nil {
		log.Fatal(err)
	}
}

func run(from, to string) error {
	files, err := filepath.Glob(filepath.Join(from, "rbnf", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("looking for rule files below %s: none (%v)", from, err)
	}
	tables := make(map[string]*table)
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".json")
		t, err := read(file)
		if err != nil {
			return fmt.Errorf("reading %s: %w", file, err)
		}
		if t != nil && code != "und" {
			tables[code] = t
		}
	}
	// A word of one country is understood in its neighbours: septante in France, dreissig
	// without the sharp s in Germany.
	for code, t := range tables {
		if base, _, regional := strings.Cut(code, "-"); regional && tables[base] != nil {
			tables[base].add(t)
		}
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	codes := make([]string, 0, len(tables))
	for code := range tables {
		codes = append(codes, code)
	}
	sort.Strings(codes)
	for _, code := range codes {
		w, err := z.Create(strings.ToLower(code) + ".txt")
		if err != nil {
			return err
		}
		if _, err = w.Write(tables[code].bytes()); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Printf("%d languages, %d bytes\n", len(codes), out.Len())
	if err := os.WriteFile(filepath.Join(to, "spellings.zip"), out.Bytes(), 0o644); err != nil {
		return err
	}
	notice, err := os.ReadFile(filepath.Join(from, "LICENSE"))
	if err != nil {
		return fmt.Errorf("reading the licence: %w", err)
	}
	return os.WriteFile(filepath.Join(to, "LICENSE-unicode.txt"), notice, 0o644)
}

// table is what one language is made of.
type table struct {
	lines map[string][]string
	keys  []string // in order
}

func (t *table) put(key, spelling string) {
	spelling = strings.ToLower(strings.TrimSpace(spelling))
	if spelling == "" || strings.ContainsAny(spelling, "0123456789#|\t") || slices.Contains(t.lines[key], spelling) {
		return
	}
	if _, ok := t.lines[key]; !ok {
		t.keys = append(t.keys, key)
	}
	t.lines[key] = append(t.lines[key], spelling)
}

func (t *table) add(from *table) {
	for _, key := range from.keys {
		for _, s := range from.lines[key] {
			t.put(key, s)
		}
	}
}

func (t *table) bytes() []byte {
	var b bytes.Buffer
	for _, key := range t.keys {
		fmt.Fprintf(&b, "%s\t%s\n", key, strings.Join(t.lines[key], "|"))
	}
	return b.Bytes()
}

// read makes the table of one rule file; nil if it has no spell-out rules.
func read(file string) (*table, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Rbnf struct {
			Rbnf struct {
				SpelloutRules map[string]json.RawMessage
			} `json:"rbnf"`
		} `json:"rbnf"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	s := &speller{sets: make(map[string]*ruleSet)}
	var public []string
	for name, raw := range doc.Rbnf.Rbnf.SpelloutRules {
		var pairs [][2]string
		if json.Unmarshal(raw, &pairs) != nil {
			continue // the name of the source file
		}
		if s.sets[name], err = parse(pairs); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		counts := strings.HasPrefix(name, "%spellout-cardinal") || strings.HasPrefix(name, "%spellout-numbering")
		if counts && !strings.Contains(name, "year") {
			public = append(public, name)
		}
	}
	if len(public) == 0 {
		return nil, nil
	}
	// Counting first, because that is how a number without a noun is said; then
	// the shorter names, which are the plainer forms.
	sort.Slice(public, func(i, j int) bool {
		a, b := public[i], public[j]
		if x, y := strings.Contains(a, "numbering"), strings.Contains(b, "numbering"); x != y {
			return x
		}
		if len(a) != len(b) {
			return len(a) < len(b)
		}
		return a > b
	})
	return s.table(public), nil
}

func (s *speller) table(public []string) *table {
	t := &table{lines: make(map[string][]string)}
	each := func(key string, spell func(set string) string) {
		for _, set := range public {
			for _, s.category = range categories {
				t.put(key, spell(set))
			}
		}
	}
	for n := 0; n <= mostTo; n++ {
		if n <= allTo || n <= tensTo && n%10 == 0 || n%100 == 0 {
			each(strconv.Itoa(n), func(set string) string { return s.spell(set, n, 0) })
		}
	}
	each("minus", func(set string) string { return s.minus(set) })
	s.category = likely
	point := ""
	for _, set := range public {
		whole, digit, both := s.spell(set, 9, 0), s.spell(set, 5, 0), s.fraction(set, 9, 5)
		if rest, ok := strings.CutPrefix(both, whole+" "); ok {
			if word, ok := strings.CutSuffix(rest, " "+digit); ok {
				point = word
				t.put("point", word)
			}
		}
	}
	if point == "" {
		for n := 0; n < 100; n++ {
			each(strconv.Itoa(n)+".5", func(set string) string { return s.fraction(set, n, 5) })
		}
	}
	return t
}

// speller applies rules. An unknown part of a rule spells nothing, and a
// spelling with nothing in it is left out.
type speller struct {
	sets     map[string]*ruleSet
	category string
}

type ruleSet struct {
	rules    []rule // by base, ascending
	negative string
	decimal  string
}

type rule struct {
	base, divisor int
	body          string
}

func parse(pairs [][2]string) (*ruleSet, error) {
	set := &ruleSet{}
	for _, p := range pairs {
		key, body := p[0], strings.TrimSuffix(p[1], ";")
		body = strings.TrimPrefix(body, "'")
		switch key {
		case "-x":
			set.negative = body
			continue
		case "x.x", "x,x":
			set.decimal = body
			continue
		case "0.x", "0,x", "x.0", "x,0", "Inf", "NaN":
			continue
		}
		lower := strings.Count(key, ">")
		base, radix, has := strings.Cut(strings.TrimRight(key, ">"), "/")
		n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "", " ", "").Replace(base))
		if err != nil {
			continue // larger than any number we spell
		}
		by := 10
		if has {
			if by, err = strconv.Atoi(strings.ReplaceAll(radix, ",", "")); err != nil {
				return nil, fmt.Errorf("rule %q: the radix must be a number", key)
			}
		}
		divisor, power := 1, 0
		for n > 0 && by > 1 && divisor <= n/by {
			divisor *= by
			power++
		}
		for ; lower > 0 && power > 0; lower-- {
			divisor /= by
			power--
		}
		set.rules = append(set.rules, rule{n, divisor, body})
	}
	sort.SliceStable(set.rules, func(i, j int) bool { return set.rules[i].base < set.rules[j].base })
	return set, nil
}

// spell writes n by a set of rules; "" if they do not hold it.
func (s *speller) spell(name string, n, depth int) string {
	set := s.sets[name]
	if set == nil || depth > 20 || n < 0 {
		return ""
	}
	i := sort.Search(len(set.rules), func(i int) bool { return set.rules[i].base > n }) - 1
	if i < 0 {
		return ""
	}
	r := set.rules[i]
	two := strings.Contains(r.body, "←") && strings.Contains(r.body, "→")
	if two && r.divisor > 0 && r.base%r.divisor != 0 && n%r.divisor == 0 && i > 0 {
		i--
		r = set.rules[i]
	}
	return s.apply(r.body, name, n, r.divisor, func(m int) string { // →→→: by the rule before this one
		if i == 0 {
			return ""
		}
		return s.apply(set.rules[i-1].body, name, m, set.rules[i-1].divisor, nil, depth+1)
	}, depth)
}

func (s *speller) apply(body, name string, n, divisor int, before func(int) string, depth int) string {
	var b strings.Builder
	for body != "" {
		switch {
		case strings.HasPrefix(body, "["):
			end := strings.Index(body, "]")
			if n%divisor != 0 {
				b.WriteString(s.apply(body[1:end], name, n, divisor, before, depth))
			}
			body = body[end+1:]
		case strings.HasPrefix(body, "$("):
			end := strings.Index(body, ")$")
			b.WriteString(s.plural(body[2:end], n/max(divisor, 1)))
			body = body[end+len(")$"):]
		case strings.HasPrefix(body, "→→→") && before != nil:
			b.WriteString(before(n % divisor))
			body = body[len("→→→"):]
		case strings.HasPrefix(body, "→"), strings.HasPrefix(body, "←"), strings.HasPrefix(body, "="):
			sign := string([]rune(body)[0])
			inner, rest, _ := strings.Cut(body[len(sign):], sign)
			value := map[string]int{"→": n % divisor, "←": n / divisor, "=": n}[sign]
			if inner == "" {
				inner = name
			}
			if text := s.spell(inner, value, depth+1); text != "" || strings.HasPrefix(inner, "%%") {
				b.WriteString(text)
			} else {
				b.WriteString("#") // no word for it
			}
			body = rest
		default:
			r := []rune(body)[0]
			b.WriteRune(r)
			body = body[len(string(r)):]
		}
	}
	return b.String()
}

// plural picks from cardinal,one{…}other{…}.
func (s *speller) plural(choice string, n int) string {
	_, forms, _ := strings.Cut(choice, ",")
	category, other := s.category, ""
	if category == likely {
		category = guess(n)
	}
	for forms != "" {
		key, rest, ok := strings.Cut(forms, "{")
		if !ok {
			break
		}
		text, after, _ := strings.Cut(rest, "}")
		if key == category {
			return text
		}
		if key == "other" {
			other = text
		}
		forms = after
	}
	return other
}

// guess is the plural form of n in the languages whose rules ask for one.
func guess(n int) string {
	switch ones := n % 10; {
	case n == 1:
		return "one"
	case ones >= 2 && ones <= 4 && n/10%10 != 1:
		return "few"
	}
	return "many"
}

func (s *speller) minus(set string) string {
	word, _, _ := strings.Cut(s.sets[set].negative, "→")
	return word
}

// fraction writes whole.tenth.
func (s *speller) fraction(name string, whole, tenth int) string {
	var b strings.Builder
	body := strings.ReplaceAll(s.sets[name].decimal, "→→→", "→→")
	if strings.ContainsAny(body, "=[$#") {
		return ""
	}
	for body != "" {
		sign := string([]rune(body)[0])
		if sign != "→" && sign != "←" {
			b.WriteString(sign)
			body = body[len(sign):]
			continue
		}
		inner, rest, _ := strings.Cut(body[len(sign):], sign)
		if inner == "" {
			inner = name
		}
		b.WriteString(s.spell(inner, map[string]int{"→": tenth, "←": whole}[sign], 0))
		body = rest
	}
	return b.String()
}
