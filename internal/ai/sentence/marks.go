package sentence

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"voicegateway/internal/tools"
)

// longestMark bounds how long a mark may be, in bytes, and so how much text is held
// back because it may become one.
const longestMark = 80

// found is what begins at a place in the text.
type found struct {
	certain bool
	wait    bool // it depends on what follows
	length  int  // of the mark, in bytes
	open    *block
	ended   bool // a thought ended
	over    bool // the answer ended
}

// next finds the next mark. The first n bytes of the rest are certainly said; end
// says that nothing follows.
func (t *Text) next(end bool) (n int, f found) {
	for i := 0; i < len(t.rest); {
		var length int
		f, length = t.at(i, end)
		if asked := t.Data && f.open != nil && f.open.call; f.certain && !asked {
			return i, f
		}
		if f.wait && !end {
			return i, found{}
		}
		i += max(1, length)
	}
	return len(t.rest), found{}
}

// at judges the text that begins at i. For ordinary text, length is its length.
func (t *Text) at(i int, end bool) (f found, length int) {
	text := t.rest[i:]
	switch c := text[0]; {
	case c == '<':
		return tag(text), 1
	case c == '[':
		return square(text, t.Tools), 1
	case c == '{':
		return curly(text), 1
	case c == '`':
		return fence(text)
	case strings.HasPrefix(kimiMarks[0], text[:min(len(text), len("◁"))]):
		return kimi(text), 1
	case wordByte(c):
		return t.word(i, end)
	}
	return found{}, 1
}

// openHidden opens a block whose inside is not said.
func openHidden(length int, ends ...string) found {
	b := &block{}
	for _, e := range ends {
		b.ends = append(b.ends, mark{text: e})
	}
	return found{certain: true, length: length, open: b}
}

// calling opens a block that may hold a call, with the mark as its beginning.
func calling(length int, ends ...string) found {
	f := openHidden(length, ends...)
	f.open.call = true
	return f
}

// inBrackets opens a block that ends with its brackets.
func inBrackets() found {
	return found{certain: true, open: &block{call: true, brackets: &brackets{}}}
}

// kimiMarks begin and end a thought of one family of models.
var kimiMarks = []string{"◁think▷", "◁/think▷"}

func kimi(text string) found {
	switch {
	case strings.HasPrefix(text, kimiMarks[0]):
		return openHidden(len(kimiMarks[0]), kimiMarks[1])
	case strings.HasPrefix(text, kimiMarks[1]):
		return found{certain: true, length: len(kimiMarks[1]), ended: true}
	}
	wait := slices.ContainsFunc(kimiMarks, func(m string) bool { return strings.HasPrefix(m, text) })
	return found{wait: wait}
}

// fence judges a run of backquotes: three begin a block of code.
func fence(text string) (f found, length int) {
	run := len(text) - len(strings.TrimLeft(text, "`"))
	if run >= 3 {
		return calling(3, "```"), 0
	}
	return found{wait: run == len(text)}, run
}

// curly judges a brace: JSON is not said.
func curly(text string) found {
	inner := strings.TrimLeft(text[1:], " \t\r\n")
	if inner == "" {
		return found{wait: len(text) < longestMark}
	}
	if strings.IndexByte("\"'{}[", inner[0]) >= 0 {
		return inBrackets()
	}
	key := strings.TrimLeftFunc(inner, func(c rune) bool { return c < utf8.RuneSelf && wordByte(byte(c)) })
	if len(key) == len(inner) {
		return found{}
	}
	if key = strings.TrimLeft(key, " \t"); key == "" {
		return found{wait: len(text) < longestMark}
	}
	if key[0] == ':' || key[0] == '=' {
		return inBrackets()
	}
	return found{}
}

var squareMark = regexp.MustCompile(`^\[(/?)([A-Z][A-Z_]*)\]`)

// square judges a square bracket: a mark in capitals, a list of objects or of
// calls.
func square(text string, known []tools.Spec) found {
	if m := squareMark.FindStringSubmatch(text); m != nil {
		return squareTag(m[0], m[1] != "", strings.ToLower(m[2]))
	}
	inner := strings.TrimLeft(text[1:], " \t\r\n")
	if inner == "" {
		return found{wait: len(text) < longestMark}
	}
	switch c := inner[0]; {
	case c == '{':
		return curly(inner)
	case c == '"':
		return inBrackets()
	case !wordByte(c) && c != '/':
		return found{}
	}
	name := word(inner)
	if len(name) == len(inner) || inner == "/"+word(inner[1:]) {
		return found{wait: len(text) < longestMark}
	}
	if inner[len(name)] == '(' && callable(name, known) {
		return inBrackets()
	}
	return found{}
}

