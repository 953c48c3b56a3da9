package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/tools"
)

const controlSchema = `{"type":"object","properties":{
	"device_name":{"type":"string"},
	"action":{"type":"string","enum":["on","off","level"]},
	"level":{"type":"number","minimum":0,"maximum":99},
	"options":{"type":"object","properties":{"fadeTime":{"type":"integer"}}}
},"required":["device_name","action"],"additionalProperties":false}`

// echo is a tool that answers with the arguments it got.
func echo(name string, input string) tools.Tool {
	return stub{tools.Spec{Name: name, Input: json.RawMessage(input)}}
}

type stub struct{ spec tools.Spec }

func (s stub) Spec() tools.Spec { return s.spec }

func (s stub) Call(_ context.Context, args json.RawMessage) (tools.Result, error) {
	return tools.Result{Text: s.spec.Name + string(args)}, nil
}

func names(r *tools.Registry) []string {
	var list []string
	for _, s := range r.Specs() {
		list = append(list, s.Name)
	}
	return list
}

func TestArgumentsAreMendedByTheSchema(t *testing.T) {
	tests := map[string]struct {
		args string
		want string // what the tool got, or
		says string // part of the failed result's text
	}{
		"fitting ones are passed byte for byte": {args: `{ "device_name":"Lamp", "action":"on" }`, want: `{ "device_name":"Lamp", "action":"on" }`},
		"big numbers survive":                   {args: `{"device_name":"L","action":"level","level":50.10}`, want: `{"device_name":"L","action":"level","level":50.10}`},
		"another spelling of a key":             {args: `{"deviceName":"Lamp","Action":"on"}`, want: `{"action":"on","device_name":"Lamp"}`},
		"in a nested object":                    {args: `{"device_name":"L","action":"on","options":{"fade_time":3}}`, want: `{"action":"on","device_name":"L","options":{"fadeTime":3}}`},
		"never over a given key":                {args: `{"deviceName":"A","device_name":"B","action":"on"}`, says: "additional properties 'deviceName' not allowed; it takes action, device_name, level, options"},
		"a number as text":                      {args: `{"device_name":"L","action":"level","level":"50"}`, want: `{"action":"level","device_name":"L","level":50}`},
		"an enum in capitals":                   {args: `{"device_name":"L","action":"ON"}`, want: `{"action":"on","device_name":"L"}`},
		"a number out of range":                 {args: `{"device_name":"L","action":"level","level":500}`, says: "level: maximum"},
		"a missing key":                         {args: `{"action":"on"}`, says: "missing property 'device_name'"},
		"nothing at all":                        {args: ``, says: "missing properties 'device_name', 'action'"},
		"no JSON":                               {args: `{"device_name":`, says: "not valid JSON"},
		"no object":                             {args: `[1]`, says: "must be a JSON object"},
		"a huge exponent":                       {args: `{"device_name":"L","action":"level","level":1e99999999}`, says: "the number 1e99999999 is out of range"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := tools.NewRegistry()
			if err := r.Add(echo("control", controlSchema)); err != nil {
				t.Fatal(err)
			}
			got, err := r.Call(t.Context(), tools.Call{Tool: "control", Args: json.RawMessage(tt.args)})
			if err != nil {
				t.Fatal(err)
			}
			if tt.says != "" {
				if !got.Failed || !strings.Contains(got.Text, tt.says) {
					t.Fatalf("got %+v, want a failure that says %q", got, tt.says)
				}
				return
			}
			if want := "control" + tt.want; got.Text != want || got.Failed {
				t.Fatalf("got %q, want %q", got.Text, want)
			}
		})
	}
}

func TestBrokenSchemaHidesNothing(t *testing.T) {
	for name, schema := range map[string]string{
		"no JSON": `{`, "a list": `[]`, "a wrong type": `{"type":"nonsense"}`, "a bad pattern": `{"properties":{"a":{"pattern":"("}}}`,
		"a file": `{"$ref":"file:///etc/passwd"}`, "an address": `{"$ref":"http://127.0.0.1:1/x.json"}`, "none": ``,
	} {
		t.Run(name, func(t *testing.T) {
			r := tools.NewRegistry()
			if err := r.Add(echo("control", schema)); err != nil {
				t.Fatal(err)
			}
			got, err := r.Call(t.Context(), tools.Call{Tool: "control", Args: json.RawMessage(`{"a":1}`)})
			if err != nil || got.Failed || got.Text != `control{"a":1}` {
				t.Fatalf("got %+v, %v", got, err)
			}
		})
	}
}

