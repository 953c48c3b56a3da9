package events

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// body is what a server tells.
func body(boot string, next uint64, all ...home.Event) []byte {
	out, _ := json.Marshal(map[string]any{"boot": boot, "next": next, "events": append([]home.Event{}, all...)})
	return out
}

func light(seq uint64, state string) home.Event {
	return home.Event{Seq: seq, Time: time.Now(), Kind: home.Reported, Entity: "e1", Thing: "Lamp", Class: "light", Property: "on_off", State: state, Before: "?"}
}

func press(seq uint64, how string) home.Event {
	return home.Event{Seq: seq, Time: time.Now(), Kind: home.Pressed, Entity: "b1", Thing: "Remote", Press: how}
}

// nobody knows no things.
type nobody struct{}

func (nobody) Thing(string, string) *home.Entity { return nil }

// told collects what a listener hears.
type told []string

func (t *told) hear(e home.Event) {
	what := e.Press
	if e.Kind == home.Reported {
		what = fmt.Sprint(e.State)
	}
	if e.Kind == home.Belied {
		what = string(e.Kind)
	}
	*t = append(*t, fmt.Sprint(e.Server, " ", e.Seq, " ", e.Thing, " ", what, map[bool]string{true: " first"}[e.First]))
}

// TestEventsAreHandedOnOnceAndInOrder plays what servers tell over their lives.
func TestEventsAreHandedOnOnceAndInOrder(t *testing.T) {
	t.Parallel()
	type tell struct {
		after  time.Duration
		server string
		body   func() []byte
	}
	say := func(server, boot string, next uint64, all ...func() home.Event) tell {
		return tell{0, server, func() []byte {
			var out []home.Event
			for _, e := range all {
				out = append(out, e())
			}
			return body(boot, next, out...)
		}}
	}
	on := func(seq uint64) func() home.Event { return func() home.Event { return light(seq, "on") } }
	off := func(seq uint64) func() home.Event { return func() home.Event { return light(seq, "off") } }
	pressed := func(seq uint64) func() home.Event { return func() home.Event { return press(seq, "pressed") } }
	belied := func(seq uint64) func() home.Event {
		return func() home.Event { e := light(seq, "off"); e.Kind = home.Belied; return e }
	}
	old := func(e func() home.Event) func() home.Event {
		return func() home.Event { x := e(); x.Time = x.Time.Add(-time.Minute); return x }
	}
	tests := map[string]struct {
		tells []tell
		want  []string
	}{
		"one after the other": {
			[]tell{say("z", "a", 1), say("z", "a", 2, on(1)), say("z", "a", 4, on(1), off(2), pressed(3))},
			[]string{"z 1 Lamp on", "z 2 Lamp off", "z 3 Remote pressed"},
		},
		"the same again": {
			[]tell{say("z", "a", 1), say("z", "a", 3, on(1), pressed(2)), say("z", "a", 3, on(1), pressed(2)), say("z", "a", 3, on(1), pressed(2))},
			[]string{"z 1 Lamp on", "z 2 Remote pressed"},
		},
		"we start: only how things are, and no press": {
			[]tell{say("z", "a", 5, on(1), off(2), pressed(3), on(4)), say("z", "a", 6, on(4), pressed(5))},
			[]string{"z 4 Lamp on first", "z 5 Remote pressed"},
		},
		"the server starts anew": {
			[]tell{say("z", "a", 5, on(4)), say("z", "b", 3, off(1), pressed(2))},
			[]string{"z 4 Lamp on first", "z 1 Lamp off", "z 2 Remote pressed"},
		},
		"the server counts backwards": {
			[]tell{say("z", "a", 5, on(4)), say("z", "a", 2, on(1)), say("z", "a", 5, pressed(4))},
			[]string{"z 4 Lamp on first"},
		},
		"a press that comes late": {
			[]tell{say("z", "a", 1), say("z", "a", 3, old(pressed(1)), old(on(2)))},
			[]string{"z 2 Lamp on"},
		},
		"two servers": {
			[]tell{say("z", "a", 1), say("h", "a", 1), say("z", "a", 2, on(1)), say("h", "a", 2, off(1))},
			[]string{"z 1 Lamp on", "h 1 Lamp off"},
		},
		"more than it remembers": {
			[]tell{say("z", "a", 1), say("z", "a", 900, on(899))},
			[]string{"z 899 Lamp on"},
		},
		"an act that was none": {
			[]tell{say("z", "a", 2, belied(1)), say("z", "a", 3, belied(2)), say("z", "a", 3, belied(2))},
			[]string{"z 2 Lamp belied"},
		},
		"nonsense changes nothing": {
			[]tell{say("z", "a", 1), {0, "z", func() []byte { return []byte(`{"boot":7}`) }}, {0, "z", func() []byte { return nil }}, say("z", "a", 2, on(1))},
			[]string{"z 1 Lamp on"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var first, second told
				f := New(nobody{}, quiet(), first.hear, second.hear)
				for _, say := range test.tells {
					f.Tell(say.server, say.body())
				}
				if !slices.Equal(first, test.want) || !slices.Equal(first, second) {
					t.Errorf("told\n%q and\n%q, want\n%q", first, second, test.want)
				}
			})
		})
	}
}

