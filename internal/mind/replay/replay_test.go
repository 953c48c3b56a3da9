package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"voicegateway/internal/doors/page"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/replay"
	"voicegateway/internal/tools"
)

// packWith is our English pack with one more block of sentences for an intent.
func packWith(tb testing.TB, blocks ...string) *intent.Pack {
	tb.Helper()
	data, err := sentences.Pack("en")
	if err != nil {
		tb.Fatal(err)
	}
	text := string(data)
	for _, block := range blocks {
		name, body, _ := strings.Cut(block, ": ")
		head := "  " + name + ":\n    data:\n"
		if !strings.Contains(text, head) {
			tb.Fatalf("the pack has no %s", name)
		}
		text = strings.Replace(text, head, head+"      - "+body+"\n", 1)
	}
	pack, err := intent.LoadPack([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return pack
}

// shown is a house as it is kept with a mark.
func shown(h *home.House) (s home.Snapshot) {
	s.Areas = h.Areas
	for _, e := range h.Entities {
		s.Entities = append(s.Entities, home.EntityState{Entity: e, Server: e.Server})
	}
	return s
}

// happened is what a text did in a house whose devices obey, by some sentences.
func happened(tb testing.TB, pack *intent.Pack, text string) record.Record {
	tb.Helper()
	log := slog.New(slog.DiscardHandler)
	rooms, err := house.New(pack, nil, log)
	if err != nil {
		tb.Fatal(err)
	}
	told, err := json.Marshal(fake.House())
	if err != nil {
		tb.Fatal(err)
	}
	rooms.Tell("zwave", told)
	obey := func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Receipt: &tools.Receipt{Device: "x", Outcome: tools.Confirmed}}, nil
	}
	mind, err := mind.New(rooms, &fake.Caller{CallFunc: obey}, &fake.Assistant{}, fake.English(), guard.Default(), mind.Recovery{}, log)
	if err != nil {
		tb.Fatal(err)
	}
	rec := mind.Turn(tb.Context(), record.Request{Text: text, Area: "Kitchen", Source: record.FromHTTP})
	return throughJSON(tb, rec)
}

// throughJSON is a record as it is kept.
func throughJSON(tb testing.TB, r record.Record) (back record.Record) {
	tb.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err != nil {
		tb.Fatal(err)
	}
	return back
}