func TestUnknownToolNamesTheNearest(t *testing.T) {
	r := tools.NewRegistry()
	r.Replace("zwave", []tools.Tool{echo("control_zwave_device", ""), echo("list_devices", ""), echo("verify_device", "")})
	_, err := r.Call(t.Context(), tools.Call{Tool: "controlZwaveDevices"})
	if !errors.Is(err, tools.ErrUnknownTool) {
		t.Fatalf("got %v, want ErrUnknownTool", err)
	}
	unknown, ok := errors.AsType[*tools.UnknownToolError](err)
	if !ok || !slices.Equal(unknown.Near, []string{"control_zwave_device"}) {
		t.Fatalf("got %v, want control_zwave_device as the nearest", err)
	}
	_, err = r.Call(t.Context(), tools.Call{Server: "music", Tool: "list_devices"})
	if !errors.Is(err, tools.ErrUnknownTool) {
		t.Fatalf("a tool of another server was called: %v", err)
	}
}

func TestNamesOfServers(t *testing.T) {
	valid := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	long := strings.Repeat("very_long_", 8)
	r := tools.NewRegistry()
	if err := r.Add(echo("search", "")); err != nil {
		t.Fatal(err)
	}
	r.Replace("web", []tools.Tool{echo("search", ""), echo("lights/kitchen.on", ""), echo(long+"a", ""), echo(long+"b", ""), echo("größe", "")})
	got := names(r)
	if len(got) != 6 || !slices.Contains(got, "web_search") || !slices.Contains(got, "lights_kitchen_on") {
		t.Fatalf("names are %q", got)
	}
	for _, name := range got {
		if !valid.MatchString(name) {
			t.Errorf("no model can take the name %q", name)
		}
	}
	for _, spec := range r.Specs() {
		if spec.Name == "web_search" && (spec.Server != "web" || spec.Remote != "search") {
			t.Errorf("the origin is lost: %+v", spec)
		}
	}
	result, err := r.Call(t.Context(), tools.Call{Server: "web", Tool: "search"})
	if err != nil || result.Text != "search{}" {
		t.Fatalf("a call by its name on the server: %+v, %v", result, err)
	}
	if spec, ok := r.Lookup(tools.Call{Server: "web", Tool: "search"}); !ok || spec.Name != "web_search" {
		t.Fatalf("Lookup by remote name: %+v, %v", spec, ok)
	}

	r.Replace("late", []tools.Tool{echo("search", "")})
	r.Replace("web", []tools.Tool{echo("search", "")})
	if got, want := names(r), []string{"late_search", "search", "web_search"}; !slices.Equal(got, want) {
		t.Fatalf("after a replacement the names are %q, want %q", got, want)
	}
	r.Replace("web", nil)
	if got, want := names(r), []string{"late_search", "search"}; !slices.Equal(got, want) {
		t.Fatalf("after a removal the names are %q, want %q", got, want)
	}
}

// TestAHouseKeepsTheNamesOfItsTools: a stranger that connects first gives the plain
// name back when the server comes whose tools keep theirs.
func TestAHouseKeepsTheNamesOfItsTools(t *testing.T) {
	r := tools.NewRegistry()
	r.Trust("zwave")
	r.Replace("aaa", []tools.Tool{echo("control_device", ""), echo("paint", "")})
	r.Replace("zwave", []tools.Tool{echo("control_device", "")})
	if got, want := names(r), []string{"aaa_control_device", "control_device", "paint"}; !slices.Equal(got, want) {
		t.Fatalf("the names are %q, want %q", got, want)
	}
	for tool, server := range map[string]string{"control_device": "zwave", "aaa_control_device": "aaa"} {
		if spec, ok := r.Lookup(tools.Call{Tool: tool}); !ok || spec.Server != server {
			t.Errorf("%s is of %q, want %q", tool, spec.Server, server)
		}
	}
	if spec, ok := r.Lookup(tools.Call{Server: "aaa", Tool: "control_device"}); !ok || spec.Name != "aaa_control_device" {
		t.Errorf("the stranger's own is %+v", spec)
	}
	r.Replace("aaa", []tools.Tool{echo("control_device", "")})
	if got, want := names(r), []string{"aaa_control_device", "control_device"}; !slices.Equal(got, want) {
		t.Errorf("after the stranger came back the names are %q, want %q", got, want)
	}
}

