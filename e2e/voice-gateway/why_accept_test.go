//go:build accept

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"voicegateway/internal/keep/record"
)

// history is the simulated house's own log: every change of a value with its time, and
// which client asked for it over the broker.
type history struct {
	*ear
	t *testing.T
}

// update is a line of a node's own log.
type update struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"`
	Args  []struct {
		Class    int    `json:"commandClass"`
		Property string `json:"property"`
		Key      string `json:"propertyKeyName"`
		New      any    `json:"newValue"`
		Prev     any    `json:"prevValue"`
	} `json:"args"`
}

// changed returns when a value of a node last became another one by the log that the
// house keeps.
func (h history) changed(node, property string) time.Time {
	h.t.Helper()
	const answer = "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/getNodes"
	before := len(h.on(answer))
	if err := h.Publish(h.t.Context(), answer+"/set", []byte(`{"args":[],"requestId":"history"}`)); err != nil {
		h.t.Fatal(err)
	}
	var nodes struct {
		Result []struct {
			Name string   `json:"name"`
			Log  []update `json:"eventsQueue"`
		} `json:"result"`
	}
	eventually(h.t, "the house shows its log", func() bool { return len(h.on(answer)) > before })
	all := h.on(answer)
	if err := json.Unmarshal([]byte(all[len(all)-1]), &nodes); err != nil {
		h.t.Fatal(err)
	}
	var last time.Time
	for _, n := range nodes.Result {
		for _, u := range n.Log {
			if n.Name == node && u.Event == "value updated" && len(u.Args) == 1 && u.Args[0].Property == property && fmt.Sprint(u.Args[0].New) != fmt.Sprint(u.Args[0].Prev) {
				last = u.Time
			}
		}
	}
	return last
}

// written reports whether a client has asked the house over the broker to change a node.
func (h history) written(node int) bool {
	return h.has("zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set", fmt.Sprintf(`"nodeId":%d,`, node))
}

