package truth

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"
)

// words are the judge's words of a language, each a regular expression over a folded
// reply.
type words struct {
	by      map[string]*regexp.Regexp
	numbers []*regexp.Regexp // those of zero, one, two …
}

// UnmarshalYAML reads the words of a language.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	var raw map[string]yaml.Node
	if err := n.Decode(&raw); err != nil {
		return err
	}
	w.by = map[string]*regexp.Regexp{}
	for key, value := range raw {
		if key == "numbers" {
			var numbers []string
			if err := value.Decode(&numbers); err != nil {
				return err
			}
			for _, number := range numbers {
				w.numbers = append(w.numbers, regexp.MustCompile(`\b(`+fold(number)+`)\b`))
			}
			continue
		}
		w.by[key] = regexp.MustCompile(fold(value.Value))
	}
	return nil
}

func (w *words) has(key, text string) bool { return w.by[key].MatchString(text) }

// fold makes a text comparable: lower case but for the classes of a regular
// expression, without accents, one kind of apostrophe and blank.
func fold(text string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r == '’':
			b.WriteRune('\'')
		case unicode.IsSpace(r):
			b.WriteRune(' ')
		case r == 'ß':
			b.WriteString("ss")
		case r == '¿' || r == '¡':
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

var digits = regexp.MustCompile(`\d+(?:[.,]\d+)?`)

// figures lists the numbers in a reply, those in digits first.
func (w *words) figures(text string) []float64 {
	var out []float64
	for _, d := range digits.FindAllString(text, -1) {
		if n, err := strconv.ParseFloat(strings.ReplaceAll(d, ",", "."), 64); err == nil {
			out = append(out, n)
		}
	}
	for i, number := range slices.Backward(w.numbers) {
		if number.MatchString(text) {
			out = append(out, float64(i))
		}
	}
	return out
}

// named lists the devices whose names occur in a reply, and the reply without those
// names, which hold words such as alarm or door. A name inside a longer one does not
// count; two devices of one name are both there.
func (h *dwelling) named(lang, text string) (ids []int, rest string) {
	nodes := slices.Clone(h.Nodes)
	slices.SortStableFunc(nodes, func(a, b device) int { return len(b.called(lang)) - len(a.called(lang)) })
	for i, d := range nodes {
		name := fold(d.called(lang))
		if i > 0 && nodes[i-1].called(lang) == d.called(lang) && slices.Contains(ids, nodes[i-1].ID) {
			ids = append(ids, d.ID)
			continue
		}
		if strings.Contains(text, name) {
			ids = append(ids, d.ID)
			text = strings.ReplaceAll(text, name, "#")
		}
	}
	return ids, text
}
