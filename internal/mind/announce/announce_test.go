package announce_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/announce"
	"voicegateway/internal/tools"
)

// family is a house with people in it: what they hear is written down with its time.
type family struct {
	t        *testing.T
	cfg      announce.Config
	language string
	dir      string
	start    time.Time

	memory announce.Memory // nil: dir
	a      *announce.Announcer
	stop   func()

	mu      sync.Mutex
	log     []string
	ringing map[string]bool
	broken  error // the loop takes no alert
	mqtt    []record.Announcement
}

func newFamily(t *testing.T, cfg announce.Config) *family {
	t.Helper()
	return newFamilyOf(t, cfg, "en")
}

// newFamilyOf returns a family that speaks a language.
func newFamilyOf(t *testing.T, cfg announce.Config, language string) *family {
	t.Helper()
	f := &family{t: t, cfg: cfg, language: language, dir: t.TempDir(), start: time.Now(), ringing: map[string]bool{}}
	f.on()
	t.Cleanup(func() { f.off() })
	return f
}

func (f *family) open() (announce.Memory, error) {
	if f.memory != nil {
		return f.memory, nil
	}
	return keep.Open(f.dir)
}

// on starts the gateway, off ends it.
func (f *family) on() {
	f.t.Helper()
	phrases, err := reply.Ours(f.language)
	if err != nil {
		f.t.Fatal(err)
	}
	f.a = announce.New(f.cfg, f.open, phrases, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := f.a.Run(ctx, f); err != nil {
			f.t.Error(err)
		}
	})
	f.stop = func() { cancel(); running.Wait() }
	synctest.Wait()
}

func (f *family) off() {
	f.stop()
	f.stop = func() {}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ringing = map[string]bool{}
}

func (f *family) restart() { f.off(); f.on() }

func (f *family) note(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf("%s ", time.Since(f.start).Round(time.Second))+fmt.Sprintf(format, args...))
}

// Announce notes what is published.
func (f *family) Announce(a record.Announcement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mqtt = append(f.mqtt, a)
}

// Say notes what is spoken.
func (f *family) Say(_ context.Context, text string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.note("says %s", text)
	return nil
}

// Ring notes what begins to ring.
func (f *family) Ring(_ context.Context, a announce.Alert) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return f.broken
	}
	urgent := ""
	if a.Urgent {
		urgent = " urgently"
	}
	f.note("rings%s %s", urgent, a.Text)
	f.ringing[a.ID] = true
	return nil
}

// Quiet notes what ends.
func (f *family) Quiet(_ context.Context, ids ...string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if f.ringing[id] {
			f.note("quiet")
		}
		delete(f.ringing, id)
	}
	return nil
}

// sayStop is a person who has heard what rings.
func (f *family) sayStop() {
	f.mu.Lock()
	var ids []string
	for id := range f.ringing {
		ids = append(ids, id)
	}
	f.ringing = map[string]bool{}
	f.note("stop")
	f.mu.Unlock()
	f.a.Acknowledged(append(ids, "pasta"), false)
	synctest.Wait()
}

// tell has the house report something.
func (f *family) tell(e home.Event) {
	e.Kind, e.Server, e.Time = home.Reported, "zwave", time.Now()
	f.a.Reported(e)
	synctest.Wait()
}

func (f *family) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (f *family) want(lines ...string) {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.log, lines) {
		f.t.Errorf("heard:\n%s\nexpected:\n%s", strings.Join(f.log, "\n"), strings.Join(lines, "\n"))
	}
}

func smoke(state, before any) home.Event {
	return home.Event{Entity: "n7", Thing: "Attic Smoke Alarm", Area: "Attic", Class: "smoke", Property: "smoke", State: state, Before: before, First: before == nil}
}

func door(state, before any) home.Event {
	return home.Event{Entity: "n3", Thing: "Cellar Door", Area: "Cellar", Class: "door", Property: "contact", State: state, Before: before, First: before == nil}
}

func thing(name, class string, state, before any) home.Event {
	return home.Event{Entity: name, Thing: name, Area: "Hall", Class: class, Property: class, State: state, Before: before, First: before == nil}
}

// live runs a story in virtual time, from a summer's noon on.
func live(t *testing.T, cfg announce.Config, story func(f *family)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		noon := time.Date(now.Year(), now.Month(), now.Day()+1, 12, 0, 0, 0, now.Location())
		<-time.After(time.Until(noon))
		story(newFamily(t, cfg))
	})
}

