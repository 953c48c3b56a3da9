package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxNested bounds how deeply values may stand within each other, and maxEncoded
// how often a value may be encoded as the text of another.
const (
	maxNested  = 64
	maxEncoded = 3
)

var errNotJSON = errors.New("not JSON")

// ReadValue reads the JSON that a model wrote, with numbers as json.Number. It
// forgives what has one reading: a fence around it, a comma or bracket too many, the
// quotes and constants of Python, keys without quotes and with an equals sign, line
// ends within a text, and the same value twice. What is cut off or leaves a choice
// is an error.
func ReadValue(text []byte) (any, error) {
	text = stripFence(bytes.TrimSpace(text))
	if value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text)); err == nil {
		return value, nil
	}
	if !utf8.Valid(text) {
		return nil, errNotJSON
	}
	l := &lenient{text: string(text)}
	value, err := l.value(0)
	if err != nil {
		return nil, err
	}
	for l.space(); l.at < len(l.text); l.space() {
		if strings.IndexByte("}]);", l.text[l.at]) >= 0 {
			l.at++
			continue
		}
		again, err := l.value(0)
		if err != nil || !reflect.DeepEqual(again, value) {
			return nil, errNotJSON
		}
	}
	return value, nil
}

// stripFence takes the marks of a markdown code block away.
func stripFence(text []byte) []byte {
	inner, fenced := bytes.CutPrefix(text, []byte("```"))
	if !fenced {
		return text
	}
	inner = bytes.TrimSuffix(bytes.TrimSpace(inner), []byte("```"))
	return bytes.TrimSpace(bytes.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyz_"))
}

// decodeText returns the value that a text holds, if the value is a text and holds one.
func decodeText(value any) any {
	for range maxEncoded {
		text, ok := value.(string)
		if !ok {
			return value
		}
		inner, err := ReadValue([]byte(text))
		if err != nil {
			return value
		}
		value = inner
	}
	return value
}

// lenient reads JSON as people and models write it. Its values are those of
// jsonschema.UnmarshalJSON.
type lenient struct {
	text string
	at   int
}

func (l *lenient) space() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// skip steps over a character, if it is the next one after spaces.
func (l *lenient) skip(c byte) bool {
	l.space()
	if l.at == len(l.text) || l.text[l.at] != c {
		return false
	}
	l.at++
	return true
}

var (
	bareWord   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	bareNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
)

func (l *lenient) value(depth int) (any, error) {
	l.space()
	if l.at == len(l.text) || depth > maxNested {
		return nil, errNotJSON
	}
	switch c := l.text[l.at]; c {
	case '{':
		return l.object(depth)
	case '[':
		return l.list(depth)
	case '"', '\'':
		return l.readQuoted(c)
	}
	if number := bareNumber.FindString(l.text[l.at:]); number != "" {
		l.at += len(number)
		return json.Number(number), nil
	}
	word := bareWord.FindString(l.text[l.at:])
	l.at += len(word)
	switch word {
	case "true", "True":
		return true, nil
	case "false", "False":
		return false, nil
	case "null", "None":
		return nil, nil //nolint:nilnil // It is the value null.
	}
	return nil, errNotJSON
}

func (l *lenient) object(depth int) (any, error) {
	object := map[string]any{}
	l.skip('{')
	for !l.skip('}') {
		key, bare, err := l.key()
		follows := l.skip(':') || bare && l.skip('=')
		if err != nil || !follows {
			return nil, errNotJSON
		}
		value, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, twice := object[key]; twice {
			return nil, errNotJSON
		}
		object[key] = value
		if !l.next('}') {
			return nil, errNotJSON
		}
	}
	return object, nil
}

func (l *lenient) list(depth int) (any, error) {
	list := []any{}
	l.skip('[')
	for !l.skip(']') {
		value, err := l.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if !l.next(']') {
			return nil, errNotJSON
		}
	}
	return list, nil
}

// next steps over a comma, and reports whether an entry may end here.
func (l *lenient) next(end byte) bool {
	return l.skip(',') || (l.at < len(l.text) && l.text[l.at] == end)
}

// key reads a key. A bare one, without quotes, may have an equals sign after it.
func (l *lenient) key() (key string, bare bool, err error) {
	l.space()
	if l.at < len(l.text) && (l.text[l.at] == '"' || l.text[l.at] == '\'') {
		key, err = l.readQuoted(l.text[l.at])
		return key, false, err
	}
	word := bareWord.FindString(l.text[l.at:])
	if word == "" {
		return "", false, errNotJSON
	}
	l.at += len(word)
	return word, true, nil
}

// readQuoted reads a text in either kind of quotes.
func (l *lenient) readQuoted(quote byte) (string, error) {
	var b strings.Builder // the same text as JSON writes it
	b.WriteByte('"')
	for i := l.at + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			b.WriteByte('"')
			l.at = i + 1
			var text string
			if json.Unmarshal([]byte(b.String()), &text) != nil {
				return "", errNotJSON
			}
			return text, nil
		case c == '\\' && i+1 < len(l.text):
			i++
			if l.text[i] != '\'' { // the only escape that JSON does not have
				b.WriteByte('\\')
			}
			b.WriteByte(l.text[i])
		case c < ' ':
			escaped, _ := json.Marshal(string(c))
			b.Write(escaped[1 : len(escaped)-1])
		case c == '"':
			b.WriteString(`\"`)
		default:
			b.WriteByte(c)
		}
	}
	return "", errNotJSON
}