// TestAcceptTwentyWhys plays an evening in a house and asks twenty times why something is so.
// The times are compared with the log of the house, and the causes with the messages at the
// broker.
func TestAcceptTwentyWhys(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	file := filepath.Join(t.TempDir(), "buttons.yaml")
	if err := os.WriteFile(file, []byte("buttons: [{thing: Workshop Remote Button 1, press: pressed, sentence: turn on the bedroom lamp}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, http, _ := daemonWith(t, []string{"--config", file}, broker, "VOICE_GATEWAY_GATEWAY_AREA=Kitchen")
	h := history{listen(t, broker, "zwave/_CLIENTS/#"), t}
	hand, stranger := listen(t, broker, "zwave/_SIM/#"), listen(t, broker)
	houseThere(t, http, "at the start")
	// The gateway reports only changes that come after it has begun to follow the house.
	// So the switch is pressed again and again until one press is reported as a hand's.
	told := func(state, value string) bool {
		hand.happens(t, `{"op":"change","node":"Kitchen Light","key":"37-0-currentValue","value":`+value+`}`)
		return within(t, 3*time.Second, func() bool {
			return strings.HasPrefix(ask(t, http, "why is the kitchen light "+state).Reply, "Nobody asked me")
		})
	}
	eventually(t, "the house is followed", func() bool { on := told("on", "true"); return told("off", "false") && on })
	asks := func(text string) func() {
		return func() {
			t.Helper()
			if r := ask(t, http, text); r.Outcome != record.Done && r.Outcome != record.Accepted {
				t.Errorf("%s: %+v", text, r)
			}
		}
	}
	change := func(node, key, value string) func() {
		return func() {
			t.Helper()
			hand.happens(t, `{"op":"change","node":"`+node+`","key":"`+key+`","value":`+value+`}`)
		}
	}
	both := func(all ...func()) func() {
		return func() {
			for _, do := range all {
				do()
			}
		}
	}
	mqtt := func() {
		stranger.say(t, "ask", `{"id":"m1","text":"turn on the hallway light","area":"Hallway"}`)
		eventually(t, "it is done", func() bool { return stranger.has("voice/test/turn", `"id":"m1"`, `"outcome":"done"`) })
	}
	button := func() {
		hand.happens(t, `{"op":"scene","node":"Workshop Remote","key":"001","value":0}`)
		eventually(t, "the button has done it", func() bool { return len(byButton(t, http)) == 1 && byButton(t, http)[0].Outcome == record.Done })
	}
	other := func() { // another program of the house, which asks the gateway of the Z-Wave network
		if err := h.Publish(t.Context(), "zwave/_CLIENTS/ZWAVE_GATEWAY-Simulated_House/api/writeValue/set",
			[]byte(`{"args":[{"nodeId":3,"commandClass":37,"endpoint":0,"property":"targetValue"},true]}`)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the device has been read back", func() bool { return !h.changed("Coffee Machine", "currentValue").IsZero() })
	}
	const byHand, byUs = "Nobody asked me: %s reported it at %s.", "You asked for it in the kitchen at %s."
	rows := []struct {
		what     string
		happens  func()
		question string
		node     string
		id       int    // of the node; 0: whether it was written to does not matter
		property string // in the log of the house
		want     string // with the time of the log
	}{
		{"a hand", change("Kitchen Light", "37-0-currentValue", "true"), "why is the kitchen light on", "Kitchen Light", -2, "currentValue", fmt.Sprintf(byHand, "the kitchen light", "%s")},
		{"", nil, "who turned on the kitchen light", "Kitchen Light", -2, "currentValue", fmt.Sprintf(byHand, "the kitchen light", "%s")},
		{"", nil, "who did that", "Kitchen Light", -2, "currentValue", "The kitchen light is on. " + fmt.Sprintf(byHand, "the kitchen light", "%s")},
		{"asked in writing", asks("turn on the office light"), "why is the office light on", "Office Light", 17, "currentValue", byUs},
		{"", nil, "who turned on the office light", "Office Light", 17, "currentValue", byUs},
		{"", nil, "why did you turn on the office light", "Office Light", 17, "currentValue", byUs},
		{"over MQTT", mqtt, "why is the hallway light on", "Hallway Light", 12, "currentValue", "It came over MQTT at %s."},
		{"by a button", button, "why is the bedroom lamp on", "Bedroom Lamp", 9, "currentValue", "A button was pressed for it at %s."},
		{
			"asked, then a hand twice",
			both(asks("turn on the living room light"), change("Living Room Light", "38-0-currentValue", "0"), change("Living Room Light", "38-0-currentValue", "99")),
			"why is the living room light on", "Living Room Light", 0, "currentValue", fmt.Sprintf(byHand, "the living room light", "%s"),
		},
		{"a hand, then asked", both(change("Ceiling Fan", "38-0-currentValue", "60"), asks("turn off the ceiling fan")), "why is the ceiling fan off", "Ceiling Fan", 19, "currentValue", byUs},
		{"a motor, asked", asks("close the living room blinds"), "why are the living room blinds closed", "Living Room Blinds", 7, "", byUs},
		{"a garage door by hand", change("Garage Door", "102-0-currentState", "255"), "why is the garage door open", "Garage Door", -15, "currentState", fmt.Sprintf(byHand, "the garage door", "%s")},
		{"a lock, asked", asks("lock the front door"), "why is the front door locked", "Front Door", 13, "", byUs},
		{"", nil, "who locked the front door", "Front Door", 13, "", byUs},
		{
			"a hatch by hand", both(func() { hand.happens(t, `{"op":"awake","node":"Cellar Hatch"}`) }, change("Cellar Hatch", "113-0-Access Control-Door state", "22")),
			"why is the cellar hatch open", "Cellar Hatch", -46, "Access Control", fmt.Sprintf(byHand, "the cellar hatch", "%s"),
		},
		{"another program", other, "why is the coffee machine on", "Coffee Machine", 3, "currentValue", fmt.Sprintf(byHand, "the coffee machine", "%s")},
		{"nothing", nil, "why is the pond pump off", "Pond Pump", -50, "", "I don't know, it wasn't me. It was like that before I started."},
		{"it is not so", nil, "why is the pond pump on", "Pond Pump", -50, "", "The pond pump is off."},
		{"taken back", both(asks("turn on the mood light"), asks("undo")), "why is the mood light off", "Mood Light", 42, "", "It was taken back at %s."},
		{"the server has died since", func() { kill(t, serverPID(t, http)); serverPID(t, http); houseThere(t, http, "again") }, "why is the kitchen light on", "Kitchen Light", -2, "currentValue", fmt.Sprintf(byHand, "the kitchen light", "%s")},
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "what happened\tquestion\tanswer\tin the log of the house\tright")
	right := 0
	for _, row := range rows {
		if row.happens != nil {
			row.happens()
		}
		var at time.Time
		if row.property != "" {
			at = h.changed(row.node, row.property)
		}
		got := ask(t, http, row.question).Reply
		ok := agrees(got, row.want, at)
		again := time.NewTicker(time.Second) // what is not an alarm is reported within a second, later on a busy machine
		for tries := 0; tries < 8 && !ok; tries++ {
			<-again.C
			got = ask(t, http, row.question).Reply
			ok = agrees(got, row.want, at)
		}
		again.Stop()
		if row.id < 0 && h.written(-row.id) || row.id > 0 && !h.written(row.id) {
			t.Errorf("%s: whether somebody wrote to it is not as the table says", row.node)
		}
		if ok {
			right++
		} else {
			t.Errorf("%s: %q, want %q at %s", row.question, got, row.want, at.Local().Format(time.TimeOnly))
		}
		log := "-"
		if !at.IsZero() {
			log = at.Local().Format(time.TimeOnly)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%v\n", row.what, row.question, got, log, ok)
	}
	hand.happens(t, `{"op":"dead","node":"Hallway Light"}`)
	if r := ask(t, http, "turn off the hallway light"); r.Outcome != record.Failed {
		t.Errorf("a dead light: %+v", r)
	}
	failed := time.Now()
	wrong := ask(t, http, "what's wrong").Reply
	for _, want := range []string{"I can't reach the hallway light. Check that it has power.", "The cellar hatch and the garage door are open."} {
		if !strings.Contains(wrong, want) {
			t.Errorf("what's wrong: %q, want %q in it", wrong, want)
		}
	}
	if _, told, _ := strings.Cut(wrong, " At "); !agrees("At "+told, "At %s the hallway light did not answer.", failed.Add(-time.Second)) {
		t.Errorf("what's wrong: %q, which does not tell what failed", wrong)
	}
	_ = w.Flush()
	t.Logf("%d of %d\n%s", right, len(rows), &table)
}

// agrees reports whether an answer is what was wanted, with the minute of the log, or the
// next where the report took a moment. Without a log any minute of the last five will do.
func agrees(got, want string, at time.Time) bool {
	if !strings.Contains(want, "%s") {
		return got == want
	}
	minutes := []time.Time{at, at.Add(2 * time.Second)}
	if at.IsZero() {
		minutes = nil
		for ago := range 5 {
			minutes = append(minutes, time.Now().Add(-time.Duration(ago)*time.Minute))
		}
	}
	for _, m := range minutes {
		if strings.EqualFold(got, fmt.Sprintf(want, m.Local().Format("3:04 PM"))) {
			return true
		}
	}
	return false
}