func rules(all ...announce.Rule) announce.Config {
	return announce.Config{Quiet: "22:00-07:00", Rules: all}
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		story func(f *family)
		want  []string
	}{
		"smoke rings urgently until somebody says stop": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.wait(time.Minute)
			f.sayStop()
			f.wait(time.Hour)
		}, []string{"0s rings urgently Smoke in the attic!", "1m0s stop"}},
		"it ends before, and a word says so": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.wait(time.Minute)
			f.tell(smoke("clear", "detected"))
		}, []string{"0s rings urgently Smoke in the attic!", "1m0s quiet", "1m0s says The attic smoke alarm is quiet again."}},
		"nobody is told of the end of what was acknowledged": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.sayStop()
			f.tell(smoke("clear", "detected"))
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop"}},
		"it rings again for another fire": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.sayStop()
			f.tell(smoke("clear", "detected"))
			f.wait(time.Hour)
			f.tell(smoke("detected", "clear"))
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop", "1h0m0s rings urgently Smoke in the attic!"}},
		"also where the end of the first one was lost": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.sayStop()
			f.wait(time.Hour)
			f.tell(smoke("detected", "clear"))
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop", "1h0m0s rings urgently Smoke in the attic!"}},
		"the same state, told again, is one alarm": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.tell(smoke("detected", nil))
			f.tell(smoke("detected", "detected"))
			f.sayStop()
			f.tell(smoke("detected", nil))
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop"}},
		"a house that burns when we start": {func(f *family) {
			f.tell(smoke("detected", nil))
		}, []string{"0s rings urgently Smoke in the attic!"}},
		"a restart forgets no acknowledgement": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.sayStop()
			f.restart()
			f.tell(smoke("detected", nil))
			f.restart()
			f.tell(smoke("clear", nil))
			f.tell(smoke("detected", "clear"))
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop", "0s rings urgently Smoke in the attic!"}},
		"another fire while we were off": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.sayStop()
			f.off()
			f.wait(time.Hour)
			e := smoke("detected", "clear")
			e.First = true // it is reported as an existing state, with the time of its change
			f.on()
			f.tell(e)
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop", "1h0m0s rings urgently Smoke in the attic!"}},
		"the same fire, told again after a restart": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			e := smoke("detected", "clear")
			e.First, e.Time = true, time.Now()
			f.sayStop()
			f.restart()
			f.wait(time.Hour)
			e.Kind, e.Server = home.Reported, "zwave"
			f.a.Reported(e)
			synctest.Wait()
		}, []string{"0s rings urgently Smoke in the attic!", "0s stop"}},
		"a restart in the middle of an alarm": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.restart()
			f.wait(time.Minute)
			f.tell(smoke("detected", nil))
		}, []string{"0s rings urgently Smoke in the attic!", "1m0s rings urgently Smoke in the attic!"}},
		"it ended while we were off": {func(f *family) {
			f.tell(smoke("detected", "clear"))
			f.restart()
			f.tell(smoke("clear", nil))
		}, []string{"0s rings urgently Smoke in the attic!", "0s says The attic smoke alarm is quiet again."}},
		"water is not urgent, and rings at night": {func(f *family) {
			f.wait(15 * time.Hour)
			f.tell(home.Event{Entity: "w", Thing: "Washer Leak", Area: "Utility Room", Class: "moisture", State: "detected", Before: "clear"})
		}, []string{"15h0m0s rings Water in the utility room!"}},
		"a thing without a room": {func(f *family) {
			f.tell(home.Event{Entity: "w", Thing: "Boiler Alarm", Class: "carbon_monoxide", State: true, Before: false})
		}, []string{"0s rings urgently Carbon monoxide! The boiler alarm."}},
		"somebody opens the siren": {func(f *family) {
			f.tell(thing("Siren", "tamper", "detected", "clear"))
		}, []string{"0s rings Tampering in the hall!"}},
		"what no reading says is no alarm": {func(f *family) {
			f.tell(smoke(nil, "clear"))
			f.tell(smoke("", "clear"))
			f.tell(smoke("clear", nil))
			f.a.Reported(home.Event{Kind: home.Pressed, Class: "smoke", State: "detected"})
			f.tell(thing("Hall Sensor", "intrusion", "detected", "clear"))
		}, nil},
		"a loop that takes no alert is asked again": {func(f *family) {
			f.broken = errors.New("it hangs")
			f.tell(smoke("detected", "clear"))
			f.wait(12 * time.Second)
			f.mu.Lock()
			f.broken = nil
			f.mu.Unlock()
			f.wait(time.Minute)
		}, []string{"15s rings urgently Smoke in the attic!"}},
		"it is not asked for what is over": {func(f *family) {
			f.broken = errors.New("it hangs")
			f.tell(smoke("detected", "clear"))
			f.tell(smoke("clear", "detected"))
			f.broken = nil
			f.wait(time.Minute)
		}, []string{"0s says The attic smoke alarm is quiet again."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, announce.Default(), func(f *family) {
				tt.story(f)
				f.want(tt.want...)
			})
		})
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	open := announce.Rule{When: record.LeftOpen}
	for name, tt := range map[string]struct {
		cfg   announce.Config
		story func(f *family)
		want  []string
	}{
		"no rule, no word": {announce.Default(), func(f *family) {
			f.tell(door("open", "closed"))
			f.tell(thing("Front Door", "lock", "jammed", "unlocked"))
			f.wait(5 * time.Hour)
		}, nil},
		"a door left open": {rules(open), func(f *family) {
			f.tell(door("open", "closed"))
			f.wait(5 * time.Hour)
		}, []string{"10m0s says The cellar door has been open for 10 minutes."}},
		"a door closed in time": {rules(open), func(f *family) {
			f.tell(door("open", "closed"))
			f.wait(9 * time.Minute)
			f.tell(door("closed", "open"))
			f.wait(5 * time.Hour)
		}, nil},
		"our own text, our own time": {rules(announce.Rule{When: record.LeftOpen, Things: []string{"cellar door "}, For: time.Minute, Say: "Shut the cellar!"}), func(f *family) {
			f.tell(door("open", "closed"))
			f.wait(time.Hour)
		}, []string{"1m0s says Shut the cellar!"}},
		"other things, classes and rooms": {rules(
			announce.Rule{When: record.LeftOpen, Things: []string{"Front Door"}}, announce.Rule{When: record.LeftOpen, Class: "window"}, announce.Rule{When: record.LeftOpen, Area: "Attic"},
		), func(f *family) {
			f.tell(door("open", "closed"))
			f.wait(5 * time.Hour)
		}, nil},
		"at night it waits for the morning": {rules(open), func(f *family) {
			f.wait(11 * time.Hour) // 23:00
			f.tell(door("open", "closed"))
			f.wait(12 * time.Hour)
		}, []string{"19h0m0s says The cellar door has been open for 8 hours."}},
		"what is over by then is dropped": {rules(open), func(f *family) {
			f.wait(11 * time.Hour)
			f.tell(door("open", "closed"))
			f.wait(2 * time.Hour)
			f.tell(door("closed", "open"))
			f.wait(12 * time.Hour)
		}, nil},
		"one a minute": {rules(open), func(f *family) {
			for _, name := range []string{"A Door", "B Door", "C Door"} {
				f.tell(thing(name, "door", "open", "closed"))
			}
			f.wait(time.Hour)
		}, []string{
			"10m0s says The a door has been open for 10 minutes.", "11m0s says The b door has been open for 11 minutes.",
			"12m0s says The c door has been open for 12 minutes.",
		}},
		"one a minute, whatever is reported meanwhile": {rules(announce.Rule{When: record.Jammed}), func(f *family) {
			f.tell(thing("Front Door", "lock", "jammed", "unlocked"))
			f.wait(10 * time.Second)
			f.tell(thing("Back Door", "lock", "jammed", "unlocked"))
			f.wait(10 * time.Second)
			f.tell(door("closed", "open"))
			f.wait(time.Hour)
		}, []string{"0s says The front door is jammed.", "1m0s says The back door is jammed."}},
		"the same not again within an hour": {rules(announce.Rule{When: record.Jammed}), func(f *family) {
			for range 20 {
				f.tell(thing("Front Door", "lock", "jammed", "unlocked"))
				f.wait(time.Minute)
				f.tell(thing("Front Door", "lock", "unlocked", "jammed"))
				f.wait(time.Minute)
			}
			f.tell(thing("Front Door", "lock", "jammed", "unlocked"))
			f.wait(3 * time.Hour)
		}, []string{"0s says The front door is jammed.", "1h0m0s says The front door is jammed."}},
		"a battery, once": {rules(announce.Rule{When: record.BatteryLow}), func(f *family) {
			f.tell(thing("Hall Sensor Battery", "battery", 20.0, 95.0))
			f.wait(5 * time.Hour)
		}, []string{"0s says Low battery: the hall sensor battery."}},
		"a battery that sends the code for low": {rules(announce.Rule{When: record.BatteryLow}), func(f *family) {
			f.tell(thing("Hall Sensor Battery", "battery", 255.0, 95.0))
			f.wait(5 * time.Hour)
		}, []string{"0s says Low battery: the hall sensor battery."}},
		"a device that comes back": {rules(announce.Rule{When: record.Dead}), func(f *family) {
			f.tell(thing("Hall Light", "reach", "dead", "alive"))
			f.wait(5 * time.Minute)
			f.tell(thing("Hall Light", "reach", "alive", "dead"))
			f.wait(time.Hour)
			f.tell(thing("Hall Light", "reach", "dead", "alive"))
			f.wait(time.Hour)
		}, []string{"1h15m0s says I can't reach the hall light any more."}},
		"an open door that dies is still open": {rules(open), func(f *family) {
			f.tell(door("open", "closed"))
			e := door("dead", "alive")
			e.Class, e.Property = "reach", "reach"
			f.tell(e)
			f.wait(time.Hour)
		}, []string{"10m0s says The cellar door has been open for 10 minutes."}},
		"any state of any thing": {rules(announce.Rule{When: record.InState, Things: []string{"Iron"}, State: "on", For: time.Hour}), func(f *family) {
			f.tell(thing("Iron", "switch", "on", "off"))
			f.wait(5 * time.Hour)
		}, []string{"1h0m0s says The iron is on."}},
		"what we did ourselves is no news": {rules(announce.Rule{When: record.InState, Things: []string{"Iron"}, State: "on"}), func(f *family) {
			e := thing("Iron", "switch", "on", "off")
			e.Ours = true
			f.tell(e)
			f.tell(thing("Iron", "switch", "off", "on"))
			f.a.TurnEnded(record.Record{Verdict: record.Verdict{Calls: []record.CallMade{{
				Args: []byte(`{"device_name":"iron","action":"on"}`), Receipt: (*record.Receipt)(&tools.Receipt{Device: "Iron"}),
			}}}})
			f.wait(time.Second)
			f.tell(thing("Iron", "switch", "on", "off"))
			f.tell(thing("Iron", "switch", "off", "on"))
			f.wait(time.Minute)
			f.tell(thing("Iron", "switch", "on", "off"))
			f.wait(time.Hour)
		}, []string{"1m1s says The iron is on."}},
		"that it is still so after a while may be": {rules(open), func(f *family) {
			e := door("open", "closed")
			e.Ours = true
			f.tell(e)
			f.wait(time.Hour)
		}, []string{"10m0s says The cellar door has been open for 10 minutes."}},
		"how things are is no news": {rules(open, announce.Rule{When: record.Jammed}, announce.Rule{When: record.BatteryLow}, announce.Rule{When: record.Dead}), func(f *family) {
			f.tell(door("open", nil))
			f.tell(thing("Front Door", "lock", "jammed", nil))
			f.tell(thing("Hall Sensor Battery", "battery", 5.0, nil))
			f.tell(thing("Hall Light", "reach", "dead", nil))
			f.wait(5 * time.Hour)
		}, nil},
		"no night": {announce.Config{Rules: []announce.Rule{open}}, func(f *family) {
			f.wait(11 * time.Hour)
			f.tell(door("open", "closed"))
			f.wait(time.Hour)
		}, []string{"11h10m0s says The cellar door has been open for 10 minutes."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, tt.cfg, func(f *family) {
				tt.story(f)
				f.want(tt.want...)
			})
		})
	}
}

// TestWhatIsPublished: kinds, ids and times are those of the contract.
func TestWhatIsPublished(t *testing.T) {
	t.Parallel()
	live(t, rules(announce.Rule{When: record.Jammed}), func(f *family) {
		f.tell(smoke("detected", "clear"))
		f.tell(smoke("clear", "detected"))
		f.tell(thing("Front Door", "lock", "jammed", "unlocked"))
		kinds := []record.Kind{record.Alarm, record.Cleared, "jammed"}
		if len(f.mqtt) != len(kinds) {
			t.Fatalf("published %+v", f.mqtt)
		}
		for i, a := range f.mqtt {
			if a.Kind != kinds[i] || a.ID == "" || a.Device == "" || a.Text == "" || !a.Time.Equal(time.Now()) {
				t.Errorf("published %+v", a)
			}
		}
		if f.mqtt[0].ID != f.mqtt[1].ID || f.mqtt[0].ID == f.mqtt[2].ID {
			t.Errorf("ids %s, %s, %s", f.mqtt[0].ID, f.mqtt[1].ID, f.mqtt[2].ID)
		}
	})
}
