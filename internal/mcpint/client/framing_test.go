package client

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestMessagesAreFound finds the messages in what servers write beside them, whatever
// pieces it comes in.
func TestMessagesAreFound(t *testing.T) {
	const one, two = `{"jsonrpc":"2.0","id":1,"result":{"a":"} \" {"}}`, `{"jsonrpc":"2.0","method":"x"}`
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(json.RawMessage(one)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		written string
		whole   bool // only where it comes in one piece
	}{
		"as it should be":      {one + "\n" + two + "\n", false},
		"a byte-order mark":    {"\xef\xbb\xbf" + one + "\n" + two + "\n", false},
		"marks on every line":  {"\xef\xbb\xbf" + one + "\n\xef\xbb\xbf" + two + "\n", false},
		"a colour before it":   {"\x1b[0m" + one + "\n" + two + "\n", true},
		"a banner before it":   {"Server ready> " + one + "\n" + two + "\n", true},
		"in one line":          {one + two + "\n", false},
		"a batch":              {"[" + one + ", " + two + "]\n", true},
		"indented":             {indented.String() + two + "\n", false},
		"indented, with marks": {"\xef\xbb\xbf" + strings.ReplaceAll(indented.String(), "\n", "\r\n") + "\r\n" + two + "\r\n", false},
		"a brace in prose":     {"{starting\n" + one + "\n" + two + "\n", false},
		"broken off":           {`{"jsonrpc":"2.0","id":7,"result":` + "\n" + one + "\n" + two + "\n", false},
		"braces in prose":      {"use {name} or {id}\n" + one + "\n" + two + "\n", false},
		"half a message":       {`{"level":"info","text":"begun` + "\n" + one + "\n" + two + "\n", false},
		"another's messages":   {`{"level":"info"}` + "\n" + one + "\n" + two + "\n", false},
	} {
		readers := map[string]io.Reader{"whole": strings.NewReader(c.written)}
		if !c.whole {
			readers["by bytes"] = iotest.OneByteReader(strings.NewReader(c.written))
		}
		for how, from := range readers {
			text, err := io.ReadAll(newFraming(from))
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for line := range strings.Lines(string(text)) {
				var m struct {
					JSONRPC string `json:"jsonrpc"`
				}
				if json.Unmarshal([]byte(line), &m) == nil && m.JSONRPC == mcp.JSONRPC_VERSION {
					var compact strings.Builder
					_ = json.NewEncoder(&compact).Encode(json.RawMessage(line))
					found = append(found, strings.TrimSpace(compact.String()))
				}
			}
			if len(found) != 2 || found[0] != one || found[1] != two {
				t.Errorf("%s, %s: found %q in %q", name, how, found, text)
			}
		}
	}
}

// FuzzFraming looks for bytes that framing loses: without its line breaks and the blanks
// that it makes of them, everything comes through.
func FuzzFraming(f *testing.F) {
	f.Add("\xef\xbb\xbf{\"jsonrpc\":\"2.0\"}\n{\n}\n")
	f.Add("prose {\"id\":1}{\"id\":2}\r\n\"{")
	plain := strings.NewReplacer("\n", "", "\r", "", " ", "")
	f.Fuzz(func(t *testing.T, written string) {
		text, err := io.ReadAll(newFraming(iotest.HalfReader(strings.NewReader(written))))
		if err != nil || plain.Replace(string(text)) != plain.Replace(written) {
			t.Fatalf("%q became %q, %v", written, text, err)
		}
	})
}
