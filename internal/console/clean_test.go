package console_test

import (
	"bytes"
	"fmt"
	"testing"

	"voicegateway/internal/console"
	"voicegateway/internal/record"
)

// A text from elsewhere never commands the terminal, and our own colours stay.
func TestScreen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":           {"Kitchen Light\n", "Kitchen Light\n"},
		"our colour":      {console.Paint(true).Good("✓ done"), "\x1b[32m✓ done\x1b[0m"},
		"title":           {"\x1b]0;pwned\x07x", " ]0;pwned x"},
		"cursor":          {"a\x1b[2J\x1b[Hb", "a [2J [Hb"},
		"carriage return": {"is locked\ris open", "is locked is open"},
		"eight bit":       {"a\u009b31mb", "a 31mb"},
		"turned around":   {"a\u202eb", "a b"},
		"not a text":      {"a\xffb", "a b"},
		"columns":         {"a\tb\n", "a\tb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			n, err := fmt.Fprint(console.NewScreen(&out, true), tt.in)
			if err != nil || n != len(tt.in) || out.String() != tt.want {
				t.Errorf("%q, %d, %v; expected %q", out.String(), n, err, tt.want)
			}
		})
	}
}

// What was heard and said is shown without its control characters.
func TestTurnShowsNoControlCharacters(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	console.Turn(console.NewScreen(&out, true), false, record.Record{
		Transcript: &record.Transcript{Text: "lamp\x1b[31m", Engine: "text"}, Verdict: record.Verdict{Reply: "It is on.\x1b]0;x\x07"},
	})
	if bytes.ContainsAny(out.Bytes(), "\x1b\x07") {
		t.Errorf("%q", out.String())
	}
}

// A character that arrives in two pieces is shown as one.
func TestScreenJoinsPieces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	screen := console.NewScreen(&out, false)
	for _, b := range []byte("Küche ✨") {
		if _, err := screen.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "Küche ✨" {
		t.Errorf("%q", out.String())
	}
}
