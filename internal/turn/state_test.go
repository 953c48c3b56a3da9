package turn

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var allKinds = []Kind{
	Woken, Opened, Heard, NothingHeard, Answered, AskedBack, Finished, SayAsked, Stopped, MicMuted, MicUnmuted, TimedOut, Failed,
}

func TestNext(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from State
		kind Kind
		want State
		ok   bool
	}{
		"the wake word opens a turn":         {Idle, Woken, Waking, true},
		"the recogniser opens":               {Waking, Opened, Listening, true},
		"a wake word ends slow thinking":     {Thinking, Woken, Waking, true},
		"a question opens the microphone":    {Speaking, AskedBack, Waking, true},
		"a muted microphone is not woken":    {Muted, Woken, Muted, false},
		"a muted gateway still speaks":       {Muted, SayAsked, Speaking, true},
		"muting ends listening":              {Listening, MicMuted, Muted, true},
		"muting lets a reply end":            {Speaking, MicMuted, Speaking, false},
		"a broken ear is tried again":        {EarFailed, Woken, Waking, true},
		"silence ends it without a word":     {Listening, NothingHeard, Idle, true},
		"an utterance is thought about":      {Listening, Heard, Thinking, true},
		"an answer is spoken":                {Thinking, Answered, Speaking, true},
		"an act without words ends the turn": {Thinking, Finished, Idle, true},
		"barge-in opens the next turn":       {Speaking, Woken, Waking, true},
		"a text is spoken when idle":         {Idle, SayAsked, Speaking, true},
		"no text interrupts a turn":          {Listening, SayAsked, Listening, false},
		"nothing ends idleness":              {Idle, Finished, Idle, false},
		"a correction in trouble is heard":   {EarFailed, Heard, Thinking, true},
		"a late answer changes nothing":      {Idle, Answered, Idle, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Next(tt.from, tt.kind); got != tt.want || ok != tt.ok {
				t.Errorf("Next(%s, %s) = %s, %v; expected %s, %v", tt.from, tt.kind, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// Nothing may be stuck: stop and a deadline end every state but those the
// microphone rests in, every such state has a deadline, and a failure ends a turn.
func TestEveryStateCanBeLeft(t *testing.T) {
	t.Parallel()
	for _, s := range States() {
		if s == Idle || s == Muted {
			continue
		}
		for _, k := range []Kind{Stopped, TimedOut} {
			if to, ok := Next(s, k); !ok || to != Idle {
				t.Errorf("%s in %s leads to %s, %v; expected idle", k, s, to, ok)
			}
		}
		if to, ok := Next(s, Failed); s != EarFailed && (!ok || to != EarFailed) {
			t.Errorf("a failure in %s leads to %s, %v; expected %s", s, to, ok, EarFailed)
		}
		if deadlines[s] <= 0 {
			t.Errorf("%s has no deadline", s)
		}
	}
}

func FuzzNextStaysInTheTable(f *testing.F) {
	f.Add([]byte{0, 1, 3, 4})
	f.Fuzz(func(t *testing.T, events []byte) {
		s := Idle
		for _, e := range events {
			s, _ = Next(s, allKinds[int(e)%len(allKinds)])
		}
		if _, ok := next[s]; !ok {
			t.Errorf("left the table for %q", s)
		}
	})
}

// The document draws the table; -update draws it anew.
func TestArchitectureDrawsTheTable(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/ARCHITECTURE.md", "```mermaid\n", "```\n"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(doc), Diagram()) {
		return
	}
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		before, rest, _ := strings.Cut(string(doc), begin)
		_, after, found := strings.Cut(rest, end)
		if !found {
			t.Fatalf("%s has no diagram to draw anew", path)
		}
		if err := os.WriteFile(path, []byte(before+begin+Diagram()+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not hold the diagram of the table (-update draws it); it should be:\n%s", path, Diagram())
}
