package config

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	tagNull = "!!null"
	tagStr  = "!!str"
	tagBool = "!!bool"
	tagInt  = "!!int"
)

// value puts a node into v. It records problems and continues.
func (l *loader) value(n *yaml.Node, v reflect.Value, path string) {
	switch {
	case isScalar(v.Type()):
		l.scalar(n, v, path)
	case v.Kind() == reflect.Pointer:
		inner := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			inner.Elem().Set(v.Elem())
		}
		l.value(n, inner.Elem(), path)
		v.Set(inner)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == tagNull:
		return // "mqtt:" with everything below it commented out
	case v.Kind() == reflect.Struct:
		l.structure(n, v, path)
	case v.Kind() == reflect.Map:
		l.mapping(n, v, path)
	default:
		l.list(n, v, path)
	}
}

func (l *loader) structure(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		l.wrong(n.Line, path, "expected keys with values, got %s", describe(n, path))
		return
	}
	fields := fieldsOf(v.Type())
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at, known := join(path, key.Value), false
		l.origins.keys[at] = key.Line
		for _, f := range fields {
			if f.name == key.Value {
				known = true
				l.value(value, v.FieldByIndex(f.index), at)
			}
		}
		if !known {
			l.wrong(key.Line, at, "unknown key; %s", l.suggest(key.Value, path, fields))
		}
	}
}

func (l *loader) mapping(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		l.wrong(n.Line, path, "expected names with values, got %s", describe(n, path))
		return
	}
	merged := reflect.MakeMap(v.Type()) // the defaults' map may be shared
	for _, key := range v.MapKeys() {
		merged.SetMapIndex(key, v.MapIndex(key))
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := reflect.ValueOf(key.Value).Convert(v.Type().Key())
		l.origins.keys[join(path, key.Value)] = key.Line
		if value.ShortTag() == tagNull {
			merged.SetMapIndex(name, reflect.Value{})
			continue
		}
		element := fresh(v.Type().Elem())
		if old := merged.MapIndex(name); old.IsValid() {
			element.Set(old)
		} else if known, ok := reflect.TypeAssert[Known](element.Addr()); ok {
			known.SetDefaultsOf(func(key string) string { return textOf(value, key) })
		}
		l.value(value, element, join(path, key.Value))
		if placed, ok := reflect.TypeAssert[Placed](element.Addr()); ok {
			placed.SetPlace(i/2 + 1)
		}
		merged.SetMapIndex(name, element)
	}
	v.Set(merged)
}

// textOf returns the text that a mapping has for a key; "" if it has none.
func textOf(n *yaml.Node, key string) string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Kind == yaml.ScalarNode {
			return n.Content[i+1].Value
		}
	}
	return ""
}

func (l *loader) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		l.wrong(n.Line, path, "expected a list like [a, b], got %s", describe(n, path))
		return
	}
	items := reflect.MakeSlice(v.Type(), 0, len(n.Content))
	for i, item := range n.Content {
		element := fresh(v.Type().Elem())
		l.value(item, element, fmt.Sprintf("%s[%d]", path, i))
		items = reflect.Append(items, element)
	}
	v.Set(items)
	l.origins.of[path] = fmt.Sprintf("%s:%d", l.file, n.Line)
}

