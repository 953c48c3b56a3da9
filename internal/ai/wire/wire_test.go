package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"voicegateway/internal/ai/wire"
)

// FuzzWire checks that whatever a server sends comes out the same however it
// arrives, ends, and is within what the library reads.
func FuzzWire(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add("{\n\"choices\":[{\"message\":{\"content\":[{\"text\":\"x\"}]}}]}\n")
	f.Add(": x\r\revent: error\rdata: {\"message\":1}\r\r")
	f.Add(`data: {"choices":[{"delta":{"tool_calls":[{"index":"0","function":{"arguments":{"a":1}}}]},"finish_reason":"weird"}]}`)
	f.Add("\ufeffdata: {\"error\":[]}\n\ndata: [DONE]")
	f.Add(`{"choices":{"delta":{"content":{"text":"a"}}}}` + "\n" + `{"choices":[null]}`)
	f.Fuzz(func(t *testing.T, body string) {
		whole, err := io.ReadAll(wire.New(io.NopCloser(strings.NewReader(body))))
		pieces, again := io.ReadAll(wire.New(io.NopCloser(iotest.OneByteReader(strings.NewReader(body)))))
		if string(whole) != string(pieces) || !errors.Is(again, err) {
			t.Fatalf("at once %q, %v; in pieces %q, %v", whole, err, pieces, again)
		}
		for line := range strings.Lines(string(whole)) {
			if line != "\n" && !strings.HasPrefix(line, "data: {") && line != "data: [DONE]\n" {
				t.Fatalf("%q became the line %q", body, line)
			}
		}
	})
}
