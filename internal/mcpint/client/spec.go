package client

import (
	"bytes"
	"cmp"
	"encoding/json"

	"voicegateway/internal/tools"
)

// specOf reads one entry of tools/list, or says why it is left out. A part with the wrong
// shape is dropped, because the rest of the tool is still useful.
func specOf(raw json.RawMessage) (spec tools.Spec, why string) {
	var fields struct {
		Name        string          `json:"name"`
		Title       json.RawMessage `json:"title"`
		Description json.RawMessage `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
		Annotations json.RawMessage `json:"annotations"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return tools.Spec{}, "an entry of the server's list is no tool"
	}
	if fields.Name == "" {
		return tools.Spec{}, "it has no name"
	}
	hints := hintsOf(fields.Annotations)
	spec = tools.Spec{
		Name: fields.Name, Remote: fields.Name,
		Title: textOf(fields.Title), Description: textOf(fields.Description),
		Input: objectOf(fields.Input), Output: objectOf(fields.Output),
		Risk:       hints.risk(),
		Idempotent: hintOr(hints.Idempotent, false) || hintOr(hints.ReadOnly, false),
		OpenWorld:  hintOr(hints.OpenWorld, true),
	}
	spec.Title = cmp.Or(spec.Title, hints.Title)
	if spec.Input == nil {
		// Models take object schemas only; the server checks for itself.
		spec.Input = json.RawMessage(`{"type":"object"}`)
	}
	return spec, ""
}

// hints are a tool's annotations; a missing hint has the protocol's default.
type hints struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`    // default false
	Destructive *bool  `json:"destructiveHint"` // default true
	Idempotent  *bool  `json:"idempotentHint"`  // default false
	OpenWorld   *bool  `json:"openWorldHint"`   // default true
}

func hintsOf(raw json.RawMessage) hints {
	var h hints
	if len(raw) > 0 && json.Unmarshal(raw, &h) != nil {
		return hints{}
	}
	return h
}

func (h hints) risk() tools.Risk {
	switch {
	case hintOr(h.ReadOnly, false):
		return tools.Read
	case hintOr(h.Destructive, true):
		return tools.Dangerous
	}
	return tools.Reversible
}

func hintOr(hint *bool, missing bool) bool {
	if hint == nil {
		return missing
	}
	return *hint
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// objectOf returns raw if it is a JSON object, else nil.
func objectOf(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
