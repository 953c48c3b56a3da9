package mind_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/tools"
)

// TestCostlyThingsAreAskedAbout: nobody knows what a script does, so a person is asked before
// it runs, whoever wants to run it; only a yes to that question runs it, once. To stop it
// needs no question.
func TestCostlyThingsAreAskedAbout(t *testing.T) {
	t.Parallel()
	const model = "make it cosy in here for a film"
	for name, tt := range map[string]struct {
		says  []string
		ends  []record.Outcome
		reply string // the first one
		calls []string
	}{
		"yes":             {[]string{"turn on bedtime", "yes"}, []record.Outcome{record.Asked, record.Done}, "Shall I run Bedtime?", []string{`{"action":"on","confirmed":true,"device_name":"Bedtime"}`}},
		"once":            {[]string{"turn on bedtime", "yes", "yes"}, []record.Outcome{record.Asked, record.Done, record.Done}, "Shall I run Bedtime?", []string{`{"action":"on","confirmed":true,"device_name":"Bedtime"}`}},
		"no":              {[]string{"turn on bedtime", "no", "yes"}, []record.Outcome{record.Asked, record.Done, record.Done}, "Shall I run Bedtime?", nil},
		"another command": {[]string{"turn on bedtime", "turn on the lamp", "yes"}, []record.Outcome{record.Asked, record.Done, record.Done}, "Shall I run Bedtime?", []string{`{"action":"on","device_name":"Lamp"}`}},
		"with a lamp":     {[]string{"turn on the lamp and turn on bedtime", "yes"}, []record.Outcome{record.Asked, record.Done}, "Shall I run Bedtime?", []string{`{"action":"on","confirmed":true,"device_name":"Bedtime"}`, `{"action":"on","device_name":"Lamp"}`}},
		"it is stopped":   {[]string{"turn off bedtime"}, []record.Outcome{record.Done}, "The bedtime is off.", []string{`{"action":"off","device_name":"Bedtime"}`}},
		"a model runs it": {[]string{model, "yes"}, []record.Outcome{record.Asked, record.Done}, "Shall I run Bedtime?", []string{`{"action":"on","confirmed":true,"device_name":"Bedtime"}`}},
		"a model, and no": {[]string{model, "no"}, []record.Outcome{record.Asked, record.Done}, "Shall I run Bedtime?", nil},
		"back at once":    {[]string{"turn off bedtime", "undo that", "yes"}, []record.Outcome{record.Done, record.Asked, record.Done}, "The bedtime is off.", []string{`{"action":"off","device_name":"Bedtime"}`, `{"action":"on","confirmed":true,"device_name":"Bedtime"}`}},
		"back, and no":    {[]string{"turn off bedtime", "undo that", "no"}, []record.Outcome{record.Done, record.Asked, record.Done}, "The bedtime is off.", []string{`{"action":"off","device_name":"Bedtime"}`}},
		"back later":      {[]string{"turn off bedtime for ten minutes"}, []record.Outcome{record.Failed}, "I can't put that back by myself.", nil},
		"later, and back": {[]string{"turn off bedtime at nine for ten minutes"}, []record.Outcome{record.Failed}, "I can't put that back by myself.", nil},
		"a scene":         {[]string{"turn on movie night for ten minutes"}, []record.Outcome{record.Failed}, "I can't put that back by myself.", nil},
		"a lamp is not":   {[]string{"turn on the lamp"}, []record.Outcome{record.Done}, "The lamp is on.", []string{`{"action":"on","device_name":"Lamp"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bedtime, plain, scene := lamp("Bedtime", "zwave"), lamp("Lamp", "zwave"), lamp("Movie Night", "zwave")
			scene.ID, scene.Domain, scene.Control.Tool = "scene.movie", "scene", "control_zwave_device"
			bedtime.ID, bedtime.Domain, bedtime.Costly = "switch.bedtime", "switch", true
			bedtime.Control.Tool, plain.Control.Tool = "control_zwave_device", "control_zwave_device"
			var mu sync.Mutex
			var calls []string
			n := needs(t, &home.House{Entities: []home.Entity{bedtime, plain, scene}}, &fake.Assistant{ReplyFunc: (&script{rounds: []string{"Bedtime on"}}).reply}, &fake.Caller{
				AwaitFunc: func(context.Context, mind.Need) error { return nil },
				CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
					mu.Lock()
					defer mu.Unlock()
					calls = append(calls, string(c.Args))
					r := obeys(c)
					if strings.Contains(string(c.Args), `"off"`) {
						r.Receipt.Property, r.Receipt.Before, r.Receipt.Value = string(home.OnOff), "on", "off"
					}
					return r, nil
				},
			})
			for i, text := range tt.says {
				rec := n.ask(t, text)
				if rec.Outcome != tt.ends[i] || i == 0 && rec.Reply != tt.reply {
					t.Errorf("%q: %s, %q", text, rec.Outcome, rec.Reply)
				}
			}
			slices.Sort(calls)
			if !slices.Equal(calls, tt.calls) {
				t.Errorf("called %q, want %q", calls, tt.calls)
			}
		})
	}
}

// TestATapOnACostlyThingCarriesItsOwnYes: the page asks before it orders a script, and no word
// can answer a question about a tap. Without that yes the tap runs nothing.
func TestATapOnACostlyThingCarriesItsOwnYes(t *testing.T) {
	t.Parallel()
	bedtime := lamp("Bedtime", "zwave")
	bedtime.ID, bedtime.Domain, bedtime.Costly = "script.bedtime", "script", true
	var calls []string
	n := needs(t, &home.House{Entities: []home.Entity{bedtime}}, &fake.Assistant{}, &fake.Caller{
		AwaitFunc: func(context.Context, mind.Need) error { return nil },
		CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
			calls = append(calls, string(c.Args))
			return obeys(c), nil
		},
	})
	tap := record.Request{Source: record.FromPage, Control: &record.Control{Thing: bedtime.ID, Name: bedtime.Name, Do: "on"}}
	if rec := n.Turn(t.Context(), tap); rec.Outcome != record.Asked || rec.Reply != "Shall I run Bedtime?" || len(calls) > 0 {
		t.Errorf("without a yes: %s, %q, called %q", rec.Outcome, rec.Reply, calls)
	}
	tap.Confirmed = true
	if rec := n.Turn(t.Context(), tap); rec.Outcome != record.Done || !slices.Equal(calls, []string{`{"action":"on","confirmed":true,"device_name":"Bedtime"}`}) {
		t.Errorf("with a yes: %s, %q, called %q", rec.Outcome, rec.Reply, calls)
	}
}

// TestOneQuestionNamesAllOfIt: a sentence about many devices that also runs a script is asked
// about once, and the question tells both. A yes then does all of it.
func TestOneQuestionNamesAllOfIt(t *testing.T) {
	t.Parallel()
	bedtime := lamp("Bedtime", "zwave")
	bedtime.ID, bedtime.Domain, bedtime.Costly = "script.bedtime", "script", true
	things := []home.Entity{bedtime}
	for _, name := range []string{"Desk", "Shelf", "Wall", "Corner", "Window", "Door"} {
		e := lamp(name+" Lamp", "zwave")
		e.ID = "light." + strings.ToLower(name)
		things = append(things, e)
	}
	var mu sync.Mutex
	calls := 0
	n := needs(t, &home.House{Entities: things}, &fake.Assistant{}, &fake.Caller{
		AwaitFunc: func(context.Context, mind.Need) error { return nil },
		CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			calls++
			return obeys(c), nil
		},
	})
	rec := n.ask(t, "turn on all lights and turn on bedtime")
	if want := "That is 6 devices, and I would run Bedtime. Shall I go on?"; rec.Outcome != record.Asked || rec.Reply != want || calls > 0 {
		t.Fatalf("%s, %q after %d calls; want %q", rec.Outcome, rec.Reply, calls, want)
	}
	if rec = n.ask(t, "yes"); rec.Outcome != record.Done || calls != len(things) {
		t.Errorf("%s, %q after %d calls", rec.Outcome, rec.Reply, calls)
	}
}
