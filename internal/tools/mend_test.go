package tools_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/tools"
)

// mendSchema has a property of every kind that models get wrong.
const mendSchema = `{"type":"object","properties":{
	"device_name":{"type":"string"},
	"action":{"type":"string","enum":["on","off","turn_level","5"]},
	"level":{"type":"integer","minimum":0,"maximum":99},
	"seconds":{"type":["number","null"]},
	"step":{"enum":[1,5,10]},
	"state":{"enum":["on","off"]},
	"quick":{"type":"boolean"},
	"names":{"type":"array","items":{"type":"string"}},
	"either":{"anyOf":[{"type":"string"},{"type":"null"}]},
	"colour":{"$ref":"#/$defs/colour"},
	"steps":{"type":"array","items":{"$ref":"#/$defs/colour"}}
},"$defs":{"colour":{"type":"object","properties":{"redPart":{"type":"integer"}},"additionalProperties":false}},
"required":["device_name"],"additionalProperties":false}`

// TestWhatModelsWriteIsMended checks each habit of a model by the schema alone: what
// has one reading is put right.
func TestWhatModelsWriteIsMended(t *testing.T) {
	for args, want := range map[string]string{
		// The text around and within the JSON.
		" \n{\"device_name\":\"L\"}\n ":                       `{"device_name":"L"}`,
		"```json\n{\"device_name\":\"L\"}\n```":               `{"device_name":"L"}`,
		`{"device_name":"L",}`:                                `{"device_name":"L"}`,
		`{"names":["a","b",],"device_name":"L",}`:             `{"device_name":"L","names":["a","b"]}`,
		`"{\"device_name\":\"L\"}"`:                           `{"device_name":"L"}`,
		`"\"{\\\"device_name\\\":\\\"L\\\",}\""`:              `{"device_name":"L"}`,
		`[{"device_name":"L"}]`:                               `{"device_name":"L"}`,
		`{'device_name': 'L', 'quick': True, 'either': None}`: `{"device_name":"L","either":null,"quick":true}`,
		`{'device_name': "dad's lamp"}`:                       `{"device_name":"dad's lamp"}`,
		`{device_name: "L", level: 5}`:                        `{"device_name":"L","level":5}`,
		`{"device_name":"L"}}`:                                `{"device_name":"L"}`,
		`{"device_name":"L"}{"device_name":"L"}`:              `{"device_name":"L"}`,
		"{\"device_name\":\"a\nb\"}":                          `{"device_name":"a\nb"}`,
		`{"device_name":"L"};`:                                `{"device_name":"L"}`,
		// The arguments within something else.
		`{"arguments":{"device_name":"L"}}`:                                                       `{"device_name":"L"}`,
		`{"parameters":{"deviceName":"L"}}`:                                                       `{"device_name":"L"}`,
		`{"input":"{\"device_name\":\"L\"}"}`:                                                     `{"device_name":"L"}`,
		`{"name":"control","arguments":{"device_name":"L"}}`:                                      `{"device_name":"L"}`,
		`{"type":"function","function":{"name":"control","arguments":"{\"device_name\":\"L\"}"}}`: `{"device_name":"L"}`,
		`{"type":"object","properties":{"device_name":"L"}}`:                                      `{"device_name":"L"}`,
		// A null or empty value for an optional property.
		`{"device_name":"L","level":null}`:    `{"device_name":"L"}`,
		`{"device_name":"L","level":""}`:      `{"device_name":"L"}`,
		`{"device_name":"L","action":null}`:   `{"device_name":"L"}`,
		`{"device_name":"L","action":"null"}`: `{"device_name":"L"}`,
		`{"device_name":"L","room":null}`:     `{"device_name":"L"}`,
		`{"device_name":"L","seconds":null}`:  `{"device_name":"L","seconds":null}`,
		// One kind for another.
		`{"device_name":"L","level":"50"}`:               `{"device_name":"L","level":50}`,
		`{"device_name":"L","level":50.0}`:               `{"device_name":"L","level":50}`,
		`{"device_name":"L","level":"50.0"}`:             `{"device_name":"L","level":50}`,
		`{"device_name":"L","level":5e1}`:                `{"device_name":"L","level":50}`,
		`{"device_name":"L","seconds":"2.5"}`:            `{"device_name":"L","seconds":2.5}`,
		`{"device_name":5}`:                              `{"device_name":"5"}`,
		`{"device_name":["L"]}`:                          `{"device_name":"L"}`,
		`{"device_name":"L","quick":"True"}`:             `{"device_name":"L","quick":true}`,
		`{"device_name":"L","quick":"off"}`:              `{"device_name":"L","quick":false}`,
		`{"device_name":"L","quick":1}`:                  `{"device_name":"L","quick":true}`,
		`{"device_name":"L","names":"a"}`:                `{"device_name":"L","names":["a"]}`,
		`{"device_name":"L","names":"[\"a\"]"}`:          `{"device_name":"L","names":["a"]}`,
		`{"device_name":"L","colour":"{\"redPart\":3}"}`: `{"colour":{"redPart":3},"device_name":"L"}`,
		// Enumerations.
		`{"device_name":"L","action":" ON "}`:       `{"action":"on","device_name":"L"}`,
		`{"device_name":"L","action":"Turn level"}`: `{"action":"turn_level","device_name":"L"}`,
		`{"device_name":"L","action":5}`:            `{"action":"5","device_name":"L"}`,
		`{"device_name":"L","step":"5"}`:            `{"device_name":"L","step":5}`,
		`{"device_name":"L","state":true}`:          `{"device_name":"L","state":"on"}`,
		// Within other values.
		`{"device_name":"L","colour":{"red_part":"3"}}`:  `{"colour":{"redPart":3},"device_name":"L"}`,
		`{"device_name":"L","steps":[{"red_part":"3"}]}`: `{"device_name":"L","steps":[{"redPart":3}]}`,
	} {
		got, complaint := tools.Mend(json.RawMessage(mendSchema), json.RawMessage(args))
		if complaint != "" || string(got) != want {
			t.Errorf("%s\nbecame %s, %s\nwant   %s", args, got, complaint, want)
			continue
		}
		if again, complaint := tools.Mend(json.RawMessage(mendSchema), got); complaint != "" || string(again) != want {
			t.Errorf("%s\nis mended twice, to %s, %s", args, again, complaint)
		}
	}
}

