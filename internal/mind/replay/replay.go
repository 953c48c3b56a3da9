// Package replay runs an earlier turn through today's sentences, planner and guards, in
// the house as it was, and says whether the result is now what it should have been
// (REQUIREMENTS L3). Nothing is ever called: a replay has no servers and no language
// model. It exists so that a family's own mistakes are its regression test. To judge by
// something else, add a case to judge.
package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/lessons"
	"voicegateway/internal/tools"
)

// Config is today's program, as far as it understands a text.
type Config struct {
	Pack     *intent.Pack // the sentences that are tried
	Own      *intent.Pack // the pack for reading what should have happened
	Language string       // of the replies
	Limits   guard.Limits
	Wordings []record.Wording
	Log      *slog.Logger
}

// Case is a turn of before.
type Case struct {
	Then   record.Record
	Marked bool          // it was found wrong, and is judged
	Should string        // the sentence that does what should have happened; "" if it is not known
	Rooms  home.Snapshot // the house as it was
	Heard  *string       // what today's recogniser makes of the sound; nil: the text as it was
}

// ErrNoWords says that the words of a turn are not known.
var ErrNoWords = errors.New("no words of this turn are known")

// Replayer runs cases. It belongs to one goroutine.
type Replayer struct {
	cfg     Config
	phrases *reply.Phrases

	last  string // the house of the last case, as JSON
	rooms *house.House
	own   *house.House // the same for the sentences of Own
}

// New prepares the replies.
func New(cfg Config) (*Replayer, error) {
	if cfg.Pack == nil || cfg.Own == nil {
		return nil, errors.New("replay: sentences are needed")
	}
	phrases, err := reply.Ours(cfg.Language)
	if err != nil {
		return nil, fmt.Errorf("preparing the replies: %w", err)
	}
	return &Replayer{cfg: cfg, phrases: phrases}, nil
}

// Run runs a case and judges it.
func (r *Replayer) Run(ctx context.Context, c Case) (record.Replay, error) {
	o := record.Replay{ID: c.Then.ID, Should: c.Should, Then: c.Then}
	text := textOf(c)
	if c.Then.Transcript == nil && c.Heard == nil || c.Then.Transcript != nil && c.Then.Transcript.Text == record.ChallengeAnswer {
		return o, ErrNoWords
	}
	if err := r.enter(c.Rooms); err != nil {
		return o, err
	}
	model := c.Then.Route == record.RouteModel
	var err error
	if o.Now, err = r.dry(ctx, r.rooms, c, text, model); err != nil {
		return o, err
	}
	o.Same = same(o.Then, o.Now)
	if !c.Marked {
		return o, nil
	}
	var should *record.Record
	if c.Should != "" && !isNothing(c.Should) {
		meant, err := r.dry(ctx, r.own, c, c.Should, false)
		if err != nil {
			return o, err
		}
		should = &meant
	}
	o.Rightness, o.Why = judge(o, should)
	return o, nil
}

// textOf is the text of a case today.
func textOf(c Case) string {
	switch {
	case c.Heard != nil:
		return *c.Heard
	case c.Then.Transcript != nil:
		return c.Then.Transcript.Text
	}
	return ""
}

// enter makes the house of a case, unless it is that of the last one.
func (r *Replayer) enter(rooms home.Snapshot) error {
	key, err := json.Marshal(rooms)
	if err != nil {
		return fmt.Errorf("reading the house: %w", err)
	}
	if r.rooms != nil && string(key) == r.last {
		return nil
	}
	if r.rooms, err = r.makeHouse(r.cfg.Pack, rooms); err != nil {
		return err
	}
	r.own, r.last = r.rooms, string(key)
	if r.cfg.Own != r.cfg.Pack {
		r.own, err = r.makeHouse(r.cfg.Own, rooms)
	}
	return err
}

// makeHouse is a house as its servers would tell it, with some sentences.
func (r *Replayer) makeHouse(pack *intent.Pack, rooms home.Snapshot) (*house.House, error) {
	servers := map[string]*home.House{}
	base := &home.House{Floors: rooms.Floors, Areas: rooms.Areas}
	for _, e := range rooms.Entities {
		e.Entity.Server = e.Server
		if e.Server == "" {
			base.Entities = append(base.Entities, e.Entity)
			continue
		}
		if servers[e.Server] == nil {
			servers[e.Server] = &home.House{}
		}
		servers[e.Server].Entities = append(servers[e.Server].Entities, e.Entity)
	}
	h, err := house.New(pack, base, r.cfg.Log)
	if err != nil {
		return nil, fmt.Errorf("making the house: %w", err)
	}
	for name, part := range servers {
		told, err := json.Marshal(part)
		if err != nil {
			return nil, fmt.Errorf("telling the house: %w", err)
		}
		h.Tell(name, told)
	}
	return h, nil
}

// taught is the house with its family's wordings.
type taught struct {
	*rooms
	words lessons.Matcher
}

// rooms gives the house's type a name that leaves its method House in sight.
type rooms = house.House

// Match returns what a text means: by a sentence, or by a wording.
func (t taught) Match(text, area string) intent.Decision { return t.words.Match(text, area) }

