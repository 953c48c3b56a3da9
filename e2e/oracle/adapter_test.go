//go:build oracle

package oracle

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/replay"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
	"voicegateway/internal/tools/local"
)

// This file is the only one of the oracle that knows a package of the program's inside. A
// move that renames or joins packages is followed here and nowhere else in the oracle.

// family is a house as one language speaks of it: its sentences, compiled, and the things
// they may name.
type family struct {
	language string
	rooms    *house.House
	phrases  *reply.Phrases
	pack     *intent.Pack
}

// settle moves a family that speaks a language into a house, which is JSON as a server
// tells it.
func settle(t *testing.T, language string, told []byte) *family {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	rooms, err := house.New(pack, nil, quiet())
	if err != nil {
		t.Fatal(err)
	}
	rooms.Tell(server, told)
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	return &family{language, rooms, phrases, pack}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// noModel is a language model that is not there.
type noModel struct{}

func (noModel) Ready() (ok bool, why string)    { return false, "" }
func (noModel) Remember(string, string, string) {}
func (noModel) Reply(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, dialogue.ErrNoModel) }
}

// answering is a gateway that answers texts, with a book of timers that runs and a simulated
// house. It belongs to one bubble of synctest.
type answering struct {
	family *family
	world  *world
	answer *mind.Mind
	keeper *timekeeper.Keeper
	own    map[string]tools.Tool
	end    func()
}

