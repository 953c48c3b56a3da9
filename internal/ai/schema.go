package ai

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/tools"
)

// emptySchema is the schema of a tool without arguments.
const emptySchema = `{"type":"object","properties":{}}`

// maxSchemaDepth bounds how deep a schema is mended; nobody writes deeper ones.
const maxSchemaDepth = 32

// parameters returns the input schema of a tool as every server of a model takes it. Strict
// ones refuse the whole request for one schema, so that a single foreign tool would silence
// the model. Arguments are still checked against the tool's own schema.
func parameters(spec tools.Spec) json.RawMessage {
	var schema map[string]any
	if json.Unmarshal(spec.Input, &schema) != nil || schema == nil {
		return json.RawMessage(emptySchema)
	}
	before, _ := json.Marshal(schema) // of what was read from JSON
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		mergeBranches(schema, key)
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "enum", "const", "if", "then", "else"} {
		delete(schema, key) // not taken at the top
	}
	schema["type"] = "object"
	mendSchema(schema, 0)
	after, err := json.Marshal(schema)
	switch {
	case err != nil:
		return json.RawMessage(emptySchema)
	case string(before) == string(after):
		return spec.Input // with its keys in their order
	}
	return after
}

// mergeBranches adds the properties of the branches of a schema to it, so that the model
// still sees them. They are not required, because another branch may be meant.
func mergeBranches(schema map[string]any, key string) {
	branches, _ := schema[key].([]any)
	for _, b := range branches {
		branch, _ := b.(map[string]any)
		more, _ := branch["properties"].(map[string]any)
		if len(more) == 0 {
			continue
		}
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			properties = map[string]any{}
			schema["properties"] = properties
		}
		for name, property := range more {
			if _, known := properties[name]; !known {
				properties[name] = property
			}
		}
		if key == "allOf" {
			required, _ := schema["required"].([]any)
			also, _ := branch["required"].([]any)
			if required = append(slices.Clone(required), also...); len(required) > 0 {
				schema["required"] = required
			}
		}
	}
}

// mendSchema changes what strict servers refuse in a schema and in those within it: parts
// that are missing, of the wrong kind, or of older drafts of JSON Schema.
func mendSchema(schema map[string]any, depth int) {
	if depth > maxSchemaDepth {
		clear(schema)
		return
	}
	mendType(schema)
	_, hasProperties := schema["properties"].(map[string]any)
	if !hasProperties {
		delete(schema, "properties")
	}
	if schema["type"] == "object" && !hasProperties {
		schema["properties"] = map[string]any{}
	}
	if schema["type"] == "array" {
		if _, ok := schema["items"].(map[string]any); !ok { // missing, or a list as in older drafts
			schema["items"] = map[string]any{}
		}
	}
	mendKeywords(schema)
	mendWithin(schema, depth)
}

// typeNames are the types of JSON Schema, also by the names that programming languages
// have for them.
var typeNames = map[string]string{
	"object": "object", "dict": "object", "map": "object", "array": "array", "list": "array", "string": "string", "str": "string", "text": "string",
	"integer": "integer", "int": "integer", "number": "number", "float": "number", "double": "number", "boolean": "boolean", "bool": "boolean", "null": "null",
}

// mendType leaves only types that JSON Schema knows.
func mendType(schema map[string]any) {
	switch t := schema["type"].(type) {
	case string:
		if name := typeNames[strings.ToLower(t)]; name != "" {
			schema["type"] = name
			return
		}
	case []any:
		var names []any
		for _, one := range t {
			if text, ok := one.(string); ok && typeNames[strings.ToLower(text)] != "" {
				names = append(names, typeNames[strings.ToLower(text)])
			}
		}
		if len(names) > 0 {
			schema["type"] = names
			return
		}
	}
	delete(schema, "type")
}

// mendKeywords drops keywords whose value is of a kind that they cannot have, such as
// those of older drafts.
func mendKeywords(schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	var required []any
	names, _ := schema["required"].([]any)
	for _, name := range names {
		text, ok := name.(string)
		if _, known := properties[text]; ok && known && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	schema["required"] = required
	keep[[]any](schema, func(list []any) bool { return len(list) > 0 }, "required", "enum", "oneOf", "anyOf", "allOf")
	keep[string](schema, nil, "description", "title", "pattern", "format", "$ref")
	keep[float64](schema, nil, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems")
}

// keep drops keywords whose value is of another type than T, or does not fit.
func keep[T any](schema map[string]any, fits func(T) bool, keys ...string) {
	for _, key := range keys {
		if value, ok := schema[key].(T); !ok || fits != nil && !fits(value) {
			delete(schema, key)
		}
	}
}

// mendWithin mends the schemas within a schema.
func mendWithin(schema map[string]any, depth int) {
	within := func(value any) any {
		if inner, ok := value.(map[string]any); ok {
			mendSchema(inner, depth+1)
			return inner
		}
		return map[string]any{} // true, null and the like allow anything
	}
	for _, key := range []string{"properties", "$defs", "definitions"} {
		named, _ := schema[key].(map[string]any)
		for name, value := range named {
			named[name] = within(value)
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		list, _ := schema[key].([]any)
		for i, value := range list {
			list[i] = within(value)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if inner, ok := schema[key].(map[string]any); ok {
			schema[key] = within(inner)
		}
	}
}

// maxBlamed bounds how many tools are left out in one round because a server refuses
// their schemas, each with a request.
const maxBlamed = 8

// toolIndex is how a complaint about a request names a tool by its place.
var toolIndex = regexp.MustCompile(`(?i)(?:tools|functions?_?declarations?)[\[./](\d+)`)

// blamedTool returns the tool of a request that a refusal complains about, by its name or
// by its place among the tools.
func blamedTool(err error, offered []tools.Spec) (tools.Spec, bool) {
	said := rejection(err)
	if said == "" || !toolWrong.MatchString(said) {
		return tools.Spec{}, false
	}
	for _, spec := range offered {
		for _, quote := range []string{"'", `"`, "`"} {
			if strings.Contains(said, quote+spec.Name+quote) {
				return spec, true
			}
		}
	}
	if place := toolIndex.FindStringSubmatch(said); place != nil {
		if i, err := strconv.Atoi(place[1]); err == nil && i < len(offered) {
			return offered[i], true
		}
	}
	return tools.Spec{}, false
}

// refuse notes that the server of a model refuses a tool.
func (h *habits) refuse(model, tool string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	refused := maps.Clone(h.refused[model]) // a list that was given out stays as it is
	if refused == nil {
		refused = map[string]bool{}
	}
	refused[tool] = true
	if h.refused == nil {
		h.refused = map[string]map[string]bool{}
	}
	h.refused[model] = refused
}

// omitRefused leaves out the tools that the server of a model refuses.
func (h *habits) omitRefused(model string, offered []tools.Spec) []tools.Spec {
	h.mu.Lock()
	refused := h.refused[model]
	h.mu.Unlock()
	if len(refused) == 0 {
		return offered
	}
	return slices.DeleteFunc(slices.Clone(offered), func(s tools.Spec) bool { return refused[s.Name] })
}
