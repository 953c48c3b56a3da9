package ai

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// shuffled is a toolbox that lists its tools in another order each time.
type shuffled struct{ *box }

// Specs lists the tools.
func (s shuffled) Specs() []tools.Spec {
	all := s.box.Specs()
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// cottage is a small house, in one of two orders.
func cottage(turned bool) *home.House {
	h := &home.House{
		Areas: []home.Area{{Name: "Kitchen"}, {Name: "Attic"}},
		Entities: []home.Entity{
			{ID: "1", Name: "Kitchen Light", Domain: "light", Area: "Kitchen", Abilities: []home.Ability{home.OnOff, home.Brightness}},
			{ID: "2", Name: "Blind", Domain: "cover", Area: "Attic", Abilities: []home.Ability{home.OpenClose}},
			{ID: "3", Name: "Counter", Domain: "switch", Area: "Kitchen"},
		},
	}
	if turned {
		slices.Reverse(h.Areas)
		slices.Reverse(h.Entities)
	}
	return h
}

// written is a request as a server reads it: one that puts the tools after the
// instructions, or one that puts them first.
func written(t *testing.T, r Request, toolsFirst bool) string {
	t.Helper()
	out := chatRequest(r)
	first, err := json.Marshal(out.Messages[0])
	if err != nil {
		t.Fatal(err)
	}
	offered, err := json.Marshal(out.Tools)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := json.Marshal(out.Messages[1:])
	if err != nil {
		t.Fatal(err)
	}
	if toolsFirst {
		first, offered = offered, first
	}
	return string(first) + string(offered) + string(rest)
}

// shared is how many bytes two texts begin with in common.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func TestRequestsBeginAlikeFromTurnToTurn(t *testing.T) {
	t.Parallel()
	for _, toolsFirst := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := &puppet{complete: answers("Whales nap.")}
			a := found(t, Default(), m, shuffled{&box{}})
			last := map[bool]string{}
			for n := range 10 {
				mayAct := n%2 == 0
				p := dialogue.Prompt{Text: fmt.Sprintf("%d and so on", n), Area: []string{"Kitchen", "Attic", ""}[n%3], House: cottage(n%4 > 1), MayAct: mayAct}
				if h := hear(t.Context(), a, p); h.err != nil {
					t.Fatal(h.err)
				}
				r := m.asked[len(m.asked)-1]
				text := written(t, r, toolsFirst)
				begin := written(t, Request{Messages: r.Messages[:1], Tools: r.Tools}, toolsFirst)
				begin = strings.TrimSuffix(begin, "null")
				begin = strings.TrimSuffix(begin, "[]")
				if before, ok := last[mayAct]; ok {
					if same := shared(before, text); same < len(begin) {
						t.Errorf("turn %d: the first %d bytes are as before, want all %d of its beginning: …%q", n, same, len(begin), text[max(0, same-40):same+40])
					} else if n > 7 {
						t.Logf("may act: %v, tools first: %v: %d of %d bytes are as in the turn before", mayAct, toolsFirst, same, len(text))
					}
				}
				last[mayAct] = text
				if err := wait(t.Context(), 61*time.Second); err != nil {
					t.Fatal(err)
				}
			}
			if !toolsFirst {
				if read := strings.SplitAfter(last[false], `"tools":`)[0]; shared(last[true], read) < len(instructions) {
					t.Error("the two prefixes begin with different instructions")
				}
			}
		})
	}
}

func TestWhatChangesStandsLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &puppet{complete: answers("Whales nap.")}
		a := found(t, Default(), m, &box{})
		a.Remember("", "turn on the lamp", "Lamp on.")
		hear(t.Context(), a, dialogue.Prompt{Text: "how do whales sleep", Area: "Kit\nchen", House: cottage(false)})
		hear(t.Context(), a, dialogue.Prompt{Text: "make it cosier", House: cottage(false), MayAct: true})
		for i, want := range []string{
			"how do whales sleep\n\n(It is Saturday, 1 January 2000, 00:00. The user is here: \"Kit\". Nothing may be changed now: only answer.)",
			"make it cosier\n\n(It is Saturday, 1 January 2000, 00:00.)",
		} {
			messages := m.asked[i].Messages
			if got := messages[len(messages)-1]; got.Role != User || got.Text != want {
				t.Errorf("the last message is %+v, want %q", got, want)
			}
			for n, msg := range messages[1:] {
				if msg.Role == System {
					t.Errorf("message %d is another system message", n+1)
				}
				if n < len(messages)-2 && strings.Contains(msg.Text, "It is Sat") {
					t.Errorf("message %d tells the time of an earlier turn: %q", n+1, msg.Text)
				}
			}
		}
	})
}

func TestTaintedTurnGoesOnWithThePrefixThatReads(t *testing.T) {
	t.Parallel()
	m := script(asks(want{"web_search", `{}`}), answers("Whales nap."))
	h := hear(t.Context(), found(t, Default(), m, shuffled{&box{}}), dialogue.Prompt{Text: "look up whales and turn on the lamp", MayAct: true, House: cottage(false)})
	if h.err != nil || len(m.asked) != 2 {
		t.Fatal(h.err, len(m.asked))
	}
	other := script(answers("Whales nap."))
	hear(t.Context(), found(t, Default(), other, &box{}), dialogue.Prompt{Text: "x", House: cottage(true)})
	begin := func(r Request) string { return written(t, Request{Messages: r.Messages[:1], Tools: r.Tools}, true) }
	if got, want := begin(m.asked[1]), begin(other.asked[0]); got != want {
		t.Errorf("the second request begins\n%s\nwant that of a turn that may not act:\n%s", got, want)
	}
	if text := m.asked[1].Messages[1].Text; !strings.Contains(text, "Nothing may be changed now") {
		t.Errorf("the model is told %q", text)
	}
	if text := m.asked[0].Messages[1].Text; strings.Contains(text, "Nothing may be changed") {
		t.Errorf("at first the model is told %q", text)
	}
}

func TestHouseTooLargeIsLogged(t *testing.T) {
	t.Parallel()
	h := &home.House{}
	for i := range 1000 {
		h.Entities = append(h.Entities, home.Entity{Name: fmt.Sprintf("Ceiling Light %03d", i), Domain: "light"})
	}
	var log strings.Builder
	a, err := New(Default(), &puppet{}, &box{}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	a.prefix(h, everywhere, "")
	a.prefix(h, reading, "")
	if strings.Count(log.String(), "too large") != 1 || !strings.Contains(log.String(), "left_out=") {
		t.Errorf("logged %q, want once how many things are left out", log.String())
	}
}
