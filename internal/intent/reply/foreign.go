package reply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/tools"
)

// Bounds of what a question tells of the arguments of a call.
const (
	mostArguments = 4  // told one by one
	longArgument  = 60 // characters; of a longer one the beginning is told, of a path the end
	longName      = 24 // characters of the name of an argument or a tool
)

// AskServer is the question before a call of a tool of a server that is not the house's
// (REQUIREMENTS M16). It says with which arguments the tool is called. Servers, models and
// web pages write those: nothing in them can end their quotes, or the sentence, and what
// is left out is told.
func (p *Phrases) AskServer(c tools.Call) string {
	args := argumentsOf(c.Args)
	tool := strings.Fields(nameOf(c.Tool))
	fill := map[string]any{"server": nameOf(c.Server), "tool": strings.Join(tool, " ")}
	if what, where, ok := written(tool, args); ok {
		fill["what"], fill["where"] = p.argument(what), p.argument(where)
		return p.Phrase("ask_server_to_write", fill)
	}
	var told []string
	for _, a := range args[:min(len(args), mostArguments)] {
		text := p.argument(a)
		if len(args) > 1 {
			text = a.name + " " + text
		}
		told = append(told, text)
	}
	if more := len(args) - len(told); more > 0 {
		told = append(told, p.Phrase("argument_more", map[string]any{"count": more}))
	}
	if len(told) == 0 {
		return p.Phrase("ask_server", fill)
	}
	fill["arguments"] = strings.Join(told, ", ")
	return p.Phrase("ask_server_with", fill)
}

// argument is an argument of a call, as a question tells it.
type argument struct {
	name, text string
	count      int  // the characters of the whole, if text is only its beginning
	special    bool // it has signs that cannot be told
}

// argument says what an argument is.
func (p *Phrases) argument(a argument) string {
	switch {
	case a.text == "" && a.special:
		return p.Phrase("argument_special", nil)
	case a.text == "":
		return p.Phrase("argument_empty", nil)
	}
	text := a.text
	if !plainWord(text) {
		text = `"` + text + `"`
	}
	if a.count > 0 {
		text = p.Phrase("argument_long", map[string]any{"text": text, "count": a.count})
	}
	if a.special {
		text += " " + p.Phrase("argument_with_special", nil)
	}
	return text
}

// plainWord reports whether a text is the name of a file or a number, and needs no quotes.
func plainWord(text string) bool {
	inner := strings.ContainsAny(text, "./0123456789")
	return inner && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("./-@", r)
	})
}

// The names of arguments and tools with which something is written somewhere.
var (
	writing  = []string{"write", "append", "add", "save"}
	contents = []string{"content", "contents", "text", "body"}
	places   = []string{"path", "file", "filename", "list", "title"}
)

// written finds what a call writes and where, if that is all it does.
func written(tool []string, args []argument) (what, where argument, ok bool) {
	if len(tool) == 0 || !slices.Contains(writing, tool[0]) || len(args) != 2 {
		return what, where, false
	}
	what, where = args[0], args[1]
	if slices.Contains(places, what.name) {
		what, where = where, what
	}
	return what, where, slices.Contains(contents, what.name) && slices.Contains(places, where.name)
}

// argumentsOf lists the arguments of a call, those within others, too.
func argumentsOf(args json.RawMessage) []argument {
	var value any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return flatten("", value)
}

func flatten(name string, value any) (all []argument) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, flatten(key, v[key])...)
		}
	case []any:
		for _, one := range v {
			all = append(all, flatten(name, one)...)
		}
	case nil:
	default:
		a := quiet(fmt.Sprint(v))
		a.name = nameOf(name)
		all = append(all, a)
	}
	return all
}

// quiet makes a text of others one that can stand within quotes: the signs that end a
// sentence or a quote become commas, and what cannot be spoken is left out and noted.
func quiet(text string) (a argument) {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "://", " ")
	runes := []rune(text)
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsNumber(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		within := word(i+1) && (r == '.' || word(i-1) && strings.ContainsRune(":'", r)) // 12:30, list.txt
		switch {
		case unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc), strings.ContainsRune("-/@+&%", r), within:
			b.WriteRune(r)
		case r == ' ', r == '_':
			b.WriteRune(' ')
		case r == '\n', r == '\r', strings.ContainsRune(".,;:!?()\"'“”„«»‘’…", r):
			b.WriteString(", ")
		default:
			b.WriteRune(' ')
			a.special = true
		}
	}
	a.text = joined(b.String())
	if count := utf8.RuneCountInString(a.text); count > longArgument {
		a.text = shorten(a.text)
		a.count = utf8.RuneCountInString(text)
	}
	return a
}

// shorten keeps the beginning of a text, and of a path its end, which says what is meant.
func shorten(text string) string {
	if !strings.Contains(text, " ") && strings.Contains(text, "/") {
		runes := []rune(text)
		return "… " + string(runes[len(runes)-longArgument:])
	}
	return beginning(text, longArgument)
}

// joined is a text with one blank between words, and one comma between parts.
func joined(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	var kept []string
	for _, part := range parts {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// beginning cuts a text after a whole word, if there is one.
func beginning(text string, most int) string {
	cut := string([]rune(text)[:most])
	if end := strings.LastIndexByte(cut, ' '); end > 0 {
		cut = cut[:end]
	}
	return strings.TrimRight(cut, ", ")
}

// nameOf is the name of a tool or an argument in words.
func nameOf(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	name = strings.Join(words, " ")
	if utf8.RuneCountInString(name) > longName {
		name = beginning(name, longName)
	}
	return name
}
