package reply_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/tools"
)

// update has the golden files written.
var update = flag.Bool("update", false, "write the golden files anew")

func house(tb testing.TB) *home.House {
	tb.Helper()
	data, err := os.ReadFile("../testdata/house.json")
	if err != nil {
		tb.Fatal(err)
	}
	h, err := home.Load(data)
	if err != nil {
		tb.Fatal(err)
	}
	return h
}

// answers makes a result of each text: a JSON object is structured data, "!x" a
// failure with the text x, anything else a text.
func answers(n int, texts []string) []tools.Result {
	out := make([]tools.Result, n)
	for i := range out {
		text := texts[min(i, len(texts)-1)]
		switch {
		case strings.HasPrefix(text, "{"):
			out[i].Data, out[i].Receipt = json.RawMessage(text), tools.ReadReceipt(json.RawMessage(text))
		case strings.HasPrefix(text, "!"):
			out[i] = tools.Result{Failed: true, Text: text[1:]}
		default:
			out[i].Text = text
		}
	}
	return out
}

func TestTold(t *testing.T) {
	t.Parallel()
	ok, told, no := `{"device":"x","outcome":"confirmed"}`, `{"device":"x","outcome":"accepted"}`, `{"device":"x","outcome":"no_answer"}`
	tests := map[string]struct {
		text, area string
		results    []string
		want       string
	}{
		"on":           {"turn on the kitchen light", "", []string{ok}, "The kitchen light is on."},
		"plural name":  {"open the bedroom curtains", "", []string{ok}, "The bedroom curtains are open."},
		"dimmed":       {"dim the bedroom lamp to forty percent", "", []string{`{"device":"x","outcome":"confirmed","before":100,"value":40}`}, "Dimmed the bedroom lamp to 40 percent."},
		"stays off":    {"dim the bedroom lamp to zero percent", "", []string{`{"device":"x","outcome":"confirmed","before":0,"value":0}`}, "The bedroom lamp is off."},
		"brightened":   {"set the bedroom lamp to forty percent", "", []string{`{"device":"x","outcome":"confirmed","before":10,"value":40}`}, "Set the bedroom lamp to 40 percent."},
		"colour":       {"set the bedroom lamp to blue", "", []string{`{"device":"x","outcome":"confirmed","value":"#0000ff"}`}, "The bedroom lamp is blue now."},
		"locked":       {"lock the front door", "", []string{ok}, "The front door is locked."},
		"closed":       {"close the garage door", "", []string{ok}, "The garage door is closed."},
		"setpoint":     {"set the thermostat to 21.5 degrees", "", []string{ok}, "The thermostat is set to 21.5 degrees."},
		"position":     {"set the living room blinds to fifty percent", "", []string{ok}, "The living room blinds are at 50 percent."},
		"toggled":      {"toggle the reading lamp", "", []string{`{"device":"x","outcome":"confirmed","value":false}`}, "The reading lamp is off."},
		"accepted":     {"turn on the kitchen light", "", []string{told}, "The kitchen light has not confirmed it."},
		"accepted two": {"open the bedroom curtains", "", []string{told}, "The bedroom curtains have not confirmed it."},
		"queued":       {"set the thermostat to 21 degrees", "", []string{`{"device":"x","outcome":"queued"}`}, "The thermostat is asleep and will follow."},
		"no answer":    {"turn on the kitchen light", "", []string{no}, "The kitchen light did not answer."},
		"refused":      {"set the thermostat to 30 degrees", "", []string{`{"device":"x","outcome":"refused","message":"Thermostat goes up to 28 degrees."}`}, "Thermostat goes up to 28 degrees."},
		"failed call":  {"turn on the kitchen light", "", []string{"!The Z-Wave server is not connected."}, "The Z-Wave server is not connected."},
		"group":        {"turn off the lights in the living room", "", []string{ok}, "2 lights are off."},
		"group, part":  {"turn off the lights in the living room", "", []string{ok, no}, "The living room light is off. I can't reach the reading lamp."},
		"group, told":  {"turn off the lights in the living room", "", []string{ok, told}, "The living room light is off. The reading lamp has not confirmed it."},
		"group, none":  {"turn off all the lights", "", []string{no}, "None of the 6 lights answered."},
		"two commands": {"turn on the kitchen light and lock the front door", "", []string{ok}, "The kitchen light is on. The front door is locked."},
		"yes":          {"is the front door locked", "", []string{`{"state":"locked","age_seconds":5,"reachable":true}`}, "Yes, the front door is locked."},
		"no":           {"is the front door locked", "", []string{`{"state":"unlocked","age_seconds":5,"reachable":true}`}, "No, the front door is unlocked."},
		"old":          {"is the front door locked", "", []string{`{"state":"locked","age_seconds":259200,"reachable":true}`}, "Yes, the front door is locked. That was 3 days ago."},
		"dead":         {"is the front door locked", "", []string{`{"state":"locked","age_seconds":10800,"reachable":false}`}, "The front door cannot be reached; it last reported locked."},
		"contact":      {"is the garage window closed", "", []string{`{"sensor":"contact","value":"closed","unit":"","age_seconds":3}`}, "Yes, the garage window is closed."},
		"contact, raw": {"is the garage window closed", "", []string{`{"sensor":"contact","value":true,"unit":"","age_seconds":3}`}, "No, the garage window is open."},
		"windows":      {"are any windows open", "", []string{`{"value":"open","age_seconds":3}`}, "Yes, the garage window is open."},
		"sensor":       {"what's the humidity in the kitchen", "", []string{`{"value":47,"unit":"%","age_seconds":60}`}, "The kitchen humidity is 47 percent."},
		"temperature":  {"what's the temperature in the office", "", []string{`{"value":21.26,"unit":"°C","age_seconds":60}`}, "The office temperature is 21.3 degrees."},
		"lost sensor":  {"what's the temperature in the office", "", []string{`{"value":21.26,"unit":"°C","age_seconds":60,"reachable":false}`}, "The office temperature cannot be reached; it last reported 21.3 degrees."},
		"by state":     {"what's the temperature in the bedroom", "", []string{`{"state":"heat","values":{"temperature":19,"setpoint":20,"unit":"°C"},"age_seconds":60}`}, "The bedroom thermostat measures 19 degrees."},
		"which are on": {"which lights are on", "", []string{`{"state":"on"}`, `{"state":"on"}`, `{"state":"off"}`}, "The kitchen light and the living room light are on."},
		"none is on":   {"which lights are on", "", []string{`{"state":"off"}`}, "None, all the lights are off."},
		"unknown":      {"is the front door locked", "", []string{`{"state":null}`}, "I don't know about the front door."},
		"not read":     {"is the front door locked", "", []string{"!The front door did not answer."}, "The front door did not answer."},
		"time":         {"what time is it", "", []string{"It is ten past nine."}, "It is ten past nine."},
		"never mind":   {"never mind", "", []string{""}, "Okay."},
		"stop":         {"stop", "", []string{""}, ""},
		"good night":   {"good night", "", []string{""}, "Good night."},
		"volume":       {"turn the volume up", "", []string{""}, "Done."},
		"list":         {"what can you control in here", "Garage", []string{""}, "Here I know the garage door and the garage window."},
	}
	h, p := house(t), fake.English()
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, err := plan.Calls(m.Match(tt.text, tt.area), h, tt.area)
			if err != nil {
				t.Fatal(err)
			}
			got := p.Told(steps, answers(len(steps), tt.results))
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			confirmed := len(tt.results) == 1 && strings.Contains(tt.results[0], "confirmed") && name != "two commands"
			if confirmed && len(strings.Fields(got)) > 8 {
				t.Errorf("%q is longer than eight words", got)
			}
		})
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		d    intent.Decision
		want string
	}{
		"unknown name":  {intent.Decision{Reason: "unknown_name", Heard: "dishwasher"}, "I don't know a dishwasher here."},
		"vowel":         {intent.Decision{Reason: "unknown_area", Heard: "attic"}, "I don't know an attic here."},
		"plural":        {intent.Decision{Reason: "unknown_name", Heard: "christmas lights"}, "I don't know christmas lights here."},
		"no device":     {intent.Decision{Reason: "no_device", Heard: "lights in the garage"}, "I know no lights in the garage."},
		"nothing heard": {intent.Decision{Reason: "no_device"}, "I know no such device here."},
		"no house":      {intent.Decision{Reason: "unknown_name", Heard: "lamp", NeedHouse: true}, "I can't reach the devices yet. Check Z-Wave JS UI."},
		"bare":          {intent.Decision{Reason: "bare_name", Heard: "kitchen light"}, "What shall I do with the kitchen light?"},
		"overheard":     {intent.Decision{Reason: "overheard"}, ""},
		"new reason":    {intent.Decision{Reason: "something"}, "I did not understand that."},
		"markup":        {intent.Decision{Reason: "unknown_name", Heard: "<b>http://x</b>"}, "I did not understand that."},
	}
	for name, tt := range tests {
		if got := fake.English().Refusal(tt.d); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	h, p := house(t), fake.English()
	m, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"unlock the front door": "Unlocking is switched off here.",
		"open the garage door":  "Opening the garage door is switched off here.",
		"turn on the light":     "That is switched off here.",
	} {
		steps, err := plan.Calls(m.Match(text, "Kitchen"), h, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Denied(steps); got != want {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

// sentence is an error that was written to be heard.
type sentence string

func (s sentence) Error() string { return string(s) }

func TestApology(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want string
	}{
		"none":       {nil, ""},
		"planned":    {&plan.Error{Text: "That device is gone."}, "That device is gone."},
		"time":       {fmt.Errorf("calling: %w", context.DeadlineExceeded), "That took too long."},
		"cancelled":  {context.Canceled, "I stopped."},
		"fate":       {fmt.Errorf("%w: %w", tools.ErrNoAnswer, context.DeadlineExceeded), "I don't know whether that worked."},
		"not sent":   {fmt.Errorf("%w: %w", tools.ErrNotConnected, errors.New("broken pipe")), "I can't reach it. Nothing was done."},
		"sentence":   {fmt.Errorf("calling zwave: %w", sentence("The Z-Wave server is not connected.")), "The Z-Wave server is not connected."},
		"technical":  {errors.New("dial tcp 127.0.0.1:1883: connection refused"), "Sorry, that did not work."},
		"trap":       {errors.New("Panic: goroutine 1 [running]:\nmain.main()"), "Sorry, that did not work."},
		"bare words": {sentence("Oops."), "Sorry, that did not work."},
	}
	for name, tt := range tests {
		if got := fake.English().Apology(tt.err); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestPhrase(t *testing.T) {
	t.Parallel()
	p := fake.English()
	if got := p.Phrase("many_devices", map[string]any{"count": 7}); got != "That is 7 devices. Shall I go on?" {
		t.Errorf("got %q", got)
	}
	if p.Phrase("no such phrase", nil) != "" || p.Phrase("no_model", nil) == "" || p.Phrase("not_heard", nil) == "" {
		t.Error("wrong phrases")
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	data, err := sentences.Answered("en")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reply.Load(data); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ yaml, want string }{
		"empty":   {"", `"done_on" is missing`},
		"no yaml": {"\t:", "reading replies"},
		"forms":   {string(data) + "\n", ""},
	} {
		_, err := reply.Load([]byte(tt.yaml))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzTold(f *testing.F) {
	f.Add(`{"device":"x","outcome":"confirmed","before":1,"value":"x"}`, "text", true)
	f.Add(`{"state":{},"values":{"setpoint":[]},"age_seconds":-1}`, "", false)
	p := fake.English()
	e := &home.Entity{ID: "x", Name: "Lamp", Domain: "light"}
	f.Fuzz(func(_ *testing.T, data, text string, failed bool) {
		receipt := tools.ReadReceipt(json.RawMessage(data))
		r := []tools.Result{{Data: json.RawMessage(data), Receipt: receipt, Text: text, Failed: failed}, {Data: json.RawMessage(data), Receipt: receipt}}
		for _, name := range []string{"HassTurnOn", "HassGetState", "LocalClimateAdjust"} {
			a := intent.Action{Intent: name, Slots: map[string]any{"state": "on"}}
			p.Told([]plan.Step{{Action: a, Entity: e, Risk: tools.Read}, {Action: a, Entity: e}}, r)
			p.Told([]plan.Step{{Action: a, Entity: e}}, r)
		}
	})
}
