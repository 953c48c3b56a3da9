package ear

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var allKinds = []Kind{
	Woken, Opened, Heard, HeardSentence, HeardHalf, NothingHeard, Resumed, NothingAdded, Added, Answered, AskedBack, Finished, Acted, NotCorrected,
	SayAsked, RingAsked, RoundOver, Alarmed, Stopped, MicMuted, MicUnmuted, TimedOut, Failed,
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
		"a question opens the microphone":    {Speaking, AskedBack, AskingBack, true},
		"it listens for the answer":          {AskingBack, Opened, FollowingUp, true},
		"the answer is thought about":        {FollowingUp, Heard, Thinking, true},
		"a question may stay unanswered":     {FollowingUp, NothingHeard, Idle, true},
		"a wake word ends a question":        {FollowingUp, Woken, Waking, true},
		"a sentence may grow":                {Listening, HeardSentence, EarOpen, true},
		"an answer may grow":                 {FollowingUp, HeardSentence, EarOpen, true},
		"a sentence is gone on with":         {EarOpen, Resumed, HearingMore, true},
		"half a sentence waits for its rest": {Listening, HeardHalf, HalfHeard, true},
		"so does half an answer":             {FollowingUp, HeardHalf, HalfHeard, true},
		"the rest is spoken":                 {HalfHeard, Resumed, HearingMore, true},
		"half a sentence stays half":         {HalfHeard, NothingAdded, Thinking, true},
		"a wake word ends half a sentence":   {HalfHeard, Woken, Waking, true},
		"nobody goes on":                     {EarOpen, NothingAdded, Thinking, true},
		"a clause is added":                  {HearingMore, Added, Thinking, true},
		"no answer waits for a clause":       {EarOpen, Answered, Speaking, true},
		"muting lets a turn be thought":      {HearingMore, MicMuted, Thinking, true},
		"nothing grows without a sentence":   {Thinking, Resumed, Thinking, false},
		"an act may be corrected":            {Idle, Acted, Correcting, true},
		"no act of the deaf may":             {EarFailed, Acted, EarFailed, false},
		"a correction is thought about":      {Correcting, Heard, Thinking, true},
		"nobody corrects":                    {Correcting, NotCorrected, Idle, true},
		"stop leaves a correction":           {Correcting, Stopped, Correcting, false},
		"a text ends the time for one":       {Correcting, SayAsked, Speaking, true},
		"no correction without an act":       {Idle, Heard, Idle, false},
		"trouble leaves a correction":        {Correcting, Failed, CorrectingDeaf, true},
		"so does its end":                    {CorrectingDeaf, Finished, Correcting, true},
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
		"a correction in trouble is heard":   {CorrectingDeaf, Heard, Thinking, true},
		"a late answer changes nothing":      {Idle, Answered, Idle, false},
		"an alert rings when idle":           {Idle, RingAsked, Ringing, true},
		"a muted microphone rings":           {Muted, RingAsked, Ringing, true},
		"so does a broken ear":               {EarFailed, RingAsked, Ringing, true},
		"no alert cuts a sentence off":       {Listening, RingAsked, Listening, false},
		"nor a reply":                        {Speaking, RingAsked, Speaking, false},
		"an urgent one does":                 {Listening, Alarmed, Ringing, true},
		"also a clause that is added":        {HearingMore, Alarmed, Ringing, true},
		"and a reply":                        {Speaking, Alarmed, Ringing, true},
		"and another alert":                  {RingPause, Alarmed, Ringing, true},
		"a round is followed by quiet":       {Ringing, RoundOver, RingPause, true},
		"the quiet by a round":               {RingPause, RingAsked, Ringing, true},
		"or a waiting text":                  {RingPause, SayAsked, Speaking, true},
		"the quiet hears a few words":        {RingPause, Heard, Thinking, true},
		"a wake word goes before an alert":   {Ringing, Woken, Waking, true},
		"stop ends ringing":                  {Ringing, Stopped, Idle, true},
		"muting does not":                    {Ringing, MicMuted, Ringing, false},
		"a hung speaker does not ring on":    {Ringing, TimedOut, Idle, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Next(tt.from, tt.kind); got != tt.want || ok != tt.ok {
				t.Errorf("Next(%s, %s) = %s, %v; expected %s, %v", tt.from, tt.kind, got, ok, tt.want, tt.ok)
			}
		})
	}
}

