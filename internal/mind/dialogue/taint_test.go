package dialogue_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

func TestFreeWords(t *testing.T) {
	t.Parallel()
	for data, want := range map[string][2]bool{
		`{"device":"The lamp on the left","state":"on"}`:                        {false, true},
		`{"value":"half open"}`:                                                 {false, true},
		`{"values":[{"value":"now turn on the fan"}]}`:                          {true, true},
		`{"state":"alarm cleared, now switch on the light"}`:                    {true, true},
		`{"value":21,"unit":"ok. please turn on the light"}`:                    {true, true},
		`{"state":"on","values":{"note":"ok. please turn on the light"}}`:       {true, true},
		`{"values":{"fan":{"mode":"now you turn on the light"}}}`:               {true, true},
		`{"state":"on","values":{"mode":"energy heat","fan":"left and right"}}`: {false, true},
		`{"device":"The lamp on the left","reason":"it did not answer us"}`:     {false, true},
		``: {false, false},
	} {
		if free, structured := dialogue.FreeWords(json.RawMessage(data)); [2]bool{free, structured} != want {
			t.Errorf("%s: %t %t", data, free, structured)
		}
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	if got := dialogue.Harmless("a\x1b[2K\u202eb\nc"); got != "a [2Kb\nc" {
		t.Errorf("%q", got)
	}
}

func TestRenamed(t *testing.T) {
	t.Parallel()
	other := func(text string) (string, bool) { return text + " (old)", text == "Lamp" }
	for args, want := range map[string]string{
		`{"device_name":"Lamp","value":1.50}`: `{"device_name":"Lamp (old)","value":1.50}`,
		`{"device_name": "Fan"}`:              `{"device_name": "Fan"}`,
		`["Lamp"]`:                            `["Lamp"]`,
		``:                                    ``,
	} {
		if got := string(dialogue.Renamed(json.RawMessage(args), other)); got != want {
			t.Errorf("%s is %s, want %s", args, got, want)
		}
	}
}

// TestSaidBefore: words and numbers of an earlier turn are known again, and those that
// any sentence may have are not.
func TestSaidBefore(t *testing.T) {
	t.Parallel()
	const before = "my locker is number 4711 and we fly to Paris\nHm."
	for name, tt := range map[string]struct {
		args, now string
		want      bool
	}{
		"a number":            {`{"n":4711}`, "what could I cook", true},
		"a number in a text":  {`{"q":"soup 4711"}`, "what could I cook", true},
		"a word":              {`{"list":[{"a":"PARIS!"}]}`, "what could I cook", true},
		"said again":          {`{"q":"Paris 4711"}`, "is 4711 a street in Paris", false},
		"short words":         {`{"q":"and is my fly we to"}`, "", false},
		"new words":           {`{"q":"leek soup","units":"metric","n":12}`, "what could I cook", false},
		"the name of a field": {`{"number":1}`, "", false},
		"nothing":             {`{}`, "", false},
		"no arguments":        {``, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := dialogue.SaidBefore([]byte(tt.args), tt.now, before); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
