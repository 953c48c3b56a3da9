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

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/intent/sentences"
	"voicegateway/internal/tools"
)

// reasons are the codes of receipts, as they are written down.
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

// told is what is said of lamps that were told to do something.
func told(t *testing.T, language, action string, value any, names []string, receipts []tools.Receipt, errs ...error) string {
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
	return p.Told(steps, results, errs...)
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
				got := told(t, language, "level", 40.0, names, receipts)
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
				got := told(t, language, "on", nil, names, slices.Repeat([]tools.Receipt{r}, len(names)))
				if strings.Count(got, culprit) != 1 {
					t.Errorf("%s: %s: %q", language, why, got)
				}
			}
		}
	}
}

// TestReasonsInWords pins sentences of one thing.
func TestReasonsInWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		language, action string
		value            any
		receipt          tools.Receipt
		want             string
	}{
		{"en", "close", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "The lamp is on its way."},
		{"en", "level", 80.0, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "The lamp is on its way to 80 percent."},
		{"en", "off", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "The lamp is being switched off."},
		{"en", "colour", "blue", tools.Receipt{Outcome: tools.Accepted, Reason: tools.WhenOn}, "The lamp will be blue when it is on."},
		{"en", "colour", "#ffa757", tools.Receipt{Outcome: tools.Accepted, Reason: tools.WhenOn}, "The lamp will show that when it is on."},
		{"en", "setpoint", 40.0, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue, Message: "Lamp takes 5 to 30 degrees."}, "The lamp can't be set to 40."},
		{"en", "on", nil, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue}, "The lamp can't do that."},
		{"en", "setpoint", 33.0, tools.Receipt{Outcome: tools.Refused, Reason: tools.RefusedValue, Limits: []float64{8, 28}}, "That goes from 8 to 28 degrees."},
		{"en", "on", nil, tools.Receipt{Outcome: tools.Refused, Message: "Lamp is not for you."}, "Lamp is not for you."},
		{"en", "on", nil, tools.Receipt{Outcome: tools.NoAnswer, Reason: "a_new_code", Message: "Lamp is cross."}, "The lamp did not answer."},
		{"en", "on", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.Overtaken}, "A newer command for the lamp came first."},
		{"de", "colour", "blue", tools.Receipt{Outcome: tools.Accepted, Reason: tools.WhenOn}, "Die Farbe blau kommt, sobald Lamp an ist."},
		{"de", "open", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "Lamp ist unterwegs."},
		{"de", "on", nil, tools.Receipt{Outcome: tools.Refused, Message: "Lamp is not for you."}, "Lamp hat abgelehnt."},
		{"es", "open", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "Lamp: en camino."},
		{"es", "setpoint", 21.0, tools.Receipt{Outcome: tools.Queued, Reason: tools.Asleep}, "Se hará al despertar Lamp."},
		{"fr", "open", nil, tools.Receipt{Outcome: tools.Accepted, Reason: tools.OnItsWay}, "Lamp : en route."},
		{"fr", "on", nil, tools.Receipt{Outcome: tools.NoAnswer, Reason: tools.Dead}, "Impossible de joindre Lamp. Vérifie le courant."},
	} {
		tt.receipt.Device = "Lamp"
		if got := told(t, tt.language, tt.action, tt.value, []string{"Lamp"}, []tools.Receipt{tt.receipt}); got != tt.want {
			t.Errorf("%s %s %v %s:\ngot  %q\nwant %q", tt.language, tt.action, tt.value, tt.receipt.Reason, got, tt.want)
		}
	}
}