// begin starts a mind, whose end is called before the bubble ends.
func (f *family) begin(ctx context.Context, t *testing.T, w *world) *answering {
	t.Helper()
	place, err := timers.ParsePlace("52.5,13.4")
	if err != nil {
		t.Fatal(err)
	}
	m := &answering{family: f, world: w, own: map[string]tools.Tool{}}
	settings := local.Default()
	settings.Volume.Backend = "software"
	own, _, err := local.All(settings, local.Deps{Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	m.keeper = timekeeper.New(timekeeper.Config{Place: place, Clock: timekeeper.NewClock()}, quiet())
	for _, tool := range append(own, timers.Tools(m.keeper)...) {
		m.own[tool.Spec().Name] = tool
	}
	m.answer, err = mind.New(f.rooms, m, noModel{}, f.phrases, guard.Default(), mind.Recovery{}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	m.answer.Ends = m.keeper
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		if err := m.keeper.Run(ctx, timekeeper.Ends{Bell: m, Asker: m, Teller: m, Voice: m, Show: func([]timers.Timer) {}}); err != nil {
			t.Error(err)
		}
	})
	m.end = func() { cancel(); running.Wait() }
	synctest.Wait()
	return m
}

// Await has every server at hand.
func (m *answering) Await(context.Context, mind.Need) error { return nil }

// Call calls a tool of the gateway itself, or one of the simulated house.
func (m *answering) Call(ctx context.Context, c tools.Call) (tools.Result, error) {
	if c.Server == "" {
		tool := m.own[c.Tool]
		if tool == nil {
			m.world.note("call", map[string]any{"tool": c.Tool, "args": c.Args, "error": "there is no such tool"})
			return tools.Result{Failed: true, Text: "there is no such tool"}, nil
		}
		m.world.note("call", map[string]any{"tool": c.Tool, "args": c.Args})
		return tool.Call(ctx, c.Args)
	}
	m.world.note("call", map[string]any{"server": c.Server, "tool": c.Tool, "args": c.Args})
	text, data, failed, err := m.world.call(c.Tool, c.Args)
	return tools.Result{Text: text, Data: data, Receipt: tools.ReadReceipt(data), Failed: failed, PublishedAt: time.Now()}, err
}

// Ring notes what rings.
func (m *answering) Ring(_ context.Context, a timekeeper.Alert) error {
	m.world.note("ring", a.Text)
	return nil
}

// Quiet notes that the ringing is over.
func (m *answering) Quiet(context.Context, ...string) error {
	m.world.note("quiet", true)
	return nil
}

// Rings names what rings, Missed what is missed: how they are worded stands in golden files.
func (m *answering) Rings(r timers.Ring, _ time.Time) string { return "rings: " + r.Name }

// SayMissed names what is missed.
func (m *answering) SayMissed(all []timers.Timer, _ time.Time) string {
	names := "missed:"
	for _, one := range all {
		names += " " + one.Name + one.Command
	}
	return names
}

// Became says what became of a command.
func (m *answering) Became(n timers.Notice) string { return n.Reply }

// Announce notes what is announced.
func (m *answering) Announce(a record.Announcement) { m.world.note("announced", a) }

// Say notes what is said unasked.
func (m *answering) Say(_ context.Context, text string) error {
	m.world.note("said", text)
	return nil
}

// Weigh finds out what a sentence would do.
func (m *answering) Weigh(ctx context.Context, q record.Request) record.Record {
	q.DryRun = true
	return m.answer.Turn(ctx, q)
}

// Carry does what a sentence says.
func (m *answering) Carry(ctx context.Context, q record.Request) record.Record {
	rec := m.answer.Turn(ctx, q)
	m.noteUnasked("carried", rec)
	return rec
}

// PutBack puts things back.
func (m *answering) PutBack(ctx context.Context, q record.Request, things []timers.Back) record.Record {
	rec := m.answer.PutBack(ctx, q, things)
	m.noteUnasked("put back", rec)
	return rec
}

// noteUnasked keeps a turn that no request caused. Its id is random, and of turns that are due at
// the same moment any may come first, so it is kept without its id and its time.
func (m *answering) noteUnasked(kind string, rec record.Record) {
	rec.ID, rec.Time = "unasked", time.Time{}
	m.world.note(kind, rec)
}

// said is a text, where it is said, how the ear heard it, and what is said after it in
// the open ear.
type said struct {
	Text, Area, Source   string
	Unfinished, FollowUp bool
	Others               []string
	More                 string
	MoreOthers           []string
}

// decide is what the sentences alone make of a text.
func (f *family) decide(text, area string) any {
	d := f.rooms.Match(text, area)
	return map[string]any{"route": d.Route, "reason": d.Reason, "actions": d.Actions}
}

// judge says whether words are a whole sentence.
func (f *family) judge(text string) any { return f.rooms.Judge(text) }

// say says something and returns the record of the turn and what is said aloud.
func (m *answering) say(ctx context.Context, id string, s said) (rec any, aloud []string) {
	q := record.Request{ID: id, At: time.Now(), Text: s.Text, Area: s.Area, Source: record.Source(s.Source), FollowUp: s.FollowUp, Unfinished: s.Unfinished, Others: s.Others}
	r := record.Record{ID: id, Time: q.At, Source: q.Source, Area: s.Area, Transcript: &record.Transcript{Text: s.Text}}
	if q.Source == record.FromMic && !s.FollowUp {
		r.Wake = &record.Wake{Word: "hey jarvis"}
	}
	turn := record.Turn{
		Request: q, Record: &r, Watch: record.Stopwatch{Zero: q.At},
		Say: func(sentence string) { aloud = append(aloud, sentence) }, Unsay: func() { aloud = nil },
	}
	m.answer.Answer(ctx, turn)
	if s.More != "" {
		whole := speech.Transcript{Text: s.Text + " " + s.More}
		for _, other := range s.MoreOthers {
			whole.Others = append(whole.Others, s.Text+" "+other)
		}
		m.answer.Extend(ctx, turn, whole)
	}
	r.Timings.Total = turn.Watch.Now()
	return r, aloud
}

// report tells the mind what a device reports by itself, as the house's server words it.
func (m *answering) report(event map[string]any) {
	data, err := json.Marshal(event)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	var e home.Event
	if err := json.Unmarshal(data, &e); err != nil {
		panic(err) // a field has changed its type
	}
	e.Server, e.Time = server, time.Now()
	if e.Kind == home.Belied {
		m.answer.Belied(e)
		return
	}
	m.answer.Reported(e)
}

// replayer runs turns of before through today's sentences.
type replayer struct{ r *replay.Replayer }

// run runs a turn of a family again, in its house, and returns what came of it. The turn was
// found wrong where should says what it should have been.
func (r *replayer) run(ctx context.Context, f *family, told []byte, rec any, should string) (any, error) {
	if r.r == nil {
		made, err := replay.New(replay.Config{Pack: f.pack, Own: f.pack, Language: f.language, Limits: guard.Default(), Log: quiet()})
		if err != nil {
			return nil, err
		}
		r.r = made
	}
	c := replay.Case{Marked: should != "", Should: should}
	if err := convert(rec, &c.Then); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(told, &c.Rooms); err != nil {
		return nil, err
	}
	for i := range c.Rooms.Entities {
		c.Rooms.Entities[i].Server = server
	}
	return r.r.Run(ctx, c)
}

// convert sends a value through JSON, as it is kept and sent.
func convert(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}
