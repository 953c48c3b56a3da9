package arrival_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/arrival"
	"voicegateway/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house has things that take time.
type house struct{ things home.House }

func (h *house) House() *home.House { return &h.things }

func newHouse() *house {
	h := &house{}
	for _, name := range []string{"Blind", "Left Blind", "Garage Door", "Thermostat", "Lamp"} {
		domain := map[string]string{"Thermostat": "climate", "Lamp": "light"}[name]
		if domain == "" {
			domain = "cover"
		}
		h.things.Entities = append(h.things.Entities, home.Entity{
			ID: domain + "." + name, Name: name, Domain: domain, Server: "zwave",
			Control: &home.Control{Tool: "control", ID: name}, Read: &home.Control{Tool: "state", ID: name},
		})
	}
	return h
}

// moment is what a device reports some time after the beginning.
type moment struct {
	at     time.Duration
	state  string
	values string // JSON members
}

// world reports what devices do in time; it can be out of reach.
type world struct {
	mu    sync.Mutex
	began time.Time
	does  map[string][]moment
	away  bool
	looks int
}

func (w *world) Call(_ context.Context, c tools.Call) (tools.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	if w.away {
		return tools.Result{}, tools.ErrNotConnected
	}
	var args struct {
		Device string `json:"device_name"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil || c.Tool != "state" {
		return tools.Result{}, fmt.Errorf("no such tool: %s %w", c.Tool, err)
	}
	now := moment{at: -time.Hour, state: "unknown"}
	for _, m := range w.does[args.Device] {
		if time.Since(w.began) >= m.at {
			now = m
		}
	}
	data := fmt.Sprintf(`{"state":%q,"values":{%s},"age_seconds":%d}`, now.state, now.values, int(time.Since(w.began.Add(now.at)).Seconds()))
	return tools.Result{Data: json.RawMessage(data)}, nil
}

// listener keeps the announcements, with the time.
type listener struct {
	mu        sync.Mutex
	began     time.Time
	announced []record.Announcement
	said      []string
}

func (l *listener) Announce(a record.Announcement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.announced = append(l.announced, a)
}

func (l *listener) Say(_ context.Context, text string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, text)
	return nil
}

// lines are what was announced.
func (l *listener) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, a := range l.announced {
		out = append(out, fmt.Sprintf("%s %s %s: %s", a.ID, a.Kind, a.Device, a.Text))
	}
	return out
}

// stage is a house in motion and who follows it.
type stage struct {
	world *world
	heard *listener
	waits *arrival.Waits
}

// play runs a scene in virtual time: the turns come at their times.
func play(t *testing.T, language string, does map[string][]moment, lasts time.Duration, scene func(s *stage)) *stage {
	t.Helper()
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{world: &world{began: time.Now(), does: does}, heard: &listener{began: time.Now()}}
	s.waits = arrival.New(newHouse(), s.world, phrases, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.waits.Run(ctx, s.heard); err != nil {
			t.Error(err)
		}
	})
	scene(s)
	<-time.After(lasts)
	synctest.Wait()
	cancel()
	running.Wait()
	return s
}

// turn is the record of a turn from the microphone with one call.
func turn(id, device, args string, o tools.Outcome, why tools.Reason) record.Record {
	r := record.Record{ID: id, Source: record.FromMic, Verdict: record.Verdict{Outcome: record.Accepted}}
	r.Calls = []record.CallMade{called(device, args, o, why)}
	return r
}

func called(device, args string, o tools.Outcome, why tools.Reason) record.CallMade {
	c := record.CallMade{Tool: "control", Server: "zwave", Args: json.RawMessage(fmt.Sprintf(`{"device_name":%q,%s}`, device, args)), OK: true}
	if o != "" {
		c.Receipt = (*record.Receipt)(&tools.Receipt{Device: device, Outcome: o, Reason: why})
	}
	return c
}

func underWay(id, device, args string) record.Record {
	return turn(id, device, args, tools.Accepted, tools.OnItsWay)
}

const open, closing = `"action":"open"`, `"action":"close"`

// TestTheSecondWord tells how it ends with one thing, in four languages.
func TestTheSecondWord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language, device, args string
		does                   []moment
		want                   string // "" is silence
	}{
		"a garage door opens":        {"en", "Garage Door", open, []moment{{1, "opening", ""}, {12 * time.Second, "open", ""}}, "arrived: The garage door is open."},
		"a garage door in German":    {"de", "Garage Door", open, []moment{{1, "opening", ""}, {12 * time.Second, "open", ""}}, "arrived: Garage Door ist offen."},
		"a garage door in Spanish":   {"es", "Garage Door", open, []moment{{1, "opening", ""}, {12 * time.Second, "open", ""}}, "arrived: He abierto Garage Door."},
		"a garage door in French":    {"fr", "Garage Door", open, []moment{{1, "opening", ""}, {12 * time.Second, "open", ""}}, "arrived: Garage Door est ouverte."},
		"it stops half way":          {"en", "Garage Door", closing, []moment{{1, "closing", ""}, {6 * time.Second, "stopped", ""}}, "stuck: The garage door did not finish: it is stopped."},
		"something is in its way":    {"en", "Garage Door", closing, []moment{{1, "closing", ""}, {6 * time.Second, "opening", ""}, {15 * time.Second, "open", ""}}, "stuck: The garage door did not finish: it is open."},
		"in its way, in German":      {"de", "Garage Door", closing, []moment{{1, "closing", ""}, {15 * time.Second, "open", ""}}, "stuck: Garage Door ist nicht fertig geworden: offen."},
		"in its way, in Spanish":     {"es", "Garage Door", closing, []moment{{1, "closing", ""}, {15 * time.Second, "open", ""}}, "stuck: Garage Door no ha terminado; último estado: abierta."},
		"in its way, in French":      {"fr", "Garage Door", closing, []moment{{1, "closing", ""}, {15 * time.Second, "open", ""}}, "stuck: Garage Door n'a pas fini ; dernier état : ouverte."},
		"it never reports":           {"en", "Garage Door", closing, []moment{{-time.Hour, "open", ""}}, "stuck: I don't know whether the garage door did it. Please check."},
		"a blind rises":              {"en", "Blind", open, []moment{{1, "open", `"position":10`}, {20 * time.Second, "open", `"position":60`}, {40 * time.Second, "open", `"position":99`}}, "arrived: The blind is open."},
		"a slow blind":               {"en", "Blind", open, []moment{{1, "open", `"position":10`}, {80 * time.Second, "open", `"position":60`}, {105 * time.Second, "open", `"position":100`}}, "arrived: The blind is open."},
		"a blind gets stuck":         {"en", "Blind", open, []moment{{1, "open", `"position":10`}, {20 * time.Second, "open", `"position":60`}}, "stuck: The blind did not finish: it is at 60 percent."},
		"a blind is taken back":      {"en", "Blind", open, []moment{{1, "open", `"position":10`}, {9 * time.Second, "open", `"position":60`}, {15 * time.Second, "open", `"position":20`}}, ""},
		"a position":                 {"en", "Blind", `"action":"position","value":50`, []moment{{8 * time.Second, "open", `"position":50`}}, "arrived: The blind is at 50 percent."},
		"a lamp that dims slowly":    {"en", "Lamp", `"action":"level","value":20`, []moment{{2, "on", `"brightness":90`}, {30 * time.Second, "on", `"brightness":20`}}, "arrived: The lamp is at 20 percent."},
		"what moves for ever":        {"en", "Blind", closing, []moment{{1, "closing", ""}}, "stuck: The blind did not finish: it is closing."},
		"nothing can be seen of it":  {"en", "Blind", `"action":"toggle"`, []moment{{1, "open", ""}}, ""},
		"nobody knows such a device": {"en", "Cellar Hatch", closing, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := play(t, tt.language, map[string][]moment{tt.device: tt.does}, time.Hour, func(s *stage) { s.waits.TurnEnded(underWay("t-1", tt.device, tt.args)) })
				var want, aloud []string
				if kind, text, ok := strings.Cut(tt.want, ": "); ok {
					want, aloud = []string{"t-1 " + kind + " " + tt.device + ": " + text}, []string{text}
				}
				if got := s.heard.lines(); !slices.Equal(got, want) {
					t.Errorf("announced %q, expected %q", got, want)
				}
				if !slices.Equal(s.heard.said, aloud) {
					t.Errorf("said %q, expected %q", s.heard.said, aloud)
				}
			})
		})
	}
}

// TestABadWordIsNotLate: when the patience is over, the word comes at once.
func TestABadWordIsNotLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, "en", map[string][]moment{"Blind": {{-time.Hour, "open", ""}}}, 90*time.Second, func(s *stage) { s.waits.TurnEnded(underWay("t-1", "Blind", closing)) })
		if got := s.heard.lines(); len(got) != 1 {
			t.Errorf("announced %q", got)
		}
	})
}

// TestWhatWasNotKnownIsToldWhenItIs: a slow lamp and a lock with a late answer did not
// confirm in time. Their success is announced; their failure is not, because the reply
// said that it was possible.
func TestWhatWasNotKnownIsToldWhenItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		does := map[string][]moment{"Lamp": {{4 * time.Second, "on", ""}}, "Blind": {{-time.Hour, "open", ""}}, "Left Blind": {{7 * time.Second, "closed", ""}}}
		s := play(t, "en", does, time.Hour, func(s *stage) {
			s.waits.TurnEnded(turn("t-1", "Lamp", `"action":"on"`, tools.Accepted, tools.Unconfirmed))
			s.waits.TurnEnded(turn("t-2", "Blind", closing, tools.Accepted, tools.Unconfirmed))
			s.waits.TurnEnded(turn("t-3", "Left Blind", closing, tools.NoAnswer, tools.Silent))
		})
		want := []string{"t-1 arrived Lamp: The lamp is on.", "t-3 arrived Left Blind: The left blind is closed."}
		if got := s.heard.lines(); !slices.Equal(got, want) {
			t.Errorf("announced %q, expected %q", got, want)
		}
	})
}

// TestWhatIsNotFollowed: a thing that is done, refused or dead needs no announcement, and
// is not looked at.
func TestWhatIsNotFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, "en", map[string][]moment{"Blind": {{1, "open", ""}}}, time.Hour, func(s *stage) {
			s.waits.TurnEnded(turn("t-1", "Blind", open, tools.Confirmed, ""))
			s.waits.TurnEnded(turn("t-2", "Blind", open, tools.NoAnswer, tools.Dead))
			s.waits.TurnEnded(turn("t-3", "Blind", open, tools.Refused, tools.RefusedAction))
			s.waits.TurnEnded(turn("t-4", "Blind", open, "", ""))
			dry := underWay("t-5", "Blind", open)
			dry.Outcome = record.Ignored
			s.waits.TurnEnded(dry)
		})
		if len(s.heard.lines()) != 0 || s.world.looks != 0 {
			t.Errorf("announced %q after %d looks", s.heard.lines(), s.world.looks)
		}
	})
}

// TestANewerCommandTakesThePlace: the older command is no longer announced. An undo is a
// newer command; a refused command changes nothing.
func TestANewerCommandTakesThePlace(t *testing.T) {
	t.Parallel()
	moves := map[string][]moment{"Blind": {{1, "open", `"position":30`}, {20 * time.Second, "open", `"position":100`}, {40 * time.Second, "closed", `"position":0`}}}
	for name, tt := range map[string]struct {
		second record.Record
		want   []string
	}{
		"under way":  {underWay("t-2", "Blind", closing), []string{"t-2 arrived Blind: The blind is closed."}},
		"done":       {turn("t-2", "Blind", closing, tools.Confirmed, ""), nil},
		"a stop":     {turn("t-2", "Blind", `"action":"stop"`, tools.Accepted, tools.OnItsWay), nil},
		"fate":       {turn("t-2", "Blind", closing, "", ""), nil},
		"refused":    {turn("t-2", "Blind", closing, tools.Refused, tools.RefusedValue), []string{"t-1 arrived Blind: The blind is open."}},
		"a question": {record.Record{ID: "t-2", Verdict: record.Verdict{Outcome: record.Done, Calls: []record.CallMade{called("Blind", `"sensor":"x"`, "", "")}}}, []string{"t-1 arrived Blind: The blind is open."}},
		"another":    {underWay("t-2", "Garage Door", open), []string{"t-1 arrived Blind: The blind is open.", "t-2 stuck Garage Door: I don't know whether the garage door did it. Please check."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := play(t, "en", moves, time.Hour, func(s *stage) {
					s.waits.TurnEnded(underWay("t-1", "Blind", open))
					<-time.After(10 * time.Second)
					s.waits.TurnEnded(tt.second)
				})
				if got := s.heard.lines(); !slices.Equal(got, tt.want) {
					t.Errorf("announced %q, expected %q", got, tt.want)
				}
			})
		})
	}
}

// TestAGroupIsSpokenOnce: each thing is announced as soon as it has arrived, and the
// spoken announcement is one sentence for all.
func TestAGroupIsSpokenOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		does := map[string][]moment{
			"Blind":       {{10 * time.Second, "open", `"position":100`}},
			"Left Blind":  {{20 * time.Second, "open", `"position":100`}},
			"Garage Door": {{5 * time.Second, "stopped", ""}},
		}
		s := play(t, "en", does, time.Hour, func(s *stage) {
			r := underWay("t-1", "Blind", open)
			r.Calls = append(r.Calls, called("Left Blind", open, tools.Accepted, tools.OnItsWay), called("Garage Door", open, tools.Accepted, tools.OnItsWay))
			s.waits.TurnEnded(r)
		})
		want := []string{
			"t-1 stuck Garage Door: The garage door did not finish: it is stopped.",
			"t-1 arrived Blind: The blind is open.", "t-1 arrived Left Blind: The left blind is open.",
		}
		if got := s.heard.lines(); !slices.Equal(got, want) {
			t.Errorf("announced %q", got)
		}
		if want := []string{"2 covers are open. The garage door did not finish: it is stopped."}; !slices.Equal(s.heard.said, want) {
			t.Errorf("said %q", s.heard.said)
		}
	})
}

// TestTheMembersOfAGroupReceiptAreFollowed: a model may move several things with
// one call.
func TestTheMembersOfAGroupReceiptAreFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := play(t, "en", map[string][]moment{"Blind": {{9 * time.Second, "closed", `"position":0`}}}, time.Hour, func(s *stage) {
			r := underWay("t-1", "blinds", closing)
			r.Calls[0].Receipt.Devices = []tools.Receipt{
				{Device: "Blind", Outcome: tools.Accepted, Reason: tools.OnItsWay}, {Device: "Left Blind", Outcome: tools.Confirmed}, {Device: "Nobody"},
			}
			s.waits.TurnEnded(r)
		})
		if want := []string{"t-1 arrived Blind: The blind is closed."}; !slices.Equal(s.heard.lines(), want) {
			t.Errorf("announced %q", s.heard.lines())
		}
	})
}

// TestWhoIsNotInTheRoomIsNotSpokenTo: a command over MQTT or HTTP is announced there, and
// aloud only if it came from the gateway's own room.
func TestWhoIsNotInTheRoomIsNotSpokenTo(t *testing.T) {
	t.Parallel()
	for name, aloud := range map[string]bool{"elsewhere": false, "in the room": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := play(t, "en", map[string][]moment{"Blind": {{9 * time.Second, "open", ""}}}, time.Hour, func(s *stage) {
					r := underWay("t-1", "Blind", open)
					r.Source, r.Aloud = record.FromMQTT, aloud
					s.waits.TurnEnded(r)
				})
				if len(s.heard.lines()) != 1 || (len(s.heard.said) == 1) != aloud {
					t.Errorf("announced %q, said %q", s.heard.lines(), s.heard.said)
				}
			})
		})
	}
}

// TestASleeperIsToldWhenItWakes: within the hour. After that, and for a device that never
// wakes, there is no announcement.
func TestASleeperIsToldWhenItWakes(t *testing.T) {
	t.Parallel()
	const warm = `"action":"setpoint","value":21`
	for wakes, want := range map[time.Duration]string{
		20 * time.Minute: "t-1 arrived Thermostat: The thermostat is set to 21 degrees.",
		90 * time.Minute: "",
	} {
		t.Run(wakes.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				does := map[string][]moment{"Thermostat": {{-time.Hour, "heat", `"setpoint":19`}, {wakes, "heat", `"setpoint":21`}}}
				s := play(t, "en", does, 3*time.Hour, func(s *stage) { s.waits.TurnEnded(turn("t-1", "Thermostat", warm, tools.Queued, tools.Asleep)) })
				if got := strings.Join(s.heard.lines(), "; "); got != want {
					t.Errorf("announced %q, expected %q", got, want)
				}
				if s.world.looks > 25 {
					t.Errorf("%d looks", s.world.looks)
				}
			})
		})
	}
}

// TestALostServerIsSurvived: things that can be seen again are announced; things that
// cannot be seen at all are not.
func TestALostServerIsSurvived(t *testing.T) {
	t.Parallel()
	for back, want := range map[time.Duration]string{40 * time.Second: "t-1 arrived Blind: The blind is open.", time.Hour: ""} {
		t.Run(back.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := play(t, "en", map[string][]moment{"Blind": {{9 * time.Second, "open", ""}}}, 2*time.Hour, func(s *stage) {
					s.world.away = true
					s.waits.TurnEnded(underWay("t-1", "Blind", open))
					<-time.After(back)
					s.world.mu.Lock()
					s.world.away = false
					s.world.mu.Unlock()
				})
				if got := strings.Join(s.heard.lines(), "; "); got != want {
					t.Errorf("announced %q, expected %q", got, want)
				}
			})
		})
	}
}

// TestFollowingIsBounded: a flood of turns is not followed beyond a bound.
func TestFollowingIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		for i := range 100 {
			name := fmt.Sprintf("Shade %d", i)
			h.things.Entities = append(h.things.Entities, home.Entity{
				ID: name, Name: name, Domain: "cover", Server: "zwave", Control: &home.Control{Tool: "control", ID: name}, Read: &home.Control{Tool: "state", ID: name},
			})
		}
		phrases, err := reply.Ours("en")
		if err != nil {
			t.Fatal(err)
		}
		w := &world{began: time.Now()}
		waits := arrival.New(h, w, phrases, slog.New(slog.DiscardHandler))
		for i := range 100 {
			waits.TurnEnded(underWay("t", fmt.Sprintf("Shade %d", i), open))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := waits.Run(ctx, &listener{}); err != nil {
			t.Fatal(err)
		}
		if w.looks != 32 {
			t.Errorf("%d looks", w.looks)
		}
	})
}

// TestWhatWasNotDoneAfterAllIsToldOnce: a lamp was reported as on and is not. That is
// announced for the turn that switched it, whether it has ended by then or not, aloud if
// that turn was spoken, and for no other turn.
func TestWhatWasNotDoneAfterAllIsToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		done := func(id, device string, value any, aloud bool) record.Record {
			r := turn(id, device, `"action":"on"`, tools.Confirmed, "")
			if !aloud {
				r.Source = record.FromMQTT
			}
			r.Calls[0].Receipt.Property, r.Calls[0].Receipt.Value = "on_off", value
			return r
		}
		belied := func(device string, told, is any) home.Event {
			return home.Event{Kind: home.Belied, Server: "zwave", Entity: "light." + device, Thing: device, Property: "on_off", Before: told, State: is, Time: time.Now()}
		}
		s := play(t, "en", nil, time.Hour, func(s *stage) {
			s.waits.TurnEnded(done("t-1", "Lamp", "on", true))
			s.waits.Belied(belied("Lamp", "off", "on")) // not what was told of it
			s.waits.Belied(belied("Lamp", "on", "off"))
			<-time.After(5 * time.Second)
			s.waits.Belied(belied("Lamp", "on", "off")) // its turn has not ended yet
			s.waits.TurnEnded(done("t-2", "Lamp", "on", false))
			<-time.After(5 * time.Minute)
			s.waits.Belied(belied("Lamp", "on", "off")) // nobody remembers
			<-time.After(5 * time.Minute)
			s.waits.TurnEnded(done("t-3", "Lamp", "on", true))
		})
		want := []string{"t-1 belied Lamp: The lamp did not come on after all.", "t-2 belied Lamp: The lamp did not come on after all."}
		if got := s.heard.lines(); !slices.Equal(got, want) {
			t.Errorf("announced %q, expected %q", got, want)
		}
		if want := []string{"The lamp did not come on after all."}; !slices.Equal(s.heard.said, want) {
			t.Errorf("said %q", s.heard.said)
		}
	})
}