func TestAddRefusesBadNamesWhole(t *testing.T) {
	r := tools.NewRegistry()
	if err := r.Add(echo("ok", ""), echo("not ok", "")); err == nil {
		t.Error("a name with a space was taken")
	}
	if err := r.Add(echo("a", ""), echo("a", "")); err == nil {
		t.Error("the same name was taken twice in one call")
	}
	if got := names(r); len(got) != 0 {
		t.Fatalf("a refused Add left %q", got)
	}
	if err := r.Add(echo("a", "")); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(echo("a", "")); err == nil {
		t.Error("a taken name was taken again")
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := tools.NewRegistry()
		if err := r.Await(t.Context()); err != nil || !r.Settled() {
			t.Fatalf("a registry that expects nothing waits: %v", err)
		}
		first, second := r.Expect("first"), r.Expect("second")
		first()
		first()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Await ended with %v though one source is missing", err)
		}
		if err := r.Await(t.Context(), "first", "nobody"); err != nil {
			t.Fatalf("one that has arrived, and one that was never announced, are waited for: %v", err)
		}
		done := make(chan error, 1)
		go func() { done <- r.Await(t.Context()) }()
		synctest.Wait()
		second()
		if err := <-done; err != nil || !r.Settled() {
			t.Fatalf("Await after the last arrival: %v", err)
		}
		third := r.Expect("third")
		if r.Settled() {
			t.Fatal("a source announced later is not waited for")
		}
		third()
		if err := r.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNewExplainsWrongArguments(t *testing.T) {
	type args struct {
		Level int      `json:"level"`
		Names []string `json:"names"`
	}
	tool := tools.New(tools.Spec{Name: "dim"}, func(_ context.Context, a args) (tools.Result, error) {
		return tools.Result{Text: fmt.Sprintf("level %d", a.Level)}, nil
	})
	tests := map[string]struct {
		args, want string
		failed     bool
	}{
		"good":          {args: `{"level":4}`, want: "level 4"},
		"none":          {args: ``, want: "level 0"},
		"null":          {args: `null`, want: "level 0"},
		"wrong type":    {args: `{"level":"four"}`, want: `The argument "level" of dim must be a whole number, not a string.`, failed: true},
		"wrong list":    {args: `{"names":"a"}`, want: `The argument "names" of dim must be a list, not a string.`, failed: true},
		"unknown name":  {args: `{"brightness":4}`, want: `The tool dim has no argument "brightness".`, failed: true},
		"no object":     {args: `[]`, want: `The arguments of dim must be a JSON object, not a array.`, failed: true},
		"broken":        {args: `{"level":`, want: `The arguments of dim are not a valid JSON object: unexpected EOF.`, failed: true},
		"two in a line": {args: `{} {}`, want: `The arguments of dim are not a valid JSON object: there is more after the object.`, failed: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := tool.Call(t.Context(), json.RawMessage(tt.args))
			if err != nil || got.Text != tt.want || got.Failed != tt.failed {
				t.Fatalf("got %+v, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	for _, args := range []string{``, `{}`, `null`, `[]`, `{"deviceName":"x","action":"ON","level":"1e9"}`, `{"device_name":{"a":[]},"action":1e999999}`, `{"level":"0x10"}`, `{"options":{"fade-time":"3"}}`, "\xff", `{"":1}`} {
		f.Add(args)
	}
	r := tools.NewRegistry()
	if err := r.Add(echo("control", controlSchema)); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args string) {
		result, err := r.Call(t.Context(), tools.Call{Tool: "control", Args: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("arguments became an error: %v", err)
		}
		if result.Failed {
			return
		}
		got, ok := strings.CutPrefix(result.Text, "control")
		if !ok || !json.Valid([]byte(got)) {
			t.Fatalf("the tool got %q", got)
		}
		again, err := r.Call(t.Context(), tools.Call{Tool: "control", Args: json.RawMessage(got)})
		if err != nil || again.Failed || again.Text != result.Text {
			t.Fatalf("mended arguments do not fit: %+v, %v", again, err)
		}
	})
}

func FuzzSchema(f *testing.F) {
	for _, schema := range []string{controlSchema, `{}`, `true`, `{"$ref":"#"}`, `{"$schema":"x"}`, `{"properties":{"a":1}}`, `{"$id":"http://a/b","$ref":"c"}`, `{"enum":[]}`} {
		f.Add(schema, `{"a":"1"}`)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		r := tools.NewRegistry()
		r.Replace("s", []tools.Tool{echo("x", schema)})
		if _, err := r.Call(t.Context(), tools.Call{Tool: "x", Args: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
	})
}

func ExampleNew() {
	type greeting struct {
		Name string `json:"name"`
	}
	registry := tools.NewRegistry()
	err := registry.Add(tools.New(tools.Spec{Name: "greet", Risk: tools.Read}, func(_ context.Context, g greeting) (tools.Result, error) {
		return tools.Result{Text: "Hello " + g.Name + "."}, nil
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := registry.Call(context.Background(), tools.Call{Tool: "greet", Args: json.RawMessage(`{"name":"Ann"}`)})
	fmt.Println(result.Text, err)
	// Output: Hello Ann. <nil>
}

func BenchmarkCall(b *testing.B) {
	r := tools.NewRegistry()
	if err := r.Add(echo("control", controlSchema)); err != nil {
		b.Fatal(err)
	}
	call := tools.Call{Tool: "control", Args: json.RawMessage(`{"device_name":"Lamp","action":"level","level":50}`)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Call(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
