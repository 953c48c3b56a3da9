package lessons_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/mind/lessons"
	"voicegateway/internal/mind/replay"
	"voicegateway/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// household is a house with its mind, a model that follows its script, and the last turns.
type household struct {
	*lessons.Lessons
	again  *replay.Again
	tb     testing.TB
	mind   *mind.Mind
	rooms  *house.House
	asked  int    // how often the model was asked
	calls  string // what the model calls, each "Kitchen Light on", separated by "; "
	says   string // what the model says by itself
	refuse bool   // devices do not confirm
	words  *choosing.Words

	mu    sync.Mutex
	turns []record.Record // the newest first
	ear   []string        // what is said aloud
}

func newHousehold(tb testing.TB, language, dir string) *household {
	tb.Helper()
	f := &household{tb: tb}
	pack, err := intent.Ours(language)
	if err != nil {
		tb.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	if f.rooms, err = house.New(pack, nil, log); err != nil {
		tb.Fatal(err)
	}
	f.tell(fake.House())
	f.Lessons = lessons.New(f.rooms, lessons.Config{
		Dir: dir, Turns: f.last, Model: func() bool { return true }, Log: log,
		Sound: func(r record.Record) []byte {
			sound, err := recorder.Sound(filepath.Join(dir, "recordings"), r)
			if err != nil {
				return nil
			}
			return sound
		},
	})
	f.again = replay.NewAgain(f.Lessons, replay.Config{Pack: pack, Own: pack, Language: language, Limits: guard.Limits{FanOutLimit: 5}, Log: log})
	f.Open()
	phrases, err := reply.Ours(language)
	if err != nil {
		tb.Fatal(err)
	}
	if f.words, err = choosing.Ours(language); err != nil {
		tb.Fatal(err)
	}
	f.mind, err = mind.New(f.Lessons, &fake.Caller{CallFunc: f.call}, &fake.Assistant{ReplyFunc: f.model}, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, log)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func (f *household) tell(h *home.House) {
	f.tb.Helper()
	told, err := json.Marshal(h)
	if err != nil {
		f.tb.Fatal(err)
	}
	f.rooms.Tell("zwave", told)
}

func (f *household) last() []record.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.turns)
}

// call is a house whose devices confirm everything, or nothing.
func (f *household) call(_ context.Context, c tools.Call) (tools.Result, error) {
	var args struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tools.Result{}, err
	}
	r := &tools.Receipt{Device: args.Device, Property: "on_off", Before: "off", Value: args.Action, Outcome: tools.Confirmed}
	if f.refuse {
		r.Outcome = tools.NoAnswer
	}
	return tools.Result{Receipt: r, Failed: f.refuse}, nil
}

func (f *household) model(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
	f.asked++
	return func(yield func(dialogue.Part, error) bool) {
		var calls []dialogue.Call
		for line := range strings.SplitSeq(f.calls, "; ") {
			i := strings.LastIndex(line, " ")
			if i < 0 || q.Act == nil {
				continue
			}
			args, _ := json.Marshal(map[string]string{"device_name": line[:i], "action": line[i+1:]})
			e := f.House().Entities[0]
			calls = append(calls, dialogue.Call{
				Call: tools.Call{Tool: e.Control.Tool, Args: args}, Spec: tools.Spec{Name: e.Control.Tool, Server: "zwave", Risk: tools.Reversible},
			})
		}
		if len(calls) > 0 {
			if acted := q.Act(ctx, calls); acted.Say != "" && !yield(dialogue.Part{Sentence: acted.Say, Receipt: true}, nil) || acted.Stop {
				return
			}
		}
		if f.says != "" {
			yield(dialogue.Part{Sentence: f.says}, nil)
		}
	}
}