// TestWhatHasTwoReadingsIsNotMended checks that nothing is guessed: a wrong guess
// would move something in the house.
func TestWhatHasTwoReadingsIsNotMended(t *testing.T) {
	for _, args := range []string{
		`{"device_name":"L","level":5`,              // 5 or 50
		`{"device_name":"L`,                         // half a name
		`{'device_name': 'dad's lamp'}`,             // where does the name end
		`{"device_name":"L"}{"device_name":"M"}`,    // which of them
		`{"device_name":"L"} and then some`,         //
		`{"device_name":L}`,                         //
		`{"device_name":"L","level":"half"}`,        //
		`{"device_name":"L","level":500}`,           //
		`{"device_name":"L","level":5.5}`,           //
		`{"device_name":"L","quick":"maybe"}`,       //
		`{"device_name":"L","quick":2}`,             //
		`{"device_name":["L","M"]}`,                 // one of two
		`{"device_name":null}`,                      // it must be given
		`{"device_name":{"name":"L"}}`,              //
		`{"device_name":"L","action":"dim"}`,        //
		`{"device_name":"L","other":1}`,             //
		`{"arguments":{"device_name":"L"},"x":"y"}`, //
		`[{"device_name":"L"},{"device_name":"M"}]`, //
		`"just words"`,                              //
		`[]`,                                        //
		`{"device_name":"L","level":1e400}`,         //
	} {
		if got, complaint := tools.Mend(json.RawMessage(mendSchema), json.RawMessage(args)); complaint == "" {
			t.Errorf("%s\nbecame %s", args, got)
		}
	}
}

// TestAWrapperThatIsAPropertyStays checks that a tool with a property of a wrapper's
// name gets it.
func TestAWrapperThatIsAPropertyStays(t *testing.T) {
	for schema, args := range map[string]string{
		`{"type":"object","properties":{"input":{"type":"object"}}}`: `{"input":{"text":"x"}}`,
		`{"type":"object"}`: `{"arguments":{"text":"x"}}`,
		`{"type":"object","properties":{"name":{"type":"string"}}}`: `{"name":"x","arguments":{"y":1}}`,
		`{"type":"object","properties":{"x":{}},"required":["x"]}`:  `{"x":null}`,
		``:             `{"parameters":{}}`,
		`not a schema`: `{"parameters":{}}`,
		`{"type":"object","properties":{"x":{"type":"string"}}}`:           `{"x":"null"}`,
		`{"type":"object","properties":{"x":{"enum":["ON","on"]}}}`:        `{"x":"on"}`,
		`{"type":"object","properties":{"a_b":{"type":"string"},"ab":{}}}`: `{"AB":"on"}`,
	} {
		if got, complaint := tools.Mend(json.RawMessage(schema), json.RawMessage(args)); complaint != "" || string(got) != args {
			t.Errorf("%s by %s became %s, %s", args, schema, got, complaint)
		}
	}
}

func TestNamesOfToolsAsModelsWriteThem(t *testing.T) {
	specs := []tools.Spec{{Name: "control"}, {Name: "get_state"}, {Name: "zwave_control"}, {Name: "a-b"}, {Name: "a_b"}}
	for written, want := range map[string]string{
		"control": "control", "functions.control": "control", "functions:control": "control", "tool.control": "control", "control:0": "control",
		"functions.control:12": "control", "default_api.get_state": "get_state", " get_state ": "get_state", "`get_state`": "get_state", "getState": "get_state",
		"Get-State": "get_state", "get_state()": "get_state", "control<|channel|>commentary": "control", "zwave/zwave_control": "zwave_control",
		"to=functions.control": "control", "a-b": "a-b", "a_b": "a_b", "A.B": "", "": "", "functions.": "", "0": "", "unlock": "", "control.unlock": "", "controls": "",
		"functions.control.0": "control",
	} {
		spec, ok := tools.Named(specs, written)
		if spec.Name != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", written, spec.Name, want)
		}
	}
}

func FuzzMend(f *testing.F) {
	for _, args := range []string{`{"device_name":"L",}`, `"{\"device_name\":\"L\"}"`, `{'device_name': 'L', 'quick': True}`, `{"arguments":{"deviceName":5}}`, "```json\n{}\n```", `{"a":{"a":[[[`, `{"steps":[{"red_part":"3"}],"step":"5"}`, `{a:1e9}`} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		got, complaint := tools.Mend(json.RawMessage(mendSchema), json.RawMessage(args))
		if complaint != "" {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", args, got)
		}
		if again, complaint := tools.Mend(json.RawMessage(mendSchema), got); complaint != "" || string(again) != string(got) {
			t.Fatalf("%q became %q, and that %q, %s", args, got, again, complaint)
		}
	})
}
