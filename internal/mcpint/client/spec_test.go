package client

import (
	"encoding/json"
	"testing"
)

func FuzzSpecOf(f *testing.F) {
	for _, raw := range []string{`{"name":"a","inputSchema":[]}`, `null`, `{"name":"x","annotations":{"readOnlyHint":"yes"}}`, `{"name":"\u0000","outputSchema":3}`, `[]`, `{`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		spec, why := specOf(raw)
		if why != "" {
			return
		}
		var object map[string]any
		if spec.Name == "" || spec.Risk == "" || json.Unmarshal(spec.Input, &object) != nil {
			t.Fatalf("unfit for a model: %+v", spec)
		}
	})
}
