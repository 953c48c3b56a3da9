package past_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/past"
	"voicegateway/internal/tools"
)

// TestWhoseHandItWas plays what may have happened to a lamp, in order and a minute
// apart, and asks why it is on; the time in the answer is that of the right event.
func TestWhoseHandItWas(t *testing.T) {
	t.Parallel()
	type happening struct {
		state  any           // of the lamp
		source record.Source // "": no program asked, the lamp reported it
		ours   bool          // it reported it after a write of its server
		first  bool          // it was only found so
		belied bool          // what was told of it last turned out not to be so
		unsure bool          // or it was so for a moment
		tapped bool          // it was ordered without words
	}
	tests := map[string]struct {
		happenings []happening
		ask        string // "done": who turned it on
		is         bool   // it is on now
		want       string // the key of the phrase
		which      int    // whose time is told
	}{
		"a hand":                                 {[]happening{{state: "on"}}, "", true, "by_hand", 0},
		"asked by voice":                         {[]happening{{state: "on", source: record.FromMic}}, "", true, "asked_mine_room", 0},
		"asked, and reported so":                 {[]happening{{state: "on", ours: true}, {state: "on", source: record.FromMic}}, "", true, "asked_mine_room", 1},
		"a timer":                                {[]happening{{state: "on", source: record.FromTimer}}, "", true, "asked_timer", 0},
		"a button":                               {[]happening{{state: "on", source: record.FromButton}}, "", true, "asked_button", 0},
		"over MQTT":                              {[]happening{{state: "on", source: record.FromMQTT}}, "", true, "asked_mqtt", 0},
		"tapped on the page":                     {[]happening{{state: "on", source: record.FromMic}, {state: "off"}, {state: "on", source: record.FromPage, tapped: true}}, "", true, "tapped", 2},
		"tapped by the one who asks":             {[]happening{{state: "on", source: record.FromPage, tapped: true}}, "mine", true, "tapped_mine", 0},
		"ordered by a program":                   {[]happening{{state: "on", source: record.FromHTTP, tapped: true}}, "", true, "by_program", 0},
		"another program":                        {[]happening{{state: "on", ours: true}}, "", true, "by_program", 0},
		"asked, off and on by hand":              {[]happening{{state: "on", source: record.FromMic}, {state: "off"}, {state: "on"}}, "", true, "by_hand", 2},
		"by hand, off and on as asked":           {[]happening{{state: "on"}, {state: "off", source: record.FromMic}, {state: "on", source: record.FromMic}}, "", true, "asked_mine_room", 2},
		"found so at the start":                  {[]happening{{state: "on", first: true}}, "", true, "not_by_me_before", 0},
		"found so, then off and on by hand":      {[]happening{{state: "on", first: true}, {state: "off"}, {state: "on"}}, "", true, "by_hand", 2},
		"who, though it is off again":            {[]happening{{state: "on"}, {state: "off", source: record.FromMic}}, "done", false, "by_hand", 0},
		"who, asked, though a hand put it off":   {[]happening{{state: "on", source: record.FromTimer}, {state: "off"}}, "done", false, "asked_timer", 0},
		"nobody turned it on, and it is not":     {[]happening{{state: "off"}}, "done", false, "not_by_me", 0},
		"asked, and it was not done":             {[]happening{{state: "on", source: record.FromMic}, {state: "off", belied: true}}, "", false, "belied_on", 0},
		"who, though it was not done":            {[]happening{{state: "on", source: record.FromMic}, {state: "off", belied: true}}, "done", false, "belied_on", 0},
		"asked, and it may have been done":       {[]happening{{state: "on", source: record.FromMic}, {state: "off", belied: true, unsure: true}}, "", false, "state", 0},
		"not done, and then on by hand":          {[]happening{{state: "on", source: record.FromMic}, {state: "off", belied: true}, {state: "on"}}, "", true, "by_hand", 2},
		"asked over MQTT after the button's act": {[]happening{{state: "on", source: record.FromButton}, {state: "on", source: record.FromMQTT}}, "", true, "asked_mqtt", 1},
	}
	for _, language := range []string{"en", "de", "es", "fr"} {
		phrases, err := reply.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		for name, test := range tests {
			t.Run(language+" "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					lamp := home.Entity{ID: "e1", Name: "Desk Lamp", Domain: "light", Area: "Office", Control: &home.Control{Tool: "set", ID: "Desk Lamp"}}
					house := &home.House{Areas: []home.Area{{Name: "Office"}}, Entities: []home.Entity{lamp}}
					a := past.Account{
						House: house, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases, Area: "Office",
						Mine: func(e *past.Entry) bool { return e.Source == record.FromMic || test.ask == "mine" },
					}
					var times []time.Time
					for _, h := range test.happenings {
						if h.belied { // it is found out at once
							times = append(times, time.Now())
							a.Acts.Belied(home.Event{Kind: home.Belied, Entity: "e1", Property: "on_off", Before: "on", State: h.state, Unsure: h.unsure})
							continue
						}
						<-time.After(time.Minute)
						times = append(times, time.Now())
						if h.source == "" {
							a.Reports.Note(home.Event{Kind: home.Reported, Entity: "e1", Area: "Office", Property: "on_off", State: h.state, Ours: h.ours, First: h.first, Time: time.Now()})
							continue
						}
						receipt := record.Receipt(tools.Receipt{Device: "Desk Lamp", Property: "on_off", Value: h.state, Outcome: tools.Confirmed, PublishedAt: time.Now()})
						asked := record.Request{Source: h.source, Area: "Office"}
						if h.tapped {
							asked.Control = &record.Control{Thing: "e1", Do: "on"}
						}
						a.Acts.Note(house, asked, &record.Record{ID: "t", Verdict: record.Verdict{Calls: []record.CallMade{{Receipt: &receipt}}}}, intent.Decision{})
					}
					<-time.After(time.Minute)
					act := intent.Action{Intent: catalogue.Why, Slots: map[string]any{"ask": test.ask}}
					got := a.Why(act, &house.Entities[0], reply.Sighting{Known: true, Is: test.is}, "on")
					args := phrases.Places(&lamp, test.happenings[len(test.happenings)-1].state, 0)
					if want := (reply.Retold{Phrases: phrases}).Then(test.want, times[test.which], args); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
						t.Errorf("%q, want %q", got, want)
					}
				})
			})
		}
	}
}