func replayer(tb testing.TB, pack *intent.Pack, kept ...record.Wording) *replay.Replayer {
	tb.Helper()
	r, err := replay.New(replay.Config{Pack: pack, Own: pack, Language: "en", Limits: guard.Default(), Wordings: kept, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// TestReplayMarked: three mistakes of a family, before and after a change of sentences.
func TestReplayMarked(t *testing.T) {
	t.Parallel()
	before := packWith(t, `HassTurnOn: {sentences: ["i adore [the] {name}"]}`)
	after := packWith(t, `HassTurnOff: {sentences: ["scrub [the] {name}"]}`, `HassTurnOn: {sentences: ["let there be [the] {name}"]}`)
	var cases []replay.Case
	for _, c := range []struct{ said, should string }{
		{"scrub the bedroom lamp", "turn off the bedroom lamp"},
		{"let there be kitchen light", "turn on the kitchen light"},
		{"i adore the kitchen light", "nothing"},
	} {
		cases = append(cases, replay.Case{Then: happened(t, before, c.said), Marked: true, Should: c.should, Rooms: shown(fake.House())})
	}
	for name, tt := range map[string]struct {
		pack *intent.Pack
		want record.Rightness
	}{"before": {before, record.Wrong}, "after": {after, record.Right}} {
		r := replayer(t, tt.pack)
		for _, c := range cases {
			o, err := r.Run(t.Context(), c)
			if err != nil || o.Rightness != tt.want || o.Same != (tt.want == record.Wrong) {
				t.Errorf("%s, %q: %s (%s), same %v, %v\nnow %+v", name, c.Then.Transcript.Text, o.Rightness, o.Why, o.Same, err, o.Now)
			}
		}
	}
}

// pageWords are the words of the page.
func pageWords(tb testing.TB) (words map[string]string) {
	tb.Helper()
	p, err := page.New(page.Config{Language: "en"})
	if err != nil {
		tb.Fatal(err)
	}
	_, list, _ := strings.Cut(string(p.File("words.js")), "export default ")
	if err := json.Unmarshal([]byte(strings.TrimSuffix(list, ";\n")), &words); err != nil {
		tb.Fatal(err)
	}
	return words
}

// TestVerdicts: what is judged, and what stays open.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	ours, err := intent.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	other := func(text string) *string { return &text }
	by := func(r record.Record, route record.Route) record.Record { r.Route = route; return r }
	words := pageWords(t)
	kept := record.Wording{ID: "w", Text: "make the bedroom a cinema", Acts: []record.KeptAct{{
		Intent: record.Intent{Name: "HassTurnOn"}, Things: []record.KeptThing{{ID: "light.Bedroom Lamp", Name: "Bedroom Lamp", Domain: "light"}},
	}}}
	for name, tt := range map[string]struct {
		then   record.Record
		should string
		heard  *string
		want   record.Rightness
		same   bool
		now    string
	}{
		"as then":                     {happened(t, ours, "turn on the kitchen light"), "", nil, record.Wrong, true, "local"},
		"as then, which was right":    {happened(t, ours, "turn on the kitchen light"), "kitchen light on", nil, record.Right, true, "local"},
		"heard otherwise today":       {happened(t, ours, "turn on the kitchen light"), "", other("turn off the kitchen light"), record.Open, false, "local"},
		"heard rightly today":         {happened(t, ours, "turn on the kitchen light"), "turn off the kitchen light", other("turn off the kitchen light"), record.Right, false, "local"},
		"nothing is heard today":      {happened(t, ours, "turn on the kitchen light"), "nothing", other(""), record.Right, false, "refused"},
		"not understood":              {happened(t, ours, "the crow flies at midnight"), "turn on the kitchen light", nil, record.Wrong, true, "none"},
		"a wording is understood":     {by(happened(t, ours, "make the bedroom a cinema"), record.RouteModel), "turn on the bedroom lamp", nil, record.Right, false, "local"},
		"a model would decide":        {by(happened(t, ours, "the crow flies at midnight"), record.RouteModel), "turn on the kitchen light", nil, record.Open, true, "model"},
		"should is no sentence":       {happened(t, ours, "turn on the kitchen light"), "that lamp over there, you know", nil, record.Open, true, "local"},
		"a question that was right":   {happened(t, ours, "what time is it"), "tell me the time", nil, record.Right, true, "local"},
		"refused then and now":        {happened(t, ours, "unlock the front door"), "", nil, record.Wrong, true, "refused"},
		"asks, where nothing was due": {happened(t, ours, "turn on all the lights"), "nothing", nil, record.Wrong, false, "local"},
	} {
		o, err := replayer(t, ours, kept).Run(t.Context(), replay.Case{Then: tt.then, Marked: true, Should: tt.should, Rooms: shown(fake.House()), Heard: tt.heard})
		if _, told := words["verdict "+o.Why]; err == nil && !told {
			t.Errorf("%s: the page has no words for %q", name, o.Why)
		}
		if got := fmt.Sprint(o.Rightness, o.Same, " ", o.Now.Route); err != nil || got != fmt.Sprint(tt.want, tt.same, " ", tt.now) {
			t.Errorf("%s: %s (%s), want %s %v %s; %v\nthen %+v\nnow %+v", name, got, o.Why, tt.want, tt.same, tt.now, err, o.Then, o.Now)
		}
	}
	right := replay.Case{Then: happened(t, ours, "turn on the kitchen light"), Rooms: shown(fake.House())}
	if o, err := replayer(t, ours).Run(t.Context(), right); err != nil || o.Rightness != "" || !o.Same {
		t.Errorf("a turn that nobody found wrong is judged: %+v, %v", o, err)
	}
	if _, err := replayer(t, ours).Run(t.Context(), replay.Case{Then: record.Record{ID: "1"}}); err == nil {
		t.Error("a turn without words was run")
	}
}

// FuzzCase: whatever record is run, nothing is called and there is a verdict or an error.
func FuzzCase(f *testing.F) {
	f.Add([]byte(`{"id":"1","transcript":{"text":"turn on the kitchen light"},"calls":[{"tool":"x","args":null}]}`), "turn it off")
	f.Add([]byte(`{"transcript":{"text":"undo"},"intent":{"name":"LocalUndo","slots":{}}}`), "nothing")
	f.Add([]byte(`{}`), "")
	ours, err := intent.Ours("en")
	if err != nil {
		f.Fatal(err)
	}
	r := replayer(f, ours)
	f.Fuzz(func(t *testing.T, data []byte, should string) {
		var then record.Record
		if json.Unmarshal(data, &then) != nil {
			return
		}
		o, err := r.Run(t.Context(), replay.Case{Then: then, Marked: true, Should: should, Rooms: shown(fake.House())})
		if err == nil && o.Rightness != record.Right && o.Rightness != record.Wrong && o.Rightness != record.Open {
			t.Errorf("verdict %q", o.Rightness)
		}
		for _, c := range o.Now.Calls {
			if c.OK || c.Receipt != nil {
				t.Errorf("a call was made: %+v", c)
			}
		}
	})
}
