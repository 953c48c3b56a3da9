package reply_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// reasons are the codes of receipts, as they are written in the code.
func reasons(t *testing.T) []tools.Reason {
	t.Helper()
	code, err := os.ReadFile("../../tools/receipt.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []tools.Reason
	for _, m := range regexp.MustCompile(`Reason\s+= "(\w+)"`).FindAllSubmatch(code, -1) {
		all = append(all, tools.Reason(m[1]))
	}
	if len(all) < 15 {
		t.Fatalf("only %d reasons are found", len(all))
	}
	return all
}

// agreeing returns the reply about lamps that got a command.
func agreeing(t *testing.T, language, action string, value any, names []string, receipts []tools.Receipt, errs ...error) string {
	t.Helper()
	p, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	args, err := json.Marshal(map[string]any{"action": action, "value": value})
	if err != nil {
		t.Fatal(err)
	}
	var steps []plan.Step
	var results []tools.Result
	for i, name := range names {
		steps = append(steps, plan.Step{
			Action: intent.Action{Intent: "HassTurnOn"}, Risk: tools.Reversible,
			Entity: &home.Entity{ID: name, Name: name, Domain: "light"}, Call: tools.Call{Tool: "control", Args: args},
		})
		r := tools.Result{}
		if i < len(receipts) {
			r.Receipt = &receipts[i]
		}
		results = append(results, r)
	}
	return p.SayResults(steps, results, errs...)
}

// outcomeOf is the outcome that a reason stands beside.
func outcomeOf(r tools.Reason) tools.Outcome {
	if slices.Contains([]tools.Reason{tools.OnItsWay, tools.Unconfirmed, tools.Unchanged, tools.WhenOn, tools.Overtaken}, r) {
		return tools.Accepted
	}
	if r == tools.Asleep {
		return tools.Queued
	}
	if strings.HasPrefix(string(r), "refused") || r == tools.UnknownDevice || r == tools.AmbiguousDevice {
		return tools.Refused
	}
	return tools.NoAnswer
}

// TestEveryReasonIsSaid: each reason has a sentence of its own in each language,
// which names the thing, is short, and is never the tool's English one.
func TestEveryReasonIsSaid(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		seen := map[string]tools.Reason{}
		for _, why := range reasons(t) {
			r := tools.Receipt{Device: "Küchenlampe", Outcome: outcomeOf(why), Reason: why, Message: "The tool says something in English."}
			for _, several := range []bool{false, true} {
				names, receipts := []string{"Küchenlampe"}, []tools.Receipt{r}
				if several {
					names, receipts = append(names, "Leselampe"), append(receipts, r)
				}
				got := agreeing(t, language, "level", 40.0, names, receipts)
				if !strings.Contains(strings.ToLower(got), "küchenlampe") || strings.ContainsAny(got, "{}") || strings.Contains(got, "The tool") {
					t.Errorf("%s: %s: %q", language, why, got)
				}
				if n := len(strings.Fields(strings.NewReplacer(" :", "", "Z-Wave JS UI", "UI").Replace(got))); !several && n > 12 {
					t.Errorf("%s: %s: %q has %d words", language, why, got, n)
				}
				if other, twice := seen[got]; twice && !several {
					t.Errorf("%s: %s and %s are both %q", language, why, other, got)
				}
				seen[got] = why
			}
		}
	}
}

// TestNobodyIsBlamedForAnother: a thing is not at fault for the stick, the
// controller, the gateway or the broker.
func TestNobodyIsBlamedForAnother(t *testing.T) {
	t.Parallel()
	for why, culprit := range map[tools.Reason]string{
		tools.StickGone: "Z-Wave", tools.ControllerNotReady: "Z-Wave", tools.GatewayAway: "Z-Wave JS UI", tools.BrokerAway: "MQTT",
	} {
		for _, language := range sentences.Languages() {
			r := tools.Receipt{Device: "Lampe", Outcome: tools.NoAnswer, Reason: why}
			eight := strings.Fields("A B C D E F G H")
			for _, names := range [][]string{{"Lampe"}, {"Lampe", "Lüfter"}, eight} {
				got := agreeing(t, language, "on", nil, names, slices.Repeat([]tools.Receipt{r}, len(names)))
				if strings.Count(got, culprit) != 1 {
					t.Errorf("%s: %s: %q", language, why, got)
				}
			}
		}
	}
}

