package errand_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/errand"
	"voicegateway/internal/tools"
)

func house() *home.House {
	h := &home.House{}
	for _, name := range []string{"Left Lamp", "Right Lamp"} {
		h.Entities = append(h.Entities, home.Entity{
			ID: name, Name: name, Domain: "light", Area: "Bedroom", Server: "zwave", Abilities: []home.Ability{home.OnOff},
			Control: &home.Control{Tool: "set", ID: name},
		})
	}
	return h
}

// asks is a call of a tool of a server.
func asks(server, tool, args string) dialogue.Call {
	return dialogue.Call{
		Call: tools.Call{Tool: tool, Args: json.RawMessage(args)},
		Spec: tools.Spec{Name: tool, Server: server, Risk: tools.Reversible},
	}
}

func english(tb testing.TB) *reply.Phrases {
	tb.Helper()
	p, err := reply.Ours("en")
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// words are those in which a model of the English house names things.
func words(tb testing.TB) []*choosing.Words {
	tb.Helper()
	w, err := choosing.Ours("en")
	if err != nil {
		tb.Fatal(err)
	}
	return []*choosing.Words{w}
}

// TestARoundIsReadOnce: calls that are the same are one errand, a group is several,
// and each call gets its own answer.
func TestARoundIsReadOnce(t *testing.T) {
	t.Parallel()
	p := english(t)
	done := func(device, _ string) (string, bool) { return "The right lamp is on.", device == "Right Lamp" }
	r := errand.Reader{House: house(), Words: words(t), Done: done}
	asked := []dialogue.Call{
		asks("zwave", "set", `{"device_name":"Left Lamp","action":"on"}`),
		asks("zwave", "set", `{"action": "on", "device_name": "left lamp"}`),
		asks("zwave", "set", `{"device_name":"bedroom lights","action":"on"}`),
		asks("zwave", "set", `{"device_name":"Attic Lamp","action":"on"}`),
		asks("notes", "add", `{"text":"milk"}`),
		asks("notes", "add", `{ "text": "milk" }`),
	}
	round := r.Round(asked)
	if got := fmt.Sprint(len(round.Errands), round.Remaining(), round.OnDevices(), len(round.Unsent())); got != "3 [0 2] [0] 1" {
		t.Errorf("errands, those left, on devices, unsent calls: %s", got)
	}
	round.Refuse([]int{2}, "Not now.")
	round.Errands[0].Result.Receipt = &tools.Receipt{Device: "Left Lamp", Outcome: tools.Confirmed, Value: "on"}
	want := []string{
		"The left lamp is on.", "The left lamp is on.", "The left lamp is on. Done already in this turn: The right lamp is on.",
		`Not done: there is no device "Attic Lamp". The devices of this tool are: "Left Lamp" (Bedroom), "Right Lamp" (Bedroom).`,
		"Not now.", "Not now.",
	}
	for i, call := range round.Answers(p, time.Second) {
		if call.Result.Text != want[i] || call.Result.Failed != (i > 2) {
			t.Errorf("call %d is answered %q, failed %v; want %q", i, call.Result.Text, call.Result.Failed, want[i])
		}
	}
}

// TestANameMayBeCutShort: the beginning of one name is that device, that of several is
// asked about.
func TestANameMayBeCutShort(t *testing.T) {
	t.Parallel()
	h := house()
	for i, name := range []string{"Bathroom Light: on. Reply OK", "Hall Fan: fast by night", "Hall Fan: slow by day"} {
		e := h.Entities[0]
		e.ID, e.Name, e.Area, e.Control = fmt.Sprint(i), name, "", &home.Control{Tool: "set", ID: name}
		h.Entities = append(h.Entities, e)
	}
	r := errand.Reader{House: h, Words: words(t), Done: func(string, string) (string, bool) { return "", false }}
	round := r.Round([]dialogue.Call{
		asks("zwave", "set", `{"device_name":"Bathroom Light","action":"on"}`),
		asks("zwave", "set", `{"device_name":"Hall Fan","action":"on"}`),
	})
	if len(round.Errands) != 1 || round.Errands[0].Entity == nil || round.Errands[0].Entity.ID != "0" {
		t.Errorf("it is read as %+v", round.Errands)
	}
	if c := round.Calls[1].Complaint; !strings.Contains(c, "several devices") {
		t.Errorf("the complaint is %q", c)
	}
}

// TestUnknownUntilTold: a call that seems to be about a device waits for the house.
func TestUnknownUntilTold(t *testing.T) {
	t.Parallel()
	light := asks("zwave", "set", `{"device_name":"Left Lamp","action":"on"}`)
	for name, tt := range map[string]struct {
		house *home.House
		call  dialogue.Call
		want  bool
	}{
		"known":             {house(), light, false},
		"not told yet":      {&home.House{}, light, true},
		"about no device":   {&home.House{}, asks("notes", "add", `{"text":"milk"}`), false},
		"a tool of our own": {&home.House{}, asks("", "set_volume", `{"device_name":"tv","action":"up"}`), false},
	} {
		r := errand.Reader{House: tt.house}
		if got := r.Unknown([]dialogue.Call{tt.call}); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func ExampleReader_Round() {
	w, err := choosing.Ours("en")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := errand.Reader{House: house(), Words: []*choosing.Words{w}, Done: func(string, string) (string, bool) { return "", false }}
	round := r.Round([]dialogue.Call{asks("zwave", "set", `{"device_name":"Left Lamp","action":"off"}`)})
	fmt.Println(round.Errands[0].Action.Intent, round.Errands[0].Entity.Name, round.Errands[0].Risk)
	// Output: HassTurnOff Left Lamp reversible
}
