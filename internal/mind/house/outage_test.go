package house

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/tools"
)

// healthCaller answers for the server's health.
type healthCaller struct {
	data  string
	err   error
	risk  tools.Risk
	hangs bool
	input string // the schema of the arguments
	asked int
	args  string // of the last call
}

func (h *healthCaller) Lookup(tools.Call) (tools.Spec, bool) {
	return tools.Spec{Risk: cmp.Or(h.risk, tools.Read), Input: []byte(h.input)}, true
}

func (h *healthCaller) Call(ctx context.Context, c tools.Call) (tools.Result, error) {
	h.asked++
	h.args = string(c.Args)
	if h.hangs {
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	}
	return tools.Result{Data: []byte(h.data)}, h.err
}

func undeclared(string) string { return "" }

func TestWhatKeepsAServerFromItsDevicesIsTold(t *testing.T) {
	t.Parallel()
	const gone = `{"healthy":false,"waiting_for":"stick","message":"The Z-Wave stick does not answer."}`
	for name, tc := range map[string]struct {
		caller healthCaller
		want   string
	}{
		"the stick is gone":  {healthCaller{data: gone}, "The Z-Wave stick does not answer."},
		"one device is dead": {healthCaller{data: `{"healthy":false,"waiting_for":"","message":"The Z-Wave network works, but …"}`}, ""},
		"no such tool":       {healthCaller{err: errors.New("unknown tool")}, ""},
		"garbage":            {healthCaller{data: "no"}, ""},
		"a tool that acts":   {healthCaller{data: gone, risk: tools.Reversible}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := NewOutages(&tc.caller, undeclared, never).Of(t.Context(), []string{"zwave"}); got.Text != tc.want || (got.Waiting == "stick") != (got.Text != "") {
				t.Errorf("%+v, want %q", got, tc.want)
			}
			if tc.caller.risk == tools.Reversible && tc.caller.asked != 0 {
				t.Error("a tool that acts was called for a look at the health")
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		caller := &healthCaller{data: `{"waiting_for":""}`}
		o := NewOutages(caller, undeclared, never)
		o.Of(t.Context(), []string{"zwave"})
		<-time.After(10 * time.Second)
		caller.data = gone
		began := time.Now()
		for range 2 {
			if got := o.Of(t.Context(), []string{"zwave"}); !got.Since.Equal(began) {
				t.Errorf("an outage that is seen to begin at %v is told to be since %v", began, got.Since)
			}
			<-time.After(time.Hour)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		caller := &healthCaller{data: gone}
		o := NewOutages(caller, undeclared, never)
		if got := o.Of(t.Context(), []string{"zwave"}); !got.Since.IsZero() {
			t.Errorf("an outage that was there at the first look is told to be since %v", got.Since)
		}
		for range 10 {
			o.Of(t.Context(), []string{"zwave"})
		}
		<-time.After(outageHolds)
		caller.hangs = true
		if got := o.Of(t.Context(), []string{"zwave"}); got.Waiting != "stick" {
			t.Errorf("while the server is busy, the outage is %+v", got)
		}
		<-time.After(outageHolds)
		caller.hangs = false
		if caller.data = `{"waiting_for":""}`; o.Of(t.Context(), []string{"zwave"}) != (Outage{}) || caller.asked != 3 {
			t.Errorf("asked %d times, want three times; an outage that is over is told on", caller.asked)
		}
	})
}

// never is a server that has told no house.
func never(string) time.Time { return time.Time{} }

// TestAnOutageEndsWithTheHouse: a server that waited, and has told its house since, is asked
// again at once and not when the judgement is old.
func TestAnOutageEndsWithTheHouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		caller, told := &healthCaller{data: `{"waiting_for":"broker","message":"It waits."}`}, time.Time{}
		o := NewOutages(caller, undeclared, func(string) time.Time { return told })
		o.Of(t.Context(), []string{"zwave"})
		<-time.After(time.Millisecond)
		if o.Of(t.Context(), []string{"zwave"}); caller.asked != 1 {
			t.Errorf("asked %d times, want once", caller.asked)
		}
		caller.data, told = `{"waiting_for":""}`, time.Now()
		if got := o.Of(t.Context(), []string{"zwave"}); got.Waiting != "" || caller.asked != 2 {
			t.Errorf("asked %d times, and it is told to wait for %q", caller.asked, got.Waiting)
		}
	})
}

