package form_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// cabin is a house of three things that keeps to the form.
type cabin struct{ form.House }

const cabinDocument = `{"floors":[{"name":"Ground","aliases":[]}],
"areas":[{"name":"Hall","floor":"Ground","aliases":[]},{"name":"Den","floor":"","aliases":[]}],
"entities":[
{"id":"c-1","name":"Hall Lamp","aliases":[],"domain":"light","area":"Hall","abilities":["on_off","brightness"],"control":{"tool":"control_cabin_device","id":"Hall Lamp"},"read":{"tool":"get_device_state","id":"Hall Lamp"}},
{"id":"c-2","name":"Heater","aliases":[],"domain":"climate","area":"Den","attributes":{"unit":"°C"},"abilities":["setpoint","temperature"],"control":{"tool":"control_cabin_device","id":"Heater"},"read":{"tool":"get_device_state","id":"Heater"}},
{"id":"c-3","name":"Den Damp","aliases":[],"domain":"sensor","area":"Den","attributes":{"unit":"%"},"abilities":["humidity"],"read":{"tool":"get_device_sensor_data","id":"Den Damp"}},
{"id":"c-4","name":"Front Door","aliases":[],"domain":"lock","area":"Hall","abilities":["lock"],"control":{"tool":"control_cabin_device","id":"Front Door"},"dangerous":{"tool":"operate_dangerous_device","id":"Front Door"},"read":{"tool":"get_device_state","id":"Front Door"}}
]}`

func (cabin) Home() (h home.House) {
	if err := json.Unmarshal([]byte(cabinDocument), &h); err != nil {
		panic(err)
	}
	return h
}

func (cabin) Events() form.Events {
	log := form.NewEventLog(func(home.Event) bool { return false })
	return log.Events()
}

func (c cabin) List(context.Context, form.ListArgs) (all []form.Listed, _ error) {
	for _, e := range c.Home().Entities {
		all = append(all, form.Listed{Name: e.Name, ID: e.ID, Area: e.Area, Type: e.Domain, Abilities: e.Abilities, State: "on", Age: -1, Reachable: true})
	}
	return all, nil
}

func (cabin) State(_ context.Context, name string) (string, form.State, error) {
	return form.Is(name, "on"), form.State{Device: name, Entity: "c-1", State: "on", Values: map[string]any{}, Age: 2, Reachable: true}, nil
}

func (cabin) Sensor(_ context.Context, name, sensor string) (string, form.Reading, error) {
	return form.Is(name, "at 40 percent"), form.Reading{Device: name, Sensor: sensor, Value: 40.0, Unit: "%", Source: "report", Reachable: true}, nil
}

func (cabin) Health(context.Context, form.HealthArgs) (string, any, error) {
	h := form.Health{Healthy: true, Answers: true, Devices: 4, Dead: []string{}, Asleep: []string{}, LowBattery: []string{}, Message: "All is well."}
	return h.Message, h, nil
}

func (cabin) Control(_ context.Context, c form.Command, _ bool) (tools.Receipt, error) {
	return form.End(tools.Receipt{Device: c.Device, Property: c.Action}, tools.Refused, tools.UnknownDevice, fmt.Sprintf("There is no device called %q.", c.Device)), nil
}

var cabinOffer = form.Offer{
	Kind: "Cabin", Prefix: "cabin", Network: "cabin", Domains: []string{"light", "climate", "sensor", "lock"}, AllowDangerous: true,
	HealthText: "Whether the cabin answers.", Waiting: []string{"generator"},
}

// offering is what the cabin offers, as a host sees it.
func offering(t *testing.T) (form.Offering, []tools.Tool) {
	t.Helper()
	all := form.Tools(cabin{}, cabinOffer)
	o := form.Offering{Resources: []string{"cabin://home", "cabin://events"}}
	for _, tool := range all {
		o.Tools = append(o.Tools, tool.Spec())
	}
	var err, errs error
	o.House, err = json.Marshal(cabinOffer.Document(cabin{}.Home()))
	o.Events, errs = json.Marshal(cabin{}.Events())
	if err != nil || errs != nil {
		t.Fatal(err, errs)
	}
	return o, all
}

