package tools

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Mend returns arguments that fit an input schema, as Registry.Call gives them to a tool,
// or a complaint that a model can act on. It corrects only what has a single reading, and
// guesses nothing.
func Mend(input, args json.RawMessage) (mended json.RawMessage, complaint string) {
	return newChecker(input).mend(args)
}

// wrappers are the keys inside which models put the arguments, and labels the keys that
// may stand beside them.
var (
	wrappers = []string{"arguments", "parameters", "input", "args", "params", "kwargs", "properties", "tool_input", "function"}
	labels   = []string{"name", "tool", "tool_name", "function", "type", "id"}
)

// unwrapped takes arguments out of what a model put around them. A key that the
// schema knows is no wrapper.
func unwrapped(object, schema map[string]any) (inner map[string]any, changed bool) {
	for range maxEncoded {
		within, ok := within(object, schema)
		if !ok {
			break
		}
		object, changed = within, true
	}
	return object, changed
}

func within(object, schema map[string]any) (inner map[string]any, ok bool) {
	props := properties(schema)
	if len(props) == 0 {
		return nil, false
	}
	for key, value := range object {
		if _, known := sameForm(key, props); known {
			return nil, false
		}
		held, isObject := decodeText(value).(map[string]any)
		switch {
		case isObject && slices.Contains(wrappers, key) && inner == nil:
			inner = held
		case !isObject && slices.Contains(labels, key):
		default:
			return nil, false
		}
	}
	return inner, inner != nil
}

// mender puts values right by a schema.
type mender struct {
	root map[string]any // what references in the schema start from
}

// resolve follows references within the schema.
func (m *mender) resolve(schema any) map[string]any {
	object, _ := schema.(map[string]any)
	for range maxEncoded {
		ref, _ := object["$ref"].(string)
		path, ok := strings.CutPrefix(ref, "#/")
		if !ok {
			return object
		}
		object = m.root
		for name := range strings.SplitSeq(path, "/") {
			object, _ = object[name].(map[string]any)
		}
	}
	return object
}

// keys renames keys that the schema does not know to the one property of the same
// form (device_name for deviceName) that is not given, in nested values too.
func (m *mender) keys(value any, schema map[string]any) (changed bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			changed = m.keys(item, m.resolve(schema["items"])) || changed
		}
	case map[string]any:
		props := properties(schema)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if _, known := props[key]; known {
				continue
			}
			name, ok := sameForm(key, props)
			if _, given := value[name]; ok && !given {
				value[name] = value[key]
				delete(value, key)
				changed = true
			}
		}
		for key, sub := range props {
			changed = m.keys(value[key], m.resolve(sub)) || changed
		}
	}
	return changed
}

// object puts the properties of an object right, and leaves out those that say that
// they are not given.
func (m *mender) object(object, schema map[string]any) (changed bool) {
	props := properties(schema)
	required, _ := schema["required"].([]any)
	closed := schema["additionalProperties"] == false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		sub, known := props[key]
		mended, ok := m.value(object[key], m.resolve(sub))
		switch {
		case ok:
			object[key] = mended
			changed = true
		case slices.Contains(required, any(key)):
		case known && nothing(object[key]) && !m.fits(object[key], m.resolve(sub)), !known && closed && object[key] == nil:
			delete(object, key)
			changed = true
		}
	}
	return changed
}

// nothing reports whether a value means "no value".
func nothing(value any) bool {
	return value == nil || slices.Contains([]any{"", "null", "None"}, value)
}

// value returns what the schema wants in place of a value, if only one reading is
// possible; ok is false if there is nothing to correct.
func (m *mender) value(value any, schema map[string]any) (mended any, ok bool) {
	if options, is := schema["enum"].([]any); is {
		return mendOption(value, options)
	}
	if !m.fits(value, schema) {
		for _, wanted := range m.types(schema) {
			if mended, ok := m.convert(value, wanted, schema); ok {
				return mended, true
			}
		}
		return nil, false
	}
	switch value := value.(type) {
	case map[string]any:
		return value, m.object(value, schema)
	case []any:
		for i, item := range value {
			if mended, changed := m.value(item, m.resolve(schema["items"])); changed {
				value[i], ok = mended, true
			}
		}
		return value, ok
	}
	return nil, false
}

// types lists the types that a schema allows; none means any.
func (m *mender) types(schema map[string]any) []string {
	switch named := schema["type"].(type) {
	case string:
		return []string{named}
	case []any:
		var list []string
		for _, t := range named {
			name, _ := t.(string)
			list = append(list, name)
		}
		return list
	}
	var list []string
	for _, choice := range []string{"anyOf", "oneOf"} {
		several, _ := schema[choice].([]any)
		for _, one := range several {
			object := m.resolve(one)
			name, simple := object["type"].(string)
			if !simple || object["enum"] != nil {
				return nil
			}
			list = append(list, name)
		}
	}
	return list
}