// say is a turn at the microphone of a room.
func (f *household) say(text, area string) record.Record {
	f.tb.Helper()
	rec := record.Record{ID: record.NewID(), Time: time.Now(), Source: record.FromMic, Area: area, Wake: &record.Wake{}}
	rec.Transcript = &record.Transcript{Text: text}
	f.mind.Answer(f.tb.Context(), record.Turn{
		Request: record.Request{ID: rec.ID, Text: text, Area: area, Source: record.FromMic}, Record: &rec, Watch: record.Stopwatch{Zero: time.Now()},
		Say: func(s string) { f.ear = append(f.ear, s) },
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turns = slices.Insert(f.turns, 0, rec)
	return rec
}

// TestAWordingIsRemembered: what a model has done once is a sentence of the house
// afterwards, through the same guards, also after a restart.
func TestAWordingIsRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newHousehold(t, "en", dir)
	f.calls = "Kitchen Light on"
	first := f.say("make the kitchen feel like christmas", "Kitchen")
	if first.Route != record.RouteModel || !first.Keepable || f.asked != 1 || !strings.Contains(first.Reply, "remember that") {
		t.Fatalf("the model's turn: %+v", first)
	}
	if kept := f.say("remember that", "Kitchen"); kept.Reply != "I will remember that." || kept.Outcome != record.Done || kept.Route != record.RouteLocal {
		t.Fatalf("keeping it: %+v", kept)
	}
	for name, house := range map[string]*household{"now": f, "after a restart": newHousehold(t, "en", dir)} {
		before := house.asked
		r := house.say("make the kitchen feel like christmas", "Kitchen")
		if r.Route != record.RouteLocal || r.Outcome != record.Done || house.asked != before || r.Keepable {
			t.Errorf("%s: %+v", name, r)
		}
		if len(r.Calls) != 1 || !r.Calls[0].Receipt.Done() || r.Risk != string(tools.Reversible) || r.Intent == nil || r.Intent.Name != "HassTurnOn" {
			t.Errorf("%s: it did not go the way of a sentence: %+v", name, r)
		}
		if r := house.say("undo that", "Kitchen"); len(r.Calls) != 1 || r.Outcome != record.Done {
			t.Errorf("%s: it cannot be taken back: %+v", name, r)
		}
	}
	if err := f.Forget(first.ID); err != nil {
		t.Fatal(err)
	}
	if r := f.say("make the kitchen feel like christmas", "Kitchen"); r.Route != record.RouteModel || strings.Contains(r.Reply, "remember") {
		t.Errorf("forgotten, and not offered a second time: %+v", r)
	}
}

// TestWhatIsNotOffered: a turn with anything in it but confirmed acts on the house, or
// whose text does not stand for itself.
func TestWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, calls, says, before string
		refuse                    bool
	}{
		"nothing done":          {text: "make the kitchen feel like christmas", says: "Ho ho ho."},
		"words besides":         {text: "make the kitchen feel like christmas", calls: "Kitchen Light on", says: "Ho ho ho."},
		"not confirmed":         {text: "make the kitchen feel like christmas", calls: "Kitchen Light on", refuse: true},
		"points back":           {text: "make it all feel like christmas", calls: "Kitchen Light on", before: "what time is it"},
		"no device of ours":     {text: "make the kitchen feel like christmas", calls: "Reindeer on"},
		"a sentence of its own": {text: "turn on the kitchen light"},
	} {
		f := newHousehold(t, "en", "")
		if tt.before != "" {
			f.say(tt.before, "Kitchen")
		}
		f.calls, f.says, f.refuse = tt.calls, tt.says, tt.refuse
		r := f.say(tt.text, "Kitchen")
		if r.Keepable || strings.Contains(r.Reply, "remember") {
			t.Errorf("%s: %+v", name, r)
		}
		if _, err := f.Remember(r.ID); !errors.Is(err, lessons.ErrConflict) {
			t.Errorf("%s: it was kept all the same: %v", name, err)
		}
		if said := f.say("remember that", "Kitchen"); said.Outcome != record.Failed || len(f.Wordings()) != 0 {
			t.Errorf("%s: %+v", name, said)
		}
	}
}

