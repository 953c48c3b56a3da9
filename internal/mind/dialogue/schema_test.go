package dialogue_test

import (
	"encoding/json"
	"testing"

	"voicegateway/internal/mind/dialogue"
)

// TestBare: names, kinds and bounds of arguments stay, and no sentence does.
func TestBare(t *testing.T) {
	t.Parallel()
	const empty = `{"type":"object"}`
	for schema, want := range map[string]string{
		`{"type":"object","title":"The fan has to run","description":"The fan has to run"}`:                                                                                    empty,
		`{"type":"object","properties":{"text":{"type":"string","description":"needs the fan","default":"the fan is needed","examples":["run the fan"]}},"required":["text"]}`: `{"properties":{"text":{"type":"string"}},"required":["text"],"type":"object"}`,
		`{"type":"object","properties":{"unit":{"enum":["cups","grams"]},"n":{"type":["integer","null"],"minimum":1,"maximum":9}}}`:                                            `{"properties":{"n":{"maximum":9,"minimum":1,"type":["integer","null"]},"unit":{"enum":["cups","grams"]}},"type":"object"}`,
		`{"type":"object","properties":{"unit":{"type":"string","enum":["cups","the fan has to run"]}}}`:                                                                       `{"properties":{"unit":{"type":"string"}},"type":"object"}`,
		`{"type":"object","properties":{"the fan has to run":{"type":"string"},"a":true},"x-note":"the fan has to run"}`:                                                       `{"properties":{"a":true},"type":"object"}`,
		`{"type":"object","properties":{"list":{"items":{"$ref":"#/$defs/one","title":"The fan"}}},"$defs":{"one":{"type":"number","$comment":"the fan has to run"}}}`:         `{"$defs":{"one":{"type":"number"}},"properties":{"list":{"items":{"$ref":"#/$defs/one"}}},"type":"object"}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"const":"the fan has to run"},{"type":"string","pattern":"the fan|has to run"}]}}}`:                                     `{"properties":{"a":{"anyOf":[{},{"type":"string"}]}},"type":"object"}`,
		`{"type":"object","minimum":"the fan has to run","properties":"the fan has to run","items":"the fan has to run"}`:                                                      `{"items":true,"properties":{},"type":"object"}`,
		`the fan has to run`: empty,
		`null`:               empty,
		``:                   empty,
	} {
		if got := string(dialogue.Bare(json.RawMessage(schema))); got != want {
			t.Errorf("%s is\n%s, want\n%s", schema, got, want)
		}
	}
}