func TestAHouseMadeWithTheFormKeepsToIt(t *testing.T) {
	t.Parallel()
	o, all := offering(t)
	if faults := form.Check(o); len(faults) > 0 {
		t.Errorf("faults: %+v", faults)
	}
	probes := form.Probes(o, "no such thing")
	if len(probes) < 6 {
		t.Errorf("only %d probes", len(probes))
	}
	for _, p := range probes {
		i := slices.IndexFunc(all, func(x tools.Tool) bool { return x.Spec().Name == p.Call.Tool })
		r, err := all[i].Call(t.Context(), p.Call.Args)
		if err != nil {
			t.Fatal(err)
		}
		if faults := p.Judge(r); len(faults) > 0 {
			t.Errorf("%s: %+v", p.About, faults)
		}
	}
}

// replace changes the document of the house.
func replace(old, with string) func(*form.Offering) {
	return func(o *form.Offering) { o.House = []byte(strings.ReplaceAll(string(o.House), old, with)) }
}

// change changes one tool.
func change(name string, with func(*tools.Spec)) func(*form.Offering) {
	return func(o *form.Offering) {
		for i := range o.Tools {
			if o.Tools[i].Name == name {
				with(&o.Tools[i])
			}
		}
	}
}

func without(name string) func(*form.Offering) {
	return func(o *form.Offering) {
		o.Tools = slices.DeleteFunc(o.Tools, func(t tools.Spec) bool { return t.Name == name })
	}
}