// fits reports whether a value is of a type that the schema allows, or one of its
// options.
func (m *mender) fits(value any, schema map[string]any) bool {
	if options, is := schema["enum"].([]any); is {
		return oneOf(value, options)
	}
	allowed := m.types(schema)
	if len(allowed) == 0 {
		return true
	}
	name := "object"
	switch value.(type) {
	case nil:
		name = "null"
	case string:
		name = "string"
	case bool:
		name = "boolean"
	case json.Number:
		return slices.Contains(allowed, "number") || slices.Contains(allowed, "integer")
	case []any:
		name = "array"
	}
	return slices.Contains(allowed, name)
}

// convert turns a value into one of the wanted type.
func (m *mender) convert(value any, wanted string, schema map[string]any) (any, bool) {
	if list, ok := value.([]any); ok && len(list) == 1 && wanted != "array" {
		if !m.fits(list[0], schema) {
			return m.convert(list[0], wanted, schema)
		}
		return list[0], true
	}
	switch wanted {
	case "string":
		return asText(value)
	case "number", "integer":
		return asNumber(value)
	case "boolean":
		return asTruth(value)
	case "array":
		return m.asList(value, schema)
	case "object":
		object, ok := decodeText(value).(map[string]any)
		if ok {
			m.keys(object, schema)
			m.object(object, schema)
		}
		return object, ok
	case "null":
		return nil, value == "null" || value == "None"
	}
	return nil, false
}

func asText(value any) (any, bool) {
	switch v := value.(type) {
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return nil, false
}

func asNumber(value any) (any, bool) {
	text, ok := value.(string)
	text = strings.TrimSpace(text)
	// json.Valid refuses what ParseFloat takes beyond JSON (NaN, 0x10, 1_0).
	if _, err := strconv.ParseFloat(text, 64); !ok || err != nil || !json.Valid([]byte(text)) || !saneNumber(text) {
		return nil, false
	}
	return json.Number(text), true
}

// truths are the words for false and for true; words at the same index are opposites.
var truths = [2][]string{{"false", "off", "no", "0"}, {"true", "on", "yes", "1"}}

func asTruth(value any) (any, bool) {
	text, ok := value.(string)
	if number, is := value.(json.Number); is {
		text, ok = string(number), true
	}
	text = strings.ToLower(strings.TrimSpace(text))
	for truth, words := range truths {
		if ok && slices.Contains(words, text) {
			return truth == 1, true
		}
	}
	return nil, false
}

// asList makes a list of one of a value, or takes it out of a text.
func (m *mender) asList(value any, schema map[string]any) (any, bool) {
	if list, ok := decodeText(value).([]any); ok {
		return list, true
	}
	if value != nil && value != "" && m.fits(value, m.resolve(schema["items"])) {
		return []any{value}, true
	}
	return nil, false
}

// mendOption finds the one option of an enumeration that a value means: the same
// in another case or spelling, the same number or truth value in another type.
func mendOption(value any, options []any) (any, bool) {
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = list[0]
	}
	if oneOf(value, options) {
		return value, false
	}
	text, ok := value.(string)
	if !ok {
		as, _ := asText(value)
		text, _ = as.(string)
	}
	text = strings.TrimSpace(text)
	for _, same := range []func(option string) bool{
		func(option string) bool { return option == text },
		func(option string) bool { return strings.EqualFold(option, text) },
		func(option string) bool { return form(option) == form(text) },
		func(option string) bool { return value == true && slices.Contains(truths[1], strings.ToLower(option)) },
		func(option string) bool { return value == false && slices.Contains(truths[0], strings.ToLower(option)) },
	} {
		if option, ok := theOne(options, same); ok && text != "" {
			return option, true
		}
	}
	return nil, false
}

// oneOf reports whether a value is one of the options.
func oneOf(value any, options []any) bool {
	return slices.ContainsFunc(options, func(option any) bool { return reflect.DeepEqual(option, value) })
}

// theOne returns the option whose text fits, if there is exactly one.
func theOne(options []any, fits func(string) bool) (found any, ok bool) {
	for _, option := range options {
		text, is := option.(string)
		if !is {
			as, _ := asText(option)
			text, _ = as.(string)
		}
		if !fits(text) {
			continue
		}
		if ok {
			return nil, false
		}
		found, ok = option, true
	}
	return found, ok
}

// wholeNumbers writes integers without a fraction or exponent, because a tool that
// reads its arguments into an integer takes 50 and not 50.0.
func (m *mender) wholeNumbers(value any, schema map[string]any) (mended any, changed bool) {
	switch v := value.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil || !slices.Contains(m.types(schema), "integer") || !strings.ContainsAny(string(v), ".eE") || f != float64(int64(f)) {
			return value, false
		}
		return json.Number(strconv.FormatInt(int64(f), 10)), true
	case []any:
		for i, item := range v {
			var did bool
			v[i], did = m.wholeNumbers(item, m.resolve(schema["items"]))
			changed = changed || did
		}
	case map[string]any:
		for key, sub := range properties(schema) {
			if item, given := v[key]; given {
				var did bool
				v[key], did = m.wholeNumbers(item, m.resolve(sub))
				changed = changed || did
			}
		}
	}
	return value, changed
}
