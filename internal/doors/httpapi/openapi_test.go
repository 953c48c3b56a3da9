package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// described lists what openapi.yaml describes, as patterns of the mux.
func described(t *testing.T, text string) []string {
	t.Helper()
	var file struct {
		OpenAPI string                    `yaml:"openapi"`
		Paths   map[string]map[string]any `yaml:"paths"`
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(file.OpenAPI, "3.1") {
		t.Errorf("version %q", file.OpenAPI)
	}
	var all []string
	for path, methods := range file.Paths {
		for method, about := range methods {
			if method == "parameters" || method == "description" {
				continue
			}
			if about, ok := about.(map[string]any); !ok || about["summary"] == nil || about["responses"] == nil {
				t.Errorf("%s %s has no summary or no responses", method, path)
			}
			all = append(all, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(all)
	return all
}

// TestTheDescriptionIsComplete checks that every route is described, and nothing
// else.
func TestTheDescriptionIsComplete(t *testing.T) {
	nothing := http.NotFoundHandler()
	s := newServer(t, Config{}, &gateway{}, map[string]http.Handler{
		"GET /metrics": nothing, "POST /mcp": nothing, "GET /mcp": nothing, "DELETE /mcp": nothing, // the assembly's, see there
	})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, request("GET", "/openapi.yaml", ""))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/yaml" {
		t.Fatalf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	answered := slices.Sorted(slices.Values(s.Patterns()))
	answered = slices.DeleteFunc(answered, func(pattern string) bool { return pattern == "GET /{$}" }) // the page is for people
	if got := described(t, w.Body.String()); !slices.Equal(got, answered) {
		t.Errorf("described: %q\nanswered:  %q", got, answered)
	}
}

// TestTheDescriptionsReferences checks that every reference in the description
// has a target.
func TestTheDescriptionsReferences(t *testing.T) {
	var file map[string]any
	if err := yaml.Unmarshal([]byte(description), &file); err != nil {
		t.Fatal(err)
	}
	found := 0
	var walk func(any)
	walk = func(node any) {
		switch n := node.(type) {
		case []any:
			for _, x := range n {
				walk(x)
			}
		case map[string]any:
			if ref, ok := n["$ref"].(string); ok {
				found++
				var at any = file
				for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
					m, _ := at.(map[string]any)
					at = m[step]
				}
				if at == nil {
					t.Errorf("%s leads nowhere", ref)
				}
			}
			for _, x := range n {
				walk(x)
			}
		}
	}
	walk(file)
	if found < 10 {
		t.Errorf("only %d references were seen", found)
	}
}

// TestWrongMethodsEverywhere checks on every path that a wrong method is answered
// with the allowed ones.
func TestWrongMethodsEverywhere(t *testing.T) {
	nothing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") })
	s, err := New(Config{Listen: "127.0.0.1:0"}, Deps{Handlers: map[string]http.Handler{"GET /mcp": nothing}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range s.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		r := request("PATCH", strings.NewReplacer("{id}", "zwave", "{file}", "main.js", "{$}", "").Replace(path), "{}")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusMethodNotAllowed || !strings.Contains(w.Header().Get("Allow"), method) ||
			w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("PATCH %s: %d, Allow %q, %s", path, w.Code, w.Header().Get("Allow"), w.Header().Get("Content-Type"))
		}
	}
}

// TestTheDescriptionIsValid checks the description by the OpenAPI Initiative's own
// schema of version 3.1, and every schema in it by that of JSON Schema 2020-12.
func TestTheDescriptionIsValid(t *testing.T) {
	t.Parallel()
	var file any
	if err := yaml.Unmarshal([]byte(description), &file); err != nil {
		t.Fatal(err)
	}
	whole, err := jsonschema.NewCompiler().Compile("testdata/openapi-3.1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	file = asJSON(t, file)
	if err := whole.Validate(file); err != nil {
		t.Errorf("the description: %v", err)
	}
	meta, err := jsonschema.NewCompiler().Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	schemas := schemasIn(file)
	if len(schemas) < 20 {
		t.Errorf("only %d schemas were found", len(schemas))
	}
	for _, s := range schemas {
		if err := meta.Validate(s); err != nil {
			t.Errorf("the schema %v: %v", s, err)
		}
	}
}

// asJSON returns a value of YAML as JSON has it.
func asJSON(t *testing.T, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	same, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return same
}

// schemasIn lists the schemas of a description.
func schemasIn(node any) (all []any) {
	switch n := node.(type) {
	case []any:
		for _, x := range n {
			all = append(all, schemasIn(x)...)
		}
	case map[string]any:
		for key, x := range n {
			_, isSchema := x.(map[string]any)
			switch {
			case key == "schema" && isSchema:
				all = append(all, x)
			case key == "schemas" && isSchema:
				all = slices.AppendSeq(all, maps.Values(x.(map[string]any)))
			default:
				all = append(all, schemasIn(x)...)
			}
		}
	}
	return all
}
