package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", maxLine) + `"`
	tests := map[string]struct{ in, out, told string }{
		"nothing":         {"", "", ""},
		"no newline":      {`1`, "1\n", ""},
		"byte order mark": {"\ufeff1\n2\n", "1\n2\n", ""},
		"only that mark":  {"\ufeff\n2\n", "2\n", ""},
		"empty lines":     {"\n 1 \r\n\n2\n", "1\n2\n", ""},
		"one is no good":  {"1\nbad\n3\n", "1\n3\n", "line 2: bad"},
		"one is too long": {"1\n" + long + "\n3\n", "1\n3\n", "line 2: longer than 1048576 bytes"},
		"the last is":     {"1\n" + long, "1\n", "line 2: longer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, told bytes.Buffer
			world := Lines{In: strings.NewReader(tt.in), Out: &out, Err: &told}
			err := world.Answer(t.Context(), func(line []byte) (any, error) {
				if string(line) == "bad" {
					return nil, errors.New("bad")
				}
				return len(bytes.Fields(line)) + int(line[0]-'1'), nil
			})
			if (err != nil) != (tt.told != "") || out.String() != tt.out || !strings.Contains(told.String(), tt.told) {
				t.Errorf("got %q, told %q, error %v", out.String(), told.String(), err)
			}
		})
	}
}

// TestLinesEndAtOnce: Ctrl-C ends the command at once while it waits for input.
func TestLinesEndAtOnce(t *testing.T) {
	t.Parallel()
	silent, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	world := Lines{In: silent, Out: io.Discard, Err: io.Discard}
	if err := world.Answer(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}

// TestWrongTypesAreToldInWords: the person who writes a line does not know our Go
// types.
func TestWrongTypesAreToldInWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ line, want string }{
		"number for text":  {`{"text":5}`, "text must be a string, not a number"},
		"text for object":  {`{"text":"x","context":"Kitchen"}`, "context must be an object, not a string"},
		"list for text":    {`{"text":"x","context":{"area":[1]}}`, "context.area must be a string, not an array"},
		"list for a line":  {`[1]`, "the line must be an object, not an array"},
		"number for truth": {`{"really":1}`, "really must be true or false, not a number"},
		"text for number":  {`{"count":"1"}`, "count must be a number, not a string"},
		"object for list":  {`{"list":{}}`, "list must be a list, not an object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told bytes.Buffer
			world := Lines{In: strings.NewReader(tt.line), Out: io.Discard, Err: &told}
			err := world.Answer(t.Context(), func(line []byte) (any, error) {
				var in struct {
					Text    string
					Context struct{ Area string }
					Really  bool
					Count   int
					List    []string
				}
				return nil, json.Unmarshal(line, &in)
			})
			if err == nil || !strings.EqualFold(told.String(), "voice-gateway: line 1: "+tt.want+"\n") {
				t.Errorf("told %q, error %v", told.String(), err)
			}
		})
	}
}
