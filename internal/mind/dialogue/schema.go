package dialogue

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordLength is more characters than a name has.
const wordLength = 64

// isWord reports whether a text of others may be in a schema: a name, a kind, a
// choice. As a regular expression that counts it would take two megabytes in every
// process.
func isWord(text string) bool {
	return text != "" && utf8.ValidString(text) && utf8.RuneCountInString(text) <= wordLength && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_.$/#-", r)
	}) < 0
}

// Keywords of a schema that say which arguments fit. All others (title, description,
// examples, default, pattern and what a server makes up) may hold sentences.
var (
	ofSchemas = []string{"properties", "$defs", "definitions"}                                      // hold schemas by name
	inSchemas = []string{"items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"} // hold schemas
	ofWords   = []string{"type", "enum", "const", "format", "required", "$ref"}                     // hold words
	ofNumbers = []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	}
)

// Bare reduces a JSON schema to the names, kinds and bounds of arguments, without any
// sentence. If a choice has more than one word, the argument accepts any text.
func Bare(schema json.RawMessage) json.RawMessage {
	nothing := json.RawMessage(`{"type":"object"}`)
	var value map[string]any
	if json.Unmarshal(schema, &value) != nil || value == nil {
		return nothing
	}
	out, err := json.Marshal(bare(value))
	if err != nil {
		return nothing
	}
	return out
}

// bare is a schema, or a list of schemas, without sentences.
func bare(schema any) any {
	switch v := schema.(type) {
	case bool:
		return v
	case []any:
		list := make([]any, 0, len(v))
		for _, one := range v {
			list = append(list, bare(one))
		}
		return list
	case map[string]any:
		return bareObject(v)
	}
	return true
}

func bareObject(schema map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range schema {
		switch {
		case slices.Contains(ofSchemas, key):
			out[key] = bareNamed(value)
		case slices.Contains(inSchemas, key):
			out[key] = bare(value)
		case slices.Contains(ofWords, key) && wordsOnly(value):
			out[key] = value
		case slices.Contains(ofNumbers, key) && !hasText(value):
			out[key] = value
		}
	}
	return out
}

// bareNamed reduces the schemas of a map, and leaves out those whose name is not a word.
func bareNamed(schemas any) map[string]any {
	out := map[string]any{}
	all, _ := schemas.(map[string]any)
	for name, one := range all {
		if isWord(name) {
			out[name] = bare(one)
		}
	}
	return out
}

// wordsOnly reports whether a value is a word, a number, or a list of these.
func wordsOnly(value any) bool {
	switch v := value.(type) {
	case string:
		return v == "" || isWord(v)
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !wordsOnly(one) })
	case map[string]any:
		return false
	}
	return true
}

func hasText(value any) bool {
	switch value.(type) {
	case float64, bool:
		return false
	}
	return true
}