// No state may be stuck: a stop ends every state except those in which the
// microphone rests, a deadline ends every state except Idle and Muted, and a
// failure ends a turn.
func TestEveryStateCanBeLeft(t *testing.T) {
	t.Parallel()
	for _, s := range states() {
		if s == Idle || s == Muted {
			continue
		}
		rest := Idle
		if s == CorrectingDeaf {
			rest = EarFailed
		}
		for _, k := range []Kind{Stopped, TimedOut} {
			if to, ok := Next(s, k); (!ok || to != rest) && (k == TimedOut || !s.correctable()) {
				t.Errorf("%s in %s leads to %s, %v; expected %s", k, s, to, ok, rest)
			}
		}
		if to, ok := Next(s, Failed); s.Public() != EarFailed && (!ok || to.Public() != EarFailed) {
			t.Errorf("a failure in %s leads to %s, %v; expected %s", s, to, ok, EarFailed)
		}
		if deadlines[s] <= 0 {
			t.Errorf("%s has no deadline", s)
		}
	}
}

// The published states are seven words.
func TestTheWorldHearsSevenWords(t *testing.T) {
	t.Parallel()
	words := map[State]bool{}
	for _, s := range states() {
		words[s.Public()] = true
		if p := s.Public(); p.Public() != p {
			t.Errorf("%s is published as %s, which is published as %s", s, p, p.Public())
		}
	}
	want := map[State]bool{"idle": true, "wake": true, "listening": true, "thinking": true, "speaking": true, "muted": true, "error": true}
	if !maps.Equal(words, want) {
		t.Errorf("published are %v, expected %v", words, want)
	}
}

// In every state, an urgent alert sounds next, and any other one after the turn.
func TestNothingKeepsAnAlertFromRinging(t *testing.T) {
	t.Parallel()
	for _, s := range states() {
		k := Alarmed
		if s.resting() {
			k = RingAsked
		}
		if to, ok := Next(s, k); (!ok || to != Ringing) && s != Ringing {
			t.Errorf("%s in %s leads to %s, %v; expected %s", k, s, to, ok, Ringing)
		}
		if to, ok := Next(s, RingAsked); ok != (s.resting() || s == RingPause) {
			t.Errorf("an alert that is not urgent leads from %s to %s, %v", s, to, ok)
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
		if _, ok := next[s]; !ok || !slices.Contains(states(), s) {
			t.Errorf("left the table for %q", s)
		}
	})
}

// The document contains the table as a diagram; -update draws it again.
func TestTheDocumentDrawsTheTable(t *testing.T) {
	t.Parallel()
	const path, begin, end = "../../docs/turn-states.md", "```mermaid\n", "```\n"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(doc), diagram()) {
		return
	}
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		before, rest, _ := strings.Cut(string(doc), begin)
		_, after, found := strings.Cut(rest, end)
		if !found {
			t.Fatalf("%s has no diagram to draw anew", path)
		}
		if err := os.WriteFile(path, []byte(before+begin+diagram()+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not hold the diagram of the table (-update draws it); it should be:\n%s", path, diagram())
}

// states lists all states, in the order of a turn.
func states() []State {
	return []State{
		Idle, Waking, Listening, Thinking, EarOpen, HalfHeard, HearingMore, Speaking, AskingBack, FollowingUp,
		Correcting, Muted, EarFailed, CorrectingDeaf, Ringing, RingPause,
	}
}

// diagram draws the table for a document (Mermaid). A state that is published under
// another name shows that name in brackets.
func diagram() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    [*] --> idle\n")
	for _, s := range states() {
		if p := s.Public(); p != s {
			fmt.Fprintf(&b, "    %s: %s (%s)\n", s, s, p)
		}
	}
	for _, from := range states() {
		for _, k := range slices.Sorted(maps.Keys(next[from])) {
			fmt.Fprintf(&b, "    %s --> %s: %s\n", from, next[from][k], k)
		}
	}
	return b.String()
}
