package sentence

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"voicegateway/internal/tools"
)

// read finds the tool calls in a block, in the forms in which models write them: {"name":
// …, "arguments": …}, name{…}, name(key=value) and elements with parameters. Text that
// names no known tool is not a call.
func read(text string, known []tools.Spec) []tools.Call {
	if len(known) == 0 || len(text) > maxKept {
		return nil
	}
	r := reader{known: known}
	for part := range strings.SplitSeq(separate(text), between) {
		if !r.elements(part) && !r.brackets(part) {
			r.values(part)
		}
	}
	return r.calls
}

type reader struct {
	known []tools.Spec
	calls []tools.Call
}

func (r *reader) add(name string, args json.RawMessage) bool {
	spec, ok := tools.Named(r.known, name)
	if ok {
		r.calls = append(r.calls, tools.Call{Tool: spec.Name, Args: args})
	}
	return ok
}

// opening begins another call in a block of several.
var opening = regexp.MustCompile(`(?i)<((\w+:)?invoke\b|function=|tool_call>)`)

// between stands between the calls of a block.
const between = "\x00"

func separate(text string) string {
	return opening.ReplaceAllString(strings.ReplaceAll(text, between, ""), between+"$0")
}

// parameters are elements with a name and a value.
var parameters = regexp.MustCompile(`(?is)<(?:\w+:)?parameter(?:=|\s+name=")([\w.-]+)[^>]*>\s*(.*?)\s*</(?:\w+:)?parameter>|<arg_key>\s*(.*?)\s*</arg_key>\s*<arg_value>\s*(.*?)\s*</arg_value>`)

// elements reads a call with its parameters in elements.
func (r *reader) elements(text string) bool {
	all := parameters.FindAllStringSubmatch(text, -1)
	if all == nil {
		return false
	}
	args := map[string]any{}
	for _, m := range all {
		args[cmp.Or(m[1], m[3])] = cmp.Or(m[2], m[4])
	}
	data, err := json.Marshal(args)
	name, _ := r.lastName(text[:strings.Index(text, all[0][0])])
	return err == nil && r.add(name, data)
}

// lastName returns the last name of a tool in a text and what stands after it.
func (r *reader) lastName(text string) (name, after string) {
	at := -1
	for _, s := range r.known {
		i := strings.LastIndex(text, s.Name)
		for i >= 0 && !alone(text, i, len(s.Name)) {
			i = strings.LastIndex(text[:i], s.Name)
		}
		if i > at {
			at, name, after = i, s.Name, text[i+len(s.Name):]
		}
	}
	return name, after
}

// alone reports whether no more letters belong to the name at i.
func alone(text string, i, n int) bool {
	return (i == 0 || !wordByte(text[i-1])) && (i+n == len(text) || !wordByte(text[i+n]))
}

// maxTries bounds how many brackets of a block are tried as the beginning of JSON.
const maxTries = 64

// values reads the JSON in a text: calls by themselves, or the arguments after a
// name.
func (r *reader) values(text string) {
	read, tries := 0, 0 // the end of the last value, and what turned out to be none
	for at := 0; at < len(text) && tries < maxTries; at++ {
		if text[at] != '{' && text[at] != '[' {
			continue
		}
		tries++
		var b brackets
		n, whole := b.findEnd(text[at:])
		value, err := tools.ReadValue([]byte(text[at : at+n]))
		if !whole || err != nil {
			continue
		}
		if !r.value(value, 0) && text[at] == '{' {
			if name, after := r.lastName(text[read:at]); name != "" && !strings.ContainsAny(after, "=,.;") {
				r.add(name, json.RawMessage(text[at:at+n]))
			}
		}
		at += n - 1
		read = at + 1
	}
}

// nested are the keys under which an object holds one or several calls, named the keys of
// a call's name, and given the keys of its arguments.
var (
	nested = []string{"tool_calls", "tool_call", "function_call", "function", "calls", "call", "action"}
	named  = []string{"name", "tool", "tool_name", "function", "function_name", "action"}
	given  = []string{"arguments", "parameters", "args", "input", "params", "action_input", "tool_input", "kwargs"}
)

// value reads a JSON value, and reports whether it was a call.
func (r *reader) value(value any, depth int) (is bool) {
	if depth > len(nested) {
		return false
	}
	if list, ok := value.([]any); ok {
		for _, item := range list {
			is = r.value(item, depth+1) || is
		}
		return is
	}
	object, ok := value.(map[string]any)
	if !ok {
		return false
	}
	if r.named(object) {
		return true
	}
	for _, key := range nested {
		if r.value(object[key], depth+1) {
			return true
		}
	}
	for key, inner := range object {
		if args, ok := inner.(map[string]any); ok && len(object) == 1 {
			data, err := json.Marshal(args)
			return err == nil && r.add(key, data)
		}
	}
	return false
}

// named reads an object with the name of a tool and its arguments.
func (r *reader) named(object map[string]any) bool {
	for _, key := range named {
		if name, ok := object[key].(string); ok {
			if args, ok := arguments(object); ok && r.add(name, args) {
				return true
			}
		}
	}
	return false
}

// arguments returns the arguments of a call. If the object has none, ok is true only if
// the object holds nothing but the name.
func arguments(object map[string]any) (args json.RawMessage, ok bool) {
	for _, key := range given {
		if inner, is := object[key]; is {
			data, err := json.Marshal(inner)
			return data, err == nil
		}
	}
	return json.RawMessage("{}"), len(object) == 1
}

var bracketed = regexp.MustCompile(`([A-Za-z_][\w.]*)\(`)

// brackets reads calls as a programming language writes them, and reports whether it
// found one. A name in quotes or within an object is not taken for a call. The
// arguments are JSON but for their quotes and equals signs, which ReadValue knows.
func (r *reader) brackets(text string) (found bool) {
	for {
		m := bracketed.FindStringSubmatchIndex(text)
		if m == nil || !found && strings.ContainsAny(text[:m[1]], "{\"'") {
			return found
		}
		name := strings.TrimSuffix(text[m[2]:m[3]], ".call")
		if _, known := tools.Named(r.known, name); !known {
			text = text[m[1]:]
			continue
		}
		text = text[m[1]-1:]
		var b brackets
		n, whole := b.findEnd(text)
		if !whole {
			return found
		}
		inner := strings.TrimSpace(text[1 : n-1])
		if !strings.HasPrefix(inner, "{") {
			inner = "{" + inner + "}"
		}
		found = r.add(name, json.RawMessage(inner))
		text = text[n:]
	}
}
