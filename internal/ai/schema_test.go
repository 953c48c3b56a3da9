package ai

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// complaintOf says what a strict server has against a schema, as OpenAI does; "" for
// nothing.
func complaintOf(schema map[string]any, at string) string {
	kinds := []string{"object", "array", "string", "integer", "number", "boolean", "null"}
	var types []any
	switch t := schema["type"].(type) {
	case nil:
	case []any:
		types = t
	default:
		types = []any{t}
	}
	for _, one := range types {
		if text, ok := one.(string); !ok || !slices.Contains(kinds, text) {
			return fmt.Sprintf("In context=(%s), %v is not valid under any of the given schemas", at, one)
		}
	}
	properties, hasProperties := schema["properties"].(map[string]any)
	switch {
	case at == "" && schema["type"] != "object":
		return fmt.Sprintf("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'", schema["type"])
	case slices.Contains(types, any("object")) && !hasProperties:
		return fmt.Sprintf("In context=(%s), object schema missing properties", at)
	case slices.Contains(types, any("array")) && len(types) == 1 && schema["items"] == nil:
		return fmt.Sprintf("In context=(%s), array schema missing items", at)
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, has := schema[key]; has && at == "" {
			return "schema must not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"
		}
	}
	if required, has := schema["required"]; has {
		list, ok := required.([]any)
		if !ok {
			return fmt.Sprintf("In context=(%s), %v is not of type 'array'", at, required)
		}
		for _, name := range list {
			if _, known := properties[fmt.Sprint(name)]; !known {
				return fmt.Sprintf("In context=(%s), required: %v is not defined", at, name)
			}
		}
	}
	for _, key := range []string{"exclusiveMinimum", "minimum", "maxLength"} {
		if value, has := schema[key]; has {
			if _, number := value.(float64); !number {
				return fmt.Sprintf("In context=(%s), %v is not of type 'number'", at, value)
			}
		}
	}
	inner := map[string]any{"items": schema["items"]}
	maps.Copy(inner, properties)
	for name, value := range inner {
		if value == nil && name == "items" {
			continue
		}
		within, ok := value.(map[string]any)
		if !ok {
			return fmt.Sprintf("In context=(%s %s), %v is not of type 'object', 'boolean'", at, name, value)
		}
		if complaint := complaintOf(within, at+" "+name); complaint != "" {
			return complaint
		}
	}
	return ""
}

// strict answers like a server that checks each schema, with a sentence if all are well.
func strict(s *scripted) step {
	return func(w http.ResponseWriter, r *http.Request) {
		all := s.requests()
		for i, tool := range all[len(all)-1].Tools {
			var schema map[string]any
			complaint := "None is not of type 'object', 'boolean'"
			if json.Unmarshal(tool.Function.Parameters, &schema) == nil && schema != nil {
				complaint = complaintOf(schema, "")
			}
			if complaint == "" && strings.Contains(string(tool.Function.Parameters), "cursed") {
				complaint = "it is cursed"
			}
			if complaint != "" {
				w.WriteHeader(http.StatusBadRequest)
				_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
					"message": fmt.Sprintf("Invalid schema for function '%s': %s", tool.Function.Name, complaint),
					"type":    "invalid_request_error", "param": fmt.Sprintf("tools[%d].function.parameters", i), "code": "invalid_function_parameters",
				}})
				return
			}
		}
		says("It is noon.")(w, r)
	}
}

// TestSchemasThatStrictServersRefuse gives the model a foreign tool with a schema that
// strict servers refuse: it is mended, so that the request is taken the first time.
func TestSchemasThatStrictServersRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, keeps string }{
		"no properties":            {`{"type":"object"}`, `"type":"object"`},
		"null properties":          {`{"type":"object","properties":null,"required":null}`, ""},
		"no type":                  {`{"properties":{"a":{"type":"string"}}}`, `"a":{"type":"string"}`},
		"a type of another kind":   {`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, `"a"`},
		"an array without items":   {`{"type":"object","properties":{"list":{"type":"array","description":"of names"}}}`, "of names"},
		"items as a list":          {`{"type":"object","properties":{"pair":{"type":"array","items":[{"type":"string"},{"type":"number"}]}}}`, `"pair"`},
		"an object within":         {`{"type":"object","properties":{"filter":{"type":"object","additionalProperties":true}}}`, `"additionalProperties":true`},
		"branches at the top":      {`{"type":"object","anyOf":[{"properties":{"id":{"type":"string"}},"required":["id"]},{"properties":{"name":{"type":"string"}}}]}`, `"name":{"type":"string"}`},
		"all of them at the top":   {`{"allOf":[{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}]}`, `"required":["id"]`},
		"draft 3":                  {`{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `"a"`},
		"draft 4":                  {`{"type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, `"minimum":0`},
		"a type of Python":         {`{"type":"object","properties":{"a":{"type":"str"},"b":{"type":"dict"},"c":{"type":"any"}}}`, `"type":"string"`},
		"required and not defined": {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`, `"required":["a"]`},
		"a property that is true":  {`{"type":"object","properties":{"a":true}}`, `"a"`},
		"a list":                   {`[]`, ""},
		"nothing":                  {`null`, ""},
		"very deep":                {`{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"object","properties":{"a":`, 60) + `{"type":"array"}` + strings.Repeat(`}}`, 60) + `}}`, `"a"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			s.steps = []step{strict(s)}
			h := hear(t.Context(), talk(t, s, &box{schemas: map[string]string{"get_state": c.schema}}), dialogue.Prompt{Text: "x"})
			if h.err != nil || !slices.Equal(h.sentences, []string{"It is noon."}) {
				t.Fatalf("it said %q, %v", h.sentences, h.err)
			}
			for _, tool := range s.requests()[0].Tools {
				if tool.Function.Name == "get_state" && !strings.Contains(string(tool.Function.Parameters), c.keeps) {
					t.Errorf("%s was sent, which lacks %s", tool.Function.Parameters, c.keeps)
				}
			}
		})
	}
	const fine = `{"type":"object","required":["b"],"properties":{"b":{"type":"string"},"a":{"type":"integer"}}}`
	if got := parameters(tools.Spec{Input: json.RawMessage(fine)}); string(got) != fine {
		t.Errorf("a schema that is fine became %s", got)
	}
}

// TestAToolThatIsRefusedIsLeftOut: a schema that cannot be mended costs its own tool and
// not the whole answer; later requests leave it out from the beginning.
func TestAToolThatIsRefusedIsLeftOut(t *testing.T) {
	t.Parallel()
	s := serve(t)
	s.steps = []step{strict(s), strict(s), strict(s)}
	cursed := `{"type":"object","properties":{"a":{"type":"string","description":"cursed"}}}`
	a := talk(t, s, &box{schemas: map[string]string{"get_state": cursed}})
	for range 2 {
		if h := hear(t.Context(), a, dialogue.Prompt{Text: "x"}); h.err != nil || !slices.Equal(h.sentences, []string{"It is noon."}) {
			t.Fatalf("it said %q, %v", h.sentences, h.err)
		}
	}
	all := s.requests()
	if len(all) != 3 {
		t.Fatalf("asked %d times", len(all))
	}
	for i, r := range all {
		if got := slices.Contains(r.toolNames(), "get_state"); got != (i == 0) || len(r.Tools) < 2 {
			t.Errorf("request %d has the tools %q", i, r.toolNames())
		}
	}
}