// namedHealth answers for the health of two servers, each with a tool of its own.
type namedHealth struct{ waiting map[string]string }

func (n namedHealth) Lookup(c tools.Call) (tools.Spec, bool) {
	_, known := n.waiting[c.Server+" "+c.Tool]
	return tools.Spec{Risk: tools.Read}, known
}

func (n namedHealth) Call(_ context.Context, c tools.Call) (tools.Result, error) {
	return tools.Result{Data: []byte(`{"waiting_for":"` + n.waiting[c.Server+" "+c.Tool] + `","message":"It waits."}`)}, nil
}

// TestEachHouseIsJudgedByItself: each server is asked with the tool that it names.
func TestEachHouseIsJudgedByItself(t *testing.T) {
	t.Parallel()
	n := namedHealth{map[string]string{"hub check_hub_health": "", "zwave check_zwave_health": "stick"}}
	o := NewOutages(n, func(server string) string { return map[string]string{"hub": "check_hub_health"}[server] }, never)
	got := o.All(t.Context(), []string{"hub", "zwave", "notes"})
	want := []Outage{{Server: "hub"}, {Server: "zwave", Waiting: "stick", Text: "It waits."}, {Server: "notes"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestNoDeviceIsAskedForALook: a server whose tool can answer without asking its devices is asked
// to; another one gets no argument that it does not know.
func TestNoDeviceIsAskedForALook(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"type":"object","properties":{"ask_devices":{"type":"boolean"}}}`: `{"ask_devices":false}`,
		`{"type":"object","properties":{},"additionalProperties":false}`:    `{}`,
		"": `{}`,
	} {
		caller := &healthCaller{data: `{"waiting_for":""}`, input: input}
		if NewOutages(caller, undeclared, never).Of(t.Context(), []string{"zwave"}); caller.args != want {
			t.Errorf("a tool with the arguments %s is called with %s, want %s", input, caller.args, want)
		}
	}
}

// TestAListThatShowsOtherwiseIsBelieved: a house of which no thing is reached is judged again at
// once, and so is one of which a thing is reached although it was away.
func TestAListThatShowsOtherwiseIsBelieved(t *testing.T) {
	t.Parallel()
	shows := func(reached ...bool) (s home.Snapshot) {
		for _, r := range reached {
			s.Entities = append(s.Entities, home.EntityState{Server: "zwave", Reachable: &r})
		}
		return s
	}
	caller := &healthCaller{data: `{"waiting_for":""}`}
	o := NewOutages(caller, undeclared, never)
	o.Of(t.Context(), []string{"zwave"})
	if o.Doubt(shows(true, false)) || o.Doubt(shows()) {
		t.Error("a house that is reached is doubted")
	}
	caller.data = `{"waiting_for":"driver"}`
	if got := o.Of(t.Context(), []string{"zwave"}); got.Waiting != "" || !o.Doubt(shows(false, false)) {
		t.Errorf("no thing is reached, and it is not doubted that the house is: %+v", got)
	}
	if got := o.Of(t.Context(), []string{"zwave"}); got.Waiting != "driver" || o.Doubt(shows(false)) {
		t.Errorf("after a doubt the house waits for %q", got.Waiting)
	}
	caller.data = `{"waiting_for":""}`
	if doubted := o.Doubt(shows(false, true)); !doubted || o.Of(t.Context(), []string{"zwave"}).Waiting != "" {
		t.Error("a thing is reached, and the house still waits")
	}
}
