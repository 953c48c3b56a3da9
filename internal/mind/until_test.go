package mind_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/timekeeper"
	"voicegateway/internal/tools"
)

// keeping is a family's house with a real keeper of timers, which carries out commands and
// puts things back. It keeps the keeper's announcements.
type keeping struct {
	*family
	dir    string
	place  *timers.Place
	keeper *timekeeper.Keeper
	stop   func()

	mu   sync.Mutex
	told []string
}

// moveWithTimers makes a family's house whose timers run.
func moveWithTimers(t *testing.T, language, at, place string) *keeping {
	t.Helper()
	where, err := timers.ParsePlace(place)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeping{family: moveByClock(t, language, at), dir: t.TempDir(), place: where}
	k.start()
	t.Cleanup(func() { k.stop() })
	return k
}

// start runs a keeper on what an earlier one has kept.
func (k *keeping) start() {
	k.keeper = timekeeper.New(timekeeper.Config{Dir: k.dir, Place: k.place, Clock: timekeeper.NewClock()}, slog.New(slog.DiscardHandler))
	own := map[string]tools.Tool{}
	for _, tool := range timers.Tools(k.keeper) {
		own[tool.Spec().Name] = tool
	}
	call := func(ctx context.Context, c tools.Call) (tools.Result, error) {
		if tool := own[c.Tool]; tool != nil {
			return tool.Call(ctx, c.Args)
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.world.Call(ctx, c)
	}
	phrases, err := reply.Ours(k.language)
	if err != nil {
		k.t.Fatal(err)
	}
	made, _ := villas.Load(keyOf(k.language, "villa"))
	k.answer, err = mind.New(made.(listening), &fake.Caller{CallFunc: call}, &fake.Assistant{}, phrases, guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		k.t.Fatal(err)
	}
	k.answer.Ends = k.keeper
	ctx, cancel := context.WithCancel(k.t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := k.keeper.Run(ctx, timekeeper.Ends{Bell: k, Asker: k, Teller: k, Voice: k, Show: func([]timers.Timer) {}}); err != nil {
			k.t.Error(err)
		}
	})
	synctest.Wait()
	k.stop = func() { cancel(); running.Wait() }
}

func (k *keeping) Ring(context.Context, timekeeper.Alert) error { return nil }
func (k *keeping) Quiet(context.Context, ...string) error       { return nil }
func (k *keeping) Rings(r timers.Ring, _ time.Time) string      { return r.Name }
func (k *keeping) SayMissed(all []timers.Timer, _ time.Time) string {
	return "missed: " + all[0].Command
}
func (k *keeping) Became(n timers.Notice) string { return n.Reply }
func (k *keeping) Announce(record.Announcement)  {}

func (k *keeping) Say(_ context.Context, text string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told = append(k.told, text)
	return nil
}

func (k *keeping) Weigh(ctx context.Context, q record.Request) record.Record {
	q.DryRun = true
	return k.answer.Turn(ctx, q)
}

func (k *keeping) Carry(ctx context.Context, q record.Request) record.Record {
	return k.answer.Turn(ctx, q)
}

func (k *keeping) PutBack(ctx context.Context, q record.Request, things []timers.Back) record.Record {
	return k.answer.PutBack(ctx, q, things)
}

// calls counts the calls that the house received so far.
func (k *keeping) calls() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.world.Calls)
}

// happened is the calls and the announcements of a line or a wait.
func (k *keeping) happened(calls int) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	made := slices.Clone(k.world.Calls[calls:])
	slices.Sort(made)
	for _, text := range k.told {
		made = append(made, "says: "+text)
	}
	k.told = nil
	return strings.Join(made, "; ")
}

// line says a line of a case, waits, or lets another person act, and returns what was
// done and answered.
func (k *keeping) line(text string) string {
	before := k.calls()
	switch thing, what, byHand := strings.Cut(text, " by hand: "); {
	case byHand:
		k.mu.Lock()
		k.world.Set(thing, what, nil)
		k.mu.Unlock()
		k.answer.Reported(home.Event{Kind: home.Reported, Time: time.Now(), Entity: thing, Property: "on_off", State: what})
		return ""
	case text == "restart":
		k.stop()
		k.start()
		return k.happened(before)
	case strings.HasPrefix(text, "off for "):
		k.stop()
		k.stir("+" + strings.TrimPrefix(text, "off for "))
		k.start()
		synctest.Wait()
		return k.happened(before)
	case k.stir(text):
		synctest.Wait()
		return k.happened(before)
	}
	first, more, grows := strings.Cut(text, " ++ ")
	var said string
	if grows {
		said = k.grow(first, first+" "+more)
	} else {
		_, said = k.say(text)
	}
	synctest.Wait()
	if did := k.happened(before); did != "" {
		return did + " | " + said
	}
	return said
}

// grow says a sentence that continues after it was answered.
func (k *keeping) grow(first, whole string) string {
	rec := record.Record{ID: record.NewID(), Source: k.source, Area: k.area, Transcript: &record.Transcript{Text: first}, Wake: &record.Wake{Word: "hey jarvis"}}
	turn := record.Turn{Request: record.Request{Text: first, Area: k.area, Source: k.source}, Record: &rec, Say: func(string) {}}
	k.answer.Answer(k.t.Context(), turn)
	k.answer.Extend(k.t.Context(), turn, speech.Transcript{Text: whole})
	return rec.Reply
}

// TestUntil: acts with an end, as people ask for them, up to what is put back. The lines
// of a case are said one after the other in one house, on a Saturday from the time of day
// that is given. "+10m" waits, "off for 10m" is a gateway that is off for so long, and
// "fan by hand: on" is done at the thing itself.
func TestUntil(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/until.txtar")
	said := map[string][]string{}
	golden.Answer(func(c fake.ProseCase, language, _ string) string {
		key := c.Name + ": " + language
		if len(said[key]) == 0 {
			synctest.Test(t, func(t *testing.T) {
				k := moveWithTimers(t, language, c.Given["at"], c.Given["place"])
				for _, l := range c.Lines {
					if l.Language == language {
						said[key] = append(said[key], k.line(l.Asked))
					}
				}
				k.stop()
			})
		}
		next := said[key][0]
		said[key] = said[key][1:]
		return next
	})
	golden.Compare(t, *update)
}