// dry answers a text in a dry run, by a mind that remembers nothing.
func (r *Replayer) dry(ctx context.Context, in *house.House, c Case, text string, model bool) (record.Record, error) {
	kept := family.NewWordings("", in.Bare, nil, r.cfg.Log)
	for _, w := range slices.Backward(r.cfg.Wordings) {
		if err := kept.Keep(w); err != nil {
			return record.Record{}, fmt.Errorf("taking over the wording %q: %w", w.Text, err)
		}
	}
	matcher := taught{in, lessons.Matcher{Sentences: in, Kept: kept}}
	mind, err := mind.New(matcher, nobody{}, nobody{model}, r.phrases, r.cfg.Limits, mind.Recovery{}, r.cfg.Log)
	if err != nil {
		return record.Record{}, err
	}
	return mind.Turn(ctx, record.Request{ID: c.Then.ID, Text: text, Area: c.Then.Area, Source: c.Then.Source, DryRun: true}), nil
}

// nobody stands in for servers and a model. A dry run does not call it, and it would do
// nothing.
type nobody struct{ model bool }

var errDry = errors.New("nothing is called in a replay")

// Await returns at once.
func (nobody) Await(context.Context, mind.Need) error { return nil }

// Call does nothing.
func (nobody) Call(context.Context, tools.Call) (tools.Result, error) { return tools.Result{}, errDry }

// Ready reports whether a model was there then.
func (n nobody) Ready() (ok bool, why string) { return n.model, errDry.Error() }

// Reply says nothing.
func (nobody) Reply(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	return func(yield func(dialogue.Part, error) bool) { yield(dialogue.Part{}, errDry) }
}

// Remember remembers nothing.
func (nobody) Remember(string, string, string) {}

// nothing are the words with which a user says, in our languages, that nothing should
// have happened.
var nothing = []string{"nothing", "nichts", "rien", "nada"}

func isNothing(should string) bool { return slices.Contains(nothing, intent.Plain(should)) }

// judge says whether a case goes as it should: it comes to the same acts as the
// sentence that says what should have happened.
func judge(o record.Replay, should *record.Record) (record.Rightness, string) {
	byModel := o.Now.Route == record.RouteModel
	switch {
	case byModel:
		return record.Open, "a language model would decide, and none is asked in a replay"
	case isNothing(o.Should) && silent(o.Now):
		return record.Right, "nothing is done"
	case isNothing(o.Should):
		return record.Wrong, "nothing should be done"
	case should == nil && o.Same:
		return record.Wrong, "it does the same as then"
	case should == nil:
		return record.Open, "it does something else than then; say what should have happened to have it judged"
	case slices.Contains([]record.Route{record.RouteModel, record.RouteNone}, should.Route):
		return record.Open, "I do not understand the sentence that says what should have happened"
	case alike(o.Now, *should):
		return record.Right, "it does what should have happened"
	case o.Same:
		return record.Wrong, "it does the same as then"
	}
	return record.Wrong, "it does something else than then, and not what should have happened"
}

// silent reports whether a dry run would do nothing.
func silent(r record.Record) bool { return len(r.Calls) == 0 && r.Outcome != record.Asked }

// same reports whether a dry run comes to what a turn has done. What starts from the
// present state has made another call than is planned first; it is the same intent on
// the same things.
func same(then, now record.Record) bool {
	if alike(then, now) {
		return true
	}
	return len(then.Calls) > 0 && len(now.Calls) > 0 && then.Intent != nil && now.Intent != nil &&
		text(intents(then)) == text(intents(now)) && slices.Equal(things(then), things(now))
}

// alike reports whether two turns make the same calls; of those that make none, whether
// they are the same in route and intent.
func alike(a, b record.Record) bool {
	if len(a.Calls) > 0 || len(b.Calls) > 0 {
		return slices.Equal(calls(a), calls(b))
	}
	refused := func(r record.Record) bool { return r.Route == record.RouteRefused }
	asked := func(r record.Record) bool { return r.Outcome == record.Asked }
	return refused(a) == refused(b) && asked(a) == asked(b) && text(intents(a)) == text(intents(b))
}

// calls returns the calls of a turn, sorted and each once.
func calls(r record.Record) []string {
	all := make([]string, 0, len(r.Calls))
	for _, c := range r.Calls {
		var args any
		_ = json.Unmarshal(c.Args, &args) // the arguments of a record are valid JSON
		all = append(all, c.Server+"/"+c.Tool+" "+text(args))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// things are the devices that the calls of a turn name.
func things(r record.Record) []string {
	all := make([]string, 0, len(r.Calls))
	for _, c := range r.Calls {
		var args struct {
			Device string `json:"device_name"`
		}
		_ = json.Unmarshal(c.Args, &args) // as above
		all = append(all, c.Server+"/"+args.Device)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// intents are all intents of a turn.
func intents(r record.Record) []record.Intent {
	if len(r.Intents) > 0 || r.Intent == nil {
		return r.Intents
	}
	return []record.Intent{*r.Intent}
}

// text writes a value so that equal values are equal texts.
func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}