func TestFaultsOfAnOffering(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(*form.Offering)
		want  string // in what is said
		light bool
	}{
		"no resource":               {func(o *form.Offering) { o.House = nil }, "no resource that can be read", false},
		"no JSON":                   {func(o *form.Offering) { o.House = []byte("areas:") }, "not valid JSON", false},
		"a list":                    {func(o *form.Offering) { o.House = []byte("[]") }, "got array, want object", false},
		"a thing without a name":    {replace(`"name":"Hall Lamp"`, `"nom":"Hall Lamp"`), "entities[0]: missing property 'name'", false},
		"a name that is a number":   {replace(`"name":"Heater"`, `"name":7`), "entities[1].name: got number, want string", false},
		"no version":                {replace(`"form":1`, `"form":0`), "minimum: got 0, want 1", false},
		"a version that is to come": {replace(`"form":1`, `"form":2`), "version 2 of the form", true},
		"an area twice":             {replace(`"name":"Den","floor"`, `"name":"hall","floor"`), `The area "hall" is listed twice`, false},
		"an area of nobody":         {replace(`"area":"Den"`, `"area":"Loft"`), `in the area "Loft", which is not listed`, false},
		"a floor of nobody":         {replace(`"name":"Ground"`, `"name":"First"`), `on the floor "Ground", which is not listed`, true},
		"one id for two things":     {replace(`"id":"c-2"`, `"id":"c-1"`), `Two things have the id "c-1"`, false},
		"one name for two things":   {replace(`"name":"Den Damp"`, `"name":"the  heater"`), `2 things in one room are called "Heater"`, true},
		"a name of signs":           {replace(`"name":"Heater"`, `"name":"★★"`), "cannot be said", true},
		"an ability misspelt":       {replace(`"on_off"`, `"onOff"`), `"onOff", which is spelt on_off`, false},
		"an act without a tool":     {replace(`"control":{"tool":"control_cabin_device","id":"Heater"},`, ""), "can be commanded (setpoint) and says no tool for it", false},
		"a sensor with a control":   {replace(`"domain":"light"`, `"domain":"sensor"`), "is a sensor and has a control", false},
		"a thing that is not read":  {replace(`,"read":{"tool":"get_device_state","id":"Heater"}`, ""), `"Heater" (c-2) cannot be read`, true},
		"degrees of no scale":       {replace(`"unit":"°C"`, `"unit":""`), "does not say of which scale", true},
		"a tool of nobody":          {replace(`"control_cabin_device"`, `"control_hut_device"`), `the tool "control_hut_device", which the server does not offer`, false},
		"no tool for the health":    {replace(`,"health":"check_cabin_health"`, ""), "names no tool that says whether it can be reached", true},
		"another tool for it":       {replace(`"health":"check_cabin_health"`, `"health":"ping"`), `the tool "ping", which the server does not offer`, false},
		"no list":                   {without("list_devices"), "no tool list_devices", true},
		"a reader that writes":      {change("get_device_state", func(s *tools.Spec) { s.Risk = tools.Reversible }), `"get_device_state" is the read of things and its annotations say that it changes things`, false},
		"a control that is read":    {change("control_cabin_device", func(s *tools.Spec) { s.Risk = tools.Read }), "its annotations say that it only reads", false},
		"a control that harms":      {change("control_cabin_device", func(s *tools.Spec) { s.Risk = tools.Dangerous }), "that it may do harm, or nothing", false},
		"unlocking for everybody": {change("control_cabin_device", func(s *tools.Spec) {
			s.Input = json.RawMessage(strings.Replace(string(s.Input), `"lock"`, `"lock","unlock"`, 1))
		}), "unlocks, and every host takes it for harmless", false},
		"danger called harmless": {change("operate_dangerous_device", func(s *tools.Spec) { s.Risk = tools.Reversible }), `"operate_dangerous_device" is the dangerous of things`, false},
		"an action that is missing": {change("control_cabin_device", func(s *tools.Spec) {
			s.Input = json.RawMessage(strings.Replace(string(s.Input), `"level",`, "", 1))
		}), "has the ability brightness and its tool \"control_cabin_device\" has no action level", false},
		"no actions":        {change("control_cabin_device", func(s *tools.Spec) { s.Input = json.RawMessage(`{"type":"object"}`) }), "does not say which actions it has", false},
		"no receipt":        {change("control_cabin_device", func(s *tools.Spec) { s.Output = nil }), "does not say that it answers with a receipt", true},
		"the open world":    {change("get_device_state", func(s *tools.Spec) { s.OpenWorld = true }), "reaches beyond the house", true},
		"no events":         {func(o *form.Offering) { o.Events = nil }, "no resource whose address ends with ://events", true},
		"events of no boot": {func(o *form.Offering) { o.Events = []byte(`{"boot":"","next":1,"events":[]}`) }, "The document of events is wrong: boot", false},
		"events in disorder": {func(o *form.Offering) {
			o.Events = []byte(`{"boot":"b","next":3,"events":[{"seq":2,"time":"2026-01-02T03:04:05Z","kind":"state","thing":"Lamp"},{"seq":1,"time":"2026-01-02T03:04:05Z","kind":"state","thing":"Lamp"}]}`)
		}, "events are not in order: 1 comes after 2", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := offering(t)
			tc.spoil(&o)
			faults := form.Check(o)
			at := slices.IndexFunc(faults, func(f form.Fault) bool { return strings.Contains(f.What, tc.want) })
			if at < 0 {
				t.Fatalf("not found: %q; faults: %+v", tc.want, faults)
			}
			if f := faults[at]; f.Grave == tc.light || f.Mend == "" || !strings.HasSuffix(f.What, ".") {
				t.Errorf("%+v", f)
			}
			if len(faults) > 6 {
				t.Errorf("one fault makes %d complaints: %+v", len(faults), faults)
			}
		})
	}
}

