package mind_test

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// understanding is a matcher with its house.
type understanding struct {
	intent.Short
	home *home.House
}

// House is the house.
func (u understanding) House() *home.House { return u.home }

// Judge never ends an utterance.
func (u understanding) Judge(string) speech.Completeness { return speech.Incomplete }

// family is a house in which people talk without a language model.
type family struct {
	t      *testing.T
	home   *home.House
	world  *fake.World
	clerk  *clerk
	book   *fake.Timers // of a house by the clock
	answer *mind.Mind
	area   string
	source record.Source

	language string
}

// villas are the houses that were moved into, by language: making their matchers is
// most of the work.
var villas sync.Map

// settled understands a house in a language.
func settled(t *testing.T, language string, h *home.House) listening {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := grammar.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	return listening{understanding{intent.Short{Matcher: matcher}, h}, sentences}
}

// move makes a family's house in a language.
func move(t *testing.T, language string) *family {
	t.Helper()
	return settleIn(t, language, "villa")
}

// dwellings are the houses that families move into, by name.
var dwellings = map[string]func(language string) *home.House{"villa": fake.Villa, "terrace": fake.Terrace, "bungalow": fake.Bungalow}

// keyOf is the key of a house of a name in villas.
func keyOf(language, name string) string { return language + " " + name }

// settleIn makes a family's house of a name in a language.
func settleIn(t *testing.T, language, name string) *family {
	t.Helper()
	h := dwellings[name](language)
	key := keyOf(language, name)
	made, ok := villas.Load(key)
	if !ok {
		made, _ = villas.LoadOrStore(key, settled(t, language, h))
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	f := &family{t: t, home: h, world: fake.NewWorldOf(h), source: record.FromHTTP, language: language}
	f.clerk = &clerk{world: f.world}
	f.answer, err = mind.New(made.(listening), &fake.Caller{CallFunc: f.clerk.call}, &fake.Assistant{}, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// stir does what a line of a dialogue says besides speech: "[Kitchen mic]" goes to another
// room and source, "+3m" waits, "fan: on" is an act by a person, "lamp: belied on off"
// turns out to be off although it was reported as on, "door: reports unlocked" is its own report. It reports whether the line was such
// a one.
func (f *family) stir(line string) bool {
	if place, ok := strings.CutPrefix(line, "["); ok {
		f.area, f.source = strings.TrimSuffix(place, "]"), record.FromHTTP
		for _, s := range []record.Source{record.FromMic, record.FromHTTP, record.FromMQTT} {
			if area, ok := strings.CutSuffix(f.area, " "+string(s)); ok {
				f.area, f.source = area, s
			}
		}
		return true
	}
	if wait, err := time.ParseDuration(strings.TrimPrefix(line, "+")); err == nil {
		<-time.After(wait)
		return true
	}
	device, what, ok := strings.Cut(line, ": ")
	if !ok || f.world.State[device] == nil {
		return false
	}
	lie := strings.Fields(what)
	switch {
	case slices.Contains([]string{"no_answer", "refused", "confirmed"}, what):
		f.world.Outcome[device] = what
	case lie[0] == "reports":
		e := f.home.Entity(device)
		property := map[string]string{"lock": "lock", "binary_sensor": "contact"}[e.Domain]
		f.world.Set(device, lie[1], nil)
		f.answer.Reports.Note(home.Event{Kind: home.Reported, Entity: device, Thing: e.Name, Area: e.Area, Property: cmp.Or(property, "on_off"), State: lie[1], Time: time.Now()})
	case lie[0] == "belied":
		f.world.Set(device, lie[2], nil)
		e := home.Event{Kind: home.Belied, Entity: device, Thing: device, Server: "zwave", Property: "on_off", Before: lie[1], State: lie[2]}
		if level, err := strconv.ParseFloat(lie[2], 64); err == nil {
			asked, _ := strconv.ParseFloat(lie[1], 64)
			f.world.Set(device, "level", level)
			e.Property, e.Before, e.State = "brightness", asked, level
		}
		f.answer.Belied(e)
	default:
		f.world.Set(device, what, nil)
	}
	return true
}

// say says a text to the house and returns the calls it led to and the reply.
func (f *family) say(text string) (calls, said string) {
	before := len(f.world.Calls)
	wake := &record.Wake{Word: "hey jarvis"}
	rec := record.Record{ID: record.NewID(), Source: f.source, Area: f.area, Transcript: &record.Transcript{Text: text}, Wake: wake}
	q := record.Request{Text: text, Area: f.area, Source: f.source}
	f.answer.Answer(context.WithoutCancel(f.t.Context()), record.Turn{Request: q, Record: &rec, Say: func(string) {}})
	slices.Sort(f.world.Calls[before:])
	if calls = strings.Join(f.world.Calls[before:], "; "); calls == "" {
		calls = "-"
	}
	return calls, rec.Reply
}

// TestShortSentences tells dialogues of a family: each line is said and, behind
// the arrow, what it does ("-" for nothing) and perhaps what is answered ("!" for
// any answer).
func TestShortSentences(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "es", "fr"} {
		for file, house := range map[string]string{language: "villa", "terrace_" + language: "terrace"} {
			text, err := os.ReadFile("testdata/dialogues/" + file + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range strings.Split(string(text), "# ")[1:] {
				title, lines, _ := strings.Cut(part, "\n")
				t.Run(house+" "+language+" "+title, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { told(t, settleIn(t, language, house), lines) })
				})
			}
		}
	}
}

func told(t *testing.T, f *family, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" || f.stir(line) {
			continue
		}
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("%q is neither said nor done", line)
		}
		wantCalls, wantSaid, told := strings.Cut(want, " | ")
		calls, said := f.say(text)
		if calls != wantCalls || told && said != wantSaid && (wantSaid != "!" || said == "") {
			t.Errorf("%q does %q and says %q, expected %s", text, calls, said, want)
		}
	}
}
