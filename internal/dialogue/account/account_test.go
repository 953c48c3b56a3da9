package account_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/dialogue/account"
	"voicegateway/internal/dialogue/past"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// TestWhoseHandItWas plays what may have happened to a lamp, in order and a minute
// apart, and asks why it is on; the time in the answer is that of the right event.
func TestWhoseHandItWas(t *testing.T) {
	t.Parallel()
	type happening struct {
		state  any           // of the lamp
		source record.Source // "": nobody asked, the lamp reported it
		ours   bool          // it reported it after a write of its server
		first  bool          // it was only found so
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
		"another program":                        {[]happening{{state: "on", ours: true}}, "", true, "by_program", 0},
		"asked, off and on by hand":              {[]happening{{state: "on", source: record.FromMic}, {state: "off"}, {state: "on"}}, "", true, "by_hand", 2},
		"by hand, off and on as asked":           {[]happening{{state: "on"}, {state: "off", source: record.FromMic}, {state: "on", source: record.FromMic}}, "", true, "asked_mine_room", 2},
		"found so at the start":                  {[]happening{{state: "on", first: true}}, "", true, "not_by_me", 0},
		"who, though it is off again":            {[]happening{{state: "on"}, {state: "off", source: record.FromMic}}, "done", false, "by_hand", 0},
		"who, asked, though a hand put it off":   {[]happening{{state: "on", source: record.FromTimer}, {state: "off"}}, "done", false, "asked_timer", 0},
		"nobody turned it on, and it is not":     {[]happening{{state: "off"}}, "done", false, "not_by_me", 0},
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
					a := account.Account{
						House: house, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases, Area: "Office",
						Mine: func(e *past.Entry) bool { return e.Source == record.FromMic },
					}
					var times []time.Time
					for _, h := range test.happenings {
						<-time.After(time.Minute)
						times = append(times, time.Now())
						if h.source == "" {
							a.Reports.Note(home.Event{Kind: home.Reported, Entity: "e1", Area: "Office", Property: "on_off", State: h.state, Ours: h.ours, First: h.first, Time: time.Now()})
							continue
						}
						receipt := record.Receipt(tools.Receipt{Device: "Desk Lamp", Property: "on_off", Value: h.state, Outcome: tools.Confirmed, PublishedAt: time.Now()})
						a.Acts.Note(house, record.Request{Source: h.source, Area: "Office"}, &record.Record{ID: "t", Verdict: record.Verdict{Calls: []record.CallMade{{Receipt: &receipt}}}}, intent.Decision{})
					}
					<-time.After(time.Minute)
					act := intent.Action{Intent: catalogue.Why, Slots: map[string]any{"ask": test.ask}}
					got := a.Why(act, &house.Entities[0], reply.Sighting{Known: true, Is: test.is}, "on")
					args := phrases.Places(&lamp, "on", 0)
					args["time"] = phrases.TimeOfDay(times[test.which])
					if want := phrases.Phrase(test.want, args); !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
						t.Errorf("%q, want %q", got, want)
					}
				})
			})
		}
	}
}

// TestWhatDidNotAnswerIsTold checks which failures are told: those that nothing has
// mended since.
func TestWhatDidNotAnswerIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		phrases, err := reply.Ours("en")
		if err != nil {
			t.Fatal(err)
		}
		lamp := home.Entity{ID: "e1", Name: "Desk Lamp", Domain: "light", Control: &home.Control{Tool: "set", ID: "Desk Lamp"}}
		a := account.Account{House: &home.House{Entities: []home.Entity{lamp}}, Acts: &past.Ledger{}, Reports: &past.Reports{}, Phrases: phrases}
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