// TestWhatMakesNoSenseIsLeftOut checks the bytes of strangers.
func TestWhatMakesNoSenseIsLeftOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		events  string
		dropped int
		names   []string
	}{
		"fine":                 {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"state","entity":"e","thing":"Lamp","state":"on"}`, 0, []string{"Lamp"}},
		"an act that was none": {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"belied","entity":"e","thing":"Lamp","property":"on_off","before":"on","state":"off"}`, 0, []string{"Lamp"}},
		"an act that was none, without what was told": {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"belied","entity":"e","thing":"Lamp","property":"on_off","state":"off"}`, 1, nil},
		"no number":       {`{"time":"2026-01-02T03:04:05Z","kind":"state","entity":"e","thing":"Lamp","state":"on"}`, 1, nil},
		"from the future": {`{"seq":10,"time":"2026-01-02T03:04:05Z","kind":"state","entity":"e","thing":"Lamp","state":"on"}`, 1, nil},
		"a list for a state": {
			`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"state","entity":"e","thing":"Lamp","state":[1]}`, 1, nil,
		},
		"no time":        {`{"seq":1,"kind":"state","entity":"e","thing":"Lamp","state":"on"}`, 1, nil},
		"unknown kind":   {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"party","entity":"e","thing":"Lamp","state":"on"}`, 1, nil},
		"unknown press":  {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"button","thing":"Remote","press":"kicked"}`, 1, nil},
		"a text":         {`"hello",{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"button","thing":"Remote","press":"held"}`, 1, []string{"Remote"}},
		"lines in names": {`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"button","thing":"Re\nmote\u0007","press":"held"}`, 0, []string{"Re mote"}},
		"twice": {
			`{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"button","thing":"Remote","press":"held"},{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"button","thing":"Remote","press":"held"}`,
			1,
			[]string{"Remote"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, dropped, err := decode([]byte(`{"boot":"a","next":5,"events":[` + test.events + `]}`))
			var names []string
			for _, e := range got.Events {
				names = append(names, e.Thing)
			}
			if err != nil || dropped != test.dropped || !slices.Equal(names, test.names) {
				t.Errorf("%q, %d left out, %v; want %q, %d", names, dropped, err, test.names, test.dropped)
			}
		})
	}
}

// FuzzDecode feeds arbitrary bytes: the events that are accepted are in order, bounded
// and on one line.
func FuzzDecode(f *testing.F) {
	f.Add(body("a", 3, light(1, "on"), press(2, "held")))
	f.Add([]byte(`{"boot":"a","next":18446744073709551615,"events":[null,1,{"seq":18446744073709551614}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		told, _, err := decode(data)
		if err != nil {
			return
		}
		last := uint64(0)
		for _, e := range told.Events {
			if e.Seq <= last || e.Seq >= told.Next || e.Thing == "" || len(e.Thing) > 3*longest || onOneLine(e.Thing) != e.Thing {
				t.Fatalf("%+v", e)
			}
			last = e.Seq
		}
		if len(told.Events) > mostEvents {
			t.Fatal("unbounded")
		}
	})
}
