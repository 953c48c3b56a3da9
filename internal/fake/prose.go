package fake

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// Prose is a golden file of sentences: each case has a name, and beneath it what is
// said in each language. It is a txtar archive, a file of which is a case:
//
//	-- is everything locked, front unlocked --
//	given front: unlocked
//	en? is everything locked
//	en: No, the front door is unlocked.
//	de? ist alles abgeschlossen
//	de: Nein, Haustür ist nicht abgeschlossen.
//
// People write the name, what is given and the questions; the test writes the
// answers, with the flag -update. A test whose cases stand in Go writes all of it.
type Prose struct {
	path      string
	comment   []byte
	want, got []ProseCase
}

// ProseCase is one case of a golden file.
type ProseCase struct {
	Name  string
	Given map[string]string // each test decides what its keys mean
	Lines []ProseLine

	given []string // the lines of Given, in their order
}

// ProseLine is one sentence of a case, and the question that it answers, if there is one.
type ProseLine struct {
	Language, Asked, Said string

	unwritten bool // a question whose answer is still to be written
}

// proseLanguages are the languages that stand first in a case; others follow by their codes.
var proseLanguages = []string{"en", "de", "fr", "es"}

var proseLine = regexp.MustCompile(`^([a-z]{2})([?:])(?: (.*))?$`)

// placeOf is a key that sorts languages as they stand in a case.
func placeOf(language string) string {
	if i := slices.Index(proseLanguages, language); i >= 0 {
		return fmt.Sprint(i)
	}
	return language
}

// ReadProse reads a golden file. A file that does not exist has no cases.
func ReadProse(tb testing.TB, path string) *Prose {
	tb.Helper()
	p := &Prose{path: path}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p
	}
	if err != nil {
		tb.Fatal(err)
	}
	archive := txtar.Parse(data)
	p.comment = archive.Comment
	for _, f := range archive.Files {
		c, err := readProseCase(f)
		if err != nil {
			tb.Fatalf("%s: %s: %v", path, f.Name, err)
		}
		if slices.ContainsFunc(p.want, func(w ProseCase) bool { return w.Name == c.Name }) {
			tb.Fatalf("%s: two cases have the name %q", path, c.Name)
		}
		p.want = append(p.want, c)
	}
	return p
}

func readProseCase(f txtar.File) (ProseCase, error) {
	c := ProseCase{Name: f.Name, Given: map[string]string{}}
	for line := range strings.Lines(string(f.Data)) {
		line = strings.TrimSuffix(line, "\n")
		if given, ok := strings.CutPrefix(line, "given "); ok {
			name, value, ok := strings.Cut(given, ": ")
			if !ok {
				return c, fmt.Errorf("%q should be: given name: value", line)
			}
			c.Given[name], c.given = value, append(c.given, line)
			continue
		}
		m := proseLine.FindStringSubmatch(line)
		if m == nil {
			return c, fmt.Errorf("%q should begin with given, or with a language and ? or : (as en? or en:)", line)
		}
		open := len(c.Lines) - 1 // the last question of the language
		for open >= 0 && (!c.Lines[open].unwritten || c.Lines[open].Language != m[1]) {
			open--
		}
		switch {
		case m[2] == "?":
			c.Lines = append(c.Lines, ProseLine{Language: m[1], Asked: m[3], unwritten: true})
		case open >= 0:
			c.Lines[open].Said, c.Lines[open].unwritten = m[3], false
		default:
			c.Lines = append(c.Lines, ProseLine{Language: m[1], Said: m[3]})
		}
	}
	return c, nil
}

// Answer has each question of the file answered, and keeps the answers for Compare.
func (p *Prose) Answer(answer func(c ProseCase, language, asked string) string) {
	for _, c := range p.want {
		for _, l := range c.Lines {
			p.Say(c.Name, ProseLine{Language: l.Language, Asked: l.Asked, Said: answer(c, l.Language, l.Asked)})
		}
	}
}

// Say keeps a sentence of a case for Compare. A case stands where its first sentence
// was said.
func (p *Prose) Say(name string, l ProseLine) {
	i := slices.IndexFunc(p.got, func(c ProseCase) bool { return c.Name == name })
	if i < 0 {
		i = len(p.got)
		p.got = append(p.got, ProseCase{Name: name})
		if w := slices.IndexFunc(p.want, func(c ProseCase) bool { return c.Name == name }); w >= 0 {
			p.got[i].given = p.want[w].given
		}
	}
	p.got[i].Lines = append(p.got[i].Lines, l)
}

// Compare fails the test for each sentence that differs from the file, that the file
// lacks, or that stands in the file and was not said. With update it writes the file
// instead, unless the test has failed already.
func (p *Prose) Compare(tb testing.TB, update bool) {
	tb.Helper()
	if update && tb.Failed() {
		tb.Errorf("%s is not written, as the test has failed already", p.path)
		return
	}
	if update {
		if err := os.WriteFile(p.path, p.format(), 0o600); err != nil {
			tb.Fatal(err)
		}
		p.want = ReadProse(tb, p.path).want
	}
	want, got := proseSentences(p.want), proseSentences(p.got)
	if len(got) == 0 {
		tb.Errorf("%s: no sentence was said", p.path)
	}
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if w, g := want[key], got[key]; !slices.Equal(w, g) {
			tb.Errorf("%s: %s\ngot  %s\nwant %s\nIf it is right, run make golden.", p.path, key, prosePrinted(g), prosePrinted(w))
		}
	}
}

// proseSentences returns what is said by case, language and question.
func proseSentences(cases []ProseCase) map[string][]string {
	all := map[string][]string{}
	for _, c := range cases {
		for _, l := range c.Lines {
			key := c.Name + ": " + l.Language
			if l.Asked != "" {
				key += ": " + l.Asked
			}
			if !l.unwritten {
				all[key] = append(all[key], l.Said)
			}
		}
	}
	return all
}

func prosePrinted(said []string) string {
	if len(said) == 0 {
		return "no sentence"
	}
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%q", said), "["), "]")
}

func (p *Prose) format() []byte {
	archive := &txtar.Archive{Comment: p.comment}
	for _, c := range p.got {
		var b strings.Builder
		for _, line := range c.given {
			b.WriteString(line + "\n")
		}
		slices.SortStableFunc(c.Lines, func(x, y ProseLine) int {
			return strings.Compare(placeOf(x.Language), placeOf(y.Language))
		})
		for _, l := range c.Lines {
			if l.Asked != "" {
				fmt.Fprintf(&b, "%s? %s\n", l.Language, l.Asked)
			}
			b.WriteString(strings.TrimRight(l.Language+": "+l.Said, " ") + "\n")
		}
		archive.Files = append(archive.Files, txtar.File{Name: c.Name, Data: []byte(b.String())})
	}
	return txtar.Format(archive)
}
