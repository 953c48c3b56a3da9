package config

import (
	"encoding"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/ground/secret"
)

// hidden stands for a secret that is set.
const hidden = "(hidden)"

// Show writes every key of src, the struct Load filled, as YAML with its origin
// behind it. Secrets are never written: that means the values of keys that look
// like a secret, of headers and of what a program is given as its environment, who
// logs in at an address and what it is asked, and the arguments that follow a flag
// like --token or look like a key.
func Show(w io.Writer, src any, origins *Origins) error {
	v := reflect.ValueOf(src)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	p := &printer{origins: origins}
	p.structure(v, "", 0)
	if _, err := io.WriteString(w, p.out.String()); err != nil {
		return fmt.Errorf("showing the configuration: %w", err)
	}
	return nil
}

type printer struct {
	out     strings.Builder
	origins *Origins
}

func (p *printer) line(depth int, text string) {
	p.out.WriteString(strings.Repeat("  ", depth) + text + "\n")
}

func (p *printer) structure(v reflect.Value, path string, depth int) {
	for _, f := range fieldsOf(v.Type()) {
		p.entry(f.name, v.FieldByIndex(f.index), join(path, f.name), depth)
	}
}

func (p *printer) entry(name string, v reflect.Value, path string, depth int) {
	if v.Kind() == reflect.Pointer && !isScalar(v.Type()) {
		if v.IsNil() {
			return // not set; there is no text for it
		}
		v = v.Elem()
	}
	name = scalar(name)
	switch {
	case !isScalar(v.Type()) && v.Kind() == reflect.Struct:
		p.line(depth, name+":")
		p.structure(v, path, depth+1)
	case v.Kind() == reflect.Map && v.Len() > 0:
		p.line(depth, name+":")
		for _, key := range sortedKeys(v) {
			p.entry(key.String(), v.MapIndex(key), join(path, key.String()), depth+1)
		}
	case v.Kind() == reflect.Slice && v.Len() > 0 && !isScalar(v.Type().Elem()):
		p.line(depth, name+": # "+p.origins.Of(path))
		p.items(v, path, depth+1)
	default:
		p.line(depth, name+": "+render(v, path)+" # "+p.origins.Of(path))
	}
}

// items writes a list of tables.
func (p *printer) items(v reflect.Value, path string, depth int) {
	for i := range v.Len() {
		p.line(depth, "-")
		if item := reflect.Indirect(v.Index(i)); item.Kind() == reflect.Struct {
			p.structure(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
	}
}

// render returns a value on one line.
func render(v reflect.Value, path string) string {
	if !isScalar(v.Type()) {
		if v.Kind() == reflect.Map {
			return "{}"
		}
		return list(v, path)
	}
	if m, ok := reflect.TypeAssert[encoding.TextMarshaler](v); ok {
		if data, err := m.MarshalText(); err == nil {
			return scalar(concealValue(path, string(data)))
		}
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return time.Duration(v.Int()).String()
	case v.Kind() == reflect.String:
		return scalar(concealValue(path, v.String()))
	case v.Kind() == reflect.Interface:
		data, err := yaml.Marshal(v.Interface())
		if err != nil || isSecret(path) {
			return hidden
		}
		return scalar(strings.TrimSpace(string(data)))
	default:
		return fmt.Sprint(v.Interface())
	}
}

// list returns a list on one line.
func list(v reflect.Value, path string) string {
	items := make([]string, v.Len())
	for i := range items {
		items[i] = render(v.Index(i), path)
	}
	if args, ok := reflect.TypeAssert[[]string](v); ok && isArgs(path) {
		items, _ = secret.Args(args, hidden)
		for i, item := range items {
			items[i] = scalar(item)
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// scalar returns a string as YAML: without quotes where that reads back as the same
// text.
func scalar(s string) string {
	n := yaml.Node{}
	bare := s != "" && !strings.ContainsAny(s, ",[]{}#&*!|>'\"%@`\n\r\t") && strings.TrimSpace(s) == s && !strings.Contains(s, ": ")
	if bare && yaml.Unmarshal([]byte(s), &n) == nil && len(n.Content) == 1 {
		if c := n.Content[0]; c.Kind == yaml.ScalarNode && c.ShortTag() == tagStr && c.Value == s {
			return s
		}
	}
	return strconv.Quote(s)
}

// concealValue returns a value as it may be shown.
func concealValue(path, value string) string {
	switch {
	case value == "":
		return value
	case isEnv(path) && exists(value):
		return value
	case isEnv(path) && len(value) >= secret.Least, isSecret(path):
		return hidden
	}
	return secret.InPlaceOf(value, hidden)
}

// exists reports whether a value names a file or a directory that is there.
func exists(value string) bool {
	_, err := os.Stat(value)
	return filepath.IsAbs(value) && err == nil
}

// quote returns a value as an error may show it: concealed and short.
func quote(path, value string) string {
	const enough = 60
	if value = concealValue(path, value); isArgs(path) {
		value = hidden // what one of them is depends on the one before it
	}
	if len(value) > enough {
		value = strings.ToValidUTF8(value[:enough], "") + "…"
	}
	return strconv.Quote(value)
}

// isArgs reports whether a key is the arguments of a program, or one of them.
func isArgs(path string) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	return last == "args" || strings.HasPrefix(last, "args[")
}

// isEnv reports whether a key is a variable in the environment of a program.
func isEnv(path string) bool {
	keys := strings.Split(path, ".")
	return slices.Contains(keys[:len(keys)-1], "env")
}

// isSecret reports whether the value of a key is a secret. It decides by the
// key's name, because nothing else is known. A key that names a file is no
// secret; a header may be one.
func isSecret(path string) bool {
	keys := strings.Split(strings.ToLower(path), ".")
	words := strings.FieldsFunc(keys[len(keys)-1], func(r rune) bool { return r == '_' || r == '-' })
	if slices.Contains(keys[:len(keys)-1], "headers") || isEnv(path) && secret.Telling(keys[len(keys)-1]) {
		return true
	}
	if len(words) == 0 || words[len(words)-1] == "file" {
		return false
	}
	if words[len(words)-1] == "key" || slices.Contains(words, "token") { // max_tokens is none
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(w, "password") || strings.Contains(w, "passwd") || strings.Contains(w, "secret") || strings.Contains(w, "apikey")
	})
}
