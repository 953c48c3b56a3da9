package house

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
)

// known is a house from the configuration, without a server.
func known(t *testing.T) *House {
	t.Helper()
	h, err := New(intent.English(), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// lamp is a server's house of one lamp.
func lamp(name string) []byte {
	return []byte(`{"areas":[{"name":"Attic"}],"entities":[{"id":"light.1","name":"` + name + `","domain":"light","areas":["Attic"]}]}`)
}

// The houses of several servers become one house, in the same order whichever server
// publishes first. A body that is not a house changes nothing.
func TestServersTellOneHouse(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{"forwards": {"a", "b"}, "backwards": {"b", "a"}} {
		h := known(t)
		told := h.Told()
		for _, server := range order {
			h.Tell(server, lamp("Lamp "+server))
			h.Tell(server, []byte(`no house`))
		}
		var lamps []string
		for _, e := range h.House().Entities {
			lamps = append(lamps, e.Server+": "+e.Name)
		}
		if want := []string{"a: Lamp a", "b: Lamp b"}; !slices.Equal(lamps, want) {
			t.Errorf("%s: %q", name, lamps)
		}
		if n := len(h.House().Areas); n != 1 || !h.Knows("a") || h.Knows("c") {
			t.Errorf("%s: %d areas", name, n)
		}
		select {
		case <-told:
		default:
			t.Errorf("%s: nobody was told", name)
		}
	}
}

// An entity that a server controls is the server's, with the aliases the base has
// for it. Entities of the base that no server controls stay known.
func TestTheBaseLendsItsNames(t *testing.T) {
	t.Parallel()
	h, err := New(intent.English(), &home.House{Entities: []home.Entity{
		{Name: "lamp a", Domain: "light", Aliases: []string{"candle"}}, {Name: "Radio", Domain: "media_player"},
	}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.Tell("a", lamp("Lamp A"))
	all := h.House().Entities
	if len(all) != 2 || all[0].Server != "a" || !slices.Equal(all[0].Aliases, []string{"candle"}) || all[1].Name != "Radio" {
		t.Errorf("entities %+v", all)
	}
}

// pupil takes a grammar without the words it does not know.
type pupil struct {
	unknown string
	fails   error
	heard   []speech.Grammar
}

func (p *pupil) SetGrammar(_ context.Context, g speech.Grammar) ([]string, error) {
	p.heard = append(p.heard, g)
	if p.unknown != "" && slices.Contains(g.Words, p.unknown) {
		return []string{p.unknown}, p.fails
	}
	return nil, p.fails
}

// TestWhereNobodyHearsTheHouseIsLearnt: a start without a recogniser that knows the language
// waits for no grammar, and none is written.
func TestWhereNobodyHearsTheHouseIsLearnt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := known(t)
		h.Tell("a", lamp("Zyx"))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- h.Teach(ctx, nil) }()
		if err := h.Learnt(ctx); err != nil || h.Trouble() != "" || !h.Offered() {
			t.Errorf("learnt: %v, %q", err, h.Trouble())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// A name that cannot be pronounced is left out of the grammar, and the rest is
// learnt. A grammar that is refused is offered again, and the reason is shown.
func TestTheRecogniserLearnsTheHouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := known(t)
		h.Tell("a", lamp("Zyx"))
		if h.Offered() {
			t.Error("a grammar was offered to nobody")
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		p := &pupil{unknown: "zyx"}
		go func() { done <- h.Teach(ctx, p) }()
		if err := h.Learnt(ctx); err != nil || h.Trouble() != "" || !h.Offered() {
			t.Errorf("learnt: %v, %q", err, h.Trouble())
		}
		if n := len(p.heard); n != 2 || slices.Contains(p.heard[1].Words, "zyx") || !slices.Contains(p.heard[1].Words, "attic") {
			t.Errorf("%d grammars were offered", n)
		}
		synctest.Wait()
		p.fails = errors.New("it is ill")
		h.Tell("a", lamp("Lamp"))
		if err := h.Learnt(ctx); err == nil || !strings.Contains(h.Trouble(), "ill") {
			t.Errorf("refused: %v, %q", err, h.Trouble())
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestNames: the most spoken names come first, because not all of them may fit.
func TestNames(t *testing.T) {
	t.Parallel()
	h := &home.House{
		Areas:    []home.Area{{Name: "Kitchen"}},
		Entities: []home.Entity{{Name: "Kitchen Motion"}, {Name: "Kitchen Light", Control: &home.Control{}}, {Name: "Kitchen Motion"}},
	}
	if got := names(h); !slices.Equal(got, []string{"Kitchen", "Kitchen Light", "Kitchen Motion"}) {
		t.Errorf("%q", got)
	}
}

// A user who asks what can be said, or, without a room, what there is, hears sentences
// that work here.
func TestWhatCanBeSaidHere(t *testing.T) {
	t.Parallel()
	h := known(t)
	h.Tell("zwave", []byte(`{"areas":[{"name":"Attic"}],"entities":[
		{"id":"light.1","name":"Attic Lamp","domain":"light","areas":["Attic"],"control":{"tool":"c","id":"1"}},
		{"id":"cover.1","name":"Attic Blind","domain":"cover","areas":["Attic"],"device_class":"blind","control":{"tool":"c","id":"2"}}]}`))
	const want = "turn on the Attic Lamp; undo that; close the Attic Blind; is the Attic Lamp on; set a timer for five minutes"
	for _, text := range []string{"what can you do", "what can you control"} {
		d := h.Match(text, "")
		if len(d.Actions) != 1 || d.Actions[0].Intent != "LocalHelp" || d.Actions[0].Slots["sentences"] != want {
			t.Errorf("%q: %+v, want %s", text, d.Actions, want)
		}
	}
	if d := h.Match("what can you control in the attic", ""); len(d.Actions) != 1 || d.Actions[0].Intent != "LocalListDevices" {
		t.Errorf("in a room: %+v", d.Actions)
	}
}
