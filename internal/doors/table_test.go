package doors

import (
	"context"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entry is an entry of the table as its file writes it.
var entry = regexp.MustCompile(`(?m)^\t(\w+) += (?:Operation\[|Handler\{)`)

// inPath is a part of a path that stands for a member of the input.
var inPath = regexp.MustCompile(`\{(\w+)\}`)

// TestTable checks that every entry is in the table once, is offered somewhere, and that
// what its route and its verb name are members of its input.
func TestTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	if written := entry.FindAllSubmatch(text, -1); len(written) != len(Table) {
		t.Errorf("table.go has %d entries, and Table lists %d", len(written), len(Table))
	}
	seen := map[string]int{}
	for _, row := range Table {
		e := row.Describe()
		if e.Name == "" || e.Does == "" || e.Route == "" && e.Verb.Name == "" {
			t.Errorf("%+v lacks a name, what it does, or a door", e)
		}
		for kind, name := range map[string]string{"name": e.Name, "route": e.Route, "verb": e.Verb.Name, "tool": e.Tool, "usage": e.Usage.Use} {
			if seen[kind+" "+name]++; name != "" && seen[kind+" "+name] > 1 {
				t.Errorf("the %s %q is there twice", kind, name)
			}
		}
		op, ok := row.(Doable)
		if !ok {
			if e.Verb.Name != "" || e.Usage.Use != "" || e.Tool != "" {
				t.Errorf("%s: a handler is offered over HTTP alone", e.Name)
			}
			continue
		}
		members := Members(op.Input())
		for member := range strings.FieldsSeq(e.Verb.Must + " " + e.Verb.May) {
			if _, there := members[member]; !there {
				t.Errorf("%s: its verb has the member %s, and its input has not", e.Name, member)
			}
		}
		named := map[string]bool{}
		for _, part := range inPath.FindAllStringSubmatch(e.Path(), -1) {
			named[part[1]] = true
		}
		Fill(op.Input(), func(name string) string {
			if !named[name] {
				t.Errorf("%s: its input has a member %s in the path %s", e.Name, name, e.Path())
			}
			delete(named, name)
			return ""
		}, func(string) string { return "" })
		if len(named) > 0 {
			t.Errorf("%s: its input lacks %q of the path", e.Name, slices.Sorted(maps.Keys(named)))
		}
	}
}

// TestRequests checks that what Ask sends is what Fill and a JSON decoder read again.
func TestRequests(t *testing.T) {
	t.Parallel()
	on := true
	for want, ask := range map[string]func(over Exchange) error{
		`POST /api/mute {"on":true}`: func(over Exchange) error {
			_, err := Mute.Ask(t.Context(), over, muting{&on})
			return err
		},
		`GET /api/turns?limit=7 `: func(over Exchange) error {
			_, err := LastTurns.Ask(t.Context(), over, Newest(7))
			return err
		},
		`POST /api/turns/a%2Fb%3F/wrong {"should":"x"}`: func(over Exchange) error {
			_, err := Wrong.Ask(t.Context(), over, WrongTurn{"a/b?", "x"})
			return err
		},
		`DELETE /api/timers?all=1 `: func(over Exchange) error {
			_, err := CancelTimers.Ask(t.Context(), over, whichTimers{All: "1"})
			return err
		},
		`POST /api/rehearsal {}`: func(over Exchange) error {
			_, err := StartRehearsal.Ask(t.Context(), over, struct{}{})
			return err
		},
	} {
		sent := ""
		if err := ask(func(_ context.Context, method, path string, body []byte, _ any) error {
			sent = method + " " + path + " " + string(body)
			return nil
		}); err != nil || sent != want {
			t.Errorf("sent %q, want %q; %v", sent, want, err)
		}
	}
}

// TestVolumeArguments checks that a volume is asked for as a number of JSON, however it
// was typed.
func TestVolumeArguments(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]int{"40": 40, "+40": 40, "007": 7, "101": -1, "-1": -1, "loud": -1} {
		in, err := readLoudness([]string{typed})
		if (err != nil) != (want < 0) || err == nil && *in.Level != want {
			t.Errorf("%q: %v, %v", typed, in.Level, err)
		}
	}
}
