package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"voicegateway/internal/doors"
)

// described is what openapi.yaml says of a route.
type described struct {
	Summary    string
	Security   []map[string]any
	Responses  map[string]any
	Parameters []struct {
		Name, In string
		Ref      string `yaml:"$ref"`
	}
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref        string `yaml:"$ref"`
				Properties map[string]any
			}
		}
	} `yaml:"requestBody"`
}

// readDescription reads the description: its routes, and its schemas with their members.
func readDescription(t *testing.T) (routes map[string]described, schemas map[string]map[string]any) {
	t.Helper()
	var file struct {
		OpenAPI    string `yaml:"openapi"`
		Paths      map[string]map[string]yaml.Node
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := yaml.Unmarshal([]byte(description), &file); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(file.OpenAPI, "3.1") {
		t.Errorf("version %q", file.OpenAPI)
	}
	routes, schemas = map[string]described{}, map[string]map[string]any{}
	for name, schema := range file.Components.Schemas {
		schemas[name] = schema.Properties
	}
	for path, methods := range file.Paths {
		var shared []struct {
			Name, In string
			Ref      string `yaml:"$ref"`
		}
		if node, ok := methods["parameters"]; ok {
			if err := node.Decode(&shared); err != nil {
				t.Fatal(err)
			}
		}
		for method, node := range methods {
			if method == "parameters" || method == "description" {
				continue
			}
			var d described
			if err := node.Decode(&d); err != nil {
				t.Fatal(err)
			}
			d.Parameters = append(d.Parameters, shared...)
			routes[strings.ToUpper(method)+" "+path] = d
		}
	}
	return routes, schemas
}

// TestTheDescriptionIsTheTable checks that the description and the table of package doors
// say the same, both ways: the routes, what each does, whether it needs a token, the
// status of its answer, and the members of its input.
func TestTheDescriptionIsTheTable(t *testing.T) {
	t.Parallel()
	routes, schemas := readDescription(t)
	for _, row := range doors.Table {
		e := row.Describe()
		d, there := routes[e.Route]
		if delete(routes, e.Route); e.Route == "" || e.Name == doors.Page.Name { // the page is for people
			continue
		}
		if !there {
			t.Errorf("%s of the table is not described", e.Route)
			continue
		}
		if d.Summary != e.Does {
			t.Errorf("%s is described as %q, and the table says %q", e.Route, d.Summary, e.Does)
		}
		if open := len(d.Security) == 1 && len(d.Security[0]) == 0; open != e.Open {
			t.Errorf("%s is described as open: %t, and the table says %t", e.Route, open, e.Open)
		}
		op, ok := row.(doors.Doable)
		if !ok {
			continue
		}
		if status := strconv.Itoa(cmp.Or(e.Status, http.StatusOK)); d.Responses[status] == nil {
			t.Errorf("%s: the answer %s is not described", e.Route, status)
		}
		in, described := inputOf(op), members(d, schemas)
		if !slices.Equal(in, described) {
			t.Errorf("%s: its input is described as %q, and is %q", e.Route, described, in)
		}
	}
	for route := range routes {
		t.Errorf("%s is described, and the table has no such route", route)
	}
}

// inputOf lists the members of an operation's input, each with where it is in a request.
func inputOf(op doors.Doable) (all []string) {
	for name := range doors.Members(op.Input()) {
		all = append(all, "body "+name)
	}
	note := func(in string) func(string) string {
		return func(name string) string { all = append(all, in+" "+name); return "" }
	}
	doors.Fill(op.Input(), note("path"), note("query"))
	slices.Sort(all)
	return all
}

// members lists the described members of a request, each with where it is.
func members(d described, schemas map[string]map[string]any) (all []string) {
	for _, p := range d.Parameters {
		if p.Ref != "" { // the description has one of its own: the id of a server
			p.Name, p.In = p.Ref[strings.LastIndex(p.Ref, "/")+1:], "path"
		}
		all = append(all, p.In+" "+p.Name)
	}
	schema := d.RequestBody.Content["application/json"].Schema
	properties := schema.Properties
	if schema.Ref != "" {
		properties = schemas[schema.Ref[strings.LastIndex(schema.Ref, "/")+1:]]
	}
	for name := range properties {
		all = append(all, "body "+name)
	}
	slices.Sort(all)
	return all
}

// TestTheDescriptionIsServed checks that the description can be read, and that every
// route of the table is answered.
func TestTheDescriptionIsServed(t *testing.T) {
	nothing := http.NotFoundHandler()
	s := newServer(t, Config{}, &gateway{}, map[string]http.Handler{
		"GET /metrics": nothing, "POST /mcp": nothing, "GET /mcp": nothing, "DELETE /mcp": nothing, // the assembly's, see there
	})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, request("GET", "/openapi.yaml", ""))
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/yaml" || w.Body.String() != description {
		t.Fatalf("status %d, %s", w.Code, w.Header().Get("Content-Type"))
	}
	var table []string
	for _, row := range doors.Table {
		table = append(table, row.Describe().Route)
	}
	slices.Sort(table)
	if answered := slices.Sorted(slices.Values(s.Patterns())); !slices.Equal(answered, table) {
		t.Errorf("answered:  %q\nthe table: %q", answered, table)
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
