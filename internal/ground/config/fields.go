package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/language/text"
)

// field is a key of a struct.
type field struct {
	name  string // in the file
	env   string // the whole name of its variable, from the env tag
	index []int
}

// fieldsOf lists a struct's keys in order, including those of inlined structs.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if options == "inline" && f.Type.Kind() == reflect.Struct {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		out = append(out, field{name: name, env: f.Tag.Get("env"), index: f.Index})
	}
	return out
}

// isScalar reports whether a type is one value in the file, not a tree.
func isScalar(t reflect.Type) bool {
	if t == reflect.TypeFor[time.Duration]() || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return true
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Pointer:
		return false
	default:
		return true
	}
}

// fresh returns a new element of a map or a list, with its defaults.
func fresh(t reflect.Type) reflect.Value {
	v := reflect.New(t)
	if d, ok := reflect.TypeAssert[Defaulter](v); ok {
		d.SetDefaults()
	}
	return v.Elem()
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// leaves calls visit with the path and the field of every key that holds a value.
func leaves(v reflect.Value, path string, visit func(path string, f field)) {
	for _, f := range fieldsOf(v.Type()) {
		inner, at := v.FieldByIndex(f.index), join(path, f.name)
		for inner.Kind() == reflect.Pointer && !isScalar(inner.Type()) {
			if inner.IsNil() {
				inner = reflect.New(inner.Type().Elem())
			}
			inner = inner.Elem()
		}
		switch {
		case isScalar(inner.Type()):
			visit(at, f)
		case inner.Kind() == reflect.Struct:
			leaves(inner, at, visit)
		case inner.Kind() == reflect.Map && inner.Type().Elem().Kind() == reflect.Struct:
			for _, key := range sortedKeys(inner) {
				leaves(inner.MapIndex(key), join(at, key.String()), visit)
			}
		default:
			visit(at, f)
		}
	}
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// suggest returns the end of the message "unknown key": the nearest sibling, else
// the same key elsewhere, else the valid keys.
func (l *loader) suggest(key, path string, siblings []field) string {
	names := make([]string, len(siblings))
	for i, f := range siblings {
		names[i] = f.name
	}
	if near := nearest(key, names); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	var elsewhere string
	leaves(l.root, "", func(at string, f field) {
		if f.name == key && elsewhere == "" {
			elsewhere = at
		}
	})
	if elsewhere != "" {
		return fmt.Sprintf("did you mean %s?", elsewhere)
	}
	return fmt.Sprintf("%s has %s", cmp.Or(path, "the top level"), strings.Join(names, ", "))
}

// nearest returns the candidate that word is probably a misspelling of, or "". A
// candidate must be at most a third of the word's length in edits away (two for short
// words), or one of the two must begin with the other.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		d := text.Distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) >= 3 && (strings.HasPrefix(c, word) || strings.HasPrefix(word, c)) {
			d = min(d, 2)
		}
		if d < bestDistance && d < len(c) {
			best, bestDistance = c, d
		}
	}
	return best
}