// TestEveryLanguageTeaches: its words are exact, heard without a wake word, and not
// said in ordinary talk.
func TestEveryLanguageTeaches(t *testing.T) {
	t.Parallel()
	taught := map[string]struct{ order, keep, wrong, should, meant string }{
		"en": {"make the kitchen feel like christmas", "remember that", "that was wrong", "that was wrong, I meant turn on the bedroom light", "turn on the bedroom light"},
		"de": {"mach die küche weihnachtlich", "merk dir das", "das war falsch", "das war falsch, ich meinte schalte das licht im schlafzimmer ein", "schalte das licht im schlafzimmer ein"},
		"fr": {"mets la cuisine en mode noël", "retiens ça", "c'était faux", "c'était faux, je voulais dire allume la chambre", "allume la chambre"},
		"es": {"pon la cocina de navidad", "recuerda eso", "eso estuvo mal", "eso estuvo mal, quería decir enciende el dormitorio", "enciende el dormitorio"},
	}
	for language, words := range taught {
		f := newHousehold(t, language, t.TempDir())
		f.calls = "Kitchen Light on"
		if r := f.say(words.order, "Kitchen"); !r.Keepable || len(f.ear) == 0 {
			t.Errorf("%s: not keepable: %+v", language, r)
		}
		offered := speech.Speakable(f.ear[len(f.ear)-1])
		if !strings.Contains(strings.ToLower(offered), words.keep) {
			t.Errorf("%s: the offer %q does not say %q", language, offered, words.keep)
		}
		for _, text := range []string{words.keep, words.wrong} {
			if !f.mind.Amends(text) {
				t.Errorf("%s: %q is not heard without a wake word", language, text)
			}
		}
		f.say(words.keep, "Kitchen")
		if list := f.Wordings(); len(list) != 1 || list[0].Error != "" {
			t.Errorf("%s: kept %+v", language, list)
		}
		before := f.asked
		if r := f.say(words.order, "Kitchen"); r.Route != record.RouteLocal || f.asked != before {
			t.Errorf("%s: the wording is not local: %+v", language, r)
		}
		f.say(words.wrong, "Kitchen")
		marked := f.Marks()
		if len(marked) != 1 || marked[0].Then.Transcript.Text != words.order || marked[0].Should != "" {
			t.Fatalf("%s: marked %+v", language, marked)
		}
		f.say(words.should, "Kitchen")
		if marked = f.Marks(); len(marked) != 1 || f.rooms.Bare(marked[0].Should) != f.rooms.Bare(words.meant) {
			t.Errorf("%s: what should have happened is %+v", language, marked)
		}
	}
	for _, language := range sentences.Languages() {
		if _, ok := taught[language]; !ok {
			t.Errorf("what a family teaches in %q is missing here", language)
		}
	}
}

// TestThatWasWrong marks the turn before, takes back what it did, and keeps the house
// as it was.
func TestThatWasWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newHousehold(t, "en", dir)
	if r := f.say("that was wrong", "Kitchen"); r.Reply != "I don't know what was wrong." || len(f.Marks()) != 0 {
		t.Errorf("without a turn before: %+v", r)
	}
	did := f.say("turn on the kitchen light", "Kitchen")
	f.say("turn on the kitchen light", "Bedroom") // another room's
	r := f.say("that was wrong", "Kitchen")
	if len(r.Calls) != 1 || !strings.Contains(string(r.Calls[0].Args), `"off"`) || !strings.HasSuffix(r.Reply, "I have noted that.") {
		t.Errorf("it is not taken back: %+v", r)
	}
	misheard := f.say("turn on the flight", "Kitchen")
	if r := f.say("that was wrong", "Kitchen"); len(r.Calls) != 0 || r.Reply != "I have noted that." {
		t.Errorf("a turn that did nothing: %+v", r)
	}
	list := newHousehold(t, "en", dir).Marks()
	if len(list) != 2 || list[0].ID != misheard.ID || list[1].ID != did.ID {
		t.Fatalf("after a restart: %+v", list)
	}
	changed := *fake.House()
	changed.Entities = changed.Entities[:1]
	f.tell(&changed)
	if _, rooms, err := f.Mark(did.ID); err != nil || len(rooms.Entities) != len(fake.House().Entities) || rooms.Entities[0].Server != "zwave" {
		t.Errorf("the house as it was: %+v, %v", rooms, err)
	}
	if _, err := f.Wrong("nothing", ""); !errors.Is(err, lessons.ErrNotFound) {
		t.Errorf("an unknown turn: %v", err)
	}
	if m, err := f.Wrong(did.ID, "turn on the bedroom light"); err != nil || m.Should != "turn on the bedroom light" || len(f.Marks()) != 2 {
		t.Errorf("what should have happened: %+v, %v", m, err)
	}
	if err := errors.Join(f.Unmark(did.ID), f.Unmark(misheard.ID)); err != nil || len(f.Marks()) != 0 {
		t.Errorf("deleted: %v", err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "mark-*")); err != nil || len(files) != 0 {
		t.Errorf("left behind: %q, %v", files, err)
	}
}