// TestWhatDidNotAnswerIsTold checks that a failure is reported until a later success.
func TestWhatDidNotAnswerIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		phrases, err := reply.Ours("en")
		if err != nil {
			t.Fatal(err)
		}
		lamp := home.Entity{ID: "e1", Name: "Desk Lamp", Domain: "light", Control: &home.Control{Tool: "set", ID: "Desk Lamp"}}
		a := past.Account{House: &home.House{Entities: []home.Entity{lamp}}, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases}
		note := func(outcome tools.Outcome) {
			receipt := record.Receipt(tools.Receipt{Device: "Desk Lamp", Outcome: outcome})
			a.Acts.Note(a.House, record.Request{}, &record.Record{Verdict: record.Verdict{Calls: []record.CallMade{{Receipt: &receipt}}}}, intent.Decision{})
		}
		if got := a.Failures(); got != "" {
			t.Errorf("nothing has failed: %q", got)
		}
		note(tools.NoAnswer)
		if got, want := a.Failures(), "At "+phrases.TimeOfDay(time.Now())+" the desk lamp did not answer."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		note(tools.Confirmed)
		if got := a.Failures(); got != "" {
			t.Errorf("it has answered since: %q", got)
		}
	})
}

// TestALateConfirmationIsTold has a lamp confirm a command only after the answer, or
// not at all, and asks what was done, who did it and why it is on. The three answers
// agree with what happened.
func TestALateConfirmationIsTold(t *testing.T) {
	t.Parallel()
	type answers struct{ what, who, why string }
	onAsked := answers{"At {t} I turned the desk lamp on.", "I turned the desk lamp on. You asked for it in the office at {t}.", "You asked for it in the office at {t}."}
	tests := map[string]struct {
		outcome tools.Outcome
		reason  tools.Reason
		value   any  // that the lamp reported when the turn ended
		reports bool // it reports on some seconds later
		ours    bool // its server still knows that it sent this command
		is      bool // it is on now
		want    answers
	}{
		"confirmed after the answer":              {tools.Accepted, tools.Unconfirmed, "off", true, true, true, onAsked},
		"the server has forgotten its order":      {tools.Accepted, tools.Unconfirmed, nil, true, false, true, onAsked},
		"silent, and done all the same":           {tools.NoAnswer, tools.Silent, nil, true, true, true, onAsked},
		"on its way, and there":                   {tools.Accepted, tools.OnItsWay, nil, true, true, true, onAsked},
		"nobody has heard of it":                  {tools.Accepted, tools.Unconfirmed, "off", false, false, false, answers{"The desk lamp has not confirmed it. Please check.", "The desk lamp has not confirmed it. Please check. You asked for it in the office at {t}.", ""}},
		"it is on, though it has not reported it": {tools.Accepted, tools.Unconfirmed, nil, false, false, true, answers{"The desk lamp has not confirmed it. Please check.", "The desk lamp has not confirmed it. Please check. You asked for it in the office at {t}.", onAsked.why}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				phrases, err := reply.Ours("en")
				if err != nil {
					t.Fatal(err)
				}
				lamp := home.Entity{ID: "e1", Name: "Desk Lamp", Domain: "light", Area: "Office", Control: &home.Control{Tool: "set", ID: "Desk Lamp"}}
				house := &home.House{Areas: []home.Area{{Name: "Office"}}, Entities: []home.Entity{lamp}}
				a := past.Account{
					House: house, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases, Area: "Office",
					Mine: func(*past.Entry) bool { return true },
				}
				note := func(turn, action string, r tools.Receipt) {
					r.Device, r.Property = "Desk Lamp", "on_off"
					receipt := record.Receipt(r)
					call := record.CallMade{Args: []byte(`{"device_name":"Desk Lamp","action":"` + action + `"}`), Receipt: &receipt}
					a.Acts.Note(house, record.Request{Source: record.FromMic, Area: "Office"}, &record.Record{ID: turn, Verdict: record.Verdict{Calls: []record.CallMade{call}}}, intent.Decision{})
				}
				report := func(state string, ours bool) {
					a.Reports.Note(home.Event{Kind: home.Reported, Entity: "e1", Area: "Office", Property: "on_off", State: state, Ours: ours, Time: time.Now()})
				}
				report("off", true)
				note("before", "off", tools.Receipt{Value: "off", Outcome: tools.Confirmed})
				<-time.After(time.Minute)
				at := phrases.TimeOfDay(time.Now())
				note("it", "on", tools.Receipt{Value: test.value, Outcome: test.outcome, Reason: test.reason})
				<-time.After(20 * time.Second)
				if test.reports {
					report("on", test.ours)
				}
				got := answers{
					what: a.Last(a.Mine, true), who: a.Who(),
					why: a.Why(intent.Action{Intent: catalogue.Why, Slots: map[string]any{}}, &house.Entities[0], reply.Sighting{Known: true, Is: test.is}, "on"),
				}
				for kind, said := range map[string][2]string{"what": {got.what, test.want.what}, "who": {got.who, test.want.who}, "why": {got.why, test.want.why}} {
					if want := strings.ReplaceAll(said[1], "{t}", at); said[0] != want {
						t.Errorf("%s: %q, want %q", kind, said[0], want)
					}
				}
			})
		})
	}
}

