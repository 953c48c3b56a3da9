package fake_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/fake"
)

// failures keeps what a test would print.
type failures struct {
	testing.TB

	printed []string
}

func (f *failures) Errorf(format string, args ...any) {
	f.printed = append(f.printed, fmt.Sprintf(format, args...))
}

func (f *failures) Failed() bool { return len(f.printed) > 0 }

// TestProse compares sentences with a golden file, and writes it.
func TestProse(t *testing.T) {
	t.Parallel()
	const before = "What a lamp says.\n-- on --\ngiven lamp: on\nen? is the lamp on\nen: Yes.\nde? ist die lampe an\n-- gone --\nfr: Non.\n"
	path := filepath.Join(t.TempDir(), "lamp.txtar")
	if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	say := func(p *fake.Prose) {
		p.Answer(func(c fake.ProseCase, language, asked string) string {
			if c.Name == "on" {
				return language + " " + c.Given["lamp"] + " " + asked
			}
			return "Non."
		})
		p.Say("new", fake.ProseLine{Language: "es", Said: ""})
	}
	p, f := fake.ReadProse(t, path), &failures{TB: t}
	say(p)
	p.Compare(f, false)
	want := []string{
		path + ": new: es\ngot  \"\"\nwant no sentence\nIf it is right, run make golden.",
		path + ": on: de: ist die lampe an\ngot  \"de on ist die lampe an\"\nwant no sentence\nIf it is right, run make golden.",
		path + ": on: en: is the lamp on\ngot  \"en on is the lamp on\"\nwant \"Yes.\"\nIf it is right, run make golden.",
	}
	if got := strings.Join(f.printed, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("it prints\n%s", got)
	}
	p.Compare(f, true)
	if got, err := os.ReadFile(path); err != nil || string(got) != before || f.printed[len(f.printed)-1] != path+" is not written, as the test has failed already" {
		t.Errorf("a test that failed writes %s, %v and prints %q", got, err, f.printed)
	}

	p, f = fake.ReadProse(t, path), &failures{TB: t}
	say(p)
	p.Compare(f, true)
	const after = "What a lamp says.\n-- on --\ngiven lamp: on\nen? is the lamp on\nen: en on is the lamp on\nde? ist die lampe an\nde: de on ist die lampe an\n-- gone --\nfr: Non.\n-- new --\nes:\n"
	if got, err := os.ReadFile(path); err != nil || string(got) != after || f.Failed() {
		t.Errorf("it writes\n%s%v %v", got, err, f.printed)
	}

	p, f = fake.ReadProse(t, path), &failures{TB: t}
	p.Compare(f, false)
	if len(f.printed) != 5 || !strings.Contains(f.printed[2], ": new: es\ngot  no sentence\nwant \"\"") {
		t.Errorf("where nothing is said it prints %q", f.printed)
	}
}
