package turn

import (
	"os"
	"strings"
	"testing"
)

var (
	allStates = []State{Idle, Listening, Thinking, Speaking}
	allKinds  = []Kind{Woken, Heard, NothingHeard, Answered, Finished, SayAsked, Stopped, TimedOut, Failed}
)

func TestNext(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from State
		kind Kind
		want State
		ok   bool
	}{
		"the wake word opens a turn":         {Idle, Woken, Listening, true},
		"silence ends it without a word":     {Listening, NothingHeard, Idle, true},
		"an utterance is thought about":      {Listening, Heard, Thinking, true},
		"an answer is spoken":                {Thinking, Answered, Speaking, true},
		"an act without words ends the turn": {Thinking, Finished, Idle, true},
		"barge-in opens the next turn":       {Speaking, Woken, Listening, true},
		"a text is spoken when idle":         {Idle, SayAsked, Speaking, true},
		"no text interrupts a turn":          {Listening, SayAsked, Listening, false},
		"nothing ends idleness":              {Idle, Finished, Idle, false},
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

// Nothing may be stuck: stop, a deadline and a failure end every state but idle,
// and every such state has a deadline.
func TestEveryStateCanBeLeft(t *testing.T) {
	t.Parallel()
	for _, s := range allStates {
		if s == Idle {
			continue
		}
		for _, k := range []Kind{Stopped, TimedOut, Failed} {
			if to, ok := Next(s, k); !ok || to != Idle {
				t.Errorf("%s in %s leads to %s, %v; expected idle", k, s, to, ok)
			}
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

// The document draws the table; -update is not needed, the text is short.
func TestArchitectureDrawsTheTable(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), Diagram()) {
		t.Errorf("docs/ARCHITECTURE.md does not hold the diagram of the table; it should be:\n%s", Diagram())
	}
}
