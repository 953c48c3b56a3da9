package console_test

import (
	"bytes"
	"fmt"
	"testing"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/keep/record"
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

// Heard and spoken texts are shown without their control characters.
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

// A name with a line break makes no line of its own: a device could be called so that
// it seems to have been done what was not.
func TestNamesMakeNoLines(t *testing.T) {
	t.Parallel()
	const forged = "Lamp\n  outcome  done\tall"
	told := func(name string) (lines int) {
		var out bytes.Buffer
		console.Turn(console.NewScreen(&out, true), true, record.Record{
			Wake:       &record.Wake{Word: name, Engine: name},
			Transcript: &record.Transcript{Text: name, Engine: name}, Route: record.Route(name),
			Intent: &record.Intent{Name: name, Slots: map[string]any{name: name}},
			Verdict: record.Verdict{Reply: name, Error: name, Calls: []record.CallMade{{
				Server: name, Tool: name, OK: true, MS: 3, Receipt: &record.Receipt{Device: name, Property: name, Value: name},
			}}},
		})
		if bytes.ContainsRune(out.Bytes(), '\t') {
			t.Errorf("a tab: %q", out.String())
		}
		return bytes.Count(out.Bytes(), []byte("\n"))
	}
	if got, want := told(forged), told("Lamp"); got != want {
		t.Errorf("%d lines, expected %d", got, want)
	}
	var out bytes.Buffer
	console.Table(&out, false, []string{"turn"}, [][]string{{forged}})
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 2 {
		t.Errorf("the table has %d lines, expected 2: %q", n, out.String())
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
