package config

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
)

// Getenv returns a variable of the environment, or "" if there is none.
func (o Options) Getenv(name string) string {
	value, _ := o.lookup(name)
	return value
}

func (o Options) lookup(name string) (string, bool) {
	if o.Environ == nil {
		return os.LookupEnv(name)
	}
	for _, entry := range slices.Backward(o.Environ) { // the last one counts
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// names lists the variables with the prefix, sorted so that problems come in a
// steady order.
func (o Options) names() []string {
	environ := o.Environ
	if environ == nil {
		environ = os.Environ()
	}
	var names []string
	for _, entry := range environ {
		if name, _, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, o.Prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// environment overrides the file by variables: first those of env tags, where an
// empty variable counts as absent (hosts of MCP servers pass empty ones), then
// those with the prefix.
func (l *loader) environment(o Options) {
	leaves(l.root, "", func(path string, f field) {
		if f.env == "" {
			return
		}
		if text := o.Getenv(f.env); text != "" {
			l.override(f.env, text, strings.Split(path, "."))
		}
	})
	if o.Prefix == "" {
		return
	}
	for _, name := range o.names() {
		rest := strings.TrimPrefix(name, o.Prefix)
		path := find(l.root, rest)
		switch {
		case path != nil:
			l.override(name, o.Getenv(name), path)
		case slices.Contains(o.Known, name):
		case find(l.root, rest+"_FILE") != nil: // MQTT_PASSWORD for mqtt.password_file; Secret reads it
		default:
			l.unset(name, l.suggestVariable(name, o.Prefix))
		}
	}
}

func (l *loader) unset(name, text string) {
	l.problems = append(l.problems, Problem{Where: "environment", Key: name, Text: text})
}

// find walks from a variable's name, without the prefix, to the path of a key
// that holds a value. Keys and names of map entries may have underscores
// themselves, so it tries every way to cut.
func find(v reflect.Value, rest string) []string {
	for v.Kind() == reflect.Pointer && !isScalar(v.Type()) {
		if v.IsNil() {
			v = reflect.New(v.Type().Elem())
		}
		v = v.Elem()
	}
	if isScalar(v.Type()) || v.Kind() == reflect.Slice {
		if rest == "" {
			return []string{}
		}
		return nil
	}
	if v.Kind() == reflect.Map {
		return findEntry(v, rest)
	}
	for _, f := range fieldsOf(v.Type()) {
		after, ok := strings.CutPrefix(rest, variable(f.name))
		if !ok || f.env != "" || (after != "" && after[0] != '_') {
			continue
		}
		if path := find(v.FieldByIndex(f.index), strings.TrimPrefix(after, "_")); path != nil {
			return append([]string{f.name}, path...)
		}
	}
	return nil
}

// findEntry looks for a key in the entries that a map has, then in a new entry.
func findEntry(v reflect.Value, rest string) []string {
	for _, key := range sortedKeys(v) {
		after, ok := strings.CutPrefix(rest, variable(key.String()))
		if !ok || (after != "" && after[0] != '_') {
			continue
		}
		if path := find(v.MapIndex(key), strings.TrimPrefix(after, "_")); path != nil {
			return append([]string{key.String()}, path...)
		}
	}
	element := fresh(v.Type().Elem())
	if isScalar(element.Type()) {
		if rest == "" {
			return nil
		}
		return []string{rest} // the maps env and headers: the name as written
	}
	for i := 1; i < len(rest); i++ {
		if rest[i] != '_' {
			continue
		}
		if path := find(element, rest[i+1:]); len(path) > 0 {
			return append([]string{strings.ToLower(rest[:i])}, path...)
		}
	}
	return nil
}

// variable returns a key in the form it has in a variable's name.
func variable(key string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(key))
}

// override sets the value at path.
func (l *loader) override(name, text string, path []string) {
	if r := control(text); r != 0 {
		l.unset(name, fmt.Sprintf(controlText, r, "it"))
		return
	}
	if expected := set(l.root, path, text); expected != "" {
		l.unset(name, fmt.Sprintf("expected %s, got %s", expected, quote(strings.Join(path, "."), text)))
		return
	}
	l.origins.of[strings.Join(path, ".")] = "environment " + name
}

func set(v reflect.Value, path []string, text string) (expected string) {
	switch {
	case isScalar(v.Type()):
		return fromText(text, v)
	case v.Kind() == reflect.Pointer:
		inner := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			inner.Elem().Set(v.Elem())
		}
		expected = set(inner.Elem(), path, text)
		v.Set(inner)
		return expected
	case v.Kind() == reflect.Slice:
		return setList(v, text)
	case v.Kind() == reflect.Map:
		merged := reflect.MakeMap(v.Type())
		for _, key := range v.MapKeys() {
			merged.SetMapIndex(key, v.MapIndex(key))
		}
		name := reflect.ValueOf(path[0]).Convert(v.Type().Key())
		element := fresh(v.Type().Elem())
		if old := merged.MapIndex(name); old.IsValid() {
			element.Set(old)
		}
		expected = set(element, path[1:], text)
		merged.SetMapIndex(name, element)
		v.Set(merged)
		return expected
	}
	for _, f := range fieldsOf(v.Type()) {
		if f.name == path[0] {
			return set(v.FieldByIndex(f.index), path[1:], text)
		}
	}
	return "a key"
}

// setList sets a list from items separated by commas; an empty text is an empty
// list.
func setList(v reflect.Value, text string) (expected string) {
	items := reflect.MakeSlice(v.Type(), 0, 4)
	if !isScalar(v.Type().Elem()) {
		return "a list of tables, which only the file can hold"
	}
	if strings.TrimSpace(text) != "" {
		for part := range strings.SplitSeq(text, ",") {
			element := fresh(v.Type().Elem())
			if expected := fromText(strings.TrimSpace(part), element); expected != "" {
				return expected + " between commas"
			}
			items = reflect.Append(items, element)
		}
	}
	v.Set(items)
	return ""
}

func (l *loader) suggestVariable(name, prefix string) string {
	var names []string
	leaves(l.root, "", func(path string, f field) {
		if f.env == "" {
			names = append(names, prefix+variable(path))
		}
	})
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("no key has this name; did you mean %s?", near)
	}
	return "no key has this name; config show lists the keys, and the names are their paths"
}