// TestATurnIsRunAgain runs turns through the present understanding, in the house at
// that time if it was kept, and compares the results. Nothing is called or remembered.
func TestATurnIsRunAgain(t *testing.T) {
	t.Parallel()
	f := newHousehold(t, "en", t.TempDir())
	f.calls = "Kitchen Light on"
	wish := f.say("make the kitchen feel like christmas", "Kitchen")
	if _, err := f.Remember(wish.ID); err != nil {
		t.Fatal(err)
	}
	plain := f.say("turn on the bedroom lamp", "Kitchen")
	if _, err := f.Wrong(plain.ID, "turn on the kitchen light"); err != nil {
		t.Fatal(err)
	}
	turns, asked := len(f.last()), f.asked
	f.tell(&home.House{Areas: fake.House().Areas, Entities: fake.House().Entities[:1]})
	for name, tt := range map[string]struct {
		turn  string
		same  bool
		judge record.Rightness
		route record.Route
		calls int
	}{
		"a wording was kept since":   {wish.ID, true, "", record.RouteLocal, 1},
		"in the house as it was":     {plain.ID, true, record.Wrong, record.RouteLocal, 1},
		"once more, after the other": {wish.ID, true, "", record.RouteLocal, 1},
	} {
		o, err := f.again.Replay(t.Context(), tt.turn)
		if err != nil || o.ID != tt.turn || o.Same != tt.same || o.Rightness != tt.judge || o.Now.Route != tt.route || len(o.Now.Calls) != tt.calls {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
		for _, c := range o.Now.Calls {
			if c.OK || c.Receipt != nil {
				t.Errorf("%s: a call was made: %+v", name, c)
			}
		}
	}
	if len(f.last()) != turns || f.asked != asked {
		t.Errorf("%d turns after %d, the model was asked %d times after %d", len(f.last()), turns, f.asked, asked)
	}
	if _, err := f.again.Replay(t.Context(), "nothing"); !errors.Is(err, lessons.ErrNotFound) {
		t.Errorf("an unknown turn: %v", err)
	}
	f.turns = append(f.turns, record.Record{ID: "silent"}, record.Record{ID: "c", Transcript: &record.Transcript{Text: record.ChallengeAnswer}})
	for _, id := range []string{"silent", "c"} {
		if _, err := f.again.Replay(t.Context(), id); !errors.Is(err, lessons.ErrConflict) {
			t.Errorf("%s, of which no words are known: %v", id, err)
		}
	}
}

// TestAChallengeIsNotMarked: its words are in no book.
func TestAChallengeIsNotMarked(t *testing.T) {
	t.Parallel()
	f := newHousehold(t, "en", "")
	rec := record.Record{ID: "c", Time: time.Now(), Source: record.FromMic, Area: "Kitchen", Transcript: &record.Transcript{Text: record.ChallengeAnswer}}
	f.turns = append(f.turns, rec)
	if _, err := f.Wrong("c", ""); !errors.Is(err, lessons.ErrConflict) || len(f.Marks()) != 0 {
		t.Errorf("%v, %+v", err, f.Marks())
	}
}

// TestTheSoundIsKept where the recorder has it.
func TestTheSoundIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newHousehold(t, "en", dir)
	rec := f.say("turn on the kitchen light", "Kitchen")
	if err := os.Mkdir(filepath.Join(dir, "recordings"), 0o700); err != nil {
		t.Fatal(err)
	}
	name := rec.Time.UTC().Format("20060102T150405.000Z") + "_" + rec.ID + ".wav"
	if err := os.WriteFile(filepath.Join(dir, "recordings", name), []byte("RIFF"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := f.Wrong(rec.ID, "")
	if err != nil || !m.Sound {
		t.Fatalf("%+v, %v", m, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "mark-sound-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a voice that others can read: %v, %v", info.Mode(), err)
	}
}

// TestManyTeachAtOnce: turns and both books may be used by several at once.
func TestManyTeachAtOnce(t *testing.T) {
	t.Parallel()
	f := newHousehold(t, "en", t.TempDir())
	rec := f.say("turn on the kitchen light", "Kitchen")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := f.Wrong(rec.ID, fmt.Sprint("turn on light ", i))
			can, _ := f.Keepable(record.Request{Text: fmt.Sprint("christmas number ", i), Source: record.FromHTTP}, fmt.Sprint(i), nil)
			if err != nil || can {
				t.Errorf("%v, %v", err, can)
			}
			f.Match("turn on the kitchen light", "")
			f.Wordings()
		})
	}
	all.Wait()
	if len(f.Marks()) != 1 {
		t.Errorf("%d marks", len(f.Marks()))
	}
}