func squareTag(whole string, closes bool, name string) found {
	switch {
	case closes && thoughtful(name):
		return found{certain: true, length: len(whole), ended: true}
	case thoughtful(name):
		return openHidden(len(whole), "[/"+name+"]")
	case closes || name == "inst":
		return found{certain: true, length: len(whole)}
	case acting(name):
		return calling(0)
	}
	return found{}
}

// thoughts and acts are the stems of the names of blocks that are not said: what a
// model thinks, and what it wants done.
var (
	thoughts = regexp.MustCompile(`think|thought|reason|reflect|analy[sz]|scratch|monolog|deliberat|inner|internal|planning`)
	acts     = regexp.MustCompile(`tool|func|invoke|call|param|action|observation|execute|python`)
)

func thoughtful(name string) bool { return thoughts.MatchString(name) }

func acting(name string) bool { return acts.MatchString(name) }

var plainTag = regexp.MustCompile(`^(/?)([A-Za-z_][\w:.-]*)([\s=/].*)?$`)

// tag judges what begins with <.
func tag(text string) found {
	near := text[1:min(len(text), longestMark)]
	at := strings.IndexAny(near, "<>\n")
	if at < 0 {
		return found{wait: len(text) < longestMark && (near == "" || strings.IndexByte("/|!_", near[0]) >= 0 || near[0] >= 'A')}
	}
	if near[at] != '>' {
		return found{}
	}
	whole, inner := text[:at+2], near[:at]
	if strings.HasPrefix(inner, "|") || strings.HasPrefix(inner, "｜") {
		return special(whole, inner)
	}
	if m := plainTag.FindStringSubmatch(inner); m != nil {
		return element(whole, m[2], m[1] != "", strings.HasSuffix(m[3], "/"))
	}
	return found{}
}

// element judges a tag as in HTML, by its name.
func element(whole, tag string, closes, alone bool) found {
	name := strings.ToLower(tag)
	dropped := found{certain: true, length: len(whole)}
	switch {
	case name == "start_of_turn":
		return head(len(whole))
	case name == "end_of_turn", name == "s" && closes:
		dropped.over = true
		return dropped
	case name == "s":
		return dropped
	case !thoughtful(name) && !acting(name):
		return found{}
	case closes || alone:
		dropped.ended = closes && thoughtful(name)
		return dropped
	case thoughtful(name):
		return openHidden(len(whole), "</"+tag+">")
	}
	return calling(0, "</"+tag+">")
}

// ends are the special marks after which a model has nothing more to say.
var ends = []string{"im_end", "eot_id", "eom_id", "endoftext", "end_of_text", "end_of_turn", "end_of_sentence", "return", "eos"}

// special judges a mark between <| and |>, as models are trained on.
func special(whole, inner string) found {
	name := strings.ToLower(strings.ReplaceAll(strings.Trim(inner, "|｜"), "▁", "_"))
	begins := strings.NewReplacer("begin", "end", "BEGIN", "END", "start", "end", "START", "END")
	closing := begins.Replace(whole)
	dropped := found{certain: true, length: len(whole)}
	switch {
	case name == "channel":
		f := openHidden(len(whole), "<|message|>")
		f.open.header = true
		return f
	case name == "start" || name == "im_start" || name == "start_header_id":
		return head(len(whole))
	case slices.Contains(ends, name):
		dropped.over = true
		return dropped
	case strings.HasPrefix(name, "/") || strings.Contains(name, "end"):
		dropped.ended = thoughtful(name)
		return dropped
	case thoughtful(name):
		return openHidden(len(whole), closing, "<|/"+name+"|>", "<|end_of_"+name+"|>")
	case acting(name) && closing != whole:
		return calling(0, closing)
	case acting(name):
		return calling(0, "<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|/"+name+"|>")
	}
	return dropped
}

// head opens the head of a message, which names who speaks.
func head(length int) found {
	f := openHidden(length, "\n", "<|message|>", "<|end_header_id|>")
	f.open.ends = append(f.open.ends, mark{"<|channel|>", true})
	f.open.header = true
	return f
}

