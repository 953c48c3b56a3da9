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
	object, changed, complaint := readObject(args)
	if complaint != "" {
		return nil, complaint
	}
	if number := saneNumbers(object); number != "" {
		return nil, "the number " + number + " is out of range"
	}
	m := mender{root: c.doc}
	object, taken := unwrapped(object, c.doc)
	changed = m.keys(object, c.doc) || taken || changed
	if c.schema != nil {
		err := c.schema.Validate(object)
		if err != nil && m.object(object, c.doc) {
			changed = true
			err = c.schema.Validate(object)
		}
		if err != nil {
			return nil, c.explain(err)
		}
	}
	if _, rewritten := m.wholeNumbers(object, c.doc); !rewritten && !changed {
		return bytes.TrimSpace(args), ""
	}
	mended, err := json.Marshal(object)
	if err != nil {
		return nil, "they cannot be written as JSON"
	}
	return mended, ""
}

// readObject reads arguments as an object; changed says that they are not written
// as one.
func readObject(args json.RawMessage) (object map[string]any, changed bool, complaint string) {
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}, true, ""
	}
	value, err := ReadValue(args)
	if err != nil {
		return nil, false, "they are not valid JSON"
	}
	value = decodeText(value)
	if list, ok := value.([]any); ok && len(list) == 1 {
		value = decodeText(list[0])
	}
	if nothing(value) {
		return map[string]any{}, true, ""
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, false, "they must be a JSON object"
	}
	trimmed := bytes.TrimSpace(args)
	return object, trimmed[0] != '{' || !json.Valid(trimmed), ""
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