// TestASentenceOfTheHouseIsNoWording: words that the house understands by itself are
// refused with what they do, whether they are sent or said, and nothing is kept.
func TestASentenceOfTheHouseIsNoWording(t *testing.T) {
	t.Parallel()
	f := newHousehold(t, "en", t.TempDir())
	f.calls = "Kitchen Light on"
	first := f.say("make the kitchen feel like christmas", "Kitchen")
	f.say("remember that", "Kitchen")
	for text, what := range map[string]string{
		"yes":                       "LocalYes",
		"Stop!":                     "LocalStop",
		"no":                        "LocalNo",
		"okay":                      "overheard",
		"turn on the kitchen light": "HassTurnOn Kitchen Light",
		"what time is it":           "HassGetCurrentTime",
		"turn on the light":         "asks back",
		"turn on the reindeer":      "“reindeer”",
		"turn it off":               "HassTurnOff",
		"and the bedroom":           "after another sentence",
	} {
		_, err := f.Reword(first.ID, text, "")
		if !errors.Is(err, lessons.ErrConflict) || !strings.Contains(err.Error(), "a sentence of the house has these words") || !strings.Contains(err.Error(), what) {
			t.Errorf("%q: %v, expected a conflict with %q", text, err, what)
		}
	}
	if list := f.Wordings(); len(list) != 1 || list[0].Text != "make the kitchen feel like christmas" {
		t.Errorf("kept %+v", list)
	}
	if _, err := f.Reword(first.ID, "christmas time", ""); err != nil {
		t.Error(err)
	}
	understood := f.say("turn on the kitchen light", "Kitchen")
	if _, err := f.Remember(understood.ID); !errors.Is(err, lessons.ErrConflict) || !strings.Contains(err.Error(), "HassTurnOn Kitchen Light") {
		t.Errorf("remembered: %v", err)
	}
	if r := f.say("remember that", "Kitchen"); r.Reply != "I understand that already." || r.Outcome != record.Failed {
		t.Errorf("said: %+v", r)
	}
}

// TestAYesIsKept: words of which a person has said what they mean are understood from then
// on, unless they cannot be kept.
func TestAYesIsKept(t *testing.T) {
	t.Parallel()
	f := newHousehold(t, "en", t.TempDir())
	on := func(id string) []intent.Action {
		return []intent.Action{{Intent: "HassTurnOn", Slots: map[string]any{}, Devices: []string{id}}}
	}
	light := f.House().Entities[0].ID
	f.Keep("please extinguish the night", "Kitchen", "t-1", on(light))
	if d := f.Match("please extinguish the night", "Kitchen"); d.Reason != intent.ByWording || len(d.Actions) != 1 {
		t.Errorf("it is %s (%s) %v, want a wording", d.Route, d.Reason, d.Actions)
	}
	f.Keep("set an alarm for the usual", "Kitchen", "t-2", []intent.Action{{Intent: "LocalSetAlarm", Slots: map[string]any{}}})
	f.Keep("turn on the kitchen light", "Kitchen", "t-3", on(light))
	f.Keep("let the gone one shine", "Kitchen", "t-4", on("light.gone"))
	if kept := f.Wordings(); len(kept) != 1 || kept[0].ID != "t-1" {
		t.Errorf("it has kept %+v, want only t-1", kept)
	}
}
