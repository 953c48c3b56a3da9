package ai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"voicegateway/internal/tools"
)

// stained reports whether the model has read text of others in this turn, or is given
// it from earlier ones.
func (r *reply) stained() bool { return r.outside || r.tainted }

// leaks says why a call may not carry its arguments out of the house; "" if it may.
// Once text of others was read, that text may ask the model to send on what it knows:
// then only the person's own words of this turn go out, and small counts.
func (r *reply) leaks(spec tools.Spec, args json.RawMessage) string {
	if !spec.OpenWorld || !r.stained() {
		return ""
	}
	var value any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&value) != nil || ownWords(value, saidWords(r.prompt.Text)) {
		return ""
	}
	return "Not done: after text from outside was read, only the user's own words of this request may be sent out."
}

// ownWords reports whether a value holds nothing but words of a set, yes or no, and
// numbers of one digit. The names of an object's values are those of the schema.
func ownWords(value any, said map[string]bool) bool {
	switch v := value.(type) {
	case string:
		for word := range saidWords(v) {
			if !said[word] {
				return false
			}
		}
	case json.Number:
		return len(v) == 1 || said[string(v)]
	case []any:
		for _, one := range v {
			if !ownWords(one, said) {
				return false
			}
		}
	case map[string]any:
		for _, one := range v {
			if !ownWords(one, said) {
				return false
			}
		}
	}
	return true
}

// saidWords are the words of a text, without case.
func saidWords(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		words[word] = true
	}
	return words
}

// harmless is a text of others without signs that are not text: control characters,
// and those that nobody sees or that turn the order round.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
}
