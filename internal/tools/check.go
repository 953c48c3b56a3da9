package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// maxComplaints bounds how many complaints are made about one call's arguments.
const maxComplaints = 5

// checker checks and mends arguments by a tool's input schema. If the schema is
// missing or does not compile, it accepts everything: a server with a broken schema
// is still useful, and it checks for itself.
type checker struct {
	schema *jsonschema.Schema // nil: nothing to check by
	doc    map[string]any     // the same schema as JSON, for mending
}

// noLoader refuses every reference out of a schema. Schemas come from servers; a
// file or web address in one must not make the gateway read it.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("loading %s: schemas may only refer to themselves", url)
}

func newChecker(input json.RawMessage) *checker {
	if len(bytes.TrimSpace(input)) == 0 {
		return &checker{}
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(input))
	if err != nil {
		return &checker{}
	}
	if saneNumbers(doc) != "" {
		return &checker{}
	}
	const at = "tool:input"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(at, doc); err != nil {
		return &checker{}
	}
	schema, err := compiler.Compile(at)
	if err != nil {
		return &checker{}
	}
	object, _ := doc.(map[string]any)
	return &checker{schema: schema, doc: object}
}

// mend returns the arguments as an object that fits the schema, or a complaint if
// that is impossible. Arguments that fit are passed on byte for byte.
func (c *checker) mend(args json.RawMessage) (mended json.RawMessage, complaint string) {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, "they are not valid JSON"
	}
	if value == nil {
		args, value = json.RawMessage("{}"), map[string]any{}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, "they must be a JSON object"
	}
	if number := saneNumbers(object); number != "" {
		return nil, "the number " + number + " is out of range"
	}
	changed := mendKeys(object, c.doc)
	if c.schema != nil {
		err := c.schema.Validate(object)
		if err != nil && mendValues(object, c.doc) {
			changed = true
			err = c.schema.Validate(object)
		}
		if err != nil {
			return nil, c.explain(err)
		}
	}
	if !changed {
		return args, ""
	}
	mended, err = json.Marshal(object)
	if err != nil {
		return nil, "they cannot be written as JSON"
	}
	return mended, ""
}

// maxDigits bounds a number's length and exponent: a float64 reaches 1e308. The
// validator computes with exact fractions, where 1e999999 takes seconds and
// 1e9999999 ends in a nil pointer.
const maxDigits = 310

// saneNumbers returns the beginning of the first number beyond maxDigits, or "".
func saneNumbers(value any) string {
	switch v := value.(type) {
	case json.Number:
		if !saneNumber(string(v)) {
			return string(v)[:min(len(v), 20)]
		}
	case []any:
		for _, item := range v {
			if bad := saneNumbers(item); bad != "" {
				return bad
			}
		}
	case map[string]any:
		for _, item := range v {
			if bad := saneNumbers(item); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func saneNumber(number string) bool {
	if len(number) > maxDigits {
		return false
	}
	_, exponent, has := strings.Cut(strings.ToLower(number), "e")
	if !has {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && -maxDigits <= n && n <= maxDigits
}

// properties returns the schemas of an object schema's properties.
func properties(schema map[string]any) map[string]any {
	props, _ := schema["properties"].(map[string]any)
	return props
}

// mendKeys renames keys the schema does not know to the one property of the same
// form (device_name for deviceName) that is not given, in nested objects too.
func mendKeys(object, schema map[string]any) bool {
	props := properties(schema)
	if len(props) == 0 {
		return false
	}
	changed := false
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if _, known := props[key]; known {
			continue
		}
		if name, ok := sameForm(key, props); ok {
			if _, given := object[name]; !given {
				object[name] = object[key]
				delete(object, key)
				changed = true
			}
		}
	}
	for key, sub := range props {
		inner, isObject := object[key].(map[string]any)
		subSchema, isSchema := sub.(map[string]any)
		if isObject && isSchema && mendKeys(inner, subSchema) {
			changed = true
		}
	}
	return changed
}

// sameForm finds the property with the key's form, if there is exactly one.
func sameForm(key string, props map[string]any) (string, bool) {
	found := ""
	for name := range props {
		if form(name) == form(key) {
			if found != "" {
				return "", false
			}
			found = name
		}
	}
	return found, found != ""
}

// mendValues turns scalars into what the schema wants where only one reading is
// possible: "50" for a number, "true" for a boolean, "ON" for an enum's "on".
func mendValues(object, schema map[string]any) bool {
	changed := false
	for key, sub := range properties(schema) {
		subSchema, _ := sub.(map[string]any)
		switch value := object[key].(type) {
		case map[string]any:
			changed = mendValues(value, subSchema) || changed
		case string:
			if mended, ok := mendString(value, subSchema); ok {
				object[key] = mended
				changed = true
			}
		}
	}
	return changed
}

func mendString(value string, schema map[string]any) (any, bool) {
	trimmed := strings.TrimSpace(value)
	if options, ok := schema["enum"].([]any); ok {
		for _, option := range options {
			if text, ok := option.(string); ok && text != value && strings.EqualFold(text, trimmed) {
				return text, true
			}
		}
		return nil, false
	}
	switch schema["type"] {
	case "number", "integer":
		// json.Valid refuses what ParseFloat takes beyond JSON (NaN, 0x10, 1_0).
		if _, err := strconv.ParseFloat(trimmed, 64); err == nil && json.Valid([]byte(trimmed)) && saneNumber(trimmed) {
			return json.Number(trimmed), true
		}
	case "boolean":
		if trimmed == "true" || trimmed == "false" {
			return trimmed == "true", true
		}
	}
	return nil, false
}

// explain turns a validation error into clauses a model can act on.
func (c *checker) explain(err error) string {
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err.Error()
	}
	printer := message.NewPrinter(language.English)
	var clauses []string
	unknown := false
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) > 0 {
			for _, cause := range e.Causes {
				walk(cause)
			}
			return
		}
		if _, is := e.ErrorKind.(*kind.AdditionalProperties); is {
			unknown = true
		}
		clause := e.ErrorKind.LocalizedString(printer)
		if len(e.InstanceLocation) > 0 {
			clause = strings.Join(e.InstanceLocation, ".") + ": " + clause
		}
		if !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	walk(invalid)
	clauses = clauses[:min(len(clauses), maxComplaints)]
	if names := slices.Sorted(maps.Keys(properties(c.doc))); unknown && len(names) > 0 {
		clauses = append(clauses, "it takes "+strings.Join(names, ", "))
	}
	return strings.Join(clauses, "; ")
}
