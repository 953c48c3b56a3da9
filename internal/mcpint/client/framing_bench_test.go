package client

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkFraming reads the messages of a server over stdio as lines.
func BenchmarkFraming(b *testing.B) {
	for name, message := range map[string]string{
		"small": `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}` + "\n",
		"text":  `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 64<<10) + `"}]}}` + "\n",
		"house": `{"jsonrpc":"2.0","id":1,"result":{"things":[` + strings.Repeat(`{"id":12,"name":"Kitchen Light","area":"kitchen","on":true,"level":99,"values":[1,2,3]},`, 700) + `{}]}}` + "\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			from := &repeated{message: message}
			lines := newFraming(from)
			buf := make([]byte, 4<<10)
			for b.Loop() {
				for left := len(message); left > 0; {
					n, err := lines.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					left -= n
				}
			}
		})
	}
}

// repeated is the same message again and again.
type repeated struct {
	message string
	rest    string
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		r.rest = r.message
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var _ io.Reader = (*repeated)(nil)