func (l *loader) scalar(n *yaml.Node, v reflect.Value, path string) {
	if v.Kind() == reflect.Interface {
		var free any
		if err := n.Decode(&free); err != nil {
			l.wrong(n.Line, path, "not valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
			return
		}
		if free != nil {
			v.Set(reflect.ValueOf(free))
		}
	} else if word, ok := switched(n, v, path); ok {
		v.SetString(word)
	} else if expected := fromNode(n, v); expected != "" {
		l.wrong(n.Line, path, "expected %s, got %s", expected, describe(n, path))
		return
	}
	l.origins.of[path] = fmt.Sprintf("%s:%d", l.file, n.Line)
}

// switched reads true, off and the like, written without quotes, for a text key
// called enabled. Such keys take "auto", "true" or "false", and people forget the
// quotes.
func switched(n *yaml.Node, v reflect.Value, path string) (word string, ok bool) {
	if v.Kind() != reflect.String || n.Kind != yaml.ScalarNode || n.Style != 0 || path[strings.LastIndexByte(path, '.')+1:] != "enabled" {
		return "", false
	}
	if tag := n.ShortTag(); tag != tagBool && tag != tagStr {
		return "", false
	}
	on, ok := booleans[strings.ToLower(n.Value)]
	return strconv.FormatBool(on), ok
}

// fromNode sets v from a node, or returns what v would have accepted.
func fromNode(n *yaml.Node, v reflect.Value) (expected string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == tagNull {
		return expectation(v)
	}
	_, isText := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
	if !isText && !kindFits(n, v) {
		if v.Kind() == reflect.String {
			return "text in quotes"
		}
		return expectation(v)
	}
	return fromText(n.Value, v)
}

// kindFits reports whether the kind of value in n fits v at all: 3 is not a text,
// "3" is not a number.
func kindFits(n *yaml.Node, v reflect.Value) bool {
	tag := n.ShortTag()
	switch {
	case v.Kind() == reflect.String:
		return tag == tagStr || tag == "!!timestamp"
	case v.Kind() == reflect.Bool:
		return tag == tagBool || (tag == tagStr && n.Style == 0) // yes, no, on, off
	case v.Type() == reflect.TypeFor[time.Duration]():
		return true
	default:
		return tag == tagInt || tag == "!!float"
	}
}

// fromText sets v from a scalar's text, or returns what v would have accepted.
// Values of the environment are set by it, too.
func fromText(text string, v reflect.Value) (expected string) {
	if u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr()); ok {
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return err.Error()
		}
		return ""
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text) // takes a bare 0 as well
		if err != nil {
			return expectation(v)
		}
		v.SetInt(int64(d))
		return ""
	}
	return fromPlain(text, v)
}

func fromPlain(text string, v reflect.Value) (expected string) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
		return ""
	case v.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(text))
		return ""
	case v.Kind() == reflect.Bool:
		on, ok := booleans[strings.ToLower(text)]
		if ok {
			v.SetBool(on)
			return ""
		}
	case v.CanInt():
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err == nil {
			v.SetInt(i)
			return ""
		}
	case v.CanUint():
		u, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err == nil {
			v.SetUint(u)
			return ""
		}
	case v.CanFloat():
		f, err := strconv.ParseFloat(text, v.Type().Bits())
		if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			v.SetFloat(f)
			return ""
		}
	}
	return expectation(v)
}

// booleans are the words for true and false in YAML and in common use.
var booleans = map[string]bool{
	"true": true, "yes": true, "on": true, "1": true,
	"false": false, "no": false, "off": false, "0": false,
}

// expectation names the values that a field accepts.
func expectation(v reflect.Value) string {
	_, isText := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr())
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return "a duration like 500ms, 2s or 1m30s"
	case isText, v.Kind() == reflect.String:
		return `text ("" for none)`
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt():
		return "a whole number" + limits(v.Type().Bits(), true)
	case v.CanUint():
		return "a whole number from 0" + limits(v.Type().Bits(), false)
	case v.CanFloat():
		return "a number"
	default:
		return "something else"
	}
}

func limits(bits int, signed bool) string {
	switch {
	case bits > 32:
		return ""
	case signed:
		return fmt.Sprintf(" from %d to %d", -(1 << (bits - 1)), 1<<(bits-1)-1)
	default:
		return fmt.Sprintf(" to %d", 1<<bits-1)
	}
}

// describe says what the file has at a node, without showing a secret.
func describe(n *yaml.Node, path string) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys with values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == tagNull:
		return "nothing"
	}
	kind := map[string]string{tagStr: "the text", tagBool: "the truth value", tagInt: "the number", "!!float": "the number"}[n.ShortTag()]
	return cmp.Or(kind, "the value") + " " + quote(path, n.Value)
}