// TestReasonsInWords checks the reply about one lamp that got a command.
func TestReasonsInWords(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/reasons.txtar")
	for _, c := range []struct {
		name, action string
		value        any
		receipt      tools.Receipt
	}{
		{"closing", "close", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}},
		{"opening", "open", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}},
		{"on its way to a level", "level", 80.0, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}},
		{"on its way to off", "off", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}},
		{"a colour when it is on", "colour", "blue", tools.Receipt{Outcome: tools.Accepted, Reason: tools.WhenOn}},
		{"a colour without a name when it is on", "colour", "#ffa757", tools.Receipt{Outcome: tools.Accepted, Reason: tools.WhenOn}},
		{"a number that is refused", "setpoint", 40.0, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue, Message: "Lamp takes 5 to 30 degrees."}},
		{"refused, without a number", "on", nil, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue}},
		{"refused, with limits", "setpoint", 33.0, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue, Limits: []float64{8, 28}}},
		{"refused, in the tool's words", "on", nil, tools.Receipt{Outcome: tools.Refused, Message: "Lamp is not for you."}},
		{"no answer, with a reason that is new", "on", nil, tools.Receipt{Outcome: tools.NoAnswer, Reason: "a_new_code", Message: "Lamp is cross."}},
		{"overtaken", "on", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.Overtaken}},
		{"asleep", "setpoint", 21.0, tools.Receipt{Outcome: tools.Queued, Reason: tools.Asleep}},
		{"dead", "on", nil, tools.Receipt{Outcome: tools.NoAnswer, Reason: tools.Dead}},
	} {
		for _, language := range sentences.Languages() {
			c.receipt.Device = "Lamp"
			golden.Say(c.name, fake.ProseLine{
				Language: language, Said: agreeing(t, language, c.action, c.value, []string{"Lamp"}, []tools.Receipt{c.receipt}),
			})
		}
	}
	golden.Compare(t, *update)
}

// TestGroupsNameWhatWasLeftOut: if "all" did not reach all things, the reply says so,
// with names.
func TestGroupsNameWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	names := []string{"Attic Light", "Bath Light", "Cellar Light", "Desk Light", "Elm Light", "Fern Light", "Gate Light", "Hall Light"}
	done := tools.Receipt{Device: "x", Outcome: tools.Confirmed, Value: "off"}
	because := func(o tools.Outcome, r tools.Reason) tools.Receipt {
		return tools.Receipt{Device: "x", Outcome: o, Reason: r}
	}
	dead, moving := because(tools.NoAnswer, tools.Dead), because(tools.Accepted, tools.OnItsWay)
	gone, silent := because(tools.NoAnswer, tools.StickGone), because(tools.NoAnswer, tools.Silent)
	golden := fake.ReadProse(t, "testdata/groups.txtar")
	for _, c := range []struct {
		name, action string
		receipts     []tools.Receipt
	}{
		{"one of eight is dead", "off", []tools.Receipt{done, done, dead, done, done, done, done, done}},
		{"one of three is dead", "off", []tools.Receipt{done, done, dead}},
		{"two of four are dead", "off", []tools.Receipt{done, done, dead, dead}},
		{"one of four is dead, one is silent", "off", []tools.Receipt{done, done, dead, silent}},
		{"three of four are dead", "off", []tools.Receipt{dead, dead, dead, done}},
		{"four of six are dead", "off", []tools.Receipt{dead, dead, dead, dead, done, done}},
		{"all are dead", "off", []tools.Receipt{dead, dead, dead}},
		{"the stick is gone", "off", []tools.Receipt{gone, gone, gone, gone}},
		{"two of four are on their way", "open", []tools.Receipt{done, done, moving, moving}},
		{"two are on their way", "open", []tools.Receipt{moving, moving}},
		{"one is dead, one is on its way", "open", []tools.Receipt{dead, moving}},
		{"one has no receipt", "off", []tools.Receipt{done, done, {}}},
	} {
		for _, language := range sentences.Languages() {
			golden.Say(c.name, fake.ProseLine{Language: language, Said: agreeing(t, language, c.action, nil, names[:len(c.receipts)], c.receipts)})
		}
	}
	golden.Compare(t, *update)
}

// TestAnUnknownFateNamesTheThing: what got no answer is named, once, and nothing is
// claimed of it.
func TestAnUnknownFateNamesTheThing(t *testing.T) {
	t.Parallel()
	lost, unsent := fmt.Errorf("calling: %w", tools.ErrNoAnswer), fmt.Errorf("calling: %w", tools.ErrNotConnected)
	names := map[string][]string{"en": {"Lamp", "Fan"}, "de": {"Lampe", "Lüfter"}, "es": {"Lámpara", "Ventilador"}, "fr": {"Lampe", "Ventilateur"}}
	golden := fake.ReadProse(t, "testdata/fate.txtar")
	for _, c := range []struct {
		name string
		errs []error
	}{
		{"one is lost", []error{lost}},
		{"two are lost", []error{lost, lost}},
		{"one was not sent", []error{unsent}},
		{"one is lost, one was not sent", []error{lost, unsent}},
		{"one failed in technical words", []error{errors.New("dial tcp: refused")}},
	} {
		for _, language := range sentences.Languages() {
			things := names[language]
			if things == nil {
				things = names["en"]
			}
			golden.Say(c.name, fake.ProseLine{Language: language, Said: agreeing(t, language, "on", nil, things[:len(c.errs)], nil, c.errs...)})
		}
	}
	golden.Compare(t, *update)
}
