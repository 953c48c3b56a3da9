package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestEachLine(t *testing.T) {
	t.Parallel()
	long := `"` + strings.Repeat("x", maxLine) + `"`
	tests := map[string]struct{ in, out, told string }{
		"nothing":         {"", "", ""},
		"no newline":      {`1`, "1\n", ""},
		"empty lines":     {"\n 1 \r\n\n2\n", "1\n2\n", ""},
		"one is no good":  {"1\nbad\n3\n", "1\n3\n", "line 2: bad"},
		"one is too long": {"1\n" + long + "\n3\n", "1\n3\n", "line 2: longer than 1048576 bytes"},
		"the last is":     {"1\n" + long, "1\n", "line 2: longer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, told bytes.Buffer
			a := &app{IO: IO{In: strings.NewReader(tt.in), Out: &out, Err: &told}}
			err := a.eachLine(t.Context(), func(line []byte) (any, error) {
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

// TestEachLineEndsAtOnce is Ctrl-C while nobody types.
func TestEachLineEndsAtOnce(t *testing.T) {
	t.Parallel()
	silent, typed := io.Pipe()
	defer typed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &app{IO: IO{In: silent, Out: io.Discard, Err: io.Discard}}
	if err := a.eachLine(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}
