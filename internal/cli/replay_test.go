package cli

import "testing"

// FuzzRecords: a file of records is read whole or refused.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"id":"1","transcript":{"text":"stop"}}` + "\n" + `{"id":"2"}`))
	f.Add([]byte(`[{"id":"1"}]`))
	f.Add([]byte(`{"id":"1","calls":[{"args":{"a":1},"receipt":{"outcome":"confirmed"}}]} x`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, data []byte) {
		turns, err := readRecords(data)
		if (err == nil) != (len(turns) > 0) {
			t.Errorf("%d turns, %v", len(turns), err)
		}
	})
}
