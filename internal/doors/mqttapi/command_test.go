package mqttapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		verb, payload string
		retained      bool
		want          string
		wrong         string // a part of the error; "" for none
	}{
		"ask":                  {verb: "ask", payload: `{"id":"1","text":"turn on the lamp","area":"Kitchen"}`, want: `ask 1 {"text":"turn on the lamp","area":"Kitchen"}`},
		"ask without area":     {verb: "ask", payload: `{"id":"1","text":" hello "}`, want: `ask 1 {"text":"hello"}`},
		"a tap":                {verb: "control", payload: `{"id":"1","thing":"Lamp","do":" ON "}`, want: `control 1 {"thing":"Lamp","do":"on"}`},
		"a level":              {verb: "control", payload: `{"id":"1","thing":"Lamp","do":"level","value":40}`, want: `control 1 {"thing":"Lamp","do":"level","value":40}`},
		"a colour":             {verb: "control", payload: `{"id":"1","thing":"Lamp","do":"colour","value":"red"}`, want: `control 1 {"thing":"Lamp","do":"colour","value":"red"}`},
		"a value of null":      {verb: "control", payload: `{"id":"1","thing":"Lamp","do":"on","value":null}`, want: `control 1 {"thing":"Lamp","do":"on"}`},
		"do what":              {verb: "control", payload: `{"id":"1","thing":"Lamp"}`, wrong: "do is missing"},
		"do nothing":           {verb: "control", payload: `{"id":"1","thing":"Lamp","do":""}`, wrong: `"do" is missing`},
		"a thing of no name":   {verb: "control", payload: `{"id":"1","thing":" ","do":"on"}`, wrong: `"thing" is missing`},
		"as the page":          {verb: "control", payload: `{"id":"1","thing":"Lamp","do":"on","source":"page"}`, wrong: "source"},
		"fresh time":           {verb: "ask", payload: `{"id":"1","text":"x","time":"2026-03-01T11:59:57Z"}`, want: `ask 1 {"text":"x"}`},
		"loud, and a fraction": {verb: "volume", payload: `{"id":"7","level":35.9}`, want: `volume 7 {"level":35}`},
		"over all, a fraction": {verb: "volume", payload: `{"id":"7","level":100.5}`, wrong: "level is 100.5; expected 0 to 100"},
		"loud as a word":       {verb: "volume", payload: `{"id":"7","level":"much"}`, wrong: "Go struct field wire.level of type float64"},
		"volume":               {verb: "volume", payload: `{"id":"7","level":35}`, want: `volume 7 {"level":35}`},
		"stop":                 {verb: "stop", payload: `{"id":"8"}`, want: `stop 8 {}`},
		"mute":                 {verb: "mute", payload: `{"id":"9","on":true}`, want: `mute 9 {"on":true}`},
		"unmute":               {verb: "mute", payload: `{"id":"9","on":false}`, want: `mute 9 {"on":false}`},
		"mute what":            {verb: "mute", payload: `{"id":"9"}`, wrong: "on is missing"},
		"mute as a word":       {verb: "mute", payload: `{"id":"9","on":"yes"}`, wrong: "JSON object"},
		"on of another":        {verb: "stop", payload: `{"id":"9","on":true}`, wrong: "on does not belong"},
		"old":                  {verb: "ask", payload: `{"id":"1","text":"x","time":"2026-03-01T11:59:54Z"}`, wrong: "6s old"},
		"not a time":           {verb: "ask", payload: `{"id":"1","text":"x","time":"noon"}`, wrong: "RFC 3339"},
		"far ahead":            {verb: "ask", payload: `{"id":"1","text":"x","time":"2099-03-01T12:00:00Z"}`, wrong: "ahead of this gateway's clock"},
		"six seconds ahead":    {verb: "ask", payload: `{"id":"1","text":"x","time":"2026-03-01T12:00:06Z"}`, wrong: "6s ahead"},
		"retained":             {verb: "ask", payload: `{"id":"1","text":"x"}`, retained: true, wrong: "retained"},
		"no id":                {verb: "ask", payload: `{"text":"x"}`, wrong: "id is missing"},
		"empty id":             {verb: "say", payload: `{"id":"","text":"x"}`, wrong: "id is missing"},
		"no text":              {verb: "say", payload: `{"id":"1","text":"  "}`, wrong: "text is missing"},
		"strange member":       {verb: "ask", payload: `{"id":"1","text":"x","txet":"y"}`, wrong: "txet"},
		"member of another":    {verb: "stop", payload: `{"id":"1","text":"x"}`, wrong: "text does not belong"},
		"number for a text":    {verb: "ask", payload: `{"id":"1","text":5}`, wrong: "JSON object"},
		"not JSON":             {verb: "ask", payload: `turn on the lamp`, wrong: "JSON object"},
		"two objects":          {verb: "stop", payload: `{"id":"1"}{"id":"2"}`, wrong: "one object"},
		"too loud":             {verb: "volume", payload: `{"id":"7","level":101}`, wrong: "0 to 100"},
		"unknown verb":         {verb: "reboot", payload: `{"id":"1"}`, wrong: `the command "reboot" is not known here; expected ask, control, say, listen, stop, mute, volume, timer`},
		"too large":            {verb: "ask", payload: `{"id":"1","text":"` + strings.Repeat("x", maxPayload) + `"}`, wrong: "bytes"},
		"control in id":        {verb: "stop", payload: `{"id":"a\nb"}`, wrong: "plain text"},
		"id without an end":    {verb: "stop", payload: `{"id":"` + strings.Repeat("x", maxID+1) + `"}`, wrong: "plain text"},
		"an array":             {verb: "stop", payload: `[]`, wrong: "JSON object that was expected, {id}: json: cannot unmarshal array into Go value of type mqttapi.wire"},
		"nothing":              {verb: "stop", payload: ``, wrong: "JSON object"},
		"not UTF-8":            {verb: "ask", payload: "{\"id\":\"1\",\"text\":\"\xff\xfe\"}", wrong: "UTF-8"},
		"null is no object":    {verb: "stop", payload: `null`, wrong: "id is missing"},
		"timer":                {verb: "timer", payload: `{"id":"1","action":"start","name":"pasta","at":"07:00","area":"Den","text":" x "}`, want: `timer 1 {"action":"start","name":"pasta","at":"07:00","text":"x","area":"Den"}`},
		"stop the timer":       {verb: "timer", payload: `{"id":"1","action":"stop","timer":"timer-1"}`, want: `timer 1 {"action":"stop","timer":"timer-1"}`},
		"shake the timer":      {verb: "timer", payload: `{"id":"1","action":"shake"}`, wrong: `"shake" is unknown`},
		"cancel them all":      {verb: "timer", payload: `{"id":"1","action":"cancel_all"}`, wrong: `"cancel_all" is unknown`},
		"timer what":           {verb: "timer", payload: `{"id":"1"}`, wrong: "action is missing"},
		"half a second":        {verb: "timer", payload: `{"id":"1","action":"start","seconds":0.5}`, wrong: "JSON object"},
		"a timer's command":    {verb: "timer", payload: `{"id":"1","action":"start","command":"unlock"}`, wrong: "command"},
		"a timer's level":      {verb: "timer", payload: `{"id":"1","action":"stop","level":3}`, wrong: "level does not belong"},
		"an action of another": {verb: "stop", payload: `{"id":"1","action":"stop"}`, wrong: "action does not belong"},
		"retry":                {verb: "retry", payload: `{"id":"1"}`, want: `retry 1 {}`},
		"retry one":            {verb: "retry", payload: `{"id":"1","text":"zwave"}`, wrong: "text does not belong"},
		"time for the future":  {verb: "stop", payload: `{"id":"1","time":"2026-03-01T12:00:04Z"}`, want: `stop 1 {}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse(tt.verb, []byte(tt.payload), tt.retained, noon)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("error %v, expected one with %q", err, tt.wrong)
				}
				return
			}
			in, failed := json.Marshal(got.In)
			if is := got.Verb + " " + got.ID + " " + string(in); err != nil || failed != nil || is != tt.want {
				t.Errorf("got %s, %v; expected %s", is, err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"id":"1","text":"x","area":"y","time":"2026-03-01T12:00:00Z"}`, `{"id":"1","level":1e400}`, `[`, `{"id":null}`} {
		f.Add("ask", []byte(s), false)
	}
	for _, s := range []string{`{"id":"1","action":"start","seconds":-9223372036854775808}`, `{"id":"1","action":"add","timer":"\u0000","at":"99:99"}`} {
		f.Add("timer", []byte(s), false)
	}
	f.Fuzz(func(t *testing.T, verb string, payload []byte, retained bool) {
		c, err := Parse(verb, payload, retained, noon)
		if err != nil {
			return
		}
		if retained || c.ID == "" || len(c.ID) > maxID {
			t.Errorf("accepted %+v", c)
		}
		if request, ok := c.In.(*timers.Request); ok {
			taken(t, *request)
		}
	})
}

// taken checks that a book takes whatever a request asks for, and stays sound.
func taken(t *testing.T, r timers.Request) {
	t.Helper()
	now := timers.Moment{Wall: noon}
	book := timers.Open(timers.Saved{}, now)
	if r.Starts() {
		res := book.Start(r.Wish(), now)
		if started := res.Outcome == timers.Started; started != (len(res.Timers) == 1) || started && res.Timers[0].Left < 1 {
			t.Errorf("%+v: %+v", r, res)
		}
	}
	book.Change(r.Change(), now)
	book.Advance(now)
	if left, any := book.Next(); any && (left <= 0 || left > timers.Longest) {
		t.Errorf("%+v: the next is due in %s", r, left)
	}
}