// TestALateChangeIsCreditedToWhatWasAsked has a thing report, some time after a turn that
// nobody could confirm, that it has changed. The one who asked did that only where it is
// what he asked for and comes as soon as such a thing can; else somebody else did.
func TestALateChangeIsCreditedToWhatWasAsked(t *testing.T) {
	t.Parallel()
	type change struct {
		after    time.Duration // after the turn
		property string
		state    string
		ours     bool
	}
	phrases, err := reply.Ours("en")
	if err != nil {
		t.Fatal(err)
	}
	const asker, hand = "You asked for it", "Nobody asked me"
	tests := map[string]struct {
		domain, class string
		args          string
		property      string
		outcome       tools.Outcome
		reason        tools.Reason
		then          *change // a newer turn that was confirmed
		changes       []change
		state         string // of which it is asked why
		want          string
	}{
		"a lamp, soon":              {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{10 * time.Second, "on_off", "on", false}}, "on", asker},
		"a lamp, a minute later":    {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{time.Minute, "on_off", "on", false}}, "on", hand},
		"a lamp, the other way":     {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{10 * time.Second, "on_off", "off", false}}, "off", hand},
		"a plug, four minutes":      {"switch", "", `"action":"off"`, "on_off", tools.NoAnswer, tools.Silent, nil, []change{{4 * time.Minute, "on_off", "off", false}}, "off", hand},
		"a blind, a minute later":   {"cover", "blind", `"action":"close"`, "open_close", tools.Accepted, tools.OnItsWay, nil, []change{{time.Minute, "open_close", "closed", false}}, "closed", asker},
		"a blind, ten minutes":      {"cover", "blind", `"action":"close"`, "open_close", tools.Accepted, tools.OnItsWay, nil, []change{{10 * time.Minute, "open_close", "closed", false}}, "closed", hand},
		"a lock, soon":              {"lock", "", `"action":"lock"`, "lock", tools.Accepted, tools.Unconfirmed, nil, []change{{30 * time.Second, "lock", "locked", false}}, "locked", asker},
		"a lock, four minutes":      {"lock", "", `"action":"lock"`, "lock", tools.Accepted, tools.Unconfirmed, nil, []change{{4 * time.Minute, "lock", "locked", false}}, "locked", hand},
		"its server knows it":       {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{time.Minute, "on_off", "on", true}}, "on", asker},
		"the order of its server":   {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{10 * time.Minute, "on_off", "on", true}}, "on", "A program asked for it"},
		"once more by hand":         {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, nil, []change{{5 * time.Second, "on_off", "on", false}, {10 * time.Second, "on_off", "off", false}, {15 * time.Second, "on_off", "on", false}}, "on", hand},
		"after a newer order":       {"light", "", `"action":"on"`, "on_off", tools.Accepted, tools.Unconfirmed, &change{5 * time.Second, "on_off", "off", false}, []change{{10 * time.Second, "on_off", "on", false}}, "on", hand},
		"a sleeper that wakes":      {"climate", "", `"action":"off"`, "mode", tools.Queued, tools.Asleep, nil, []change{{20 * time.Minute, "mode", "off", false}}, "off", asker},
		"a sleeper, hours later":    {"climate", "", `"action":"off"`, "mode", tools.Queued, tools.Asleep, nil, []change{{3 * time.Hour, "mode", "off", false}}, "off", hand},
		"a level, which is on then": {"light", "", `"action":"level","value":60`, "brightness", tools.Accepted, tools.Unconfirmed, nil, []change{{10 * time.Second, "on_off", "on", false}}, "on", asker},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				thing := home.Entity{ID: "e1", Name: "Thing", Domain: test.domain, Area: "Office", Control: &home.Control{Tool: "set", ID: "Thing"}}
				if test.class != "" {
					thing.Attributes = map[string]any{"device_class": test.class}
				}
				house := &home.House{Areas: []home.Area{{Name: "Office"}}, Entities: []home.Entity{thing}}
				a := past.Account{
					House: house, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases, Area: "Office",
					Mine: func(*past.Entry) bool { return true },
				}
				note := func(turn, args string, r tools.Receipt) {
					r.Device = "Thing"
					receipt := record.Receipt(r)
					call := record.CallMade{Args: []byte(`{"device_name":"Thing",` + args + `}`), Receipt: &receipt}
					a.Acts.Note(house, record.Request{Source: record.FromMic, Area: "Office"}, &record.Record{ID: turn, Verdict: record.Verdict{Calls: []record.CallMade{call}}}, intent.Decision{})
				}
				<-time.After(time.Minute)
				began := time.Now()
				note("it", test.args, tools.Receipt{Property: test.property, Outcome: test.outcome, Reason: test.reason})
				if then := test.then; then != nil {
					<-time.After(then.after)
					note("then", `"action":"`+then.state+`"`, tools.Receipt{Property: then.property, Value: then.state, Outcome: tools.Confirmed})
				}
				for _, c := range test.changes {
					<-time.After(c.after - time.Since(began))
					a.Reports.Note(home.Event{Kind: home.Reported, Entity: "e1", Area: "Office", Property: c.property, State: c.state, Ours: c.ours, Time: time.Now()})
				}
				got := a.Why(intent.Action{Intent: catalogue.Why, Slots: map[string]any{}}, &house.Entities[0], reply.Sighting{Known: true, Is: true}, test.state)
				if !strings.HasPrefix(got, test.want) {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		})
	}
}