func TestFaultsOfAnswers(t *testing.T) {
	t.Parallel()
	receipt := func(outcome, reason string) string {
		return fmt.Sprintf(`{"device":"x","property":"off","outcome":%q,"reason":%q,"before":null,"value":null,"ms":0,"message":"No."}`, outcome, reason)
	}
	tests := map[string]struct {
		tool   string
		answer tools.Result
		want   string // "": nothing is wrong
	}{
		"a text alone":           {"get_device_state", tools.Result{Text: "on"}, "answers with a text alone"},
		"half a state":           {"get_device_state", tools.Result{Data: json.RawMessage(`{"device":"Hall Lamp","state":"on"}`)}, "missing properties"},
		"a failure":              {"get_device_state", tools.Result{Failed: true, Text: "I cannot reach the cabin."}, "failed: I cannot reach the cabin."},
		"another id":             {"list_devices", tools.Result{Data: json.RawMessage(`{"total":1,"page":1,"pages":1,"devices":[{"name":"Hall Lamp","id":"7","area":"","type":"light","state":"on","age_seconds":1,"stale":false,"reachable":true,"reason":""}]}`)}, `the id "7", which no thing`},
		"an empty list":          {"list_devices", tools.Result{Data: json.RawMessage(`{"total":0,"page":1,"pages":1,"devices":[]}`)}, "lists nothing"},
		"health in other words":  {"check_cabin_health", tools.Result{Data: json.RawMessage(`{"ok":true}`)}, "missing properties"},
		"refused":                {"control_cabin_device", tools.Result{Failed: true, Data: json.RawMessage(receipt("refused", "unknown_device"))}, ""},
		"not reached":            {"control_cabin_device", tools.Result{Failed: true, Data: json.RawMessage(receipt("no_answer", "broker_away"))}, ""},
		"done":                   {"control_cabin_device", tools.Result{Data: json.RawMessage(receipt("confirmed", ""))}, "says confirmed of a thing that does not exist"},
		"another was meant":      {"control_cabin_device", tools.Result{Data: json.RawMessage(receipt("accepted", "on_its_way"))}, "says accepted of a thing"},
		"refused without a flag": {"control_cabin_device", tools.Result{Data: json.RawMessage(receipt("refused", "unknown_device"))}, "does not set isError"},
		"refused without a word": {"control_cabin_device", tools.Result{Failed: true, Text: "Error"}, "refuses without a receipt"},
		"a reason of its own":    {"control_cabin_device", tools.Result{Failed: true, Data: json.RawMessage(receipt("refused", "E404"))}, `the reason "E404"`},
		"no receipt":             {"control_cabin_device", tools.Result{Failed: true, Data: json.RawMessage(`{"error":"unknown"}`)}, "missing properties"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, _ := offering(t)
			probes := form.Probes(o, "x")
			at := slices.IndexFunc(probes, func(p form.Probe) bool { return p.Call.Tool == tc.tool })
			faults := probes[at].Judge(tc.answer)
			if tc.want == "" && len(faults) > 0 || tc.want != "" && !slices.ContainsFunc(faults, func(f form.Fault) bool { return strings.Contains(f.What, tc.want) && f.Mend != "" }) {
				t.Errorf("%+v, want %q", faults, tc.want)
			}
		})
	}
}

// The only act of a probe is for a thing that no house has.
func TestProbesSwitchNothing(t *testing.T) {
	t.Parallel()
	o, _ := offering(t)
	risks := map[string]tools.Risk{}
	for _, s := range o.Tools {
		risks[s.Name] = s.Risk
	}
	for _, p := range form.Probes(o, "no such thing") {
		if risks[p.Call.Tool] != tools.Read && !strings.Contains(string(p.Call.Args), `"device_name":"no such thing"`) {
			t.Errorf("%s calls %s with %s", p.About, p.Call.Tool, p.Call.Args)
		}
	}
}

// The examples of the documentation keep to the form.
func TestTheExamplesKeepToTheForm(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/house.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d examples, want a house, a receipt and events", len(blocks))
	}
	for _, f := range form.Check(form.Offering{House: blocks[0][1], Events: blocks[2][1]}) {
		if f.Grave && !strings.Contains(f.What, "which the server does not offer") {
			t.Error(f.What)
		}
	}
	if r := tools.ReadReceipt(blocks[1][1]); !r.Done() {
		t.Errorf("the receipt is %+v", r)
	}
}
