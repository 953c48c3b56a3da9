package socket

import "testing"

// FuzzDecode: no frame ends the program, and what is told of an error stays short.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":1,"type":"result","success":false,"error":{"code":"x","message":"y"}}`))
	f.Add([]byte(`[{"id":1,"type":"event","event":{"a":{}}},{"type":"auth_ok","ha_version":"2026.9.3"}]`))
	f.Add([]byte(`[null,{"id":1e99}]`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, frame []byte) {
		all, err := decode(frame)
		if err != nil {
			return
		}
		for _, m := range all {
			if m.Error != nil && len(m.Error.Message) > 400 {
				t.Errorf("a message of %d bytes", len(m.Error.Message))
			}
		}
	})
}
