package host

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mcpint"
)

var update = flag.Bool("update", false, "draw docs/mcp-states.md anew")

var (
	allStates = []mcpint.State{mcpint.Disconnected, mcpint.Connecting, mcpint.Connected, mcpint.Retrying, mcpint.Failed}
	allEvents = []event{waits, tried, forced, opened, again, gaveUp, lost, stopped}
)

func TestNext(t *testing.T) {
	tests := map[string]struct {
		from mcpint.State
		e    event
		want mcpint.State
		ok   bool
	}{
		"the first attempt begins":               {mcpint.Disconnected, tried, mcpint.Connecting, true},
		"a need is waited for":                   {mcpint.Disconnected, waits, mcpint.Retrying, true},
		"an attempt succeeds":                    {mcpint.Connecting, opened, mcpint.Connected, true},
		"one of several does not":                {mcpint.Connecting, again, mcpint.Retrying, true},
		"the last one does not":                  {mcpint.Connecting, gaveUp, mcpint.Failed, true},
		"the wait is over":                       {mcpint.Retrying, tried, mcpint.Connecting, true},
		"somebody ends the wait":                 {mcpint.Retrying, forced, mcpint.Connecting, true},
		"a failed one is tried without a stir":   {mcpint.Failed, tried, mcpint.Failed, true},
		"and may succeed":                        {mcpint.Failed, opened, mcpint.Connected, true},
		"a force shows at once":                  {mcpint.Failed, forced, mcpint.Connecting, true},
		"a connection ends":                      {mcpint.Connected, lost, mcpint.Disconnected, true},
		"a crash loop ends in failed":            {mcpint.Disconnected, gaveUp, mcpint.Failed, true},
		"no connection comes without an attempt": {mcpint.Retrying, opened, mcpint.Retrying, false},
		"what is lost cannot be lost again":      {mcpint.Disconnected, lost, mcpint.Disconnected, false},
		"a connected one is not tried":           {mcpint.Connected, tried, mcpint.Connected, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := next(tt.from, tt.e); got != tt.want || ok != tt.ok {
				t.Errorf("next(%s, %s) = %s, %v; want %s, %v", tt.from, tt.e, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func FuzzNextStaysInTheTable(f *testing.F) {
	f.Add([]byte{0, 1, 4, 1, 3, 6, 5, 1, 2, 7})
	f.Fuzz(func(t *testing.T, events []byte) {
		s := mcpint.Disconnected
		for _, e := range events {
			to, ok := next(s, allEvents[int(e)%len(allEvents)])
			if !slices.Contains(allStates, to) || !ok && to != s {
				t.Fatalf("%s leads from %s to %s, %v", allEvents[int(e)%len(allEvents)], s, to, ok)
			}
			s = to
		}
		if to, ok := next(s, stopped); !ok || to != mcpint.Disconnected {
			t.Fatalf("%s cannot be stopped", s)
		}
	})
}

// drawn returns the table as a diagram, without the events that leave a state as
// it is.
func drawn() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> disconnected\n")
	for _, from := range allStates {
		events := slices.SortedFunc(maps.Keys(transitions[from]), func(a, b event) int { return cmp.Compare(a, b) })
		for _, e := range events {
			if to := transitions[from][e]; to != from && e != stopped {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, strings.ReplaceAll(string(e), " ", "_"))
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// TestTheDocumentDrawsTheTable keeps docs/mcp-states.md true; -update draws it again.
func TestTheDocumentDrawsTheTable(t *testing.T) {
	const path = "../../../docs/mcp-states.md"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := strings.Index(string(raw), "```mermaid"), strings.LastIndex(string(raw), "```\n")
	if begin < 0 || end < begin {
		t.Fatalf("%s has no picture", path)
	}
	want := string(raw)[:begin] + drawn() + string(raw)[end+len("```\n"):]
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	if string(raw) != want {
		t.Errorf("%s does not draw the table of state.go; run make golden. It should be\n%s", path, drawn())
	}
}

func TestEveryStateCanBeLeftAndReached(t *testing.T) {
	reached := map[mcpint.State]bool{}
	for from, events := range transitions {
		for e, to := range events {
			if to != from {
				reached[to] = true
			}
			if _, known := transitions[to]; !known {
				t.Errorf("%s leads from %s to the unknown %s", e, from, to)
			}
		}
		if to, ok := next(from, stopped); !ok || to != mcpint.Disconnected {
			t.Errorf("%s cannot be stopped", from)
		}
		if _, ok := next(from, forced); !ok {
			t.Errorf("%s cannot be forced", from)
		}
	}
	for state := range transitions {
		if !reached[state] {
			t.Errorf("nothing leads to %s", state)
		}
	}
	if to, ok := next(mcpint.Retrying, opened); ok || to != mcpint.Retrying {
		t.Error("an impossible event moved the state")
	}
}
