package secret

import (
	"bytes"
	"encoding/json"
	"slices"
)

// HideJSON returns JSON with the secrets in its texts replaced. Data that is not JSON is
// dropped if it holds a secret.
func (s *Set) HideJSON(raw json.RawMessage) json.RawMessage {
	if s == nil || len(raw) == 0 || len(s.values()) == 0 || !bytes.ContainsRune(raw, '\\') && !s.In(string(raw)) {
		return raw
	}
	// A text may be written in escapes, so it is compared as it reads.
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		if s.In(string(raw)) {
			return nil
		}
		return raw
	}
	cleaned, changed := s.HideIn(v)
	if !changed {
		return raw
	}
	out, err := json.Marshal(cleaned)
	if err != nil {
		return nil
	}
	return out
}

// HideIn returns a value as JSON decodes it with the secrets in its texts replaced,
// and whether there were any. The value itself is not changed.
func (s *Set) HideIn(v any) (_ any, changed bool) {
	switch v := v.(type) {
	case string:
		hidden := s.Hide(v)
		return hidden, hidden != v
	case json.Number:
		if hidden := s.Hide(v.String()); hidden != v.String() {
			return hidden, true
		}
	case []string:
		out := slices.Clone(v)
		for i := range out {
			out[i] = s.Hide(out[i])
			changed = changed || out[i] != v[i]
		}
		return out, changed
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var c bool
			out[i], c = s.HideIn(e)
			changed = changed || c
		}
		return out, changed
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, e := range v {
			name := s.Hide(key)
			inner, c := s.HideIn(e)
			out[name] = inner
			changed = changed || c || name != key
		}
		return out, changed
	}
	return v, false
}