// message opens what follows the head of a message; nil if it is said.
func message(head string) *block {
	to := strings.ToLower(strings.TrimSpace(head))
	first, _, _ := strings.Cut(to, " ")
	if slices.Contains([]string{"", "final", "assistant", "model"}, first) && !strings.Contains(to, "to=") {
		return nil
	}
	b := &block{call: strings.Contains(to, "to=")}
	b.text.WriteString(head + "\n")
	b.ends = []mark{{"<|end|>", false}, {"<|call|>", false}, {"<|return|>", false}, {"<|start|>", true}, {"<|channel|>", true}}
	return b
}

// stranger reports whether the model begins to write the part of the user, of the system
// or of a tool.
func stranger(head string) bool {
	who := strings.ToLower(strings.TrimSpace(head))
	return slices.ContainsFunc([]string{"user", "human", "system", "developer", "tool"}, func(s string) bool { return strings.HasPrefix(who, s) })
}

// thoughtEnds are the marks that end a thought, also in what looks like a call.
var thoughtEnds = []string{"</think>", "</thinking>", "</thought>", "</reasoning>", "[/THINK]", "◁/think▷", "<|END_THINKING|>"}

// thoughtEnd finds the first of them; limit is how much of the text is certainly
// before it.
func thoughtEnd(text string, end bool) (limit int, mark string) {
	limit, longest := len(text), 0
	for _, m := range thoughtEnds {
		longest = max(longest, len(m))
		if at := indexFold(text, m); at >= 0 && at < limit {
			limit, mark = at, m
		}
	}
	if mark == "" && !end {
		limit = max(0, len(text)-longest+1)
	}
	return limit, mark
}

// labels begin the lines of a model that thinks and acts aloud.
var labels = regexp.MustCompile(`(?i)^(assistant|reasoning|analysis|thought|action|action input|observation|final answer|tool call|tool_call|function call|function_call)[ \t]*:`)

var labelled = []string{"assistant", "reasoning", "analysis", "thought", "action", "action input", "observation", "final answer", "tool call", "tool_call", "function call", "function_call", addressed}

// addressed begins the head of a call in the Harmony format, where a server has taken its
// marks away.
const addressed = "commentary to="

// glued is what is left between a thought and an answer where a server takes the
// marks away.
const glued = "assistantfinal"

// word judges a word at i: a label at the beginning of a line, or a call.
func (t *Text) word(i int, end bool) (f found, length int) {
	text := t.rest[i:]
	name := word(text)
	if i == 0 && t.inWord {
		return found{}, len(name)
	}
	if t.lineBegins(i) {
		if f := label(text); f.certain || f.wait && !end {
			return f, len(name)
		}
	}
	if at := strings.Index(name, glued); at >= 0 {
		return found{certain: true, length: at + len(glued), ended: true}, 0
	}
	if len(name) == len(text) && len(name) < longestMark {
		return found{wait: true}, len(name)
	}
	if len(name) < len(text) && text[len(name)] == '(' && callable(name, t.Tools) {
		return inBrackets(), 0
	}
	return found{}, len(name)
}

// word is the name that a text begins with, with the dots in it.
func word(text string) string {
	n := 0
	for n < len(text) && (wordByte(text[n]) || n > 0 && text[n] == '.') {
		n++
	}
	return text[:n]
}

// lineBegins reports whether nothing but spaces and marks of emphasis stands before
// i in its line.
func (t *Text) lineBegins(i int) bool {
	before := strings.TrimRight(t.rest[:i], " \t*#>")
	if before == "" {
		return !t.inLine
	}
	return strings.HasSuffix(before, "\n")
}

func label(text string) found {
	if m := labels.FindStringSubmatch(text); m != nil {
		switch strings.ToLower(m[1]) {
		case "final answer", "assistant":
			return found{certain: true, length: len(m[0])}
		case "thought", "reasoning", "analysis":
			return openHidden(len(m[0]), "\n")
		}
		return calling(0, "Final Answer:")
	}
	begun := strings.ToLower(strings.TrimRight(text, " \t"))
	if strings.HasPrefix(begun, addressed) {
		return calling(0, "<|call|>", "<|end|>")
	}
	wait := len(text) < longestMark && slices.ContainsFunc(labelled, func(l string) bool { return strings.HasPrefix(l, begun) })
	return found{wait: wait}
}

// callable reports whether a name before a round bracket can only be a tool's.
func callable(name string, known []tools.Spec) bool {
	_, ok := tools.Named(known, name)
	return ok || name == "print" || strings.Contains(name, "_")
}