// TestGroupsNameWhatWasLeftOut: "all" that was not all says so, with names.
func TestGroupsNameWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	names := []string{"Attic Light", "Bath Light", "Cellar Light", "Desk Light", "Elm Light", "Fern Light", "Gate Light", "Hall Light"}
	done := tools.Receipt{Device: "x", Outcome: tools.Confirmed, Value: "off"}
	because := func(o tools.Outcome, r tools.Reason) tools.Receipt {
		return tools.Receipt{Device: "x", Outcome: o, Reason: r}
	}
	dead, moving := because(tools.NoAnswer, tools.Dead), because(tools.Accepted, tools.OnItsWay)
	gone := because(tools.NoAnswer, tools.StickGone)
	for _, tt := range []struct {
		language, action string
		receipts         []tools.Receipt
		want             string
	}{
		{"en", "off", []tools.Receipt{done, done, dead, done, done, done, done, done}, "7 lights are off. I can't reach the cellar light."},
		{"en", "off", []tools.Receipt{done, done, dead, because(tools.NoAnswer, tools.Silent)}, "2 lights are off. I can't reach the cellar light and the desk light."},
		{"en", "off", []tools.Receipt{dead, dead, dead, done}, "The desk light is off. I can't reach the attic light, the bath light and the cellar light."},
		{"en", "off", []tools.Receipt{dead, dead, dead, dead, done, done}, "2 lights are off. I can't reach 4 lights."},
		{"en", "off", []tools.Receipt{dead, dead, dead}, "None of the 3 lights answered."},
		{"en", "off", []tools.Receipt{gone, gone, gone, gone}, "I can't reach 4 lights. Check the Z-Wave stick."},
		{"en", "open", []tools.Receipt{done, done, moving, moving}, "2 lights are open. The cellar light and the desk light are on their way."},
		{"en", "open", []tools.Receipt{dead, moving}, "The bath light is on its way. I can't reach the attic light."},
		{"en", "off", []tools.Receipt{done, done, {}}, "2 lights are off. The cellar light has not confirmed it. Please check."},
		{"de", "off", []tools.Receipt{done, done, dead, dead}, "2 Lichter sind aus. Ich erreiche Cellar Light und Desk Light nicht."},
		{"es", "off", []tools.Receipt{done, done, dead}, "He apagado 2 luces. No puedo contactar con Cellar Light."},
		{"fr", "open", []tools.Receipt{moving, moving}, "Attic Light et Bath Light : en route."},
	} {
		if got := told(t, tt.language, tt.action, nil, names[:len(tt.receipts)], tt.receipts); got != tt.want {
			t.Errorf("%s %s:\ngot  %q\nwant %q", tt.language, tt.action, got, tt.want)
		}
	}
}

// TestAnUnknownFateNamesTheThing: what got no answer is named, once, and nothing is
// claimed of it.
func TestAnUnknownFateNamesTheThing(t *testing.T) {
	t.Parallel()
	lost, unsent := fmt.Errorf("calling: %w", tools.ErrNoAnswer), fmt.Errorf("calling: %w", tools.ErrNotConnected)
	for _, tt := range []struct {
		language string
		names    []string
		errs     []error
		want     string
	}{
		{"en", []string{"Lamp"}, []error{lost}, "I don't know whether the lamp did it. Please check."},
		{"en", []string{"Lamp", "Fan"}, []error{lost, lost}, "I don't know whether the lamp and the fan did it. Please check."},
		{"en", []string{"Lamp"}, []error{unsent}, "The connection to the lamp is down. Try again in a minute."},
		{"en", []string{"Lamp", "Fan"}, []error{lost, unsent}, "I don't know whether the lamp did it. Please check. The connection to the fan is down. Try again in a minute."},
		{"en", []string{"Lamp"}, []error{errors.New("dial tcp: refused")}, "Sorry, that did not work."},
		{"de", []string{"Lampe", "Lüfter"}, []error{lost, lost}, "Ich weiß nicht, ob Lampe und Lüfter reagiert haben. Bitte nachsehen."},
		{"es", []string{"Lámpara"}, []error{lost}, "No sé si Lámpara lo ha hecho. Compruébalo."},
		{"fr", []string{"Lampe"}, []error{lost}, "Je ne sais pas si Lampe a réagi. Vérifie."},
	} {
		if got := told(t, tt.language, "on", nil, tt.names, nil, tt.errs...); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.language, got, tt.want)
		}
	}
}
